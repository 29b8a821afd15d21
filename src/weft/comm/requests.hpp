#pragma once
/// Persistent point-to-point messages.
#include <mpi.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft {

/// A fixed set of messages between this rank and others, from and to fixed memory, by persistent requests of MPI.
///
///     PersistentMessages messages(comm);
///     messages.add_receive(left, 0, ghosts);  messages.add_send(right, 0, border);
///     for (...) { messages.start(); ...; messages.wait(); }
///
/// While active, receive buffers must be neither read nor written and send buffers must not be written; all buffers must
/// outlive this object. Messages between two ranks with one tag match in the order in which they were added, and each must
/// have the same length on both sides. Moving preserves buffers and requests, also while active.
///
/// The destructor of active messages (during an exception) cancels receives and abandons sends: it waits for no rank. In a forked
/// process it does not call MPI.
class PersistentMessages {
 public:
  /// Constructs an empty set: start() and wait() have no effect.
  PersistentMessages() = default;
  explicit PersistentMessages(const Communicator& comm) : comm_(comm) {}
  ~PersistentMessages() { release(); }
  PersistentMessages(PersistentMessages&& other) noexcept;
  PersistentMessages& operator=(PersistentMessages&& other) noexcept;

  /// Adds a message.
  /// @pre  not active; 0 <= tag < Communicator::kTags.
  /// @throws ContractError if a precondition is violated (in all builds); CommError.
  void add_send(Rank to, int tag, std::span<const std::byte> bytes);
  void add_receive(Rank from, int tag, std::span<std::byte> bytes);

  /// Starts all messages, receives first, and returns at once. @cost no allocation.
  /// @throws ContractError if active (in all builds); CommError.
  void start();
  /// Returns true when all messages have completed, or if not active.
  /// @throws CommError after all messages have completed, if MPI failed or the length of a message differs from its buffer.
  [[nodiscard]] bool test();
  /// Waits until all messages have completed; returns at once if not active. @throws as test().
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
  std::vector<Message> messages_;  ///< by request
  std::size_t done_ = 0;           ///< while active: all requests below this index have completed
  std::string problem_;            ///< first error since start(), thrown when all messages have completed
  pid_t process_ = getpid();       ///< that of the requests
  bool active_ = false;
};

}  // namespace weft
