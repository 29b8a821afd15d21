#pragma once
// The keyword arguments with which meshes are built.
#include <string>
#include <utility>
#include <vector>

#include "weft/base/registry.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/mesh/mesh.hpp"

#include "bindings.hpp"

namespace weft::python {

struct MeshArguments {
  std::string neighbours, partitioner, ordering;
  double scale;
  std::vector<std::pair<std::string, std::string>> periodic;
};

/// Returns the number of threads with which each rank reads, builds or measures a mesh: its share of the cores if all ranks of
/// the job take part; 1 otherwise, for others may do the same.  @collective
[[nodiscard]] inline int mesh_threads(const Communicator& comm) {
  return comm.size() == Communicator::world().size() ? share_of_cores(comm) : 1;
}

[[nodiscard]] inline mesh::BuildOptions build_options(const MeshArguments& arguments) {
  mesh::BuildOptions options;
  options.stencil = kind_named<mesh::Neighbours>(arguments.neighbours, {.key = "neighbours"});
  options.partition.partitioner = kind_named<mesh::Partitioner>(arguments.partitioner, {.key = "partitioner"});
  options.order = kind_named<mesh::CellOrdering>(arguments.ordering, {.key = "ordering"});
  for (const auto& [from, to] : arguments.periodic) options.periodic.emplace_back(from, to);
  return options;
}

}  // namespace weft::python
