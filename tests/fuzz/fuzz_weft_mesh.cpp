// Any tree of HDF5 is a mesh or an error to the reader of Weft's own meshes, or to mesh::build, which checks what no rank can
// check in its share of a file. The tree is given as text (hdf5_text.hpp), as in fuzz_cgns.cpp.
#include <algorithm>
#include <vector>

#include "weft/mesh/mesh.hpp"

#include "fuzz_mesh.hpp"
#include "hdf5_text.hpp"
#include "scratch_file.hpp"
#include "start_mpi.hpp"

namespace {

using namespace weft;

/// Readers of other formats remove nodes without a cell; build accepts them.
void require_cells_at_nodes(const mesh::MeshBlock& block) {
  std::vector<bool> used(block.coords.size());
  for (const mesh::GlobalNodeId node : block.cells.node) used[node.index()] = true;
  if (!std::all_of(used.begin(), used.end(), [](bool is) { return is; })) throw MeshError("a node belongs to no cell", {}, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::ScratchFile scratch("mesh.h5");
  test::write_hdf5(scratch.path, {reinterpret_cast<const char*>(data), size});
  mesh::try_reading([] {
    const Communicator self = Communicator::self();
    mesh::MeshBlock block = mesh::read_weft(self, scratch.path);
    (void)mesh::build(self, mesh::MeshBlock(block));
    require_cells_at_nodes(block);
    return block;
  });
  return 0;
}
