#pragma once
/// CSR pairs: ghost rows made as long as their owners' rows; and lists of global rows turned into lists of local ones.
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/ghost_plan.hpp"

namespace weft {

namespace detail {
/// @throws ContractError on every rank unless every rank brings as many rows as it owns, compressed. @collective
void expect_owned_rows(const GhostPlan& plan, std::int32_t rows, bool compressed);
[[noreturn]] void throw_not_local(std::int64_t global);
}  // namespace detail

/// A CSR pair of the owned rows given and ghost rows with their owners' lengths and values.
/// @param owned  plan.owned_rows() rows.  @throws ContractError on every rank otherwise.
/// @collective  on plan.comm()  @cost two exchanges; the owned entries are copied once.
template <class T>
[[nodiscard]] ArrayPair<T, NonUniform> pull_rows(const GhostPlan& plan, const Array<T, NonUniform>& owned) {
  detail::expect_owned_rows(plan, owned.rows(), owned.compressed());
  ArrayPair<std::int32_t> sizes(plan);
  for (std::int32_t i = 0; i < owned.rows(); ++i) sizes(i) = owned.row_size(i);
  ArrayTransformer(plan, {sizes}).pull().run();
  std::vector<std::int64_t> offsets(owned.offsets().begin(), owned.offsets().end());
  offsets.reserve(static_cast<std::size_t>(plan.rows()) + 1);
  for (std::int32_t i = plan.owned_rows(); i < plan.rows(); ++i) offsets.push_back(offsets.back() + sizes(i));
  std::vector<T> entries(owned.entries().begin(), owned.entries().end());
  entries.resize(static_cast<std::size_t>(offsets.back()));
  ArrayPair<T, NonUniform> pair(plan, Array<T, NonUniform>(offsets, entries));
  ArrayTransformer(plan, {pair}).pull().run();
  return pair;
}

/// The same rows with every global id replaced by the local row that holds it on this rank (owned or ghost). Invalid ids stay
/// invalid. GlobalId and LocalId are Ids of 64 and 32 bits, such as GlobalCellId and LocalCellId.
/// @throws InputError if an id is neither owned nor a ghost here. Not collective.
template <class LocalId, class GlobalId>
[[nodiscard]] Array<LocalId, NonUniform> to_local(const GhostPlan& plan, const Array<GlobalId, NonUniform>& global) {
  std::vector<LocalId> entries;
  entries.reserve(global.entries().size());
  for (const GlobalId id : global.entries()) {
    LocalRow local;
    if (id.valid()) {
      local = plan.find(GlobalRow(id.value()));
      if (!local.valid()) detail::throw_not_local(id.value());
    }
    entries.emplace_back(local.value());
  }
  return Array<LocalId, NonUniform>(global.offsets(), std::span<const LocalId>(entries));
}

}  // namespace weft
