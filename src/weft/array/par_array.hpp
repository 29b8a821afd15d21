#pragma once
/// ParArray: an Array whose rows are numbered over all ranks of a communicator.
#include <cstdint>
#include <exception>
#include <utility>

#include "weft/array/array.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Each rank has some of the rows, possibly none; the global numbers continue from rank to rank. Values are accessed, and
/// copied between host and device, as in Array; neither is collective. Functions that change the number of rows are collective,
/// so that the numbering is always valid.
template <class T, int RowSize = 1, int RowMax = RowSize, int RowAlign = kNoRowAlign>
class ParArray : private Array<T, RowSize, RowMax, RowAlign> {
 public:
  using ArrayType = Array<T, RowSize, RowMax, RowAlign>;
  using ArrayType::kKind;
  using typename ArrayType::value_type;

  /// Creates an array without rows. @collective
  explicit ParArray(Communicator comm) : comm_(std::move(comm)), offsets_(comm_, 0) {}
  /// Creates `rows` rows on this rank. @collective
  ParArray(Communicator comm, ArrayType content)
      : ArrayType(std::move(content)), comm_(std::move(comm)), offsets_(comm_, ArrayType::rows()) {}

  /// Changes the number of rows of this rank, like Array::resize. @collective
  /// @throws on every rank as Array::resize. The other ranks have been resized then, and the numbering is that of the present
  /// rows.
  template <class... Sizes>
  void resize(Sizes... sizes) {
    std::exception_ptr error;
    try {
      ArrayType::resize(sizes...);
    } catch (...) {
      error = std::current_exception();
    }
    offsets_ = RowOffsets(comm_, ArrayType::rows());
    agree(comm_, error);
  }
  /// Replaces the rows of this rank. @collective
  void assign(ArrayType content) {
    ArrayType::operator=(std::move(content));
    offsets_ = RowOffsets(comm_, ArrayType::rows());
  }
  /// Returns an independent copy with the same communicator. Not collective.
  [[nodiscard]] ParArray clone() const { return ParArray(comm_, offsets_, ArrayType::clone()); }

  [[nodiscard]] const Communicator& comm() const { return comm_; }
  [[nodiscard]] const RowOffsets& row_offsets() const { return offsets_; }
  [[nodiscard]] std::int64_t global_rows() const { return offsets_.global_rows(); }
  [[nodiscard]] GlobalRow global(LocalRow i) const { return offsets_.global(i); }
  /// Returns the rows of this rank as an Array.
  [[nodiscard]] const ArrayType& local() const { return *this; }

  using ArrayType::at;
  using ArrayType::backend;
  using ArrayType::data;
  using ArrayType::empty;
  using ArrayType::fresh;
  using ArrayType::layout;
  using ArrayType::row;
  using ArrayType::row_size;
  using ArrayType::rows;
  using ArrayType::set_name;
  using ArrayType::storage;
  using ArrayType::to_device;
  using ArrayType::to_host;
  using ArrayType::view;
  using ArrayType::operator();
  /// Sets the size of a row of a NonUniform array, like Array::resize_row.
  template <RowIndex I>
  void resize_row(I i, int size) {
    ArrayType::resize_row(i, size);
  }

 private:
  ParArray(Communicator comm, RowOffsets offsets, ArrayType content)
      : ArrayType(std::move(content)), comm_(std::move(comm)), offsets_(std::move(offsets)) {}

  Communicator comm_;
  RowOffsets offsets_;
};

}  // namespace weft
