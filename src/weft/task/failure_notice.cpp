#include "weft/task/failure_notice.hpp"

#include <cstddef>
#include <span>

namespace weft::task {
namespace {

/// Returns a number that no earlier notice of a rank of `comm` has. @collective
std::int64_t next_number(const Communicator& comm) {
  static std::int64_t last = 0;
  last = comm.max(last) + 1;
  return last;
}

}  // namespace

FailureNotice::FailureNotice(const Communicator& comm, const std::set<Rank>& neighbours)
    : tag_(comm), number_(next_number(comm)), buffer_(neighbours.size() + 1), sends_(comm) {
  buffer_.back() = number_;
  std::size_t i = 0;
  for (const Rank rank : neighbours) {
    receives_.emplace_back(comm);
    receives_.back().add_receive(rank, tag_.value(), std::as_writable_bytes(std::span(buffer_).subspan(i++, 1)));
    receives_.back().start();
    sends_.add_send(rank, tag_.value(), std::as_bytes(std::span(buffer_).last(1)));
  }
}

void FailureNotice::send() {
  if (!sent_) sends_.start();
  sent_ = true;
}

bool FailureNotice::received() {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    while (receives_[i].test()) {
      if (buffer_[i] == number_) return true;
      receives_[i].start();  // that was a message to an earlier notice
    }
  }
  return false;
}

}  // namespace weft::task
