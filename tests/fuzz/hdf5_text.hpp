#pragma once
/// HDF5 files described by text, a line for each object: any text describes a file, so that a fuzzer can look for trees, sizes
/// and numbers that break a reader rather than for bytes that break HDF5.
///
///     g|Base                        a group; the leading blanks of a line say how deep it lies
///      a|label|t|12|CGNSBase_t      an attribute: name, type, sizes, values
///      d| data|i|2|3 3              a dataset; z: compressed
///      s|copy|/Base                 links: soft, h hard, x to another file: name, path, file
///
/// Types: b (numbers of 8 bit), i and l (integers of 32 and 64 bit), f and r (reals), c (a text as integers of 8 bit), t (a text
/// of fixed length: its size is that length, then the sizes), in both \n for the end of a line. Sizes: numbers with blanks
/// between; none is one element. What has fewer values than its sizes say keeps no values, so there are files that claim more
/// than they hold. What has the name of an object replaces it.
#include <hdf5.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

class Hdf5Text {
 public:
  /// Adds the objects of a text to an open file. Objects that HDF5 rejects are left out.
  static void add(hid_t file, std::string_view text) {
    Hdf5Text tree(file);
    while (!text.empty()) tree.line(cut(text, '\n'));
    tree.close_to(1);
  }

 private:
  explicit Hdf5Text(hid_t file) : open_{file} {}

  void close_to(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) H5Gclose(open_.back());
  }

  /// Removes and returns the text before the first `at`.
  static std::string_view cut(std::string_view& from, char at = '|') {
    const std::size_t end = std::min(from.find(at), from.size());
    const std::string_view field = from.substr(0, end);
    from.remove_prefix(std::min(end + 1, from.size()));
    return field;
  }

  template <class Number>
  static std::vector<Number> numbers(std::string_view words) {
    std::vector<Number> list;
    while (!words.empty()) {
      const std::string_view word = cut(words, ' ');
      if (Number value{}; std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc{}) list.push_back(value);
    }
    return list;
  }

  void line(std::string_view rest) {
    const std::size_t depth = std::min(rest.find_first_not_of(' '), rest.size());
    rest.remove_prefix(depth);
    const std::string_view kind = cut(rest);
    const std::string name(cut(rest));
    if (kind.size() != 1 || name.empty()) return;
    close_to(depth + 1);
    const hid_t parent = open_.back();
    if (kind == "a") {
      H5Adelete(parent, name.c_str());
      return values(parent, name, kind[0], rest);
    }
    if (H5Lexists(parent, name.c_str(), H5P_DEFAULT) > 0) {
      if (kind == "g") return enter(H5Gopen2(parent, name.c_str(), H5P_DEFAULT));
      H5Ldelete(parent, name.c_str(), H5P_DEFAULT);
    }
    if (kind == "g") {
      const hid_t ordered = H5Pcreate(H5P_GROUP_CREATE);
      H5Pset_link_creation_order(ordered, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
      enter(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, ordered, H5P_DEFAULT));
      H5Pclose(ordered);
    } else if (kind == "d" || kind == "z") {
      values(parent, name, kind[0], rest);
    } else {
      const std::string path(cut(rest)), file(rest);
      if (kind == "s") H5Lcreate_soft(path.c_str(), parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      if (kind == "h") H5Lcreate_hard(open_[0], path.c_str(), parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      if (kind == "x") H5Lcreate_external(file.c_str(), path.c_str(), parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }
  }

  void enter(hid_t group) {
    if (group >= 0) open_.push_back(group);
  }

  /// Writes an attribute or a dataset of a parent.
  static void values(hid_t parent, const std::string& name, char kind, std::string_view rest) {
    const std::string_view type_name = cut(rest);
    std::vector<hsize_t> sizes = numbers<hsize_t>(cut(rest));
    std::string text(rest);
    const char code = type_name.empty() ? 'i' : type_name[0];
    const hid_t type = H5Tcopy(code == 'b'   ? H5T_NATIVE_UINT8
                               : code == 'l' ? H5T_NATIVE_INT64
                               : code == 'f' ? H5T_NATIVE_FLOAT
                               : code == 'r' ? H5T_NATIVE_DOUBLE
                               : code == 'c' ? H5T_NATIVE_CHAR
                               : code == 't' ? H5T_C_S1
                                             : H5T_NATIVE_INT32);
    if (code == 't') {
      H5Tset_size(type, sizes.empty() ? 1 : std::clamp<hsize_t>(sizes[0], 1, static_cast<hsize_t>(kMostText)));
      if (!sizes.empty()) sizes.erase(sizes.begin());
    }
    sizes.resize(std::min<std::size_t>(sizes.size(), H5S_MAX_RANK));
    double claimed = static_cast<double>(H5Tget_size(type));
    for (const hsize_t size : sizes) claimed *= static_cast<double>(size);
    const hid_t space =
        sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const auto write = [&](const void* data, std::size_t bytes) {
      const bool whole = static_cast<double>(bytes) >= claimed;
      if (kind == 'a') {
        // An attribute is stored in the header of its object, with all of its values.
        if (!whole || claimed > kMostText) return;
        const hid_t attribute = H5Acreate2(parent, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute >= 0) H5Awrite(attribute, type, data), H5Aclose(attribute);
        return;
      }
      const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
      if (kind == 'z' && !sizes.empty() && claimed < kMostCompressed &&
          H5Pset_chunk(list, static_cast<int>(sizes.size()), sizes.data()) >= 0) {
        H5Pset_deflate(list, 1);
      }
      const hid_t dataset = H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT);
      H5Pclose(list);
      if (dataset < 0) return;
      if (whole && claimed > 0) H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
      H5Dclose(dataset);
    };
    const auto write_list = [&](const auto& list) { write(list.data(), list.size() * sizeof(list[0])); };
    if (code == 'b') {
      write_list(numbers<std::uint8_t>(text));
    } else if (code == 'l') {
      write_list(numbers<std::int64_t>(text));
    } else if (code == 'f') {
      write_list(numbers<float>(text));
    } else if (code == 'r') {
      write_list(numbers<double>(text));
    } else if (code == 'c' || code == 't') {
      for (std::size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at + 1)) text.replace(at, 2, "\n");
      // Padded with blanks to the size, so that one line is enough for a name.
      if (claimed < kMostText) text.resize(std::max(text.size(), static_cast<std::size_t>(claimed)), code == 't' ? '\0' : ' ');
      write(text.data(), text.size());
    } else {
      write_list(numbers<std::int32_t>(text));
    }
    H5Sclose(space);
    H5Tclose(type);
  }

  static constexpr double kMostText = 4096, kMostCompressed = 1e5;

  std::vector<hid_t> open_;
};

/// Creates a file with the objects of a text. HDF5 prints no errors from then on.
inline void write_hdf5(const std::string& path, std::string_view text) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) std::abort();
  Hdf5Text::add(file, text);
  H5Fclose(file);
}

}  // namespace weft::test
