#pragma once
/// An HDF5 file from another program, read by one rank: groups, their attributes, and datasets of numbers and text.
///
/// Objects are named by their path ("/Base/Zone 1"). No call is collective. The data read never exceed a multiple of the
/// file's size, whatever sizes the file states. Nothing is read from other files: external links, external storage and
/// virtual datasets cause an IoError with the name of the other file. HDF5 prints nothing itself.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weft::io {

class Hdf5Tree {
 public:
  enum class Kind { integer, real, text, other };

  /// Opens a file. @throws IoError if HDF5 fails (truncated, not HDF5, no permission), as do all other functions.
  explicit Hdf5Tree(std::filesystem::path path);
  Hdf5Tree(Hdf5Tree&&) noexcept;
  Hdf5Tree& operator=(Hdf5Tree&&) noexcept;
  ~Hdf5Tree();

  /// Returns true if a file begins with the signature of HDF5.
  [[nodiscard]] static bool starts_like_hdf5(const std::filesystem::path& path);

  /// Returns the groups of a group, in the order of creation if the file stores it, otherwise by name. Links to other
  /// locations are omitted.
  [[nodiscard]] std::vector<std::string> groups(const std::string& group) const;
  [[nodiscard]] bool has(const std::string& group, const std::string& name) const;
  /// Returns the file to which the external link `name` in a group refers; empty if it is not such a link.
  [[nodiscard]] std::string external_file(const std::string& group, const std::string& name) const;
  /// Returns a text attribute; empty if it is missing or not a single text. @throws IoError: a text of variable length.
  [[nodiscard]] std::string text_attribute(const std::string& object, const std::string& name) const;

  [[nodiscard]] Kind kind(const std::string& dataset) const;
  /// Returns all elements, the last index fastest. @throws IoError: not integers; larger than the file can contain.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& dataset) const;
  /// Returns real numbers of any precision, like integers(). @throws IoError: not reals.
  [[nodiscard]] std::vector<double> reals(const std::string& dataset) const;
  /// Returns text from characters or one-byte integers, up to the first zero. @throws IoError: neither.
  [[nodiscard]] std::string text(const std::string& dataset) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::io
