#pragma once
/// Meshes and cell orderings for the arguments of benchmarks.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/mesh/generate/generate_by_name.hpp"
#include "weft/mesh/mesh.hpp"

namespace bench {

/// Returns a cell ordering by its word in the key mesh.order; none for other words.
[[nodiscard]] inline std::optional<weft::mesh::CellOrdering> cell_ordering(std::string_view word) {
  using weft::mesh::CellOrdering;
  if (word == "hilbert") return CellOrdering::hilbert;
  if (word == "rcm") return CellOrdering::rcm;
  if (word == "as_read") return CellOrdering::as_read;
  return std::nullopt;
}

/// Returns the unit box, periodic in every direction, with about this number of cells. @param elements  as in the generator
/// "box".
/// @throws as mesh::generate and mesh::build. @collective on comm.
[[nodiscard]] inline weft::mesh::Mesh periodic_box(const weft::Communicator& comm, const std::string& elements, int dim,
                                                   std::int64_t cells, weft::mesh::CellOrdering order) {
  const double per_cube = elements == "tetrahedra" ? 6 : 1;
  const auto n = static_cast<std::int64_t>(std::round(std::pow(static_cast<double>(cells) / per_cube, 1.0 / dim)));
  weft::mesh::GeneratorParameters box{{"nx", n}, {"ny", n}, {"elements", elements}};
  if (dim == 3) box["nz"] = n;
  weft::mesh::BuildOptions options;
  options.order = order;
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}};
  if (dim == 3) options.periodic.push_back({"zmin", "zmax", {0, 0, 1}});
  return weft::mesh::build(comm, weft::mesh::generate(comm, "box", box), options);
}

}  // namespace bench
