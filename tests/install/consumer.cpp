// Uses the installed headers and libraries of several modules, on several ranks.
#include <cstdio>

#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/mesh_block.hpp"

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  weft::mesh::MeshBlock block;
  block.coords = {{1, 2, 3}};
  weft::mesh::scale(block, 2, {.x = 0, .y = 0, .z = 1});
  const bool right = comm.all(block.coords[0] == weft::Vec3{2, 4, 7}) && comm.sum(1) == comm.size();
  if (comm.is_root()) std::printf("%d ranks %s\n", comm.size(), right ? "agree" : "disagree");
  return right ? 0 : 1;
}
