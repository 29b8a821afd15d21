#pragma once
/// The ideal gas: its variables and the relations between them. The number of variables is defined here only.
///
/// Everything is trivially copyable and runs on host and device. Units are SI, or any consistent non-dimensional set.
#include <cmath>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

/// The conserved variables: density, momentum and total energy per volume. Also a flux per area, and a residual.
/// @tparam T  double, float, or a SIMD vector of states (host/simd_vector.hpp).
template <class T>
struct BasicConserved {
  static constexpr int kVars = 5;

  T density = 0;            ///< rho, kg/m^3
  BasicVec3<T> momentum{};  ///< rho u, kg/(m^2 s)
  T energy = 0;             ///< rho E, J/m^3

  /// Returns variable k; reduces to a member access where k is a compile-time constant.
  [[nodiscard]] WEFT_HD constexpr T operator[](int k) const {
    return k == 0 ? density : (k == kVars - 1 ? energy : momentum[k - 1]);
  }
  [[nodiscard]] WEFT_HD constexpr T& operator[](int k) { return k == 0 ? density : (k == kVars - 1 ? energy : momentum[k - 1]); }
  WEFT_HD constexpr BasicConserved& operator+=(const BasicConserved& b) {
    density += b.density, momentum += b.momentum, energy += b.energy;
    return *this;
  }
  WEFT_HD constexpr BasicConserved& operator-=(const BasicConserved& b) {
    density -= b.density, momentum -= b.momentum, energy -= b.energy;
    return *this;
  }
  WEFT_HD constexpr BasicConserved& operator*=(T s) {
    density *= s, momentum *= s, energy *= s;
    return *this;
  }
  friend WEFT_HD constexpr BasicConserved operator+(BasicConserved a, const BasicConserved& b) { return a += b; }
  friend WEFT_HD constexpr BasicConserved operator-(BasicConserved a, const BasicConserved& b) { return a -= b; }
  friend WEFT_HD constexpr BasicConserved operator*(T s, BasicConserved a) { return a *= s; }
  friend WEFT_HD constexpr BasicConserved operator*(BasicConserved a, T s) { return a *= s; }
  friend WEFT_HD constexpr bool operator==(const BasicConserved& a, const BasicConserved& b) {
    return a.density == b.density && a.momentum == b.momentum && a.energy == b.energy;
  }
};

/// The primitive variables: density, velocity and pressure, which are reconstructed and written to files. Also a difference of
/// two such states.
template <class T>
struct BasicPrimitive {
  static constexpr int kVars = BasicConserved<T>::kVars;

  T density = 0;            ///< rho, kg/m^3
  BasicVec3<T> velocity{};  ///< m/s
  T pressure = 0;           ///< Pa

  /// Returns variable k; reduces to a member access where k is a compile-time constant.
  [[nodiscard]] WEFT_HD constexpr T operator[](int k) const {
    return k == 0 ? density : (k == kVars - 1 ? pressure : velocity[k - 1]);
  }
  [[nodiscard]] WEFT_HD constexpr T& operator[](int k) {
    return k == 0 ? density : (k == kVars - 1 ? pressure : velocity[k - 1]);
  }
  WEFT_HD constexpr BasicPrimitive& operator+=(const BasicPrimitive& b) {
    density += b.density, velocity += b.velocity, pressure += b.pressure;
    return *this;
  }
  WEFT_HD constexpr BasicPrimitive& operator-=(const BasicPrimitive& b) {
    density -= b.density, velocity -= b.velocity, pressure -= b.pressure;
    return *this;
  }
  WEFT_HD constexpr BasicPrimitive& operator*=(T s) {
    density *= s, velocity *= s, pressure *= s;
    return *this;
  }
  friend WEFT_HD constexpr BasicPrimitive operator+(BasicPrimitive a, const BasicPrimitive& b) { return a += b; }
  friend WEFT_HD constexpr BasicPrimitive operator-(BasicPrimitive a, const BasicPrimitive& b) { return a -= b; }
  friend WEFT_HD constexpr BasicPrimitive operator*(T s, BasicPrimitive a) { return a *= s; }
  friend WEFT_HD constexpr BasicPrimitive operator*(BasicPrimitive a, T s) { return a *= s; }
  friend WEFT_HD constexpr bool operator==(const BasicPrimitive& a, const BasicPrimitive& b) {
    return a.density == b.density && a.velocity == b.velocity && a.pressure == b.pressure;
  }
};

using Conserved = BasicConserved<double>;
using Primitive = BasicPrimitive<double>;

