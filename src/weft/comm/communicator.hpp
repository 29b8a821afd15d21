#pragma once
/// A communicator: a set of ranks that talk to each other, with typed collectives.
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/base/id.hpp"

namespace weft {

struct RankTag;
using Rank = Id<RankTag, std::int32_t>;

template <class T>
concept Transferable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// Owns a duplicate of an MPI communicator, so that our messages never meet anyone else's. MPI errors are returned by MPI and
/// thrown as CommError. Copies share the duplicate (cheap); it is freed with the last copy.
///
/// Everything marked @collective is called by every rank of the communicator, in the same order.
class Communicator {
 public:
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
  [[nodiscard]] MPI_Comm handle() const { return *handle_; }

  /// @collective
  void barrier() const;

  // Reductions. Sums add the ranks' values in rank order: the same digits in every run on the same number of ranks.
  // Cost: sums O(size) values received per rank; minima and maxima one allreduce. @collective
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
  [[nodiscard]] T max(T value) const;
  template <class T>
    requires std::is_arithmetic_v<T>
  void max(std::span<T> values) const;
  /// Sum over the ranks below this one; 0 on rank 0. @collective
  [[nodiscard]] std::int64_t exclusive_sum(std::int64_t value) const;
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
  /// @cost one count per pair of ranks, then only messages that carry something.
  template <Transferable T>
  [[nodiscard]] std::vector<std::vector<T>> all_to_all(const std::vector<std::vector<T>>& to) const;

 private:
  explicit Communicator(MPI_Comm owned);

  // Bytes, untyped: the templates above are thin.
  [[nodiscard]] std::vector<std::byte> all_gather_bytes(std::span<const std::byte> bytes) const;
  [[nodiscard]] std::vector<std::byte> gather_bytes(std::span<const std::byte> bytes, Rank root) const;
  [[nodiscard]] std::vector<std::byte> scatter_bytes(const std::vector<std::span<const std::byte>>& parts, Rank root) const;
  [[nodiscard]] std::vector<std::vector<std::byte>> all_to_all_bytes(const std::vector<std::span<const std::byte>>& to) const;
  void broadcast_bytes(void* data, std::int64_t bytes, Rank root) const;

  std::shared_ptr<MPI_Comm> handle_;
  Rank rank_;
  int size_ = 0;
};

}  // namespace weft

#include "weft/comm/detail/communicator_impl.hpp"
