// Any tree of HDF5 is a mesh or an error to the reader of Weft's own meshes. The tree comes as text (hdf5_text.hpp), as in
// fuzz_cgns.cpp.
#include "fuzz_mesh.hpp"
#include "hdf5_text.hpp"
#include "scratch_file.hpp"
#include "start_mpi.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weft::testing::ScratchFile scratch("mesh.h5");
  weft::testing::write_hdf5(scratch.path, {reinterpret_cast<const char*>(data), size});
  weft::mesh::try_reading([] { return weft::mesh::read_weft(weft::Communicator::self(), scratch.path); });
  return 0;
}
