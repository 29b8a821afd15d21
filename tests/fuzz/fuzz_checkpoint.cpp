// A checkpoint with any change is read as it was written or rejected. The change is given as text (hdf5_text.hpp), which is
// applied to a valid checkpoint: attributes, datasets and groups are added and replaced.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "weft/base/error.hpp"
#include "weft/io/checkpoint.hpp"

#include "hdf5_text.hpp"
#include "scratch_file.hpp"
#include "start_mpi.hpp"

namespace {

using weft::Communicator;
using weft::io::CheckpointInfo;
using weft::io::CheckpointReader;

const std::vector<std::int64_t> kKeys{4, 0, 3, 1, 2};
const std::vector<double> kState{0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9}, kStep{1, 2, 3, 4, 5};

CheckpointInfo info() {
  return {.step = 40,
          .time = 0.1,
          .global_cells = 5,
          .mesh_fingerprint = 7,
          .case_text = "[flow]\n",
          .numbers = {{"first residual", 0.25}, {"dt", 3}},
          .ranks = 1};
}

void require(bool holds) {
  if (!holds) std::abort();
}

struct GoodFile : weft::test::ScratchFile {
  GoodFile() : ScratchFile("good.h5") {
    const std::vector<weft::io::CheckpointField> fields{{"state", kState, 2}, {"dt", kStep}};
    weft::io::write_checkpoint(Communicator::self(), path, info(), kKeys, fields);
  }
};

void read_all(const std::string& path) {
  CheckpointReader reader(Communicator::self(), path);
  const CheckpointInfo &found = reader.info(), wanted = info();
  require(found.step == wanted.step && found.time == wanted.time && found.global_cells == wanted.global_cells);
  require(found.mesh_fingerprint == wanted.mesh_fingerprint && found.case_text == wanted.case_text);
  require(found.numbers == wanted.numbers && found.ranks == wanted.ranks);
  reader.choose_rows(kKeys);
  require(reader.read("state", 2) == kState);
  require(reader.read("dt") == kStep);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const GoodFile good;
  static const weft::test::ScratchFile scratch("changed.h5");
  std::filesystem::copy_file(good.path, scratch.path, std::filesystem::copy_options::overwrite_existing);
  const hid_t file = H5Fopen(scratch.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  require(file >= 0);
  weft::test::Hdf5Text::add(file, {reinterpret_cast<const char*>(data), size});
  H5Fclose(file);
  try {
    read_all(scratch.path);
  } catch (const weft::Error&) {
  }
  return 0;
}
