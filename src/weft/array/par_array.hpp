#pragma once
/// ParArray: an Array whose rows are numbered over all ranks of a communicator.
#include <cstdint>
#include <utility>

#include "weft/array/array.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Every rank holds some of the rows (possibly none); global numbers run through rank 0's rows, then rank 1's, and so on. Values
/// are reached as in Array; the number of rows changes collectively only, so that the numbering is always right.
template <class T, int RowSize = 1, int RowMax = RowSize, int RowAlign = kNoRowAlign>
class ParArray : private Array<T, RowSize, RowMax, RowAlign> {
 public:
  using ArrayType = Array<T, RowSize, RowMax, RowAlign>;
  using ArrayType::kKind;
  using typename ArrayType::value_type;

  /// No rows anywhere. @collective
  explicit ParArray(Communicator comm) : comm_(std::move(comm)), offsets_(comm_, 0) {}
  /// These rows here. @collective
  ParArray(Communicator comm, ArrayType content)
      : ArrayType(std::move(content)), comm_(std::move(comm)), offsets_(comm_, ArrayType::rows()) {}

  /// Arguments as of Array::resize. @collective
  template <class... Sizes>
  void resize(Sizes... sizes) {
    ArrayType::resize(sizes...);
    offsets_ = RowOffsets(comm_, ArrayType::rows());
  }
  /// Takes other rows in place of these. @collective
  void assign(ArrayType content) {
    ArrayType::operator=(std::move(content));
    offsets_ = RowOffsets(comm_, ArrayType::rows());
  }
  /// Independent of this one; shares the communicator. Not collective.
  [[nodiscard]] ParArray clone() const { return ParArray(comm_, offsets_, ArrayType::clone()); }

  [[nodiscard]] const Communicator& comm() const { return comm_; }
  [[nodiscard]] const RowOffsets& row_offsets() const { return offsets_; }
  [[nodiscard]] std::int64_t global_rows() const { return offsets_.global_rows(); }
  [[nodiscard]] GlobalRow global(LocalRow i) const { return offsets_.global(i); }
  /// This rank's rows as an Array.
  [[nodiscard]] const ArrayType& local() const { return *this; }

  using ArrayType::at;
  using ArrayType::data;
  using ArrayType::empty;
  using ArrayType::layout;
  using ArrayType::row;
  using ArrayType::row_size;
  using ArrayType::rows;
  using ArrayType::storage;
  using ArrayType::view;
  using ArrayType::operator();
  /// Row lengths of NonUniform arrays: as Array::resize_row.
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
