#pragma once
/// Ownership and checks of HDF5 ids. Includes no HDF5 header, so that only .cpp files do.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace weft::io::detail {

using Hdf5Id = std::int64_t;

/// Stops HDF5 from printing errors of this process; they are thrown as exceptions.
void silence_hdf5();

/// Throws an error. @throws IoError: "cannot <action>", with HDF5's message for its last failure.
[[noreturn]] void hdf5_failed(const std::string& file, const std::string& action);

/// The reason on HDF5's error stack after inside_file() has rejected a link; the names of object and file follow.
constexpr const char* kExternalLink = "an external link is not followed:";
/// Suggestion for data in other files.
constexpr const char* kIntoOneFile = "put the data into the file itself (h5repack, h5copy; for CGNS cgnsconvert -f)";

/// Returns true if HDF5's last failure was a rejected external link.
[[nodiscard]] bool refused_external_link();

/// Returns an id or a count; a negative one means failure.
template <class Result>
Result check_hdf5(Result result, const std::string& file, const std::string& action) {
  if (result < 0) hdf5_failed(file, action);
  return result;
}

/// Returns the number of elements of a dataset of a file of `file_bytes`.
/// @throws IoError: their memory exceeds that which a file of this size can contain.
[[nodiscard]] std::size_t hdf5_elements(Hdf5Id dataset, Hdf5Id type, std::uint64_t file_bytes, const std::string& file,
                                        const std::string& object);

/// Rejects texts of variable length: HDF5 1.10 writes out of bounds if one is damaged, so none is ever read.
/// @throws IoError: `object` is such a text.
void refuse_variable_length(Hdf5Id type, const std::string& file, const std::string& object);

/// Owns an id.
class Hdf5Handle {
 public:
  using Closer = int (*)(Hdf5Id);

  Hdf5Handle() = default;
  Hdf5Handle(Hdf5Id id, Closer closer) : id_(id), closer_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  ~Hdf5Handle() { close(); }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;

  [[nodiscard]] Hdf5Id get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  /// Returns the id; negative if HDF5 failed.
  int close() { return valid() ? closer_(std::exchange(id_, -1)) : 0; }

 private:
  Hdf5Id id_ = -1;
  Closer closer_ = nullptr;
};

/// Returns the data space of an array. @param rank  1: of `rows` elements; 2: of rows x columns.
[[nodiscard]] Hdf5Handle array_space(const std::string& file, int rank, std::int64_t rows, std::int64_t columns);

}  // namespace weft::io::detail
