// weft.GhostPlan: the rows of a rank and their numbers.
#include <fmt/format.h>

#include <vector>

#include "weft/comm/agreement.hpp"

#include "arguments.hpp"
#include "array.hpp"
#include "bindings.hpp"

namespace weft::python {
namespace {

[[nodiscard]] nb::object global_ids(const PyGhostPlan& p) {
  std::vector<std::int64_t> ids;
  for (std::int32_t i = 0; i < p.plan.rows(); ++i) ids.push_back(p.plan.global(LocalRow(i)).value());
  return array_of(std::move(ids));
}

[[nodiscard]] nb::list neighbours_of(const PyGhostPlan& p) {
  nb::list all;
  for (const GhostPlan::Neighbour& n : p.plan.neighbours()) {
    std::vector<std::int32_t> rows;
    for (const LocalRow row : n.send_rows) rows.push_back(row.value());
    all.append(nb::make_tuple(n.rank.value(), nb::slice(n.ghosts.first().value(), n.ghosts.last().value(), 1),
                              array_of(std::move(rows))));
  }
  return all;
}

[[nodiscard]] PyGhostPlan build_plan(nb::handle ranks, std::int64_t owned, nb::handle ids, nb::handle images) {
  const Communicator comm = communicator_of(ranks);
  std::string problem;
  const std::vector<std::int64_t> rows = integers(ids, "ids", problem);
  const std::vector<std::int64_t> image = integers(images, "images", problem);
  if (problem.empty() && !images.is_none() && image.size() != rows.size()) {
    problem = fmt::format("{} images for {} ids", image.size(), rows.size());
  }
  std::vector<GhostRequest> requests;
  for (std::size_t i = 0; i < rows.size() && problem.empty(); ++i) {
    if (rows[i] < 0) problem = fmt::format("id {} is {}, and there is no such row", i, rows[i]);
    requests.push_back({GlobalRow(rows[i]), image.empty() ? 0 : static_cast<std::int32_t>(image[i])});
  }
  if (owned < 0) problem = fmt::format("this rank owns {} rows", owned);
  const Computing computing;
  agree_on(comm, problem,
           "pass the number of rows that this rank owns, and the global ids of rows to read, as a list of whole numbers");
  const auto count = static_cast<std::int32_t>(agreed(comm, [&] { return checked_local(owned, "rows of a plan"); }));
  return {GhostPlan::build(comm, count, requests), requests.size()};
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<PyGhostPlan>(
      module, "GhostPlan",
      "The rows of other ranks of which this rank has copies (ghost rows), and the local numbers of all rows:\n"
      "owned rows from 0, then ghost rows, by owner and its row. One plan serves any number of arrays.")
      .def_static("build", &build_plan, nb::arg("comm").none(), nb::arg("owned"), nb::arg("ids") = nb::none(),
                  nb::arg("images") = nb::none(),
                  "Builds a plan. Collective.\n\n"
                  "comm: None (all ranks), a weft.Communicator or an mpi4py communicator\n"
                  "owned: number of rows that this rank owns; global rows are numbered rank after rank\n"
                  "ids: global rows that this rank reads, in any order, also repeated; those of its own get no ghost row\n"
                  "images: for each id 0, or the number of a periodic image, which gets a ghost row of its own\n\n"
                  "Raises InputError or LimitError on every rank if an id of any rank is no row.")
      .def_prop_ro(
          "owned", [](const PyGhostPlan& p) { return p.plan.owned_rows(); }, "Number of owned rows.")
      .def_prop_ro(
          "ghosts", [](const PyGhostPlan& p) { return p.plan.ghost_rows(); }, "Number of ghost rows.")
      .def("__len__", [](const PyGhostPlan& p) { return p.plan.rows(); })
      .def_prop_ro(
          "global_rows", [](const PyGhostPlan& p) { return p.plan.offsets().global_rows(); }, "Number of rows of all ranks.")
      .def_prop_ro(
          "first", [](const PyGhostPlan& p) { return p.plan.offsets().first().value(); }, "Global number of local row 0.")
      .def_prop_ro("ids", &global_ids, "Global number of each local row, shape (rows,); computed at each access.")
      .def_prop_ro(
          "local",
          [](const PyGhostPlan& p) {
            std::vector<std::int32_t> rows;
            for (std::size_t i = 0; i < p.requests; ++i) rows.push_back(p.plan.local_of(i).value());
            return array_of(std::move(rows));
          },
          "Local row of each of the ids of build(), shape (ids,); computed at each access.")
      .def(
          "find",
          [](const PyGhostPlan& p, std::int64_t id, std::int32_t image) {
            const LocalRow row = id < 0 ? LocalRow::invalid() : p.plan.find(GlobalRow(id), image);
            if (!row.valid()) throw nb::key_error(fmt::format("row {} is neither owned nor a ghost on this rank", id).c_str());
            return row.value();
          },
          nb::arg("id"), nb::arg("image") = 0, "Returns the local row of a global row. Raises KeyError if this rank has none.")
      .def_prop_ro("neighbours", &neighbours_of,
                   "Ranks with which rows are exchanged: (rank, slice of their ghost rows here, owned rows sent to them).")
      .def_prop_ro(
          "comm", [](const PyGhostPlan& p) { return p.plan.comm(); }, "The ranks that share the plan.")
      .def("__eq__", [](const PyGhostPlan& a, const PyGhostPlan& b) { return a.plan.same_as(b.plan); })
      .def("__eq__", [](const PyGhostPlan&, const nb::object&) { return false; })
      .def("__hash__", [](const PyGhostPlan& p) { return p.plan.serial(); })
      .def("__repr__", [](const PyGhostPlan& p) {
        return nb::str("weft.GhostPlan(owned={}, ghosts={})").format(p.plan.owned_rows(), p.plan.ghost_rows());
      });
  module.def("mesh_plan", [](const PyMesh& m) { return PyGhostPlan{m.mesh.plan, 0}; });
}

}  // namespace weft::python
