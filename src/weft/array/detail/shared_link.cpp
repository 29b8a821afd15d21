#include "weft/array/detail/shared_link.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "weft/comm/environment.hpp"

namespace weft::detail {
namespace {

/// Small enough for a few of them to stay in the second-level caches of both cores.
constexpr std::size_t kChunkBytes = std::size_t{32} << 10U;

/// How often a rank looks before it lets others run: some 1 ms, since whoever gets the core then may keep it for several. Soon
/// where ranks share cores, and where MPI was told to yield.
constexpr int kLooks = 50000, kLooksWhereCrowded = 50;

LaneShape shape(const MessageChunks& chunks) {
  return {.chunks = static_cast<std::uint32_t>(chunks.size()), .slot_bytes = lane_aligned(chunks.longest())};
}

inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Returns once `done()`. Whoever is waited for may need this core, or an answer from MPI.
template <class Done>
void wait_until(const Communicator& comm, bool crowded, const Done& done) {
  const int most = crowded ? kLooksWhereCrowded : kLooks;
  for (int looks = 0; !done();) {
    if (looks < most) {
      ++looks;
      pause_core();
    } else {
      comm.progress();
      std::this_thread::yield();
    }
  }
}

}  // namespace

void SharedLink::Shore::add(const RowSet& from, const RowSet& to) {
  Side side;
  side.from = from;
  side.to = to;
  side.out = MessageChunks(moved_->fields, from, kChunkBytes);
  side.in = MessageChunks(moved_->fields, to, kChunkBytes);
  sides_.push_back(std::move(side));
}

std::vector<SharedLink::Offer> SharedLink::Shore::offers() {
  std::size_t bytes = 0;
  for (Side& side : sides_) {
    side.here.taken = bytes;
    side.here.lane = bytes + kLaneAlignment;
    bytes = side.here.lane + shape(side.out).bytes();
  }
  memory_ = std::make_shared<SharedMemory>(SharedMemory::make(bytes));
  std::vector<Offer> all;
  for (Side& side : sides_) {
    side.here.memory = memory_->name();
    all.push_back(side.here);
  }
  return all;
}

bool SharedLink::Shore::map(std::size_t i, const Offer& offer) {
  Side& side = sides_[i];
  side.there = offer;
  side.memory_there = SharedMemory::map(offer.memory);
  side.reached = *memory_ && side.memory_there;
  return side.reached;
}

std::unique_ptr<Link> SharedLink::Shore::link(std::size_t i) {
  // Who is not a neighbour is not counted: a hint is enough.
  const auto reached = std::count_if(sides_.begin(), sides_.end(), [](const Side& side) { return side.reached; });
  const bool crowded = reached + 1 > sysconf(_SC_NPROCESSORS_ONLN) || MpiEnvironment::yields_when_idle();
  return std::unique_ptr<Link>(new SharedLink(moved_, comm_, memory_, std::move(sides_[i]), crowded));
}

SharedLink::SharedLink(std::shared_ptr<const LinkFields> fields, const Communicator& comm, std::shared_ptr<SharedMemory> here,
                       Shore::Side side, bool crowded)
    : moved_(std::move(fields)),
      comm_(comm),
      out_(std::move(side.out)),
      in_(std::move(side.in)),
      here_(std::move(here)),
      there_(std::move(side.memory_there)),
      crowded_(crowded) {
  const auto word = [](std::byte* at) { return std::launder(reinterpret_cast<LaneWord*>(at)); };
  write_ = WriteLane(shape(out_), here_->data() + side.here.lane, word(there_.data() + side.there.taken));
  read_ = ReadLane(shape(in_), there_.data() + side.there.lane, word(here_->data() + side.here.taken));
}

void SharedLink::send(bool may_put) {
  put_ = 0;
  write_.begin();
  for (std::size_t c = 0; c < out_.size(); ++c) {
    std::byte* at = write_.slot();
    for (const MessageChunks::Piece& piece : out_[c]) at = gather_rows(moved_->fields[piece.field], piece.rows, at);
    write_.raise();
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

void SharedLink::wait_received() {
  wait_until(comm_, crowded_, [&] { return receive(); });
}

void SharedLink::wait_sent() {
  wait_until(comm_, crowded_, [&] { return sent(); });
}

}  // namespace weft::detail
