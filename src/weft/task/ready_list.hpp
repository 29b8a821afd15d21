#pragma once
/// A lock-free list of ready nodes, from which threads take nodes in the order in which these became ready.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/base/id.hpp"

namespace weft::task {

/// Adds to a counter and returns its previous value. @param shared  several threads access it.
inline int add_to(std::atomic<int>& counter, int by, bool shared) {
  if (shared) return counter.fetch_add(by);
  const int before = counter.load(std::memory_order_relaxed);
  counter.store(before + by, std::memory_order_relaxed);
  return before;
}

/// Numbers of ready nodes in the order in which they became ready. Each node is pushed at most once between two calls of clear().
class ReadyList {
  struct PositionTag;

 public:
  using Position = Id<PositionTag, std::int32_t>;

  /// @param nodes  the largest number of nodes.
  explicit ReadyList(std::size_t nodes) : items_(new std::atomic<int>[nodes]) {
    for (std::size_t i = 0; i < nodes; ++i) items_[i].store(kNone, std::memory_order_relaxed);
  }
  /// Empties the list. @pre no other thread uses it.
  void clear() {
    const int used = tail_.load(std::memory_order_relaxed);
    for (int i = 0; i < used; ++i) items_[i].store(kNone, std::memory_order_relaxed);
    head_.store(0, std::memory_order_relaxed);
    tail_.store(0, std::memory_order_relaxed);
  }
  /// Appends a node. @param shared  several threads use the list.
  void push(int node, bool shared) { items_[add_to(tail_, 1, shared)].store(node, std::memory_order_release); }
  /// Takes up to `most` positions, but at most the fraction 1 / `share` of those that are left, and at least one. Returns an
  /// empty range if none is left.
  [[nodiscard]] IdRange<Position> take(int most, int share, bool shared) {
    int first = head_.load(std::memory_order_relaxed);
    while (true) {
      const int left = tail_.load() - first;
      if (left <= 0) return {};
      const int last = first + std::clamp(left / share, 1, most);
      if (!shared) {
        head_.store(last, std::memory_order_relaxed);
      } else if (!head_.compare_exchange_weak(first, last)) {
        continue;
      }
      return {Position(first), Position(last)};
    }
  }
  /// Returns the node at a position that was taken; waits until its push() has completed.
  [[nodiscard]] int at(Position position) const {
    int node = kNone;
    while ((node = items_[position.index()].load(std::memory_order_acquire)) == kNone) {
    }  // push() has increased the tail and is about to store the number
    return node;
  }
  [[nodiscard]] bool empty() const { return head_.load() >= tail_.load(); }

 private:
  static constexpr int kNone = -1;

  std::unique_ptr<std::atomic<int>[]> items_;
  alignas(64) std::atomic<int> head_{0};
  alignas(64) std::atomic<int> tail_{0};
};

}  // namespace weft::task
