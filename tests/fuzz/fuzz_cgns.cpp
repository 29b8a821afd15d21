// Any tree of HDF5 is a mesh or an error to the CGNS reader. The tree comes as text (hdf5_text.hpp), not as the bytes of a file:
// those would be a search in HDF5, which opens a file before this reader sees anything, and whose defects are not ours to mend.
#include "fuzz_mesh.hpp"
#include "hdf5_text.hpp"
#include "scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weft::testing::ScratchFile scratch("mesh.cgns");
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fcreate(scratch.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  weft::mesh::require(file >= 0);
  weft::testing::Hdf5Text::add(file, {reinterpret_cast<const char*>(data), size});
  H5Fclose(file);
  weft::mesh::try_reading([] { return weft::mesh::load_cgns(scratch.path); });
  return 0;
}
