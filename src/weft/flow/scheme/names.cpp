#include "weft/flow/scheme/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace weft::flow {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kFluxes{"hllc"sv, "roe"sv, "rusanov"sv, "hlle"sv, "ausm_plus_up"sv, "hllc_hlle"sv};
constexpr std::array kLimiters{"none"sv, "barth_jespersen"sv, "venkatakrishnan"sv};
constexpr std::array kBoundaries{"slip_wall"sv,
                                 "symmetry"sv,
                                 "far_field"sv,
                                 "supersonic_inflow"sv,
                                 "supersonic_outflow"sv,
                                 "total_pressure_inflow"sv,
                                 "static_pressure_outflow"sv};

}  // namespace

template <>
std::span<const std::string_view> names<FluxKind>() {
  return kFluxes;
}
template <>
std::span<const std::string_view> names<LimiterKind>() {
  return kLimiters;
}
template <>
std::span<const std::string_view> names<BoundaryKind>() {
  return kBoundaries;
}

int detail::index_of_name(std::string_view name, std::span<const std::string_view> all, const char* what, const Where& where) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == name) return static_cast<int>(i);
  }
  const std::string near = closest_match(name, all);
  throw InputError(fmt::format("unknown {} \"{}\"", what, name),
                   near.empty() ? fmt::format("use one of {}", fmt::join(all, ", ")) : fmt::format("did you mean \"{}\"?", near),
                   where);
}

}  // namespace weft::flow
