#pragma once
/// The arrays of pending exchanges of this rank: one list per process. An array is identified by the address of its entries,
/// so that a moved pair, two transformers and two handles of one std::vector are recognised as the same array.
#include <memory>

namespace weft::detail {

/// Adds an array. @throws ContractError if the array at `data` already is in a pending exchange. @cost no allocation after
/// the first exchanges.
void begin_pending(const void* data);
void end_pending(const void* data) noexcept;
[[nodiscard]] bool is_pending(const void* data) noexcept;
/// Retains `storage`, which owns the memory at `data`, until the exchange has completed, because its owner is being
/// destroyed.
void retain_until_completed(const void* data, const std::shared_ptr<void>& storage) noexcept;
/// Returns true if retain_until_completed() is required.
[[nodiscard]] bool must_be_retained(const void* data) noexcept;
/// Marks an exchange that will never complete: MPI may access the memory at any time, so it is retained when its owner is
/// destroyed. The array may take part in other exchanges.
void abandon_pending(const void* data) noexcept;
/// Checks that the array is in no pending exchange. @throws ContractError otherwise; `what` is the rejected operation.
void expect_not_pending(const void* data, const char* what);

}  // namespace weft::detail
