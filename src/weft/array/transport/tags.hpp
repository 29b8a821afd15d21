#pragma once
/// Message tags of exchanges: each exchange has its own, so that several are in flight at once, and gives it back.
#include <cstddef>

#include "weft/comm/communicator.hpp"

namespace weft::detail {

/// A tag that no exchange of any rank of `comm` uses. Given back on destruction.
class Tag {
 public:
  /// @collective @throws LimitError on every rank, if none is left.
  explicit Tag(const Communicator& comm);
  ~Tag();
  Tag(const Tag&) = delete;
  Tag& operator=(const Tag&) = delete;

  [[nodiscard]] int value() const { return Communicator::kTags - 1 - static_cast<int>(slot_); }

 private:
  std::size_t slot_ = 0;
};

}  // namespace weft::detail
