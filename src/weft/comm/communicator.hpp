#pragma once
/// Communicators: sets of ranks that exchange messages, with typed collectives.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/comm/traffic.hpp"

namespace weft {

struct RankTag;
using Rank = Id<RankTag, std::int32_t>;

template <class T>
concept Transferable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// Values sent to or received from one rank.
template <Transferable T>
struct RankValues {
  Rank rank;
  std::vector<T> values;
};
/// Values of the caller that are sent to one rank.
template <Transferable T>
struct RankSpan {
  Rank rank;
  std::span<const T> values;
};
/// Number of values received from one rank.
struct RankCount {
  Rank rank;
  std::size_t values;
};

/// Owns a duplicate of an MPI communicator, so that its messages are separate from those of other software. MPI returns its
/// errors, which are thrown as CommError. Copies share the duplicate (cheap); the last copy frees it.
///
/// Functions marked @collective are called by all ranks of the communicator in the same order. Each communicating member
/// throws CommError if MPI fails. A message may exceed the 32-bit counts of MPI: it is sent in pieces. Where a size must be
/// the same on all ranks (sum, min and max of a span), builds with contracts check it.
/// The destructor may run after MPI has ended.
class Communicator {
 public:
  /// Constructs an empty communicator, which may only be assigned to, copied and destroyed; any other use violates a
  /// contract.
  Communicator() = default;
  /// Duplicates the communicator of all ranks. @collective
  [[nodiscard]] static Communicator world();
  /// Returns a communicator of this rank alone.
  [[nodiscard]] static Communicator self();
  /// Duplicates the communicator of other software. @collective
  [[nodiscard]] static Communicator duplicate(MPI_Comm other);
  /// Returns the communicator of the ranks with the same `color`, ordered by rank. @collective
  [[nodiscard]] Communicator split(int color) const;
  /// Returns the communicator of the ranks that share memory with this rank. @collective
  [[nodiscard]] Communicator split_shared_memory() const;

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_.value() == 0; }
  [[nodiscard]] bool valid() const { return shared_ != nullptr; }
  /// Returns the handle of MPI, which this object owns. Weft uses the tags from kTags upwards.
  /// @pre valid()
  [[nodiscard]] MPI_Comm handle() const;

  /// Number of tags for point-to-point messages: 0 .. kTags - 1.
  static constexpr int kTags = 32000;
  /// Sets the maximum size of a single MPI message in bytes (default 1 GiB); longer messages are sent in pieces of this size.
  /// It applies to all copies of this communicator, must be the same on all ranks, and is inherited by communicators that
  /// split() creates.
  void set_piece_bytes(std::int64_t bytes);
  [[nodiscard]] std::int64_t piece_bytes() const;

  /// Returns when all ranks have called it. @collective
  void barrier() const;
  /// Drives the progress of MPI's messages, for callers that wait for something other than a message.
  void progress() const;

  /// Returns the number of messages that collectives of this communicator and its copies have sent from this rank.
  /// Point-to-point messages, including those of all_to_all and sum, are counted individually; an MPI collective counts as
  /// log2(size()) messages (rounded up) of its values, an all-gather as that many messages with the bytes received. Messages
  /// that callers of the collectives send are not counted.
  [[nodiscard]] Traffic traffic() const;

