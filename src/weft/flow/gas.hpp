#pragma once
/// The ideal gas: its variables and the relations between them. The number of variables is known here and nowhere else.
///
/// Everything is trivially copyable and runs on host and device. Units are SI, or any consistent non-dimensional set.
#include <cmath>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"

namespace weft::flow {

/// Density, momentum and total energy per volume: what the scheme conserves. Also a flux per area, and a residual.
struct Conserved {
  static constexpr int kVars = 5;

  double density = 0;  ///< rho, kg/m^3
  Vec3 momentum{};     ///< rho u, kg/(m^2 s)
  double energy = 0;   ///< rho E, J/m^3

  /// The k-th variable; folds to a field where k is known at compile time.
  [[nodiscard]] WEFT_HD constexpr double operator[](int k) const {
    return k == 0 ? density : (k == kVars - 1 ? energy : momentum[k - 1]);
  }
  [[nodiscard]] WEFT_HD constexpr double& operator[](int k) {
    return k == 0 ? density : (k == kVars - 1 ? energy : momentum[k - 1]);
  }
  WEFT_HD constexpr Conserved& operator+=(const Conserved& b) {
    density += b.density, momentum += b.momentum, energy += b.energy;
    return *this;
  }
  WEFT_HD constexpr Conserved& operator-=(const Conserved& b) {
    density -= b.density, momentum -= b.momentum, energy -= b.energy;
    return *this;
  }
  WEFT_HD constexpr Conserved& operator*=(double s) {
    density *= s, momentum *= s, energy *= s;
    return *this;
  }
  friend WEFT_HD constexpr Conserved operator+(Conserved a, const Conserved& b) { return a += b; }
  friend WEFT_HD constexpr Conserved operator-(Conserved a, const Conserved& b) { return a -= b; }
  friend WEFT_HD constexpr Conserved operator*(double s, Conserved a) { return a *= s; }
  friend WEFT_HD constexpr Conserved operator*(Conserved a, double s) { return a *= s; }
  friend WEFT_HD constexpr bool operator==(const Conserved& a, const Conserved& b) {
    return a.density == b.density && a.momentum == b.momentum && a.energy == b.energy;
  }
};

/// Density, velocity and pressure: what is reconstructed, and what people read. Also a difference of two such states.
struct Primitive {
  static constexpr int kVars = Conserved::kVars;

  double density = 0;   ///< rho, kg/m^3
  Vec3 velocity{};      ///< m/s
  double pressure = 0;  ///< Pa

  /// The k-th variable; folds to a field where k is known at compile time.
  [[nodiscard]] WEFT_HD constexpr double operator[](int k) const {
    return k == 0 ? density : (k == kVars - 1 ? pressure : velocity[k - 1]);
  }
  [[nodiscard]] WEFT_HD constexpr double& operator[](int k) {
    return k == 0 ? density : (k == kVars - 1 ? pressure : velocity[k - 1]);
  }
  WEFT_HD constexpr Primitive& operator+=(const Primitive& b) {
    density += b.density, velocity += b.velocity, pressure += b.pressure;
    return *this;
  }
  WEFT_HD constexpr Primitive& operator-=(const Primitive& b) {
    density -= b.density, velocity -= b.velocity, pressure -= b.pressure;
    return *this;
  }
  WEFT_HD constexpr Primitive& operator*=(double s) {
    density *= s, velocity *= s, pressure *= s;
    return *this;
  }
  friend WEFT_HD constexpr Primitive operator+(Primitive a, const Primitive& b) { return a += b; }
  friend WEFT_HD constexpr Primitive operator-(Primitive a, const Primitive& b) { return a -= b; }
  friend WEFT_HD constexpr Primitive operator*(double s, Primitive a) { return a *= s; }
  friend WEFT_HD constexpr Primitive operator*(Primitive a, double s) { return a *= s; }
  friend WEFT_HD constexpr bool operator==(const Primitive& a, const Primitive& b) {
    return a.density == b.density && a.velocity == b.velocity && a.pressure == b.pressure;
  }
};

/// A calorically perfect ideal gas: p = rho R T, p = (gamma - 1) rho e.
struct IdealGas {
  static constexpr int kVars = ::weft::flow::Conserved::kVars;
  using Conserved = ::weft::flow::Conserved;
  using Primitive = ::weft::flow::Primitive;

