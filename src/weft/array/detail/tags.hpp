#pragma once
/// Message tags of exchanges: each exchange has its own, so that several are in flight at once, and gives it back.
#include <cstddef>

#include "weft/comm/communicator.hpp"

namespace weft::detail {

/// A tag that no exchange of any rank of `comm` uses. Given back on destruction, unless kept.
class Tag {
 public:
  /// @collective @throws LimitError on every rank, if none is left.
  explicit Tag(const Communicator& comm);
  ~Tag();
  Tag(const Tag&) = delete;
  Tag& operator=(const Tag&) = delete;

  [[nodiscard]] int value() const { return Communicator::kTags - 1 - static_cast<int>(slot_); }
  /// Never gives it back: an unreceived message may still carry it.
  void keep() { kept_ = true; }

 private:
  std::size_t slot_ = 0;
  bool kept_ = false;
};

}  // namespace weft::detail