  // Reductions. Sums are added in a fixed tree, neighbouring ranks first, ((0+1)+(2+3))+...: the digits are the same in every
  // run on the same number of ranks, and on every rank. A minimum or maximum is NaN if any rank passes a NaN, and -0 is less
  // than +0: all ranks get the same bits. Cost: log2(size()) messages of the values. @collective
  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] T sum(T value) const;
  template <class T>
    requires std::is_arithmetic_v<T>
  void sum(std::span<T> values) const;
  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] T min(T value) const;
  template <class T>
    requires std::is_arithmetic_v<T>
  void min(std::span<T> values) const;
  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] T max(T value) const;
  template <class T>
    requires std::is_arithmetic_v<T>
  void max(std::span<T> values) const;
  /// Returns the sum over the ranks below this one; 0 on rank 0. @collective
  [[nodiscard]] std::int64_t exclusive_sum(std::int64_t value) const;
  void exclusive_sum(std::span<std::int64_t> values) const;
  /// Returns true on every rank if `value` is true on all ranks (all) or on at least one (any). @collective
  [[nodiscard]] bool all(bool value) const;
  [[nodiscard]] bool any(bool value) const;

  /// Copies the values of the root to every rank; vectors and strings are resized. @collective
  template <Transferable T>
  [[nodiscard]] T broadcast(T value, Rank root = Rank(0)) const;
  template <Transferable T>
  void broadcast(std::vector<T>& values, Rank root = Rank(0)) const;
  void broadcast(std::string& text, Rank root = Rank(0)) const;

  /// Returns one value per rank, by rank, on every rank. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_gather(const T& value) const;
  /// Returns the concatenated values of all ranks, by rank, on every rank. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> values) const;
  /// Returns the concatenated values of all ranks on the root, and an empty list on the other ranks. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> gather(std::span<const T> values, Rank root = Rank(0)) const;
  /// Sends parts[r] of the root to rank r and returns it there. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> scatter(const std::vector<std::vector<T>>& parts, Rank root = Rank(0)) const;

  /// Sends to[r] to rank r; returns the list that each rank r sent to this rank, at [r]. @pre to.size() == size().
  /// @collective
  /// @cost a barrier, one message to each rank with a non-empty list and a second one if the list is long; lists of length
  /// size().
  template <Transferable T>
  [[nodiscard]] std::vector<std::vector<T>> all_to_all(const std::vector<std::vector<T>>& to) const;
  /// Sends each list to its rank; returns the non-empty lists sent to this rank (also by itself), by rank. Intended for few
  /// destinations among many ranks.
  /// @pre the ranks of `to` ascend. @collective
  /// @cost as above, without lists of length size(): memory and time grow with the number of ranks that this rank sends to
  /// and receives from.
  template <Transferable T>
  [[nodiscard]] std::vector<RankValues<T>> all_to_all(const std::vector<RankValues<T>>& to) const;
  /// Sends like all_to_all and returns the received values concatenated in the order of the sending ranks. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_to_all_joined(const std::vector<std::vector<T>>& to) const;
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_to_all_joined(const std::vector<RankValues<T>>& to) const;
  /// Sends like all_to_all_joined() and stores the received values at memory(n), a T* to memory for their number n, for long
  /// lists whose memory several threads touch. Returns how many values each rank sent, without those that sent none, by rank.
  /// @pre the ranks of `to` ascend. @collective
  template <Transferable T, class Memory>
  std::vector<RankCount> all_to_all_joined(const std::vector<RankSpan<T>>& to, const Memory& memory) const;

  /// Sends to[i] to ranks[i]; returns the list that each of them sent to this rank, at [i]. Only the listed ranks take part,
  /// and each of them lists this rank in the same call. @pre to.size() == ranks.size(); no rank occurs twice.
  /// @cost two messages to each listed rank; nothing grows with size().
  template <Transferable T>
  [[nodiscard]] std::vector<std::vector<T>> exchange(std::span<const Rank> ranks, const std::vector<std::vector<T>>& to) const;

 private:
  struct Shared;
  explicit Communicator(MPI_Comm owned);

  // The templates convert values to bytes for these untyped functions. `Allocate` receives the number of bytes that arrive
  // (from each rank) and returns where to write them.
  using Allocate = std::function<std::byte*(std::size_t bytes)>;
  using AllocateFrom = std::function<std::vector<std::byte*>(std::span<const std::size_t> bytes)>;
  struct Part {
    Rank rank;
    std::span<const std::byte> bytes;
  };
  /// Size of a message from another rank.
  struct Arrival {
    Rank rank;
    std::size_t bytes;
  };
  using AllocateArrivals = std::function<std::vector<std::byte*>(std::span<const Arrival> arrivals)>;
  /// Adds values of lower and upper ranks: out = lower + upper, each of `values.size()` bytes; out may be either operand.
  using Add = std::function<void(const std::byte* lower, const std::byte* upper, std::byte* out)>;
  void sum_in_tree(std::span<std::byte> values, const Add& add) const;
  void reduce_max(std::span<std::uint64_t> keys) const;
  void all_gather_equal(const void* mine, std::size_t bytes, void* all) const;
  void all_gather_bytes(std::span<const std::byte> mine, const Allocate& allocate) const;
  void gather_bytes(std::span<const std::byte> mine, Rank root, const Allocate& allocate) const;
  void scatter_bytes(std::span<const std::span<const std::byte>> parts, Rank root, const Allocate& allocate) const;
  /// Exchanges parts between all ranks. @param to  by rank, without empty parts.
  /// @param allocate  receives the arrivals by rank, without empty ones.
  void all_to_all_bytes(std::span<const Part> to, const AllocateArrivals& allocate) const;
  template <class T>
  [[nodiscard]] std::vector<Part> parts_of(const std::vector<std::vector<T>>& to) const;
  template <class T>
  [[nodiscard]] std::vector<Part> parts_of(const std::vector<RankValues<T>>& to) const;
  template <class T>
  [[nodiscard]] std::vector<Part> parts_of(const std::vector<RankSpan<T>>& to) const;
  template <class T, class Memory>
  std::vector<RankCount> joined(std::span<const Part> to, const Memory& memory) const;
  template <class T>
  [[nodiscard]] std::vector<T> joined(std::span<const Part> to) const;
  void exchange_bytes(std::span<const Rank> ranks, std::span<const std::span<const std::byte>> to,
                      const AllocateFrom& allocate) const;
  void broadcast_bytes(std::span<std::byte> bytes, Rank root) const;
  void expect_same(std::uint64_t value) const;

  std::shared_ptr<Shared> shared_;
  Rank rank_;
  int size_ = 0;
};

}  // namespace weft

#include "weft/comm/communicator_impl.hpp"
