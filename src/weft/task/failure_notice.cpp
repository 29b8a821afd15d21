#include "weft/task/failure_notice.hpp"

#include <algorithm>
#include <span>

namespace weft::task {

FailureNotice::FailureNotice(const Communicator& comm, const std::set<Rank>& neighbours)
    : tag_(comm), buffer_(neighbours.size() + 1), sends_(comm) {
  std::size_t i = 0;
  for (const Rank rank : neighbours) {
    receives_.emplace_back(comm);
    receives_.back().add_receive(rank, tag_.value(), std::span(buffer_).subspan(i++, 1));
    receives_.back().start();
    sends_.add_send(rank, tag_.value(), std::span(buffer_).last(1));
  }
}

void FailureNotice::send() {
  if (!sent_) sends_.start();
  sent_ = true;
}

bool FailureNotice::received() {
  return std::ranges::any_of(receives_, [](PersistentMessages& message) { return message.test(); });
}

}  // namespace weft::task
