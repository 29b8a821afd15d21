#pragma once
/// Message tags of exchanges and plans: each has a tag of its own, so that several can be in flight, and releases it.
#include <cstddef>

#include "weft/comm/communicator.hpp"

namespace weft::detail {

/// A tag that no other exchange on any rank of `comm` uses. The destructor releases it.
class Tag {
 public:
  /// Reserves a tag. @collective @throws LimitError on every rank if no tag is free.
  explicit Tag(const Communicator& comm);
  ~Tag();
  Tag(const Tag&) = delete;
  Tag& operator=(const Tag&) = delete;

  [[nodiscard]] int value() const { return Communicator::kTags - 1 - static_cast<int>(slot_); }

 private:
  std::size_t slot_ = 0;
};

}  // namespace weft::detail