/// A calorically perfect ideal gas: p = rho R T, p = (gamma - 1) rho e.
/// @tparam Real  double or float.
template <class Real>
struct BasicIdealGas {
  static constexpr int kVars = BasicConserved<Real>::kVars;

  Real gamma = Real(1.4);       ///< ratio of specific heats, > 1
  Real gas_constant = Real(1);  ///< R, J/(kg K); 1 in non-dimensional cases

  template <class T = Real>
  [[nodiscard]] WEFT_HD constexpr BasicConserved<T> conserved(const BasicPrimitive<T>& w) const {
    return {w.density, w.density * w.velocity, total_energy(w)};
  }
  template <class T = Real>
  [[nodiscard]] WEFT_HD constexpr BasicPrimitive<T> primitive(const BasicConserved<T>& u) const {
    const T volume = detail::reciprocal(u.density);
    const BasicVec3<T> velocity = volume * u.momentum;
    return {u.density, velocity, (gamma - 1) * (u.energy - Real(0.5) * dot(u.momentum, velocity))};
  }
  /// Returns rho E, J/m^3.
  template <class T = Real>
  [[nodiscard]] WEFT_HD constexpr T total_energy(const BasicPrimitive<T>& w) const {
    return detail::quotient(w.pressure, gamma - 1) + Real(0.5) * w.density * dot(w.velocity, w.velocity);
  }
  /// Returns H = E + p / rho, J/kg.
  template <class T = Real>
  [[nodiscard]] WEFT_HD constexpr T total_enthalpy(const BasicPrimitive<T>& w) const {
    return detail::quotient(detail::quotient(gamma, gamma - 1) * w.pressure, w.density) + Real(0.5) * dot(w.velocity, w.velocity);
  }
  template <class T = Real>
  [[nodiscard]] WEFT_HD T sound_speed(const BasicPrimitive<T>& w) const {
    return detail::root(detail::quotient(gamma * w.pressure, w.density));
  }
  [[nodiscard]] WEFT_HD Real mach(const BasicPrimitive<Real>& w) const { return norm(w.velocity) / sound_speed(w); }
  [[nodiscard]] WEFT_HD constexpr Real temperature(const BasicPrimitive<Real>& w) const {
    return w.pressure / (w.density * gas_constant);
  }
  [[nodiscard]] WEFT_HD constexpr Real density(Real pressure, Real temperature) const {
    return pressure / (gas_constant * temperature);
  }
  /// Returns the entropy function p / rho^gamma, which is constant along a streamline without shocks.
  [[nodiscard]] WEFT_HD Real entropy(const BasicPrimitive<Real>& w) const { return w.pressure / std::pow(w.density, gamma); }
  [[nodiscard]] WEFT_HD Real total_temperature(const BasicPrimitive<Real>& w) const {
    return temperature(w) * stagnation_ratio(w);
  }
  [[nodiscard]] WEFT_HD Real total_pressure(const BasicPrimitive<Real>& w) const {
    return w.pressure * std::pow(stagnation_ratio(w), gamma / (gamma - 1));
  }

  /// Returns whether a state is physical: positive density and pressure, all variables finite.
  template <class T = Real>
  [[nodiscard]] WEFT_HD auto physical(const BasicPrimitive<T>& w) const {
    auto good = w.density > 0 && w.pressure > 0;
    for (int k = 0; k < kVars; ++k) good = good && detail::finite(w[k]);
    return good;
  }
  [[nodiscard]] WEFT_HD bool physical(const BasicConserved<Real>& u) const { return u.density > 0 && physical(primitive(u)); }

  /// Returns the name of variable k in files and messages.
  [[nodiscard]] static constexpr const char* conserved_name(int k) {
    constexpr const char* kNames[kVars] = {"density", "momentum_x", "momentum_y", "momentum_z", "energy"};
    return kNames[k];
  }
  [[nodiscard]] static constexpr const char* primitive_name(int k) {
    constexpr const char* kNames[kVars] = {"density", "velocity_x", "velocity_y", "velocity_z", "pressure"};
    return kNames[k];
  }

 private:
  /// Returns T0 / T.
  [[nodiscard]] WEFT_HD constexpr Real stagnation_ratio(const BasicPrimitive<Real>& w) const {
    return 1 + Real(0.5) * (gamma - 1) * dot(w.velocity, w.velocity) * w.density / (gamma * w.pressure);
  }
};

using IdealGas = BasicIdealGas<double>;

}  // namespace weft::flow
