#include "weft/array/detail/device_mpi_transport.hpp"

#include <utility>

namespace weft::detail {

DeviceMpiTransport::DeviceMpiTransport(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields,
                                       Direction direction, Reduce op, bool through_host)
    : tag_(plan.comm()),
      kept_(std::make_unique<Kept>(Kept{PackedMessages(plan, backend, fields, direction, op, through_host)})),
      sends_(plan.comm()),
      receives_(plan.comm()),
      stream_(Stream::for_backend(backend, Priority::high)) {
  for (const PackedMessages::Message& m : kept_->messages.sends()) sends_.add_send(m.rank, tag_.value(), {m.data, m.bytes});
  for (const PackedMessages::Message& m : kept_->messages.receives()) {
    receives_.add_receive(m.rank, tag_.value(), {m.data, m.bytes});
  }
}

void DeviceMpiTransport::start(const After& after) {
  unpacked_.wait();  // the buffers of the last exchange are free again
  receives_.start();
  stream_.wait_for(after);
  kept_->messages.pack(stream_);
  packed_ = stream_.record();
  sent_ = false;
}

void DeviceMpiTransport::send() {
  sent_ = true;
  sends_.start();
}

bool DeviceMpiTransport::arrived() {
  if (!sent_ && !packed_.done()) return false;
  if (!sent_) send();
  const bool received = receives_.test();
  return sends_.test() && received;
}

void DeviceMpiTransport::finish(Stream& stream) {
  if (!sent_) {
    packed_.wait();
    send();
  }
  receives_.wait();
  kept_->messages.unpack(stream_);
  unpacked_ = stream_.record();
  sends_.wait();
  stream.wait_for(weft::after(unpacked_));
}

void DeviceMpiTransport::abandon() noexcept {
  // Receives are cancelled; a neighbour may still take what we sent. So what it reads stays, and no later exchange uses our tag.
  static Kept* abandoned = nullptr;
  kept_->next = std::exchange(abandoned, kept_.get());
  (void)kept_.release();
  tag_.keep();
}

}  // namespace weft::detail
