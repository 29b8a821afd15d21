#pragma once
/// CSR pairs: ghost rows with the lengths of their owned rows, and conversion of global row ids to local ones.
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/ghost_plan.hpp"

namespace weft {

namespace detail {
/// Checks the rows. @throws ContractError on every rank unless each rank passes as many rows as it owns, compressed.
/// @collective
void expect_owned_rows(const GhostPlan& plan, std::int32_t rows, bool compressed);
[[noreturn]] void throw_not_local(std::int64_t global);
}  // namespace detail

/// Creates a CSR pair of the given owned rows, and ghost rows with the lengths and values of their owned rows.
/// @param owned  plan.owned_rows() rows.  @throws ContractError on every rank otherwise.
/// @collective  on plan.comm()  @cost two exchanges and one copy of the owned entries.
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
  entries.resize(offsets.back());
  ArrayPair<T, NonUniform> pair(plan, Array<T, NonUniform>(offsets, entries));
  ArrayTransformer(plan, {pair}).pull().run();
  return pair;
}

/// Returns the rows with each global id replaced by the local row, owned or ghost, that contains it. Invalid ids remain
/// invalid. GlobalId and LocalId are Ids of 64 and 32 bits, such as GlobalCellId and LocalCellId.
/// @throws InputError if an id is neither owned nor a ghost on this rank. Not collective.
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
