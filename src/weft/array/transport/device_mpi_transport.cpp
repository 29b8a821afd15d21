#include "weft/array/transport/device_mpi_transport.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/array/transport/transport_setup.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::detail {
namespace {

/// Exchanges that have been started but not sent, in the order of start(). Ranks may finish exchanges in different orders: a
/// rank that waits for one sends all of them, because another rank may wait for any of them.
std::vector<DeviceMpiTransport*>& unsent() {
  static std::vector<DeviceMpiTransport*> list;
  return list;
}

}  // namespace

DeviceMpiTransport::DeviceMpiTransport(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields,
                                       Direction direction, Reduce op, bool through_host)
    : tag_(plan.comm()),
      messages_(agreed(plan.comm(), [&] { return PackedMessages(plan, backend, fields, direction, op, through_host); })),
      sends_(plan.comm()),
      receives_(plan.comm()),
      stream_(Stream::for_backend(backend, Priority::high)) {
  for (const PackedMessages::Message& m : messages_.sends()) sends_.add_send(m.rank, tag_.value(), {m.data, m.bytes});
  for (const PackedMessages::Message& m : messages_.receives()) receives_.add_receive(m.rank, tag_.value(), {m.data, m.bytes});
}

void DeviceMpiTransport::start(const After& after) {
  stream_.wait_for(after);
  messages_.pack(stream_);
  packed_ = stream_.record();
  unsent().push_back(this);
}

bool DeviceMpiTransport::sent() const { return std::find(unsent().begin(), unsent().end(), this) == unsent().end(); }

/// @pre packed_ and all work preceding start() have completed: ghost rows may be received into.
void DeviceMpiTransport::send() {
  std::erase(unsent(), this);
  unpacked_.wait();  // the buffers of the previous exchange are free
  receives_.start();
  sends_.start();
}

bool DeviceMpiTransport::arrived() {
  const std::vector<DeviceMpiTransport*> waiting = unsent();
  for (DeviceMpiTransport* const transport : waiting) {
    if (transport->packed_.done()) transport->send();
  }
  if (!sent()) return false;
  const bool received = receives_.test();
  return sends_.test() && received;
}

void DeviceMpiTransport::finish(Stream& stream) {
  while (!unsent().empty()) {
    DeviceMpiTransport* const first = unsent().front();
    first->packed_.wait();
    first->send();
  }
  receives_.wait();
  messages_.unpack(stream_);
  unpacked_ = stream_.record();
  sends_.wait();
  stream.wait_for(weft::after(unpacked_));
}

void DeviceMpiTransport::abandon() noexcept {
  std::erase(unsent(), this);
  receives_ = {};
  sends_ = {};
}

std::unique_ptr<TransportBody> make_device_mpi_transport(const TransportSetup& setup) {
  return std::make_unique<DeviceMpiTransport>(setup.plan, setup.backend, setup.fields, setup.direction, setup.op,
                                              setup.transport == Transport::staged);
}

}  // namespace weft::detail
