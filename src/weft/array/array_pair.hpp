#pragma once
/// ArrayPair: the owned rows of an array and the ghost copies of other ranks' rows, in one allocation with one local
/// numbering.
#include <cstdint>
#include <memory>
#include <utility>

#include "weft/array/array.hpp"
#include "weft/array/ghost_plan.hpp"
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
  /// Creates plan.rows() rows. The further arguments are those of Array after the number of rows: width, layout.
  template <class... Shape>
    requires std::is_constructible_v<ArrayType, std::int64_t, Shape...>
  explicit ArrayPair(GhostPlan plan, Shape... shape) : ArrayType(plan.rows(), shape...), plan_(std::move(plan)) {}
  /// Takes the given rows, owned then ghost. @throws ContractError unless their number is plan.rows().
  ArrayPair(GhostPlan plan, ArrayType content) : ArrayType(std::move(content)), plan_(std::move(plan)) {
    detail::check_pair_rows(ArrayType::rows(), plan_.rows());
  }
  ArrayPair(ArrayPair&& other) noexcept
      : ArrayType(std::move(other.base())), plan_(std::exchange(other.plan_, {})), link_(std::move(other.link_)) {
    if (link_) link_->array = &base();
  }
  ArrayPair& operator=(ArrayPair&& other) noexcept {
    if (this != &other) {
      detach();
      base() = std::move(other.base());
      plan_ = std::exchange(other.plan_, {});
      link_ = std::move(other.link_);
      if (link_) link_->array = &base();
    }
    return *this;
  }
  ~ArrayPair() { detach(); }

  /// Returns a copy on the same plan, attached to no exchange.
  [[nodiscard]] ArrayPair clone() const { return ArrayPair(plan_, ArrayType::clone()); }

  [[nodiscard]] const GhostPlan& plan() const { return plan_; }
  [[nodiscard]] std::int32_t owned_rows() const { return plan_.owned_rows(); }
  [[nodiscard]] std::int32_t ghost_rows() const { return plan_.ghost_rows(); }
  /// Returns the owned and ghost rows as an Array.
  [[nodiscard]] const ArrayType& array() const { return *this; }

  using ArrayType::at;
  using ArrayType::backend;
  using ArrayType::data;
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

  /// Changes the width of all rows (run-time widths only). Existing exchanges reject the pair afterwards; attach it to a new
  /// ArrayTransformer.
  /// @throws ContractError if an exchange is in flight.
  void resize_width(int width)
    requires std::is_constructible_v<ArrayType, std::int64_t, int>
  {
    detail::expect_not_pending(detail::footprint(base()).data, "resize_width");
    ArrayType::resize(ArrayType::rows(), width);
    if (link_) ++link_->shape;
  }
  /// Sets the length of one row of a padded array, like Array::resize_row.
  template <RowIndex I>
  void resize_row(I i, int size)
    requires(ArrayType::kKind == RowKind::static_max || ArrayType::kKind == RowKind::max)
  {
    ArrayType::resize_row(i, size);
  }
  /// Replaces all rows, owned then ghost. Existing exchanges reject the pair afterwards.
  /// @throws ContractError if an exchange is in flight, or if the number of rows is not plan().rows().
  void assign(ArrayType content) {
    detail::expect_not_pending(detail::footprint(base()).data, "assign");
    detail::check_pair_rows(content.rows(), plan_.rows());
    base() = std::move(content);
    if (link_) ++link_->shape;
  }

 private:
  friend class PairRef;
  [[nodiscard]] ArrayType& base() { return *this; }
  [[nodiscard]] const std::shared_ptr<detail::PairLink>& link() {
    if (!link_) link_ = std::make_shared<detail::PairLink>(detail::PairLink{.array = &base()});
    return link_;
  }
  void detach() noexcept {
    if (!link_) return;
    link_->array = nullptr;
    link_.reset();
    const detail::Footprint memory = detail::footprint(base());
    if (detail::must_be_retained(memory.data)) {
      detail::retain_until_completed(memory.data, std::make_shared<ArrayType>(std::move(base())));
    }
  }

  GhostPlan plan_;
  std::shared_ptr<detail::PairLink> link_;
};

}  // namespace weft
