// Any tree of HDF5 is a mesh or an error to the CGNS reader. The tree is given as text (hdf5_text.hpp), not as the bytes of a
// file, which would fuzz HDF5: it opens a file before this reader, and its defects are not those of this project.
#include "fuzz_mesh.hpp"
#include "hdf5_text.hpp"
#include "scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weft::test::ScratchFile scratch("mesh.cgns");
  weft::test::write_hdf5(scratch.path, {reinterpret_cast<const char*>(data), size});
  weft::mesh::try_reading([] { return weft::mesh::load_cgns(scratch.path); });
  return 0;
}
