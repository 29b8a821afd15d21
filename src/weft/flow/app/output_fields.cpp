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

std::array<double, 3> field_value(FieldKind field, const FieldReference& reference, int dim, const Primitive& state,
                                  const CellGradient& gradient) {
  const IdealGas& gas = reference.gas;
  switch (field) {
    case FieldKind::density:
      return {state.density};
    case FieldKind::velocity:
      return {state.velocity.x, state.velocity.y, state.velocity.z};
    case FieldKind::pressure:
      return {state.pressure};
    case FieldKind::mach:
      return {gas.mach(state)};
    case FieldKind::temperature:
      return {gas.temperature(state)};
    case FieldKind::total_temperature:
      return {gas.total_temperature(state)};
    case FieldKind::total_pressure:
      return {gas.total_pressure(state)};
    case FieldKind::entropy:
      return {specific_entropy(gas, state) - (reference.free_stream ? specific_entropy(gas, *reference.free_stream) : 0)};
    case FieldKind::cp: {
      const Primitive& stream = reference.free_stream.value();
      return {(state.pressure - stream.pressure) / (0.5 * stream.density * dot(stream.velocity, stream.velocity))};
    }
    case FieldKind::vorticity: {
      const Vec3 w = curl(gradient);
      return dim == 3 ? std::array{w.x, w.y, w.z} : std::array{w.z, 0.0, 0.0};
    }
    case FieldKind::schlieren:
      return {norm(gradient.of[0])};
  }
  return {};
}

void append_field(FieldKind field, const FieldReference& reference, int dim, const Primitive& state, const CellGradient& gradient,
                  std::vector<double>& values) {
  const std::array<double, 3> value = field_value(field, reference, dim, state, gradient);
  values.insert(values.end(), value.begin(), value.begin() + components(field, dim));
}

}  // namespace weft::flow
