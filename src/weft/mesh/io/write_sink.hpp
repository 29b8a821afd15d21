#pragma once
/// Collects the bytes of a mesh file: numbers as text, each followed by a blank, or raw.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

class MeshSink {
 public:
  MeshSink(bool binary, std::endian order) : binary_(binary), swapped_(order != std::endian::native) {}

  [[nodiscard]] bool binary() const { return binary_; }
  void text(std::string_view text) { bytes_ += text; }

  /// Writes a number; as text, with the shortest digits that read back as the same value.
  template <class T>
  void number(T value) {
    if (binary_) {
      raw(value);
    } else {
      digits(value);
      bytes_ += ' ';
    }
  }
  template <class T, class... More>
  void numbers(T first, More... more) {
    number(first);
    (number(more), ...);
  }
  void coords(const Vec3& x) { numbers(x.x, x.y, x.z); }
  /// Ends the line in text, without the last blank.
  void end_record() {
    if (!binary_) end_line();
  }
  void end_line() {
    if (!bytes_.empty() && bytes_.back() == ' ') bytes_.pop_back();
    bytes_ += '\n';
  }
  template <class T>
  void digits(T value) {
    constexpr std::size_t kLongest = 32;
    char buffer[kLongest];
    const auto [end, error] = std::to_chars(buffer, buffer + kLongest, value);
    bytes_.append(buffer, end - buffer);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void raw(T value) {
    static_assert(std::is_arithmetic_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (swapped_) std::reverse(bytes, bytes + sizeof(T));
    bytes_.append(bytes, sizeof(T));
  }

  std::string bytes_;
  bool binary_, swapped_;
};

[[nodiscard]] std::string format_gmsh2(const MeshBlock& whole, bool binary, std::endian order);
[[nodiscard]] std::string format_gmsh4(const MeshBlock& whole, bool binary, std::endian order);
[[nodiscard]] std::string format_su2(const MeshBlock& whole);

}  // namespace weft::mesh::detail