  double gamma = 1.4;         ///< ratio of specific heats, > 1
  double gas_constant = 1.0;  ///< R, J/(kg K); 1 in non-dimensional cases

  [[nodiscard]] WEFT_HD constexpr Conserved conserved(const Primitive& w) const {
    return {w.density, w.density * w.velocity, total_energy(w)};
  }
  [[nodiscard]] WEFT_HD constexpr Primitive primitive(const Conserved& u) const {
    const double volume = 1.0 / u.density;
    const Vec3 velocity = volume * u.momentum;
    return {u.density, velocity, (gamma - 1) * (u.energy - 0.5 * dot(u.momentum, velocity))};
  }
  /// rho E, J/m^3.
  [[nodiscard]] WEFT_HD constexpr double total_energy(const Primitive& w) const {
    return w.pressure / (gamma - 1) + 0.5 * w.density * dot(w.velocity, w.velocity);
  }
  /// H = E + p / rho, J/kg.
  [[nodiscard]] WEFT_HD constexpr double total_enthalpy(const Primitive& w) const {
    return gamma / (gamma - 1) * w.pressure / w.density + 0.5 * dot(w.velocity, w.velocity);
  }
  [[nodiscard]] WEFT_HD double sound_speed(const Primitive& w) const { return std::sqrt(gamma * w.pressure / w.density); }
  [[nodiscard]] WEFT_HD double mach(const Primitive& w) const { return norm(w.velocity) / sound_speed(w); }
  [[nodiscard]] WEFT_HD constexpr double temperature(const Primitive& w) const { return w.pressure / (w.density * gas_constant); }
  [[nodiscard]] WEFT_HD constexpr double density(double pressure, double temperature) const {
    return pressure / (gas_constant * temperature);
  }
  /// The entropy function p / rho^gamma: constant along a streamline without shocks.
  [[nodiscard]] WEFT_HD double entropy(const Primitive& w) const { return w.pressure / std::pow(w.density, gamma); }
  [[nodiscard]] WEFT_HD double total_temperature(const Primitive& w) const { return temperature(w) * stagnation_ratio(w); }
  [[nodiscard]] WEFT_HD double total_pressure(const Primitive& w) const {
    return w.pressure * std::pow(stagnation_ratio(w), gamma / (gamma - 1));
  }

  /// Whether the model holds: positive density and pressure, everything finite.
  [[nodiscard]] WEFT_HD bool physical(const Primitive& w) const {
    bool good = w.density > 0 && w.pressure > 0;
    for (int k = 0; k < kVars; ++k) good = good && std::isfinite(w[k]);
    return good;
  }
  [[nodiscard]] WEFT_HD bool physical(const Conserved& u) const { return u.density > 0 && physical(primitive(u)); }

  /// For files and messages.
  [[nodiscard]] static constexpr const char* conserved_name(int k) {
    constexpr const char* kNames[kVars] = {"density", "momentum_x", "momentum_y", "momentum_z", "energy"};
    return kNames[k];
  }
  [[nodiscard]] static constexpr const char* primitive_name(int k) {
    constexpr const char* kNames[kVars] = {"density", "velocity_x", "velocity_y", "velocity_z", "pressure"};
    return kNames[k];
  }

 private:
  /// T0 / T.
  [[nodiscard]] WEFT_HD constexpr double stagnation_ratio(const Primitive& w) const {
    return 1 + 0.5 * (gamma - 1) * dot(w.velocity, w.velocity) * w.density / (gamma * w.pressure);
  }
};

}  // namespace weft::flow
