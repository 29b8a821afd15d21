#include "weft/io/hdf5/hdf5_tree.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/io/hdf5/hdf5_objects.hpp"

namespace weft::io {

using detail::check_hdf5;
using detail::Hdf5Handle;
namespace fs = std::filesystem;

struct Hdf5Tree::State {
  fs::path path;
  std::uint64_t bytes = 0;  ///< size of the file
  Hdf5Handle file{};

  [[nodiscard]] std::string name() const { return path.string(); }
  [[nodiscard]] Hdf5Handle dataset(const std::string& object) const { return detail::open_dataset(file.get(), name(), object); }
  [[noreturn]] void fail(const std::string& object, const char* problem) const {
    throw IoError(fmt::format("{} {}", object, problem), {}, Where{.file = name()});
  }
  [[nodiscard]] std::size_t elements(hid_t data, hid_t type, const std::string& object) const {
    return detail::hdf5_elements(data, type, bytes, name(), object);
  }
};

namespace {

// Returns the number of links of a group in the order of creation, if the file stores it.
H5_index_t order_of(hid_t group) {
  const Hdf5Handle list{H5Gget_create_plist(group), H5Pclose};
  unsigned flags = 0;
  const bool kept = list.valid() && H5Pget_link_creation_order(list.get(), &flags) >= 0 && (flags & H5P_CRT_ORDER_INDEXED) != 0;
  return kept ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

herr_t keep_hard(hid_t, const char* name, const H5L_info_t* info, void* names) {
  if (info->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

bool is_group(hid_t parent, const std::string& name) {
  H5O_info_t info;
  return H5Oget_info_by_name2(parent, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_GROUP;
}

}  // namespace

Hdf5Tree::Hdf5Tree(fs::path path) : state_(std::make_unique<State>()) {
  detail::silence_hdf5();
  state_->path = std::move(path);
  std::error_code error;
  state_->bytes = fs::file_size(state_->path, error);
  const std::string name = state_->name();
  state_->file = {check_hdf5(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), name, "open it as HDF5"), H5Fclose};
}
Hdf5Tree::Hdf5Tree(Hdf5Tree&&) noexcept = default;
Hdf5Tree& Hdf5Tree::operator=(Hdf5Tree&&) noexcept = default;
Hdf5Tree::~Hdf5Tree() = default;

bool Hdf5Tree::starts_like_hdf5(const fs::path& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::array<char, kSignature.size()> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == kSignature;
}

std::vector<std::string> Hdf5Tree::groups(const std::string& group) const {
  const Hdf5Handle handle = detail::open_object(state_->file.get(), state_->name(), group);
  if (H5Iget_type(handle.get()) != H5I_GROUP) state_->fail(group, "is not a group");
  std::vector<std::string> names;
  check_hdf5(H5Literate(handle.get(), order_of(handle.get()), H5_ITER_INC, nullptr, keep_hard, &names), state_->name(),
             "list " + group);
  std::erase_if(names, [&](const std::string& name) { return !is_group(handle.get(), name); });
  return names;
}

bool Hdf5Tree::has(const std::string& group, const std::string& name) const {
  return detail::has_link(state_->file.get(), state_->name(), group + "/" + name);
}

std::string Hdf5Tree::external_file(const std::string& group, const std::string& name) const {
  const std::string link = group + "/" + name;
  H5L_info_t info;
  const Hdf5Handle access = detail::inside_file(state_->name());
  if (H5Lget_info(state_->file.get(), link.c_str(), &info, access.get()) < 0 || info.type != H5L_TYPE_EXTERNAL) return {};
  std::vector<char> value(info.u.val_size);
  check_hdf5(H5Lget_val(state_->file.get(), link.c_str(), value.data(), value.size(), access.get()), state_->name(),
             "read " + link);
  unsigned flags = 0;
  const char *file = nullptr, *object = nullptr;
  check_hdf5(H5Lunpack_elink_val(value.data(), value.size(), &flags, &file, &object), state_->name(), "read " + link);
  return file;
}

std::string Hdf5Tree::text_attribute(const std::string& object, const std::string& name) const {
  const hid_t file = state_->file.get();
  if (!detail::has_attribute(file, state_->name(), object, name)) return {};
  const std::string action = fmt::format("read attribute {} of {}", name, object);
  const Hdf5Handle owner = detail::open_object(file, state_->name(), object);
  const Hdf5Handle attribute{check_hdf5(H5Aopen(owner.get(), name.c_str(), H5P_DEFAULT), state_->name(), action), H5Aclose};
  const Hdf5Handle type{check_hdf5(H5Aget_type(attribute.get()), state_->name(), action), H5Tclose};
  const Hdf5Handle space{check_hdf5(H5Aget_space(attribute.get()), state_->name(), action), H5Sclose};
  if (H5Tget_class(type.get()) != H5T_STRING) return {};
  detail::refuse_variable_length(type.get(), state_->name(), fmt::format("attribute {} of {}", name, object));
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tget_size(type.get()) > state_->bytes) return {};
  std::string text(H5Tget_size(type.get()), '\0');
  check_hdf5(H5Aread(attribute.get(), type.get(), text.data()), state_->name(), action);
  text.resize(std::strlen(text.c_str()));
  return text;
}

Hdf5Tree::Kind Hdf5Tree::kind(const std::string& dataset) const {
  const Hdf5Handle data = state_->dataset(dataset);
  const Hdf5Handle type{check_hdf5(H5Dget_type(data.get()), state_->name(), "read the type of " + dataset), H5Tclose};
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return H5Tget_size(type.get()) == 1 ? Kind::text : Kind::integer;
    case H5T_FLOAT:
      return Kind::real;
    case H5T_STRING:
      return H5Tis_variable_str(type.get()) != 0 ? Kind::other : Kind::text;
    default:
      return Kind::other;
  }
}

std::vector<std::int64_t> Hdf5Tree::integers(const std::string& dataset) const {
  if (kind(dataset) != Kind::integer) state_->fail(dataset, "does not hold integers");
  const Hdf5Handle data = state_->dataset(dataset), type{H5Dget_type(data.get()), H5Tclose};
  std::vector<std::int64_t> values(state_->elements(data.get(), type.get(), dataset));
  check_hdf5(H5Dread(data.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), state_->name(),
             "read " + dataset);
  return values;
}

std::vector<double> Hdf5Tree::reals(const std::string& dataset) const {
  if (kind(dataset) != Kind::real) state_->fail(dataset, "does not hold real numbers");
  const Hdf5Handle data = state_->dataset(dataset), type{H5Dget_type(data.get()), H5Tclose};
  std::vector<double> values(state_->elements(data.get(), type.get(), dataset));
  check_hdf5(H5Dread(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), state_->name(),
             "read " + dataset);
  return values;
}

std::string Hdf5Tree::text(const std::string& dataset) const {
  if (kind(dataset) != Kind::text) state_->fail(dataset, "does not hold text");
  const Hdf5Handle data = state_->dataset(dataset), type{H5Dget_type(data.get()), H5Tclose};
  std::string text(state_->elements(data.get(), type.get(), dataset) * H5Tget_size(type.get()), '\0');
  check_hdf5(H5Dread(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), state_->name(), "read " + dataset);
  text.resize(std::strlen(text.c_str()));
  return text;
}

}  // namespace weft::io
