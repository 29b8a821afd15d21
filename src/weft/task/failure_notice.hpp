#pragma once
/// Messages between neighbours that a rank can take no further part in exchanges.
#include <cstdint>
#include <set>
#include <vector>

#include "weft/array/tags.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/requests.hpp"

namespace weft::task {

/// One message to and from each rank with which rows are exchanged. A rank whose exchange has failed sends them; one that
/// receives a message sends its own, so that every rank that would wait for another one leaves. A message that arrives after the
/// end of its notice is received by the next one with the same tag, which ignores it: messages hold the number of their notice.
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
  std::int64_t number_;               ///< number of this notice; the same on all ranks
  std::vector<std::int64_t> buffer_;  ///< a number for each neighbour, and the one that is sent
  std::vector<PersistentMessages> receives_;
  PersistentMessages sends_;
  bool sent_ = false;
};

}  // namespace weft::task
