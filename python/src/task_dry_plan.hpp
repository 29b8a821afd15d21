#pragma once
// Dry runs of task graphs: the rows of arrays on pretended ranks, as weft.task.Graph.dry() passes them.
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "weft/base/registry.hpp"
#include "weft/task/graph.hpp"

namespace weft::python {

inline constexpr Registry kParts{
    "part", std::array{Row{task::Part::all, "all", "all rows"}, Row{task::Part::owned, "owned", "rows of this rank"},
                       Row{task::Part::ghost, "ghosts", "copies of rows of other ranks"},
                       Row{task::Part::boundary, "boundary", "rows that no exchange changes"},
                       Row{task::Part::inner, "inner", "owned rows that need no ghost rows"},
                       Row{task::Part::border, "border", "the other owned rows"}}};

/// Rank, rows that are sent to it, ghost rows of it.
using NeighbourFields = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
/// Part, names of subsets, whether some rank has copies of such rows of another.
using SetFields = std::tuple<std::string, std::vector<std::string>, bool>;
/// Owned, inner, boundary, images; inner_is_sent, others_have_inner, others_have_ghosts; neighbours, in_subsets.
using PretendedFields = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool, bool, bool,
                                   std::vector<NeighbourFields>, std::vector<SetFields>>;

/// Returns the rows of an array. @throws ContractError for a subset that it does not have, InputError for an unknown part.
[[nodiscard]] task::PretendedRows pretended_rows(const task::Graph& graph, task::DataId array, const PretendedFields& fields);

}  // namespace weft::python
