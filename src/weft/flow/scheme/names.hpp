#pragma once
/// The names by which cases select a flux, a limiter or a boundary condition.
#include <span>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/flux.hpp"
#include "weft/flow/physics/limiter.hpp"

namespace weft::flow {

/// Every name of an enumeration, in the order of its values: "hllc", "roe", "rusanov", ...
template <class Kind>
[[nodiscard]] std::span<const std::string_view> names();
template <>
[[nodiscard]] std::span<const std::string_view> names<FluxKind>();
template <>
[[nodiscard]] std::span<const std::string_view> names<LimiterKind>();
template <>
[[nodiscard]] std::span<const std::string_view> names<BoundaryKind>();

namespace detail {
/// @throws InputError naming the closest name (or all of them) where `name` is none of `all`.
[[nodiscard]] int index_of_name(std::string_view name, std::span<const std::string_view> all, const char* what,
                                const Where& where);

template <class Kind>
inline constexpr const char* kWhat = "";
template <>
inline constexpr const char* kWhat<FluxKind> = "flux";
template <>
inline constexpr const char* kWhat<LimiterKind> = "limiter";
template <>
inline constexpr const char* kWhat<BoundaryKind> = "boundary condition";
}  // namespace detail

template <class Kind>
[[nodiscard]] std::string_view name_of(Kind kind) {
  return names<Kind>()[static_cast<std::size_t>(kind)];
}

/// The value of that name: kind_named<FluxKind>("hllc", where).
/// @throws InputError at `where`, with the closest name.
template <class Kind>
[[nodiscard]] Kind kind_named(std::string_view name, const Where& where = {}) {
  return static_cast<Kind>(detail::index_of_name(name, names<Kind>(), detail::kWhat<Kind>, where));
}

}  // namespace weft::flow
