#include "fuzz_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::mesh::try_mesh(data, size, weft::mesh::parse_su2);
  return 0;
}
