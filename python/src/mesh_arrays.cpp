// Meshes from arrays of nodes and connectivity.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "weft/base/contracts.hpp"

#include "mesh_arguments.hpp"

namespace weft::python {
namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Types, numbers of nodes, nodes and zones of elements, as _mesh.py packs them.
using ElementArrays = std::tuple<Flat<std::uint8_t>, Flat<std::int64_t>, Flat<std::int64_t>, Flat<std::int32_t>>;

mesh::Elements elements_of(const ElementArrays& arrays, std::int64_t first_id) {
  const auto& [types, counts, nodes, zones] = arrays;
  WEFT_EXPECTS(types.size() == counts.size() && types.size() == zones.size());
  mesh::Elements elements;
  elements.reserve(types.size(), types.size() == 0 ? 0 : nodes.size() / types.size());
  std::size_t begin = 0;
  std::vector<mesh::GlobalNodeId> of_element;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto count = static_cast<std::size_t>(counts.data()[i]);
    WEFT_EXPECTS(begin + count <= nodes.size() && types.data()[i] < mesh::kCellTypes);
    of_element.clear();
    for (std::size_t k = 0; k < count; ++k) of_element.emplace_back(nodes.data()[begin + k]);
    elements.add(static_cast<mesh::CellType>(types.data()[i]), of_element, mesh::ZoneId(zones.data()[i]),
                 first_id + static_cast<std::int64_t>(i));
    begin += count;
  }
  return elements;
}

PyMesh mesh_from_arrays(const Communicator& comm, int dim, const std::string& source,
                        const std::vector<std::pair<std::string, int>>& zones,
                        const nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>& points,
                        const ElementArrays& cells, const ElementArrays& faces, const std::string& neighbours,
                        const std::string& partitioner, const std::string& ordering,
                        const std::vector<std::pair<std::string, std::string>>& periodic) {
  mesh::BuildOptions options = build_options({neighbours, partitioner, ordering, 1, periodic});
  const Computing computing;
  options.threads = mesh_threads(comm);
  mesh::MeshBlock block;
  block.dim = dim;
  block.source = source;
  for (const auto& [name, dim_of_zone] : zones) block.zones.push_back({name, dim_of_zone});
  const auto nodes = static_cast<std::int64_t>(points.shape(0));
  const auto count = static_cast<std::int64_t>(std::get<0>(cells).size());
  const auto boundary = static_cast<std::int64_t>(std::get<0>(faces).size());
  const std::int64_t first_cell = comm.exclusive_sum(count);
  block.first_node = mesh::GlobalNodeId(comm.exclusive_sum(nodes));
  block.first_cell = mesh::GlobalCellId(first_cell);
  for (std::int64_t i = 0; i < nodes; ++i) {
    block.coords.push_back({points.data()[3 * i], points.data()[3 * i + 1], points.data()[3 * i + 2]});
  }
  block.cells = elements_of(cells, first_cell);
  block.boundary = elements_of(faces, comm.exclusive_sum(boundary));
  return {mesh::build(comm, std::move(block), options)};
}

}  // namespace

void bind_mesh_arrays(nb::module_& module) {
  module.def("mesh_from_arrays", &mesh_from_arrays);
  module.def("broadcast_text", [](const Communicator& comm, std::string text, int root) {
    const Computing computing;
    comm.broadcast(text, Rank(root));
    return text;
  });
}

}  // namespace weft::python
