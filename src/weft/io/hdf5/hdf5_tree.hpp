#pragma once
/// An HDF5 file that others wrote, read by one rank alone: groups, their attributes, and datasets of numbers and of text.
///
/// Objects are named by their path ("/Base/Zone 1"). No call is collective. What is read is never larger than a multiple of the
/// file's size, whatever sizes the file claims. Nothing is read from other files: an external link on the way to an object,
/// external storage and virtual datasets are an IoError that names the other file. HDF5 prints nothing itself.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weft::io {

class Hdf5Tree {
 public:
  enum class Kind { integer, real, text, other };

  /// @throws IoError: HDF5 cannot open it (truncated, not HDF5, no permission). So do all other calls, where HDF5 fails.
  explicit Hdf5Tree(std::filesystem::path path);
  Hdf5Tree(Hdf5Tree&&) noexcept;
  Hdf5Tree& operator=(Hdf5Tree&&) noexcept;
  ~Hdf5Tree();

  /// Whether the first bytes of a file are HDF5's.
  [[nodiscard]] static bool starts_like_hdf5(const std::filesystem::path& path);

  /// The groups in a group: in the order in which they were made where the file keeps it, else by name. Links to elsewhere are
  /// left out.
  [[nodiscard]] std::vector<std::string> groups(const std::string& group) const;
  [[nodiscard]] bool has(const std::string& group, const std::string& name) const;
  /// The file that the external link `name` in a group leads to; empty if it is none.
  [[nodiscard]] std::string external_file(const std::string& group, const std::string& name) const;
  /// Empty if there is none, or none of one text. @throws IoError: a text of variable length.
  [[nodiscard]] std::string text_attribute(const std::string& object, const std::string& name) const;

  [[nodiscard]] Kind kind(const std::string& dataset) const;
  /// All elements, the last index running fastest. @throws IoError: not of integers; larger than the file can hold.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& dataset) const;
  /// As integers(), of numbers of any precision. @throws IoError: not of reals; larger than the file can hold.
  [[nodiscard]] std::vector<double> reals(const std::string& dataset) const;
  /// As text: characters, or integers of one byte; up to the first that is 0. @throws IoError: neither.
  [[nodiscard]] std::string text(const std::string& dataset) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::io
