#include "weft/io/hdf5/hdf5_handle.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "weft/base/error.hpp"

namespace weft::io::detail {
namespace {

static_assert(std::is_same_v<hid_t, Hdf5Id> && std::is_same_v<herr_t, int>);

// Called for each frame of HDF5's error stack: stores the outermost (the operation) and the innermost one (the reason).
herr_t keep_ends(unsigned n, const H5E_error2_t* frame, void* data) {
  auto& [outer, inner] = *static_cast<std::pair<std::string, std::string>*>(data);
  std::string text = frame->desc == nullptr ? "" : frame->desc;
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (n == 0) outer = text;
  inner = text;
  return 0;
}

// Returns the outermost and the innermost message of HDF5's last failure.
std::pair<std::string, std::string> last_failure() {
  std::pair<std::string, std::string> ends;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_ends, &ends);
  return ends;
}

// HDF5 that starts after MPI ends within MPI_Finalize, and crashes there on what a damaged file or a failed close has left open.
// It therefore starts here, before main, and does not end; the files of Weft are closed by their destructors. In Python MPI may
// have been started before, by mpi4py.
[[maybe_unused]] const bool kHdf5HasStarted = H5dont_atexit() >= 0 && H5open() >= 0;

}  // namespace

void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void hdf5_failed(const std::string& file, const std::string& action) {
  const auto [outer, inner] = last_failure();
  std::string why = outer == inner ? outer : outer + ": " + inner;
  if (why.empty()) why = "HDF5 gives no reason";
  throw IoError(fmt::format("cannot {} ({})", action, why), refused_external_link() ? kIntoOneFile : "", Where{.file = file});
}

bool refused_external_link() { return last_failure().second.starts_with(kExternalLink); }

std::size_t hdf5_elements(Hdf5Id dataset, Hdf5Id type, std::uint64_t file_bytes, const std::string& file,
                          const std::string& object) {
  const Hdf5Handle space{check_hdf5(H5Dget_space(dataset), file, "read the size of " + object), H5Sclose};
  const auto count =
      static_cast<std::uint64_t>(check_hdf5(H5Sget_simple_extent_npoints(space.get()), file, "read the size of " + object));
  const Hdf5Handle list{check_hdf5(H5Dget_create_plist(dataset), file, "read the layout of " + object), H5Pclose};
  // Compressed data may exceed the size of the file, but only by the maximum ratio of deflate.
  constexpr std::uint64_t kMostCompressed = 1032;
  const std::uint64_t limit = H5Pget_nfilters(list.get()) > 0 ? H5Dget_storage_size(dataset) * kMostCompressed : file_bytes;
  if (count > limit / std::max<std::uint64_t>(H5Tget_size(type), 1))
    throw IoError(object + " is larger than the file that holds it", "the file is truncated or damaged: write or copy it again",
                  Where{.file = file});
  return count;
}

void refuse_variable_length(Hdf5Id type, const std::string& file, const std::string& object) {
  if (H5Tis_variable_str(type) <= 0) return;
  throw IoError(object + " is a text of variable length, which HDF5 does not read safely",
                "write it with a fixed length; in Python, numpy.bytes_(text) instead of text", Where{.file = file});
}

Hdf5Handle array_space(const std::string& file, int rank, std::int64_t rows, std::int64_t columns) {
  const std::array<hsize_t, 2> sizes{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
  return {check_hdf5(H5Screate_simple(rank, sizes.data(), nullptr), file, "make a data space"), H5Sclose};
}

}  // namespace weft::io::detail
