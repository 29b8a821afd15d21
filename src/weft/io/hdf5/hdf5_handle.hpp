#pragma once
/// Ownership and checking of HDF5's ids. Knows no HDF5 header, so that only .cpp files see one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace weft::io::detail {

using Hdf5Id = std::int64_t;

/// Stops HDF5 from printing its errors in this process; they come as exceptions.
void silence_hdf5();

/// @throws IoError: "cannot <action>", with what HDF5 says about its last failure.
[[noreturn]] void hdf5_failed(const std::string& file, const std::string& action);

/// The reason that is on HDF5's error stack where inside_file() has refused a link; the names of object and file follow.
constexpr const char* kExternalLink = "an external link is not followed:";
/// What to do about data that lie in other files.
constexpr const char* kIntoOneFile = "put the data into the file itself (h5repack, h5copy; for CGNS cgnsconvert -f)";

/// Returns whether HDF5's last failure was a refused external link.
[[nodiscard]] bool refused_external_link();

/// Passes on an id or a count; a negative one has failed.
template <class Result>
Result check_hdf5(Result result, const std::string& file, const std::string& action) {
  if (result < 0) hdf5_failed(file, action);
  return result;
}

/// The elements of a dataset of a file of `file_bytes`.
/// @throws IoError: they take more memory than a file of this size can hold, whatever its dataset claims.
[[nodiscard]] std::size_t hdf5_elements(Hdf5Id dataset, Hdf5Id type, std::uint64_t file_bytes, const std::string& file,
                                        const std::string& object);

/// HDF5 1.10 writes beyond its own memory where a text of variable length is damaged, so none is ever read.
/// @throws IoError: that is what `object` is.
void refuse_variable_length(Hdf5Id type, const std::string& file, const std::string& object);

/// Owns one id.
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
  /// Negative if HDF5 failed.
  int close() { return valid() ? closer_(std::exchange(id_, -1)) : 0; }

 private:
  Hdf5Id id_ = -1;
  Closer closer_ = nullptr;
};

}  // namespace weft::io::detail
