#include "weft/array/transport/peer_transport.hpp"

#include <algorithm>
#include <span>

#include "weft/array/transport/transport_setup.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/device/device.hpp"

namespace weft::detail {
namespace {

/// Destination of a neighbour's writes.
struct Target {
  IpcHandle memory;
  std::uint64_t offset, stride;
};

/// Data sent to a neighbour: its flags, then a target for each field.
using Offer = std::vector<Target>;

/// Returns the stream of all puts from the current GPU.
std::shared_ptr<Stream> put_stream() {
  static std::map<int, std::weak_ptr<Stream>> streams;
  std::weak_ptr<Stream>& known = streams[current_device()];
  std::shared_ptr<Stream> stream = known.lock();
  if (stream == nullptr) known = stream = std::make_shared<Stream>(Priority::high);
  return stream;
}

}  // namespace

std::byte* PeerTransport::map(const IpcHandle& handle) {
  auto known = mapped_.find(handle.bytes);
  if (known == mapped_.end()) {
    try {
      known = mapped_.emplace(handle.bytes, IpcMemory(handle)).first;
    } catch (const DeviceError& error) {
      throw DeviceError("the memory of another rank's GPU cannot be mapped: " + error.problem(),
                        "use the transport \"nccl\" or \"staged\"");
    }
  }
  return known->second.data();
}

PeerTransport::PeerTransport(const GhostPlan& plan, const std::vector<Field>& fields, Direction direction, Reduce op)
    : comm_(plan.comm()) {
  try {
    set_up(plan, fields, direction, op);
  } catch (const DeviceError&) {  // thrown on every rank
    mapped_.clear();
    comm_.barrier();
    throw;
  }
}

void PeerTransport::set_up(const GhostPlan& plan, const std::vector<Field>& fields, Direction direction, Reduce op) {
  const Communicator& comm = plan.comm();
  const bool pulls = direction == Direction::pull;
  struct Peer {
    Rank rank;
    RowSet from, to;
    std::size_t message = 0;  ///< start of its message to this rank
  };
  std::vector<Peer> others;
  std::vector<ItemCopy> copies;
  std::vector<PushedMessage> pushed;
  std::size_t buffer_bytes = 0;
  RowSet own_from, own_to;
  std::size_t own_message = 0;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    const RowSet from = pulls ? RowSet(n.send_rows) : RowSet(n.ghosts), to = pulls ? RowSet(n.ghosts) : RowSet(n.send_rows);
    pushed.push_back({buffer_bytes, to});
    if (n.rank == comm.rank()) {
      own_from = from;
      own_to = to;
      own_message = buffer_bytes;
    } else {
      others.push_back({.rank = n.rank, .from = from, .to = to, .message = buffer_bytes});
    }
    for (const Field& field : fields) buffer_bytes += section_bytes(field, to);
  }
  std::vector<Rank> ranks;
  for (const Peer& peer : others) ranks.push_back(peer.rank);
  std::vector<Offer> offers(others.size());
  agreed(comm, [&] {
    stream_ = put_stream();
    flags_ = DeviceVector<PeerFlags>(Backend::cuda, std::vector<PeerFlags>(others.size() + 1));
    epochs_ = DeviceVector<std::uint32_t>(Backend::cuda, std::vector<std::uint32_t>(kPutBlocks));
    if (!pulls) messages_ = DeviceVector<std::byte>(Backend::cuda, buffer_bytes);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Peer& peer = others[i];
      Offer& offer = offers[i];
      offer.push_back({ipc_handle(flags_.data()), i * sizeof(PeerFlags), 0});
      std::size_t at = peer.message;
      for (const Field& field : fields) {
        if (pulls) {
          ItemCopy here;
          copies_to(field, peer.to, here);  // ghost rows of one neighbour are contiguous
          const bool any = message_bytes(field, peer.to) > 0;
          offer.push_back({any ? ipc_handle(field.allocation) : IpcHandle{},
                           any ? static_cast<std::uint64_t>(here.to - field.allocation) : 0, here.to_stride});
        } else {
          const bool any = message_bytes(field, peer.to) > 0;
          offer.push_back({any ? ipc_handle(messages_.data()) : IpcHandle{}, at, field.row_bytes});
          at += section_bytes(field, peer.to);
        }
      }
    }
  });
  const std::vector<Offer> offered = comm.exchange(std::span<const Rank>(ranks), offers);

  std::vector<PeerLink> links;
  std::vector<std::vector<std::uint32_t>> chunks_sent;
  agreed(comm, [&] {
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Peer& peer = others[i];
      const Offer& offer = offered[i];
      links.push_back({.here = flags_.data() + i,
                       .there = reinterpret_cast<PeerFlags*>(map(offer.at(0).memory) + offer.at(0).offset),
                       .arriving = 0});
      for (std::size_t f = 0; f < fields.size(); ++f) {
        ItemCopy copy;
        copies_from(fields[f], peer.from, copy);
        if (copy.count == 0 || copy.item_bytes == 0) continue;
        const Target& target = offer.at(f + 1);
        copy.to = map(target.memory) + target.offset;
        copy.to_stride = target.stride;
        copy.group = static_cast<int>(i);
        copies.push_back(std::move(copy));
      }
    }
    std::size_t own_section = own_message;
    for (const Field& field : fields) {
      ItemCopy copy;
      copies_from(field, own_from, copy);
      if (pulls) {
        copies_to(field, own_to, copy);
      } else if (messages_.data() != nullptr) {
        copies_to(messages_.data() + own_section, copy);
        own_section += section_bytes(field, own_to);
      }
      copies.push_back(std::move(copy));
    }
    copies_ = CopyList(Backend::cuda, copies);
    for (const std::uint32_t chunks : copies_.chunks_of_groups(others.size())) chunks_sent.push_back({chunks});
  });
  const std::vector<std::vector<std::uint32_t>> chunks_arriving = comm.exchange(std::span<const Rank>(ranks), chunks_sent);

  agreed(comm, [&] {
    for (std::size_t i = 0; i < others.size(); ++i) links[i].arriving = chunks_arriving[i].at(0);
    links_ = DeviceVector<PeerLink>(Backend::cuda, links);
    if (!pulls) combine_ = make_combine_list(Backend::cuda, fields, op, messages_.data(), pushed);
    args_ = {.table = copies_.table(),
             .links = links_.data(),
             .link_count = static_cast<std::int32_t>(links.size()),
             .epochs = epochs_.data(),
             .parts_here = {},
             .links_here = {}};
    if (args_.table.count <= kSmallPut) std::copy(copies_.parts().begin(), copies_.parts().end(), args_.parts_here);
    if (args_.link_count <= kSmallPut) std::copy(links.begin(), links.end(), args_.links_here);
  });
}

void PeerTransport::close() {
  if (!done_.captured()) done_.wait();
  mapped_.clear();
  comm_.barrier();
}

void PeerTransport::start(const After& after) {
  stream_->wait_for(after);
  launch_put(*stream_, args_);
  combine_.run(*stream_);
  done_ = stream_->record();
}

void PeerTransport::finish(Stream& stream) { stream.wait_for(weft::after(done_)); }

std::unique_ptr<TransportBody> make_peer_transport(const TransportSetup& setup) {
  return std::make_unique<PeerTransport>(setup.plan, setup.fields, setup.direction, setup.op);
}

}  // namespace weft::detail
