#pragma once
/// Messages between neighbours that a rank can take no further part in exchanges.
#include <cstddef>
#include <set>
#include <vector>

#include "weft/array/tags.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/requests.hpp"

namespace weft::task {

/// One message to and from each rank with which rows are exchanged. A rank whose exchange has failed sends them; one that
/// receives a message sends its own, so that every rank that would wait for another one leaves.
class FailureNotice {
 public:
  /// @param neighbours  on each of them this rank is a neighbour. @collective
  FailureNotice(const Communicator& comm, const std::set<Rank>& neighbours);
  /// Sends the messages, once; waits for no rank.
  void send();
  /// Returns true if a message has been received.
  [[nodiscard]] bool received();

 private:
  weft::detail::Tag tag_;
  std::vector<std::byte> buffer_;  ///< a byte for each neighbour, and one that is sent
  std::vector<PersistentMessages> receives_;
  PersistentMessages sends_;
  bool sent_ = false;
};

}  // namespace weft::task
