#pragma once
/// PairRef: type-erased reference of an exchange to an array of owned and ghost rows.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/array/pair_link.hpp"
#include "weft/array/pair_sides.hpp"
#include "weft/array/signature.hpp"

namespace weft {

/// Constructed from an ArrayPair& (implicitly). It remains valid when the pair is moved.
class PairRef {
 public:
  /// Refers to a pair. @throws ContractError if the pair is a decompressed CSR array.
  template <class T, int RowSize, int RowMax, int RowAlign>
  PairRef(ArrayPair<T, RowSize, RowMax, RowAlign>& pair)  // NOLINT(google-explicit-constructor): so that {q, grad} reads well
      : fields_(
            detail::fields(pair.base(), detail::ArrayAccess::allocated(pair.array(), Side::host) ? Side::host : Side::device)),
        link_(pair.link()),
        shape_(link_->shape),
        rows_(pair.rows() - pair.boundary_rows()),
        all_rows_(pair.rows()),
        staging_{&detail::bring_to_side<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::mark_written<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::is_allocated<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::neutralize<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::fields_on<Array<T, RowSize, RowMax, RowAlign>>},
        sides_(detail::sides_of<Array<T, RowSize, RowMax, RowAlign>>()),
        backend_(detail::ArrayAccess::mappable(pair.array()) || !is_cuda(pair.backend()) ? pair.backend()
                                                                                         : Backend::cuda_managed),
        one_memory_(sides_share_memory(pair.backend())),
        plan_(pair.plan()),
        signature_(to_string(signature(pair.array())) + (pair.layout() == Layout::soa ? " SoA" : " AoS")) {}

  [[nodiscard]] const GhostPlan& plan() const { return plan_; }
  [[nodiscard]] Backend backend() const { return backend_; }
  /// Returns the number of owned, ghost and boundary rows.
  [[nodiscard]] std::int32_t rows() const { return all_rows_; }
  /// Returns true if host and device access the same memory.
  [[nodiscard]] bool one_memory() const { return one_memory_; }
  /// Returns type, row sizes and layout, as messages name them.
  [[nodiscard]] const std::string& description() const { return signature_; }
  /// Returns true if the pair has been destroyed.
  [[nodiscard]] bool destroyed() const { return link_->array == nullptr; }
  /// Returns the memory of the entries, and of the row sizes of padded rows (without reducers), on one side.
  /// @throws ContractError as expect_unchanged().
  [[nodiscard]] std::vector<detail::Field> fields(Side side) const;
  [[nodiscard]] bool has_row_sizes() const { return fields_.back().reducers == nullptr; }
  /// Returns true if both refer to one pair.
  [[nodiscard]] bool same_as(const PairRef& other) const { return link_ == other.link_; }
  /// Checks the array. @throws ContractError if it was destroyed or resized since it was attached.
  void expect_unchanged() const;
  /// Sets the ghost rows on the host to the value that a push by `op` leaves the owned rows unchanged with: 0 for add, the
  /// largest value for min, the smallest for max.
  /// @throws ContractError if there is none (insert, elements that are no numbers), or as expect_unchanged().
  void neutralize_ghosts(Reduce op);

  // For a scheduler that knows which side of which rows is fresh (weft::task::Plan): HostDeviceVector::suspend_tracking().
  /// Returns true if the entries have memory on this side, or need none.
  [[nodiscard]] bool allocated(Side side) const { return staging_.allocated(link_->array, side); }
  /// Copies those of these rows that are stale on `to` to it after `after` has completed, and waits. @throws DeviceError if one
  /// of them is stale on both sides.
  void bring(Side to, IdRange<LocalRow> rows, const After& after = After()) { sides_.bring(link_->array, to, rows, after); }
  /// Ends the tracking of freshness until resume_tracking(). Exchanges then neither copy between the sides nor mark rows.
  /// @throws DeviceError if a pending copy has failed, or the device side cannot be allocated; the tracking then continues.
  void suspend_tracking() { sides_.suspend(link_->array); }
  void resume_tracking() { sides_.resume(link_->array); }
  /// Copies rows to one side in stream order. @pre the tracking is suspended, and both sides have memory.
  void copy_untracked(Side to, IdRange<LocalRow> rows, Stream& stream) { sides_.copy(link_->array, to, rows, stream); }
  /// States on which sides rows are fresh. @pre on one side at least.
  void set_fresh(IdRange<LocalRow> rows, bool on_host, bool on_device) {
    sides_.set_fresh(link_->array, rows, on_host, on_device);
  }
  /// Returns device memory with neutral values for neutralize_ghosts() on the device. @throws as the function for the host.
  [[nodiscard]] std::unique_ptr<DeviceStorage> neutral_ghosts(Reduce op);
  /// Sets the ghost rows on the device in stream order. @param neutral  of neutral_ghosts(). @pre the tracking is suspended.
  void neutralize_ghosts(DeviceStorage& neutral, Stream& stream);

 private:
  friend class ArrayTransformer;
  friend class Exchange;
  [[nodiscard]] IdRange<LocalRow> ghosts() const { return {LocalRow(plan_.owned_rows()), LocalRow(plan_.rows())}; }
  [[noreturn]] void throw_no_neutral_value() const;

  std::vector<detail::Field> fields_;  // for checks, on a side with memory; an exchange asks for those of its side
  std::shared_ptr<detail::PairLink> link_;
  std::int64_t shape_;  // value of the link when attached
  std::int32_t rows_;   // owned and ghost
  std::int32_t all_rows_;
  detail::Staging staging_;
  detail::PairSides sides_;
  Backend backend_;  // cuda_managed for memory of others on a GPU, which other processes cannot map either
  bool one_memory_;
  bool both_sides_ = false;  // while in flight: the received rows are also copied to the other side
  GhostPlan plan_;
  std::string signature_;
};

}  // namespace weft
