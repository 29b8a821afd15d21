#include "weft/array/transport/shared/message_ring.hpp"

#include <numeric>

#include "weft/base/contracts.hpp"

namespace weft::detail {
namespace {

constexpr unsigned kSlotBits = 24;
constexpr std::uint64_t kSlotMask = (std::uint64_t{1} << kSlotBits) - 1;

}  // namespace

std::size_t RingLayout::flag_bytes() const { return ring_aligned(slots() * sizeof(RingCounter)); }

RingWriter::RingWriter(RingLayout shape, std::byte* memory, const RingCounter* taken)
    : shape_(shape),
      flags_(reinterpret_cast<RingCounter*>(memory)),
      slots_(memory + shape.flag_bytes()),
      taken_(taken),
      slot_of_(shape.slots()),
      free_(shape.slots()) {
  WEFT_EXPECTS(shape.slots() <= kSlotMask);
  std::iota(free_.rbegin(), free_.rend(), 0U);
}

void RingWriter::free_until(std::uint64_t taken) {
  for (; freed_ < taken; ++freed_) free_.push_back(slot_of_[freed_ % shape_.slots()]);
}

void RingWriter::begin() {
  if (written_ > shape_.chunks) free_until(written_ - shape_.chunks);
}

std::byte* RingWriter::slot() {
  // A message of one chunk gains nothing from reuse, and the check costs as much as sending.
  if (shape_.chunks > 1) free_until(taken_->load(std::memory_order_acquire));
  WEFT_ASSERT(!free_.empty());
  return slots_ + free_.back() * shape_.slot_bytes;
}

void RingWriter::publish() {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  const std::size_t at = written_ % shape_.slots();
  slot_of_[at] = slot;
  ++written_;
  flags_[at].store((written_ << kSlotBits) | slot, std::memory_order_release);
}

bool RingWriter::caught_up() const {
  return written_ <= shape_.chunks || taken_->load(std::memory_order_acquire) >= written_ - shape_.chunks;
}

RingReader::RingReader(RingLayout shape, const std::byte* memory, RingCounter* taken)
    : shape_(shape), flags_(reinterpret_cast<const RingCounter*>(memory)), slots_(memory + shape.flag_bytes()), taken_(taken) {}

const std::byte* RingReader::next() const {
  const std::uint64_t flag = flags_[read_ % shape_.slots()].load(std::memory_order_acquire);
  return (flag >> kSlotBits) == read_ + 1 ? slots_ + (flag & kSlotMask) * shape_.slot_bytes : nullptr;
}

void RingReader::take() { taken_->store(++read_, std::memory_order_release); }

}  // namespace weft::detail
