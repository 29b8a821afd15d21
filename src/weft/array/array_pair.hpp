#pragma once
/// ArrayPair: the owned rows of an array and the ghost copies of other ranks' rows, in one allocation with one local
/// numbering.
#include <cstdint>
#include <memory>
#include <utility>

#include "weft/array/array.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/array/index_space.hpp"
#include "weft/array/pair_link.hpp"
#include "weft/array/pending_exchanges.hpp"
#include "weft/array/signature.hpp"
#include "weft/base/error.hpp"

namespace weft {

/// An Array of plan().rows() rows: owned rows, followed by ghost rows in the order of the plan. Exchanges to which the pair
/// is attached (ArrayTransformer) update it. An attached pair may be moved and remains attached; a clone is not attached.
/// After the destruction of a pair its exchanges cannot be started any more.
template <class T, int RowSize = 1, int RowMax = RowSize, int RowAlign = kNoRowAlign>
class ArrayPair : private Array<T, RowSize, RowMax, RowAlign> {
 public:
  using ArrayType = Array<T, RowSize, RowMax, RowAlign>;
  using ArrayType::kKind;
  using typename ArrayType::value_type;

  /// Constructs a pair without rows, of an empty plan.
  ArrayPair() = default;
  /// Creates space.rows() rows. The further arguments are those of Array after the number of rows: width, layout, backend, side.
  template <class... Shape>
    requires std::is_constructible_v<ArrayType, std::int64_t, Shape...>
  explicit ArrayPair(IndexSpace space, Shape... shape) : ArrayType(space.rows(), shape...), space_(std::move(space)) {}
  /// Takes these rows: owned, ghost, boundary. @throws ContractError unless there are space.rows() of them.
  ArrayPair(IndexSpace space, ArrayType content) : ArrayType(std::move(content)), space_(std::move(space)) {
    detail::check_pair_rows(ArrayType::rows(), space_.rows());
  }
  ArrayPair(ArrayPair&& other) noexcept
      : ArrayType(std::move(other.base())), space_(std::exchange(other.space_, {})), link_(std::move(other.link_)) {
    if (link_) link_->array = &base();
  }
  ArrayPair& operator=(ArrayPair&& other) noexcept {
    if (this != &other) {
      detach();
      base() = std::move(other.base());
      space_ = std::exchange(other.space_, {});
      link_ = std::move(other.link_);
      if (link_) link_->array = &base();
    }
    return *this;
  }
  ~ArrayPair() { detach(); }

  /// Returns independent values on the same index space, attached to nothing.
  [[nodiscard]] ArrayPair clone() const { return ArrayPair(space_, ArrayType::clone()); }

  [[nodiscard]] const IndexSpace& space() const { return space_; }
  [[nodiscard]] const GhostPlan& plan() const { return space_.plan(); }
  [[nodiscard]] std::int32_t owned_rows() const { return space_.owned_rows(); }
  [[nodiscard]] std::int32_t ghost_rows() const { return space_.ghost_rows(); }
  [[nodiscard]] std::int32_t boundary_rows() const { return space_.boundary_rows(); }
  /// Returns the owned, ghost and boundary rows as an Array.
  [[nodiscard]] const ArrayType& array() const { return *this; }

  using ArrayType::at;
  using ArrayType::backend;
  using ArrayType::bring;
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

  /// Returns the address of all entries on one side, for access to these rows, which need not be all of them: checks that they
  /// are fresh there and, to write, marks them and the sizes of padded rows as stale on the other side. For code to which the
  /// element type and the layout are known at run time only; other code takes a view().
  /// @throws DeviceError if a row is stale on this side; ContractError for the device side of an array without one, or of a
  /// decompressed CSR array.
  [[nodiscard]] std::byte* access(Side side, IdRange<LocalRow> range, bool write) {
    if (side == Side::device && backend() == Backend::host) detail::throw_no_device_side();
    detail::ArrayAccess::for_each_piece(base(), range, [&](auto& vector, std::size_t first, std::size_t count) {
      if (write) {
        (void)vector.read_write(side, first, count);
      } else {
        (void)std::as_const(vector).read(side, first, count);
      }
    });
    return detail::ArrayAccess::entries(base(), side);
  }
  /// Returns the sizes of padded rows on one side, as access() without marks. @pre access() to the rows on this side.
  [[nodiscard]] std::int32_t* sizes_on(Side side)
    requires(ArrayType::kPadded)
  {
    return reinterpret_cast<std::int32_t*>(detail::ArrayAccess::row_sizes(base(), side));
  }

  /// Returns the rows() + 1 offsets of a CSR array on one side. @throws DeviceError if they are stale there.
  [[nodiscard]] const std::int64_t* offsets_on(Side side) const
    requires(kKind == RowKind::csr)
  {
    return detail::ArrayAccess::offsets(array(), side);
  }

  /// Changes the width of all rows (run-time widths only). Existing exchanges reject the pair afterwards; attach it to a new
  /// ArrayTransformer.
  /// @throws ContractError if an exchange is in flight.
  void resize_width(int width)
    requires std::is_constructible_v<ArrayType, std::int64_t, int>
  {
    detail::expect_not_pending(link_.get(), "resize_width");
    if (is_exposed() && !detail::ArrayAccess::borrowed(array())) {
      ArrayType resized = ArrayType::clone();
      resized.resize(ArrayType::rows(), width);
      replace(std::move(resized));
    } else {
      ArrayType::resize(ArrayType::rows(), width);
    }
    if (link_) ++link_->shape;
  }
  /// Sets the length of one row of a padded array, like Array::resize_row.
  template <RowIndex I>
  void resize_row(I i, int size)
    requires(ArrayType::kKind == RowKind::static_max || ArrayType::kKind == RowKind::max)
  {
    ArrayType::resize_row(i, size);
  }
  /// Replaces these rows by others: owned, ghost, boundary. Exchanges it was attached to refuse it afterwards.
  /// @throws ContractError if an exchange is in flight, or unless there are space().rows() of them.
  void assign(ArrayType content) {
    detail::expect_not_pending(link_.get(), "assign");
    detail::check_pair_rows(content.rows(), space_.rows());
    replace(std::move(content));
    if (link_) ++link_->shape;
  }

 private:
  friend class PairRef;
  [[nodiscard]] ArrayType& base() { return *this; }
  [[nodiscard]] const std::shared_ptr<detail::PairLink>& link() {
    if (!link_) link_ = std::make_shared<detail::PairLink>(detail::PairLink{.array = &base()});
    return link_;
  }
  /// Returns true if an exchange that was destroyed in flight may access the memory.
  [[nodiscard]] bool is_exposed() const { return link_ && link_->exposed; }
  void replace(ArrayType content) {
    if (is_exposed()) detail::retain(*link_, std::move(base()));
    base() = std::move(content);
  }
  void detach() noexcept {
    if (!link_) return;
    link_->array = nullptr;
    if (detail::must_be_retained(*link_)) detail::retain(*link_, std::move(base()));
    link_.reset();
  }

  IndexSpace space_;
  std::shared_ptr<detail::PairLink> link_;
};

}  // namespace weft
