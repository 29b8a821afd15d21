// Groups, attributes and texts of an HDF5 file.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/io/hdf5/hdf5_file_state.hpp"
#include "weft/io/hdf5/hdf5_objects.hpp"

namespace weft::io {

using detail::array_space;
using detail::check_hdf5;
using detail::Hdf5Handle;
using detail::open_object;

namespace {

Hdf5Handle text_type(const std::string& name, std::size_t size, H5T_cset_t characters) {
  Hdf5Handle type{check_hdf5(H5Tcopy(H5T_C_S1), name, "make a text type"), H5Tclose};
  check_hdf5(H5Tset_size(type.get(), std::max<std::size_t>(size, 1)), name, "make a text type");
  check_hdf5(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), name, "make a text type");
  check_hdf5(H5Tset_cset(type.get(), characters), name, "make a text type");
  return type;
}

// HDF5 requires one byte even for empty text.
std::string at_least_one_byte(std::string_view text) { return text.empty() ? std::string(1, '\0') : std::string(text); }

void create_attribute(hid_t file, const std::string& name, const std::string& object, const std::string& attribute, hid_t type,
                      hid_t space, const void* data) {
  const std::string action = fmt::format("write attribute {} of {}", attribute, object);
  const Hdf5Handle owner = open_object(file, name, object);
  const Hdf5Handle handle{
      check_hdf5(H5Acreate2(owner.get(), attribute.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name, action), H5Aclose};
  check_hdf5(H5Awrite(handle.get(), type, data), name, action);
}

Hdf5Handle scalar_space(const std::string& name) {
  return {check_hdf5(H5Screate(H5S_SCALAR), name, "make a data space"), H5Sclose};
}

// Reads an attribute with one element of the given class into `data`.
void read_attribute(hid_t file, const std::string& name, const std::string& object, const std::string& attribute,
                    H5T_class_t wanted, hid_t type, void* data) {
  const std::string action = fmt::format("read attribute {} of {}", attribute, object);
  const Hdf5Handle owner = open_object(file, name, object);
  const Hdf5Handle handle{check_hdf5(H5Aopen(owner.get(), attribute.c_str(), H5P_DEFAULT), name, action), H5Aclose};
  const Hdf5Handle stored{check_hdf5(H5Aget_type(handle.get()), name, action), H5Tclose};
  const Hdf5Handle space{check_hdf5(H5Aget_space(handle.get()), name, action), H5Sclose};
  if (H5Tget_class(stored.get()) != wanted || H5Sget_simple_extent_npoints(space.get()) != 1) {
    throw IoError(fmt::format("attribute {} of {} is of another type", attribute, object), {}, Where{.file = name});
  }
  check_hdf5(H5Aread(handle.get(), type, data), name, action);
}

// Returns the size of a single text of fixed length; rejects text longer than the file.
std::string text_of_length(hid_t file, const std::string& name, hid_t type, hid_t space, const std::string& what) {
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
    throw IoError(fmt::format("{} is not a text", what), {}, Where{.file = name});
  detail::refuse_variable_length(type, name, what);
  if (H5Tget_size(type) > detail::file_bytes(file, name))
    throw IoError(fmt::format("{} is larger than the file that holds it", what),
                  "the file is truncated or damaged: write or copy it again", Where{.file = name});
  return std::string(H5Tget_size(type), '\0');
}

}  // namespace

void Hdf5File::make_group(const std::string& name) {
  state_->together([&] {
    detail::make_groups_of(state_->file.get(), state_->name(), name);
    detail::make_group(state_->file.get(), state_->name(), name);
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  state_->together([&] {
    create_attribute(state_->file.get(), state_->name(), object, name, H5T_NATIVE_INT64, scalar_space(state_->name()).get(),
                     &value);
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, double value) {
  state_->together([&] {
    create_attribute(state_->file.get(), state_->name(), object, name, H5T_NATIVE_DOUBLE, scalar_space(state_->name()).get(),
                     &value);
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values) {
  state_->together([&] {
    create_attribute(state_->file.get(), state_->name(), object, name, H5T_NATIVE_INT64,
                     array_space(state_->name(), 1, std::ssize(values), 1).get(), values.data());
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::string_view text) {
  const std::string bytes = at_least_one_byte(text);
  state_->together([&] {
    const Hdf5Handle type = text_type(state_->name(), bytes.size(), H5T_CSET_ASCII);
    create_attribute(state_->file.get(), state_->name(), object, name, type.get(), scalar_space(state_->name()).get(),
                     bytes.data());
  });
}

void Hdf5File::write_text(const std::string& name, std::string_view text) {
  const std::string bytes = at_least_one_byte(text);
  reserve(static_cast<std::int64_t>(bytes.size()));
  state_->together([&] {
    const std::string action = fmt::format("write {}", name);
    const Hdf5Handle type = text_type(state_->name(), bytes.size(), H5T_CSET_UTF8), space = scalar_space(state_->name());
    const Hdf5Handle creation = detail::without_times(H5P_DATASET_CREATE, state_->name());
    const Hdf5Handle dataset =
        detail::create_dataset(state_->file.get(), state_->name(), name, type.get(), space.get(), creation.get());
    check_hdf5(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), state_->name(), action);
  });
}

void Hdf5File::write_table(const std::string& name, std::span<const std::int64_t> values, std::int64_t columns) {
  WEFT_EXPECTS(columns > 0 && std::ssize(values) % columns == 0);
  reserve(static_cast<std::int64_t>(values.size_bytes()));
  state_->together([&] {
    const std::string action = fmt::format("write {}", name);
    const Hdf5Handle space = array_space(state_->name(), 2, std::ssize(values) / columns, columns),
                     creation = detail::without_times(H5P_DATASET_CREATE, state_->name());
    const Hdf5Handle dataset =
        detail::create_dataset(state_->file.get(), state_->name(), name, H5T_NATIVE_INT64, space.get(), creation.get());
    check_hdf5(H5Dwrite(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), state_->name(), action);
  });
}

std::vector<std::string> Hdf5File::datasets(const std::string& group) const {
  const std::string joined = state_->together([&] {
    std::string names;
    const auto add = [](hid_t parent, const char* name, const H5L_info_t* info, void* all) -> herr_t {
      H5O_info_t object;
      if (info->type == H5L_TYPE_HARD && H5Oget_info_by_name2(parent, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
          object.type == H5O_TYPE_DATASET)
        static_cast<std::string*>(all)->append(name).append("\n");
      return 0;
    };
    const Hdf5Handle owner = open_object(state_->file.get(), state_->name(), group);
    check_hdf5(H5Literate(owner.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), state_->name(), "list " + group);
    return names;
  });
  std::vector<std::string> names;
  for (std::size_t at = 0; at < joined.size();) {
    const std::size_t end = joined.find('\n', at);
    names.push_back(joined.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

bool Hdf5File::has(const std::string& name) const {
  return state_->together([&] { return detail::has_link(state_->file.get(), state_->name(), name); });
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] { return detail::has_attribute(state_->file.get(), state_->name(), object, name); });
}

std::int64_t Hdf5File::read_integer_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] {
    std::int64_t value = 0;
    read_attribute(state_->file.get(), state_->name(), object, name, H5T_INTEGER, H5T_NATIVE_INT64, &value);
    return value;
  });
}

double Hdf5File::read_real_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] {
    double value = 0;
    read_attribute(state_->file.get(), state_->name(), object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
    return value;
  });
}

std::string Hdf5File::read_text_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] {
    const std::string action = fmt::format("read attribute {} of {}", name, object);
    const Hdf5Handle owner = open_object(state_->file.get(), state_->name(), object);
    const Hdf5Handle handle{check_hdf5(H5Aopen(owner.get(), name.c_str(), H5P_DEFAULT), state_->name(), action), H5Aclose};
    const Hdf5Handle type{check_hdf5(H5Aget_type(handle.get()), state_->name(), action), H5Tclose};
    const Hdf5Handle space{check_hdf5(H5Aget_space(handle.get()), state_->name(), action), H5Sclose};
    std::string text = text_of_length(state_->file.get(), state_->name(), type.get(), space.get(),
                                      fmt::format("attribute {} of {}", name, object));
    check_hdf5(H5Aread(handle.get(), type.get(), text.data()), state_->name(), action);
    text.resize(std::strlen(text.c_str()));
    return text;
  });
}

std::string Hdf5File::read_text(const std::string& name) const {
  return state_->together([&] {
    const Hdf5Handle dataset = detail::open_dataset(state_->file.get(), state_->name(), name);
    const Hdf5Handle type{check_hdf5(H5Dget_type(dataset.get()), state_->name(), "read the type of " + name), H5Tclose};
    const Hdf5Handle space{check_hdf5(H5Dget_space(dataset.get()), state_->name(), "read the shape of " + name), H5Sclose};
    std::string text = text_of_length(state_->file.get(), state_->name(), type.get(), space.get(), name);
    check_hdf5(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), state_->name(), "read " + name);
    text.resize(std::strlen(text.c_str()));
    return text;
  });
}

}  // namespace weft::io
