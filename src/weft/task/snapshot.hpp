#pragma once
/// Snapshot: copies of data that an I/O task writes while other tasks change the data.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/task/access.hpp"

namespace weft::task {

/// The data that an I/O task reads, as they were in its place of the order of recording. A body that needs them after its return
/// keeps shared_from_this().
class Snapshot : public std::enable_shared_from_this<Snapshot> {
 public:
  /// Returns the number of the iteration, from 1, over all iterations of the plan.
  [[nodiscard]] std::int64_t iteration() const { return iteration_; }
  /// Returns the entries of the rows that the task reads, row after row, whatever the layout of the array; one entry for a
  /// number.
  /// @tparam T  the element type of the array; double for a number.
  /// @throws ContractError if the task does not read the data, or the size of T is not that of an element.
  template <class T>
  [[nodiscard]] std::span<const T> entries(DataId id) const {
    const std::span<const std::byte> bytes = bytes_of(id, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

 private:
  friend class SnapshotMaker;
  struct Copy {
    DataId id;
    std::size_t row_bytes;
    std::vector<std::byte> bytes{};
  };
  [[nodiscard]] std::span<const std::byte> bytes_of(DataId id, std::size_t entry_bytes) const;

  std::int64_t iteration_ = 0;
  std::vector<Copy> copies_;
};

}  // namespace weft::task
