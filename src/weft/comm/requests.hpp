#pragma once
/// Point-to-point messages that are set up once and sent many times.
#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft {

/// A fixed set of messages between this rank and others, from and to fixed memory: MPI's persistent requests.
///
///     PersistentMessages messages(comm);
///     messages.add_receive(left, 0, ghosts);  messages.add_send(right, 0, border);
///     for (...) { messages.start(); ...; messages.wait(); }
///
/// While active, memory that is received into must be neither read nor written and memory that is sent must not be written.
/// It must outlive this object. Messages of one pair of ranks and one tag match in the order in which they were added; each must
/// have the same length on both sides. Moving keeps the memory and the requests; messages may be moved while active.
///
/// Destroyed while active (an exception is passing), receives are cancelled and sends are let go: nothing waits for another rank.
class PersistentMessages {
 public:
  /// No messages: start() and wait() do nothing.
  PersistentMessages() = default;
  explicit PersistentMessages(const Communicator& comm) : comm_(comm) {}
  ~PersistentMessages() { release(); }
  PersistentMessages(PersistentMessages&& other) noexcept;
  PersistentMessages& operator=(PersistentMessages&& other) noexcept;

  /// @pre  not active; 0 <= tag < Communicator::kTags.
  /// @throws ContractError where a precondition is broken (checked always); CommError.
  void add_send(Rank to, int tag, std::span<const std::byte> bytes);
  void add_receive(Rank from, int tag, std::span<std::byte> bytes);

  /// Starts every message and returns at once; receives first. @cost no allocation.
  /// @throws ContractError if active (checked always); CommError.
  void start();
  /// True once every message has arrived or left; true where not active.
  /// @throws CommError once none is in flight any more, where MPI failed or a message was longer or shorter than its memory.
  [[nodiscard]] bool test();
  /// Returns once every message has arrived or left; at once where not active. @throws as test().
  void wait();
  [[nodiscard]] bool active() const { return active_; }

 private:
  struct Message {
    bool receive;
    int peer, tag, bytes;
  };
  void expect_idle(const char* what) const;
  void expect_addable(Rank peer, int tag) const;
  void note(int result, const MPI_Status& status);
  void finish();
  void release() noexcept;

  Communicator comm_;
  std::vector<MPI_Request> requests_;
  std::vector<Message> messages_;  ///< of each request
  std::size_t done_ = 0;           ///< while active: requests below this one have completed
  std::string problem_;            ///< the first of this flight; thrown when all have completed
  bool active_ = false;
};

}  // namespace weft
