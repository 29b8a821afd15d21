#include "weft/array/transport/shared/shared_link.hpp"

#include <new>
#include <utility>

namespace weft::detail {
namespace {

/// Chunk size in bytes: several chunks fit into the second-level caches of both cores.
constexpr std::size_t kChunkBytes = std::size_t{32} << 10U;

RingLayout shape(const MessageChunks& chunks) {
  return {.chunks = static_cast<std::uint32_t>(chunks.size()), .slot_bytes = ring_aligned(chunks.longest())};
}

}  // namespace

void SharedLink::Setup::add(const RowSet& from, const RowSet& to) {
  Side side;
  side.from = from;
  side.to = to;
  side.out = MessageChunks(moved_->fields, from, kChunkBytes);
  side.in = MessageChunks(moved_->fields, to, kChunkBytes);
  sides_.push_back(std::move(side));
}

std::vector<SharedLink::Offer> SharedLink::Setup::offers() {
  std::size_t bytes = 0;
  for (Side& side : sides_) {
    side.here.taken = bytes;
    side.here.ring = bytes + kRingAlignment;
    bytes = side.here.ring + shape(side.out).bytes();
  }
  memory_ = std::make_shared<SharedMemory>(SharedMemory::make(bytes));
  std::vector<Offer> all;
  for (Side& side : sides_) {
    side.here.memory = memory_->name();
    all.push_back(side.here);
  }
  return all;
}

bool SharedLink::Setup::map(std::size_t i, const Offer& offer) {
  Side& side = sides_[i];
  side.there = offer;
  side.memory_there = SharedMemory::map(offer.memory);
  return *memory_ && side.memory_there;
}

std::unique_ptr<Link> SharedLink::Setup::link(std::size_t i) {
  return std::unique_ptr<Link>(new SharedLink(moved_, memory_, std::move(sides_[i])));
}

SharedLink::SharedLink(std::shared_ptr<const LinkFields> fields, std::shared_ptr<SharedMemory> here, Setup::Side side)
    : moved_(std::move(fields)),
      out_(std::move(side.out)),
      in_(std::move(side.in)),
      here_(std::move(here)),
      there_(std::move(side.memory_there)) {
  const auto word = [](std::byte* at) { return std::launder(reinterpret_cast<RingCounter*>(at)); };
  write_ = RingWriter(shape(out_), here_->data() + side.here.ring, word(there_.data() + side.there.taken));
  read_ = RingReader(shape(in_), there_.data() + side.there.ring, word(here_->data() + side.here.taken));
}

void SharedLink::send(bool may_put) {
  put_ = 0;
  write_.begin();
  for (std::size_t c = 0; c < out_.size(); ++c) {
    std::byte* at = write_.slot();
    for (const MessageChunks::Piece& piece : out_[c]) at = gather_rows(moved_->fields[piece.field], piece.rows, at);
    write_.publish();
    if (may_put && out_.size() > 1) put_next();
  }
}

bool SharedLink::put_next() {
  if (put_ == in_.size()) return false;
  const std::byte* at = read_.next();
  if (at == nullptr) return false;
  for (const MessageChunks::Piece& piece : in_[put_]) at = moved_->put(moved_->fields[piece.field], piece.rows, at);
  read_.take();
  ++put_;
  return true;
}

bool SharedLink::receive() {
  while (put_next()) {
  }
  return put_ == in_.size();
}

}  // namespace weft::detail
