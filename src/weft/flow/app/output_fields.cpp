#include "weft/flow/app/output_fields.hpp"

#include <array>
#include <cmath>

namespace weft::flow {
namespace {

struct FieldInfo {
  FieldKind kind;
  std::string_view name, formula;
  bool of_gradient = false;
};

constexpr std::array kFieldInfos{
    FieldInfo{FieldKind::density, "density", "rho, kg/m^3"},
    FieldInfo{FieldKind::velocity, "velocity", "u, 3 components, m/s"},
    FieldInfo{FieldKind::pressure, "pressure", "p, Pa"},
    FieldInfo{FieldKind::mach, "mach", "Mach number M = |u| / a, a = sqrt(gamma p / rho)"},
    FieldInfo{FieldKind::temperature, "temperature", "T = p / (rho R), K"},
    FieldInfo{FieldKind::total_temperature, "total_temperature", "T (1 + (gamma - 1) M^2 / 2), K"},
    FieldInfo{FieldKind::total_pressure, "total_pressure", "p (1 + (gamma - 1) M^2 / 2)^(gamma / (gamma - 1)), Pa"},
    FieldInfo{FieldKind::entropy, "entropy",
              "R / (gamma - 1) ln(p / rho^gamma), less that of the free stream where there is one, J/(kg K)"},
    FieldInfo{FieldKind::cp, "cp",
              "pressure coefficient (p - p_inf) / (rho_inf u_inf^2 / 2), which needs a free stream that moves"},
    FieldInfo{FieldKind::vorticity, "vorticity", "curl u, 3 components, 1/s; in 2-D its component along z", true},
    FieldInfo{FieldKind::schlieren, "schlieren", "|grad rho|, kg/m^4", true},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kFieldInfos.size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = kFieldInfos[i].name;
  return all;
}();

constexpr bool in_order() {
  for (std::size_t i = 0; i < kFieldInfos.size(); ++i) {
    if (static_cast<std::size_t>(kFieldInfos[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_order() && kFieldInfos.size() == static_cast<std::size_t>(FieldKind::schlieren) + 1);

double specific_entropy(const IdealGas& gas, const Primitive& w) {
  return gas.gas_constant / (gas.gamma - 1) * std::log(gas.entropy(w));
}

Vec3 curl(const CellGradient& gradient) {
  const Vec3 u = gradient.of[1], v = gradient.of[2], w = gradient.of[3];
  return {w.y - v.z, u.z - w.x, v.x - u.y};
}

}  // namespace

template <>
std::span<const std::string_view> names<FieldKind>() {
  return kNames;
}

std::string describe_fields() {
  std::string text;
  for (const FieldInfo& info : kFieldInfos) {
    if (!text.empty()) text += "; ";
    text.append(info.name).append(": ").append(info.formula);
  }
  return text + ". Vorticity and schlieren are made from the gradients of the scheme, as its limiter leaves them.";
}

int components(FieldKind field, int dim) {
  if (field == FieldKind::velocity) return 3;
  return field == FieldKind::vorticity && dim == 3 ? 3 : 1;
}

bool needs_gradient(FieldKind field) { return kFieldInfos[static_cast<std::size_t>(field)].of_gradient; }

void append_field(FieldKind field, const FieldReference& reference, int dim, const Primitive& state, const CellGradient& gradient,
                  std::vector<double>& values) {
  const IdealGas& gas = reference.gas;
  const auto append = [&](Vec3 v) { values.insert(values.end(), {v.x, v.y, v.z}); };
  switch (field) {
    case FieldKind::density:
      return values.push_back(state.density);
    case FieldKind::velocity:
      return append(state.velocity);
    case FieldKind::pressure:
      return values.push_back(state.pressure);
    case FieldKind::mach:
      return values.push_back(gas.mach(state));
    case FieldKind::temperature:
      return values.push_back(gas.temperature(state));
    case FieldKind::total_temperature:
      return values.push_back(gas.total_temperature(state));
    case FieldKind::total_pressure:
      return values.push_back(gas.total_pressure(state));
    case FieldKind::entropy: {
      const double datum = reference.free_stream ? specific_entropy(gas, *reference.free_stream) : 0;
      return values.push_back(specific_entropy(gas, state) - datum);
    }
    case FieldKind::cp: {
      const Primitive& stream = reference.free_stream.value();
      return values.push_back((state.pressure - stream.pressure) /
                              (0.5 * stream.density * dot(stream.velocity, stream.velocity)));
    }
    case FieldKind::vorticity:
      if (dim == 3) return append(curl(gradient));
      return values.push_back(curl(gradient).z);
    case FieldKind::schlieren:
      return values.push_back(norm(gradient.of[0]));
  }
}

}  // namespace weft::flow
