#include "weft/array/transport/shared/shared_lane.hpp"

#include <numeric>

#include "weft/base/contracts.hpp"

namespace weft::detail {
namespace {

constexpr unsigned kSlotBits = 24;
constexpr std::uint64_t kSlotMask = (std::uint64_t{1} << kSlotBits) - 1;

}  // namespace

std::size_t LaneShape::flag_bytes() const { return lane_aligned(slots() * sizeof(LaneWord)); }

WriteLane::WriteLane(LaneShape shape, std::byte* memory, const LaneWord* taken)
    : shape_(shape),
      flags_(reinterpret_cast<LaneWord*>(memory)),
      slots_(memory + shape.flag_bytes()),
      taken_(taken),
      slot_of_(shape.slots()),
      free_(shape.slots()) {
  WEFT_EXPECTS(shape.slots() <= kSlotMask);
  std::iota(free_.rbegin(), free_.rend(), 0U);
}

void WriteLane::free_until(std::uint64_t taken) {
  for (; freed_ < taken; ++freed_) free_.push_back(slot_of_[freed_ % shape_.slots()]);
}

void WriteLane::begin() {
  if (written_ > shape_.chunks) free_until(written_ - shape_.chunks);
}

std::byte* WriteLane::slot() {
  // Of a message of one chunk nothing is gained, and asking costs as much as sending.
  if (shape_.chunks > 1) free_until(taken_->load(std::memory_order_acquire));
  WEFT_ASSERT(!free_.empty());
  return slots_ + free_.back() * shape_.slot_bytes;
}

void WriteLane::raise() {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  const std::size_t at = written_ % shape_.slots();
  slot_of_[at] = slot;
  ++written_;
  flags_[at].store((written_ << kSlotBits) | slot, std::memory_order_release);
}

bool WriteLane::caught_up() const {
  return written_ <= shape_.chunks || taken_->load(std::memory_order_acquire) >= written_ - shape_.chunks;
}

ReadLane::ReadLane(LaneShape shape, const std::byte* memory, LaneWord* taken)
    : shape_(shape), flags_(reinterpret_cast<const LaneWord*>(memory)), slots_(memory + shape.flag_bytes()), taken_(taken) {}

const std::byte* ReadLane::next() const {
  const std::uint64_t flag = flags_[read_ % shape_.slots()].load(std::memory_order_acquire);
  return (flag >> kSlotBits) == read_ + 1 ? slots_ + (flag & kSlotMask) * shape_.slot_bytes : nullptr;
}

void ReadLane::take() { taken_->store(++read_, std::memory_order_release); }

}  // namespace weft::detail
