#pragma once
/// A communicator: a set of ranks that talk to each other, with typed collectives.
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

/// Values for one rank, or from one.
template <Transferable T>
struct RankValues {
  Rank rank;
  std::vector<T> values;
};

/// Owns a duplicate of an MPI communicator, so that our messages never meet anyone else's. MPI errors are returned by MPI and
/// thrown as CommError. Copies share the duplicate (cheap); it is freed with the last copy.
///
/// Everything marked @collective is called by every rank of the communicator, in the same order.
/// Every communicating member throws CommError where MPI fails. Messages may be longer than MPI's 32-bit counts: they travel in
/// pieces. Where a size is the same on every rank by contract (sum, max of a span), a debug build checks that it is.
/// Safe to destroy after MPI has ended.
class Communicator {
 public:
  /// No communicator: may be assigned to, copied and destroyed. Anything else breaks a contract.
  Communicator() = default;
  /// Duplicate of the communicator of all ranks. @collective
  [[nodiscard]] static Communicator world();
  /// This rank alone.
  [[nodiscard]] static Communicator self();
  /// Duplicate of somebody else's communicator. @collective
  [[nodiscard]] static Communicator duplicate(MPI_Comm other);
  /// Ranks with the same `color`, ordered by rank. @collective
  [[nodiscard]] Communicator split(int color) const;
  /// Ranks that share memory with this one. @collective
  [[nodiscard]] Communicator split_shared_memory() const;

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_.value() == 0; }
  [[nodiscard]] bool valid() const { return shared_ != nullptr; }
  /// MPI's own handle, owned by this object. Tags from kTags upwards are Weft's.
  /// @pre valid()
  [[nodiscard]] MPI_Comm handle() const;

  /// Tags of point-to-point messages are 0 .. kTags - 1.
  static constexpr int kTags = 32000;
  /// Longest single MPI message in bytes, 1 GiB unless set; longer ones travel in pieces of this size. Applies to every copy of
  /// this communicator, must be the same on every rank, and is kept by what is made from this one by split.
  void set_piece_bytes(std::int64_t bytes);
  [[nodiscard]] std::int64_t piece_bytes() const;

  /// @collective
  void barrier() const;
  /// Lets MPI move messages on. For those who wait for something other than messages.
  void progress() const;

  /// Returns the messages that collectives of this communicator and its copies have sent from this rank. Point-to-point messages,
  /// also those of all_to_all and sums, are counted as they are; a collective of MPI counts as log2(size()) messages (rounded up)
  /// of its values, an all-gather with the bytes that arrive. Messages of the collectives' callers are not counted.
  [[nodiscard]] Traffic traffic() const;

  // Reductions. Sums are added in a fixed tree, neighbouring ranks first, ((0+1)+(2+3))+...: the same digits in every run on the
  // same number of ranks, and on every rank. Minima and maxima are NaN where any rank brings a NaN, and order -0 before +0: every
  // rank gets the same bits. Cost: log2(size()) messages of the values. @collective
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
  /// Sum over the ranks below this one; 0 on rank 0. @collective
  [[nodiscard]] std::int64_t exclusive_sum(std::int64_t value) const;
  void exclusive_sum(std::span<std::int64_t> values) const;
  /// True on every rank if `value` is true on all (any) of them. @collective
  [[nodiscard]] bool all(bool value) const;
  [[nodiscard]] bool any(bool value) const;

  /// Root's values on every rank; vectors and strings are resized. @collective
  template <Transferable T>
  [[nodiscard]] T broadcast(T value, Rank root = Rank(0)) const;
  template <Transferable T>
  void broadcast(std::vector<T>& values, Rank root = Rank(0)) const;
  void broadcast(std::string& text, Rank root = Rank(0)) const;

  /// One value of each rank, by rank, on every rank. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_gather(const T& value) const;
  /// Every rank's values one after the other, by rank, on every rank. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> values) const;
  /// As all_gather, but only on the root; elsewhere empty. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> gather(std::span<const T> values, Rank root = Rank(0)) const;
  /// parts[r] of the root goes to rank r. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> scatter(const std::vector<std::vector<T>>& parts, Rank root = Rank(0)) const;

  /// to[r] goes to rank r; returns what each rank r sent here, at [r]. @pre to.size() == size(). @collective
  /// @cost a barrier, and one message to each rank that gets anything; another one where that is long. Lists for size() ranks.
  template <Transferable T>
  [[nodiscard]] std::vector<std::vector<T>> all_to_all(const std::vector<std::vector<T>>& to) const;
  /// Sends each list to its rank; returns what others (and this rank) sent here, by rank, without empty lists. For few of many
  /// ranks. @pre the ranks of `to` ascend. @collective
  /// @cost as above, without lists for size() ranks: memory and time grow with the ranks that are addressed here and that send
  /// here.
  template <Transferable T>
  [[nodiscard]] std::vector<RankValues<T>> all_to_all(const std::vector<RankValues<T>>& to) const;
  /// Returns the same as all_to_all with all that comes here in one list, in the order of the ranks that sent it. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_to_all_joined(const std::vector<std::vector<T>>& to) const;
  template <Transferable T>
  [[nodiscard]] std::vector<T> all_to_all_joined(const std::vector<RankValues<T>>& to) const;

  /// to[i] goes to ranks[i]; returns what each of them sent here, at [i]. Only the ranks named take part: each of them names this
  /// one in the same call. @pre to.size() == ranks.size(); no rank is named twice.
  /// @cost two messages to each rank named; nothing grows with size().
  template <Transferable T>
  [[nodiscard]] std::vector<std::vector<T>> exchange(std::span<const Rank> ranks, const std::vector<std::vector<T>>& to) const;

 private:
  struct Shared;
  explicit Communicator(MPI_Comm owned);

  // Bytes, untyped: the templates are thin. `Allocate` is told how many bytes arrive (from each rank) and says where to put
  // them.
  using Allocate = std::function<std::byte*(std::size_t bytes)>;
  using AllocateFrom = std::function<std::vector<std::byte*>(std::span<const std::size_t> bytes)>;
  struct Part {
    Rank rank;
    std::span<const std::byte> bytes;
  };
  /// A message from another rank.
  struct Arrival {
    Rank rank;
    std::size_t bytes;
  };
  using AllocateArrivals = std::function<std::vector<std::byte*>(std::span<const Arrival> arrivals)>;
  /// Of values of this rank and those above it: out = lower + upper, each `values.size()` bytes; out may be either.
  using Add = std::function<void(const std::byte* lower, const std::byte* upper, std::byte* out)>;
  void sum_in_tree(std::span<std::byte> values, const Add& add) const;
  void reduce_max(std::span<std::uint64_t> keys) const;
  void all_gather_equal(const void* mine, std::size_t bytes, void* all) const;
  void all_gather_bytes(std::span<const std::byte> mine, const Allocate& allocate) const;
  void gather_bytes(std::span<const std::byte> mine, Rank root, const Allocate& allocate) const;
  void scatter_bytes(std::span<const std::span<const std::byte>> parts, Rank root, const Allocate& allocate) const;
  /// @param to  by rank, without empty parts. `allocate` is told of arrivals by rank, without empty ones.
  void all_to_all_bytes(std::span<const Part> to, const AllocateArrivals& allocate) const;
  template <class T>
  [[nodiscard]] std::vector<Part> parts_of(const std::vector<std::vector<T>>& to) const;
  template <class T>
  [[nodiscard]] std::vector<Part> parts_of(const std::vector<RankValues<T>>& to) const;
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
