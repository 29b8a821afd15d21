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

/// One copy on each side: rows are packed directly into the shared memory and unpacked from it.
class SharedLink final : public Link {
 public:
  /// Data sent to another rank to set up a link.
  struct Offer {
    SharedMemory::Name memory;
    std::uint64_t taken, ring;  ///< offsets in the memory
  };

  /// Set-up of the links of this rank: one shared allocation for all of them.
  class Setup {
   public:
    explicit Setup(std::shared_ptr<const LinkFields> fields) : moved_(std::move(fields)) {}
    /// Adds a possible link.
    void add(const RowSet& from, const RowSet& to);
    /// Returns the data to be sent for each possible link, in the order of add().
    [[nodiscard]] std::vector<Offer> offers();
    /// Maps the memory of the i-th other rank. Returns true if that succeeded.
    [[nodiscard]] bool map(std::size_t i, const Offer& offer);
    /// Prevents further mappings of this rank's memory, so that exchanges keep no files open.
    void close() { memory_->close(); }
    /// Creates the i-th link. @pre map(i) returned true on both ranks.
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
  std::size_t put_ = 0;  ///< chunks sent in this exchange
};

}  // namespace weft::detail
