#pragma once
/// Conversions of vectors, states and gases to another precision: as<float>(state).
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/state_limits.hpp"

namespace weft::flow::detail {

template <class To, class From>
[[nodiscard]] WEFT_HD constexpr BasicVec3<To> as(const BasicVec3<From>& v) {
  return {static_cast<To>(v.x), static_cast<To>(v.y), static_cast<To>(v.z)};
}
template <class To, class From>
[[nodiscard]] WEFT_HD constexpr BasicPrimitive<To> as(const BasicPrimitive<From>& w) {
  return {static_cast<To>(w.density), as<To>(w.velocity), static_cast<To>(w.pressure)};
}
template <class To, class From>
[[nodiscard]] WEFT_HD constexpr BasicConserved<To> as(const BasicConserved<From>& u) {
  return {static_cast<To>(u.density), as<To>(u.momentum), static_cast<To>(u.energy)};
}
template <class To, class From>
[[nodiscard]] WEFT_HD constexpr BasicIdealGas<To> as(const BasicIdealGas<From>& gas) {
  return {static_cast<To>(gas.gamma), static_cast<To>(gas.gas_constant)};
}
template <class To, class From>
[[nodiscard]] WEFT_HD constexpr BasicStateLimits<To> as(const BasicStateLimits<From>& limits) {
  return {static_cast<To>(limits.least_density), static_cast<To>(limits.most_density), static_cast<To>(limits.least_pressure),
          static_cast<To>(limits.most_pressure), static_cast<To>(limits.most_speed_squared)};
}

}  // namespace weft::flow::detail
