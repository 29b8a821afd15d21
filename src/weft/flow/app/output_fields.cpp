#include "weft/flow/app/output_fields.hpp"

#include <array>
#include <cmath>

namespace weft::flow {
namespace {

double specific_entropy(const IdealGas& gas, const Primitive& w) {
  return gas.gas_constant / (gas.gamma - 1) * std::log(gas.entropy(w));
}

Vec3 curl(const CellGradient& gradient) {
  const Vec3 u = gradient.of[1], v = gradient.of[2], w = gradient.of[3];
  return {w.y - v.z, u.z - w.x, v.x - u.y};
}

}  // namespace

int components(FieldKind field, int dim) {
  if (field == FieldKind::velocity) return 3;
  return field == FieldKind::vorticity && dim == 3 ? 3 : 1;
}

bool needs_gradient(FieldKind field) { return row_of(field).of_gradient; }

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
