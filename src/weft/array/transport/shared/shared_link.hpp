#pragma once
/// A link through memory that two ranks of one machine share.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/array/transport/link.hpp"
#include "weft/array/transport/message_chunks.hpp"
#include "weft/array/transport/shared/message_ring.hpp"
#include "weft/comm/shared_memory.hpp"

namespace weft::detail {

/// One copy on each side: rows are packed straight into the shared memory, and unpacked from there.
class SharedLink final : public Link {
 public:
  /// What a rank tells another, so that the two can be linked.
  struct Offer {
    SharedMemory::Name memory;
    std::uint64_t taken, ring;  ///< where they lie
  };

  /// This rank's side of what it shares with all others: one piece of memory.
  class Setup {
   public:
    explicit Setup(std::shared_ptr<const LinkFields> fields) : moved_(std::move(fields)) {}
    /// Once for each rank that might be linked.
    void add(const RowSet& from, const RowSet& to);
    /// What to tell each of them, in that order.
    [[nodiscard]] std::vector<Offer> offers();
    /// Looks at what the i-th of them said. Returns whether its memory can be reached.
    [[nodiscard]] bool map(std::size_t i, const Offer& offer);
    /// Nobody maps this rank's memory from now on: exchanges keep no files open.
    void close() { memory_->close(); }
    /// @pre map(i) was true there and here.
    [[nodiscard]] std::unique_ptr<Link> link(std::size_t i);

   private:
    friend class SharedLink;
    struct Side {
      RowSet from, to;
      MessageChunks out, in;
      Offer here{}, there{};
      SharedMemory memory_there;
    };
    std::shared_ptr<const LinkFields> moved_;
    std::vector<Side> sides_;
    std::shared_ptr<SharedMemory> memory_;
  };

  void send(bool may_put) override;
  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool sent() override { return in_.size() > 0 || out_.size() == 0 || write_.caught_up(); }

 private:
  SharedLink(std::shared_ptr<const LinkFields> fields, std::shared_ptr<SharedMemory> here, Setup::Side side);
  bool put_next();

  std::shared_ptr<const LinkFields> moved_;
  MessageChunks out_, in_;
  std::shared_ptr<SharedMemory> here_;
  SharedMemory there_;
  RingWriter write_;
  RingReader read_;
  std::size_t put_ = 0;  ///< chunks of this exchange
};

}  // namespace weft::detail
