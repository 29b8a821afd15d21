#include "weft/mesh/generate/generate_naca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/base/error.hpp"

namespace weft::mesh::detail {
namespace {

constexpr double kPi = std::numbers::pi;
// Half thickness / (5 t) = c0 sqrt(x) + c1 x + c2 x^2 + c3 x^3 + c4 x^4; the last one closes the trailing edge.
constexpr std::array<double, 5> kThickness{0.2969, -0.1260, -0.3516, 0.2843, -0.1036};
constexpr double kSteepest = 1.3;  ///< maximum growth of cells between circles for a given wall spacing
constexpr double kGentle = 1.2;    ///< growth used by default

double half_thickness(double root_x, double t) {
  const double x = root_x * root_x;
  return 5 * t * (kThickness[0] * root_x + x * (kThickness[1] + x * (kThickness[2] + x * (kThickness[3] + x * kThickness[4]))));
}

double trailing_slope(double t) {
  return 5 * t * (0.5 * kThickness[0] + kThickness[1] + 2 * kThickness[2] + 3 * kThickness[3] + 4 * kThickness[4]);
}

/// Returns 1 + q + ... + q^(n-1).
double geometric_sum(double q, std::int64_t n) {
  return std::abs(q - 1) < 1e-12 ? static_cast<double>(n) : (std::pow(q, static_cast<double>(n)) - 1) / (q - 1);
}

/// Returns q in [1, highest] with geometric_sum(q, n) = sum, by bisection.
double growth(double sum, std::int64_t n, double highest) {
  double low = 1, high = highest;
  for (int step = 0; step < 60; ++step) {
    const double q = 0.5 * (low + high);
    (geometric_sum(q, n) < sum ? low : high) = q;
  }
  return 0.5 * (low + high);
}

[[noreturn]] void refuse(const char* key, const std::string& problem, const std::string& suggestion) {
  throw InputError(problem, suggestion, Where{.key = key});
}

}  // namespace

NacaGrid::NacaGrid(const NacaSpec& spec) : chord_(spec.chord), far_log_radius_(std::log(spec.radius)) {
  const std::string& d = spec.digits;
  if (d.size() != 4 || !std::all_of(d.begin(), d.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    refuse("digits", fmt::format("\"{}\" is not a NACA 4-digit aerofoil", d), "choose four digits, such as \"0012\" or \"2412\"");
  }
  camber_ = (d[0] - '0') / 100.0;
  camber_place_ = (d[1] - '0') / 10.0;
  thickness_ = (10 * (d[2] - '0') + (d[3] - '0')) / 100.0;
  if (thickness_ < 0.01 || thickness_ > 0.4) {
    refuse("digits", fmt::format("\"{}\" is {} % thick", d, 100 * thickness_), "choose 01 to 40 as the last two digits");
  }
  if (camber_ > 0 && (camber_place_ < 0.2 || camber_place_ > 0.7)) {
    refuse("digits", fmt::format("\"{}\" has its largest camber at {} % of the chord", d, 100 * camber_place_),
           "choose 2 to 7 as the second digit");
  }
  if (spec.around % 2 != 0) refuse("around", fmt::format("{} is odd", spec.around), "choose an even number");

  const double edge_camber_slope = camber_ > 0 ? -2 * camber_ / (1 - camber_place_) : 0;
  const double nose_camber_slope = camber_ > 0 ? 2 * camber_ / camber_place_ : 0;
  exponent_ = 2 - 2 * std::atan(-trailing_slope(thickness_) * std::cos(std::atan(edge_camber_slope))) / kPi;
  const double nose_radius = 0.5 * std::pow(5 * kThickness[0] * thickness_, 2);
  nose_ = 0.5 * nose_radius * std::polar(1.0, std::atan(nose_camber_slope));
  b_ = (edge_ - nose_) / (2 * exponent_);
  find_rays(spec.around);
  find_levels(spec);
}

/// Returns the aerofoil of chord 1, from its trailing edge (s = 0) along the upper side to the nose (pi) and back below (2
/// pi).
NacaGrid::Complex NacaGrid::surface(double s) const {
  const double root_x = std::abs(std::cos(0.5 * s));
  const double x = root_x * root_x;
  double camber = 0, slope = 0;
  if (camber_ > 0) {
    const double p = camber_place_, scale = camber_ / (x < p ? p * p : (1 - p) * (1 - p));
    camber = scale * ((x < p ? 0 : 1 - 2 * p) + x * (2 * p - x));
    slope = 2 * scale * (p - x);
  }
  const double out = (s <= kPi ? 1 : -1) * half_thickness(root_x, thickness_) / std::hypot(1.0, slope);
  return {x - out * slope, camber + out};
}

NacaGrid::Complex NacaGrid::to_circle(double s) const {
  // Angles from the two singular points, relative to the line between them: about pi from the trailing edge, and from
  // slightly below 0 above the nose to slightly above 2 pi below it.
  const Complex along = edge_ - nose_, z = surface(s);
  const Complex from_edge = (z - edge_) / along, from_nose = (z - nose_) / along;
  double at_edge = std::arg(from_edge), at_nose = std::arg(from_nose);
  if (at_edge < 0) at_edge += 2 * kPi;
  if (s <= kPi ? at_nose < -0.5 * kPi : at_nose < 0.5 * kPi) at_nose += 2 * kPi;
  const double size = std::abs(from_edge) / std::abs(from_nose);
  const Complex ratio = std::polar(std::pow(size, 1 / exponent_), (at_edge - at_nose) / exponent_);
  return b_ * (1.0 + ratio) / (1.0 - ratio);
}

NacaGrid::Complex NacaGrid::from_circle(Complex w) const {
  const Complex ratio = (w - b_) / (w + b_);
  const Complex power = std::polar(std::pow(std::abs(ratio), exponent_), exponent_ * std::arg(ratio));
  return (edge_ - power * nose_) / (1.0 - power);
}

/// Nodes of the surface at equal angles about the centre of the near-circle.
void NacaGrid::find_rays(std::int64_t around) {
  constexpr int kSamples = 256;
  for (int n = 0; n < kSamples; ++n) centre_ += to_circle(2 * kPi * n / kSamples) / static_cast<double>(kSamples);
  const double start = std::arg(b_ - centre_);
  const auto angle_from_edge = [&](double s) {
    const double angle = std::arg(to_circle(s) - centre_) - start;
    return angle < 0 ? angle + 2 * kPi : angle;
  };
  for (std::int64_t i = 0; i < around; ++i) {
    const double target = 2 * kPi * static_cast<double>(around - i) / static_cast<double>(around);
    double low = 0, high = 2 * kPi;
    for (int step = 0; step < 60 && i > 0; ++step) {
      const double s = 0.5 * (low + high);
      (angle_from_edge(s) < target ? low : high) = s;
    }
    const double s = i > 0 ? 0.5 * (low + high) : 0;
    surface_.push_back(i > 0 ? surface(s) : edge_);
    angle_.push_back(start + target);
    log_radius_.push_back(std::log(std::abs(to_circle(s) - centre_)));
  }
}

/// Circles whose logarithmic distances grow geometrically.
void NacaGrid::find_levels(const NacaSpec& spec) {
  const double nearest = *std::max_element(log_radius_.begin(), log_radius_.end());
  const double total = far_log_radius_ - nearest;
  // The transformation stretches lengths by 2 at mid-chord, on a circle of radius chord / 4.
  double first = 2 * spec.wall_spacing;
  const double most = total / static_cast<double>(spec.radial), least = total / geometric_sum(kSteepest, spec.radial);
  constexpr double kDigits = 0.006;  // more than the relative error of three digits, so that the printed limit is accepted
  if (spec.wall_spacing == 0) {
    first = std::clamp(kPi / static_cast<double>(spec.around), total / geometric_sum(kGentle, spec.radial), most);
  } else if (first > most || first < least) {
    refuse("wall_spacing",
           fmt::format("{} radial cells from the aerofoil to {} chords cannot begin with {} chords", spec.radial, spec.radius,
                       spec.wall_spacing),
           first > most ? fmt::format("choose at most {:.3g}, or fewer radial cells", (1 - kDigits) * 0.5 * most)
                        : fmt::format("choose at least {:.3g}, or more radial cells", (1 + kDigits) * 0.5 * least));
  }
  const double q = growth(total / first, spec.radial, kSteepest);
  for (std::int64_t j = 0; j <= spec.radial; ++j) level_.push_back(geometric_sum(q, j) / geometric_sum(q, spec.radial));
}

Vec3 NacaGrid::node(std::int64_t i, std::int64_t j) const {
  Complex z = surface_[i];
  if (j > 0) {
    const double log_radius = std::lerp(log_radius_[i], far_log_radius_, level_[j]);
    z = from_circle(centre_ + std::polar(std::exp(log_radius), angle_[i]));
  }
  return {chord_ * z.real(), chord_ * z.imag(), 0};
}

}  // namespace weft::mesh::detail
