#include "weft/io/hdf5/hdf5_objects.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <array>

#include "weft/base/error.hpp"

namespace weft::io::detail {
namespace {

// Called by HDF5 for external links. The text becomes the innermost message of HDF5's error stack.
herr_t refuse_external(const char* /*parent_file*/, const char* /*parent_group*/, const char* file, const char* object,
                       unsigned* /*flags*/, hid_t /*access*/, void* /*data*/) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_LINK, H5E_TRAVERSE, "%s %s in %s", kExternalLink, object,
           file);
  return -1;
}

[[noreturn]] void refuse_dataset(const std::string& file_name, const std::string& dataset, const std::string& problem) {
  throw IoError(fmt::format("{} {}, which is not read", dataset, problem), kIntoOneFile, Where{.file = file_name});
}

// Returns HDF5's answer to an existence query; a failure means false, unless an external link is the reason.
bool exists(htri_t answer, const std::string& file_name, const std::string& what) {
  if (answer < 0 && refused_external_link()) hdf5_failed(file_name, "look for " + what);
  return answer > 0;
}

}  // namespace

std::uint64_t file_bytes(Hdf5Id file, const std::string& file_name) {
  hsize_t bytes = 0;
  check_hdf5(H5Fget_filesize(file, &bytes), file_name, "read the size of the file");
  return bytes;
}

Hdf5Handle inside_file(const std::string& file_name) {
  Hdf5Handle list{check_hdf5(H5Pcreate(H5P_LINK_ACCESS), file_name, "set up access to links"), H5Pclose};
  check_hdf5(H5Pset_elink_cb(list.get(), refuse_external, nullptr), file_name, "set up access to links");
  return list;
}

Hdf5Handle open_object(Hdf5Id file, const std::string& file_name, const std::string& object) {
  return {check_hdf5(H5Oopen(file, object.c_str(), inside_file(file_name).get()), file_name, "open " + object), H5Oclose};
}

Hdf5Handle open_dataset(Hdf5Id file, const std::string& file_name, const std::string& dataset) {
  Hdf5Handle handle = open_object(file, file_name, dataset);
  if (H5Iget_type(handle.get()) != H5I_DATASET) {
    throw IoError(fmt::format("{} is a group, not a dataset", dataset), {}, Where{.file = file_name});
  }
  const std::string action = "read the layout of " + dataset;
  const Hdf5Handle list{check_hdf5(H5Dget_create_plist(handle.get()), file_name, action), H5Pclose};
  std::array<char, 4096> other{};
  if (check_hdf5(H5Pget_layout(list.get()), file_name, action) == H5D_VIRTUAL) {
    std::size_t sources = 0;
    check_hdf5(H5Pget_virtual_count(list.get(), &sources), file_name, action);
    if (sources > 0) {
      check_hdf5(H5Pget_virtual_filename(list.get(), 0, other.data(), other.size() - 1), file_name, action);
    }
    refuse_dataset(file_name, dataset, fmt::format("is a virtual dataset made from other files ({})", other.data()));
  }
  if (check_hdf5(H5Pget_external_count(list.get()), file_name, action) > 0) {
    off_t offset = 0;
    hsize_t bytes = 0;
    check_hdf5(H5Pget_external(list.get(), 0, other.size() - 1, other.data(), &offset, &bytes), file_name, action);
    refuse_dataset(file_name, dataset, fmt::format("keeps its values in another file ({})", other.data()));
  }
  return handle;
}

bool has_link(Hdf5Id file, const std::string& file_name, const std::string& path) {
  const Hdf5Handle access = inside_file(file_name);
  // HDF5 requires all groups on the path to exist.
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    const bool empty = part.empty() || part.back() == '/';  // "//" equals "/"
    if (!empty && !exists(H5Lexists(file, part.c_str(), access.get()), file_name, path)) return false;
    if (slash == std::string::npos) return true;
  }
}

bool has_attribute(Hdf5Id file, const std::string& file_name, const std::string& object, const std::string& name) {
  return exists(H5Aexists_by_name(file, object.c_str(), name.c_str(), inside_file(file_name).get()), file_name,
                fmt::format("attribute {} of {}", name, object));
}

}  // namespace weft::io::detail
