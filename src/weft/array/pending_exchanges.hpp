#pragma once
/// The arrays that are in an exchange right now, on this rank. One list per process: an array is known by the memory of its
/// entries, so that a moved pair, two transformers and two handles on one std::vector all meet here.
#include <memory>

namespace weft::detail {

/// @throws ContractError if the array at `data` is in flight already. @cost no allocation once as many were in flight before.
void begin_pending(const void* data);
void end_pending(const void* data) noexcept;
[[nodiscard]] bool is_pending(const void* data) noexcept;
/// Keeps `storage`, which owns the memory at `data`, until its flight ends: its owner is being destroyed.
void retain_until_completed(const void* data, const std::shared_ptr<void>& storage) noexcept;
/// Whether retain_until_completed is called for.
[[nodiscard]] bool must_be_retained(const void* data) noexcept;
/// The flight will never end in order: MPI may read the memory as long as it lives, so that is kept when its owner is destroyed.
/// The array may take part in other exchanges.
void abandon_pending(const void* data) noexcept;
/// @throws ContractError if in flight; `what` is the change that is refused.
void expect_not_pending(const void* data, const char* what);

}  // namespace weft::detail
