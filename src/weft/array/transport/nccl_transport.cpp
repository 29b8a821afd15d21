#include "weft/array/transport/nccl_transport.hpp"

#include <utility>

#include "weft/array/transport/transport_setup.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::detail {

NcclTransport::NcclTransport(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields, Direction direction,
                             Reduce op)
    : comm_(plan.comm()),
      nccl_(NcclCommunicator::of(plan.comm())),
      messages_(agreed(plan.comm(), [&] { return PackedMessages(plan, backend, fields, direction, op, false); })) {
  for (const PackedMessages::Message& m : messages_.sends()) sends_.push_back({m.rank, m.data, m.bytes});
  for (const PackedMessages::Message& m : messages_.receives()) receives_.push_back({m.rank, m.data, m.bytes});
}

void NcclTransport::close() {
  agreed(comm_, [&] {
    if (!done_.captured()) done_.wait();
  });
  NcclCommunicator::release(std::move(nccl_));
}

void NcclTransport::start(const After& after) {
  stream_.wait_for(after);
  messages_.pack(stream_);
  nccl_->exchange(sends_, receives_, stream_);
  messages_.unpack(stream_);
  done_ = stream_.record();
}

void NcclTransport::finish(Stream& stream) { stream.wait_for(weft::after(done_)); }

std::unique_ptr<TransportBody> make_nccl_transport(const TransportSetup& setup) {
  return std::make_unique<NcclTransport>(setup.plan, setup.backend, setup.fields, setup.direction, setup.op);
}

}  // namespace weft::detail
