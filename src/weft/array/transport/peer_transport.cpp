#include "weft/array/transport/peer_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <span>

#include "weft/array/transport.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/device/device.hpp"

namespace weft::detail {

/// Destination of a neighbour's writes.
struct PeerTransport::Target {
  IpcHandle memory;
  std::uint64_t offset, stride;
};

/// A neighbour, with the rows that are read here and those that its message writes here.
struct PeerTransport::Peer {
  Rank rank;
  RowSet from, to;
  std::size_t message = 0;  ///< start of its message to this rank in the buffer of a push
};

/// The rows of an exchange by neighbours.
struct PeerTransport::Peers {
  std::vector<Peer> others;
  Peer own;  ///< this rank as its own neighbour, through a periodic boundary
  std::vector<PushedMessage> messages;
  std::size_t buffer_bytes = 0;  ///< size of the buffer that holds all messages of a push

  Peers(const GhostPlan& plan, const std::vector<Field>& fields, bool pulls) {
    for (const GhostPlan::Neighbour& n : plan.neighbours()) {
      const RowSet from = pulls ? RowSet(n.send_rows) : RowSet(n.ghosts), to = pulls ? RowSet(n.ghosts) : RowSet(n.send_rows);
      messages.push_back({buffer_bytes, to});
      const Peer peer{.rank = n.rank, .from = from, .to = to, .message = buffer_bytes};
      if (n.rank == plan.comm().rank()) {
        own = peer;
      } else {
        others.push_back(peer);
      }
      for (const Field& field : fields) buffer_bytes += section_bytes(field, to);
    }
  }
  [[nodiscard]] std::vector<Rank> ranks() const {
    std::vector<Rank> all;
    for (const Peer& peer : others) all.push_back(peer.rank);
    return all;
  }
};

namespace {

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
                        fmt::format("use the transport \"{}\" or \"{}\"", name_of(Transport::nccl), name_of(Transport::staged)));
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
  const Peers peers(plan, fields, pulls);
  const std::vector<Rank> ranks = peers.ranks();
  stop_.emplace(comm, ranks, Backend::cuda);
  const std::vector<Offer> offers = agreed(comm, [&] {
    allocate(peers, pulls);
    return offers_to(peers, fields, pulls);
  });
  const std::vector<Offer> offered = comm.exchange(std::span<const Rank>(ranks), offers);
  std::vector<PeerLink> links;
  const std::vector<std::vector<std::uint32_t>> chunks_sent = agreed(comm, [&] {
    std::vector<ItemCopy> copies;
    for (std::size_t i = 0; i < peers.others.size(); ++i) {
      links.push_back({.here = flags_.data() + i,
                       .there = reinterpret_cast<PeerFlags*>(map(offered[i].at(0).memory) + offered[i].at(0).offset),
                       .arriving = 0});
      add_copies_to(peers.others[i], offered[i], fields, static_cast<int>(i), copies);
    }
    add_own_copies(peers.own, fields, pulls, copies);
    copies_ = CopyList(Backend::cuda, copies);
    std::vector<std::vector<std::uint32_t>> chunks;
    for (const std::uint32_t count : copies_.chunks_of_groups(links.size())) chunks.push_back({count});
    return chunks;
  });
  const std::vector<std::vector<std::uint32_t>> chunks_arriving = comm.exchange(std::span<const Rank>(ranks), chunks_sent);
  agreed(comm, [&] {
    for (std::size_t i = 0; i < links.size(); ++i) links[i].arriving = chunks_arriving[i].at(0);
    if (!pulls) combine_ = make_combine_list(Backend::cuda, fields, op, messages_.data(), peers.messages);
    set_arguments(links);
  });
}

void PeerTransport::allocate(const Peers& peers, bool pulls) {
  stream_ = put_stream();
  flags_ = DeviceVector<PeerFlags>(Backend::cuda, std::vector<PeerFlags>(peers.others.size() + 1));
  epochs_ = DeviceVector<std::uint32_t>(Backend::cuda, std::vector<std::uint32_t>(kPutBlocks));
  if (!pulls) messages_ = DeviceVector<std::byte>(Backend::cuda, peers.buffer_bytes);
}

std::vector<PeerTransport::Offer> PeerTransport::offers_to(const Peers& peers, const std::vector<Field>& fields,
                                                           bool pulls) const {
  std::vector<Offer> offers;
  for (const Peer& peer : peers.others) {
    Offer offer{{ipc_handle(flags_.data()), offers.size() * sizeof(PeerFlags), 0}};
    std::size_t section = peer.message;
    for (const Field& field : fields) {
      const bool any = message_bytes(field, peer.to) > 0;
      if (pulls) {
        ItemCopy here;
        copies_to(field, peer.to, here);  // ghost rows of one neighbour are contiguous
        offer.push_back({any ? ipc_handle(field.allocation) : IpcHandle{},
                         any ? static_cast<std::uint64_t>(here.to - field.allocation) : 0, here.to_stride});
      } else {
        offer.push_back({any ? ipc_handle(messages_.data()) : IpcHandle{}, section, field.row_bytes});
        section += section_bytes(field, peer.to);
      }
    }
    offers.push_back(std::move(offer));
  }
  return offers;
}

void PeerTransport::add_copies_to(const Peer& peer, const Offer& offer, const std::vector<Field>& fields, int group,
                                  std::vector<ItemCopy>& copies) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    ItemCopy copy;
    copies_from(fields[f], peer.from, copy);
    if (copy.count == 0 || copy.item_bytes == 0) continue;
    const Target& target = offer.at(f + 1);
    copy.to = map(target.memory) + target.offset;
    copy.to_stride = target.stride;
    copy.group = group;
    copies.push_back(std::move(copy));
  }
}

void PeerTransport::add_own_copies(const Peer& own, const std::vector<Field>& fields, bool pulls,
                                   std::vector<ItemCopy>& copies) const {
  std::size_t section = own.message;
  for (const Field& field : fields) {
    ItemCopy copy;
    copies_from(field, own.from, copy);
    if (pulls) {
      copies_to(field, own.to, copy);
    } else if (messages_.data() != nullptr) {
      copies_to(messages_.data() + section, copy);
      section += section_bytes(field, own.to);
    }
    copies.push_back(std::move(copy));
  }
}

void PeerTransport::set_arguments(const std::vector<PeerLink>& links) {
  links_ = DeviceVector<PeerLink>(Backend::cuda, links);
  args_ = {.table = copies_.table(),
           .links = links_.data(),
           .link_count = static_cast<std::int32_t>(links.size()),
           .epochs = epochs_.data(),
           .stop = stop_->address(),
           .parts_here = {},
           .links_here = {}};
  if (args_.table.count <= kSmallPut) std::copy(copies_.parts().begin(), copies_.parts().end(), args_.parts_here);
  if (args_.link_count <= kSmallPut) std::copy(links.begin(), links.end(), args_.links_here);
}

void PeerTransport::close() {
  std::exception_ptr error;
  try {
    if (!done_.captured()) done_.wait();
  } catch (...) {
    error = std::current_exception();
  }
  mapped_.clear();  // after an error, too: the owners free this memory next
  agree(comm_, error);
}

void PeerTransport::start(const After& after) {
  stream_->wait_for(after);
  launch_put(*stream_, args_);
  combine_.run(*stream_);
  done_ = stream_->record();
}

void PeerTransport::finish(Stream& stream) { stream.wait_for(weft::after(done_)); }

namespace {
MakeTransport g_peer_of_mirrors = nullptr;
}  // namespace

void set_peer_of_mirrors_for_tests(MakeTransport make) { g_peer_of_mirrors = make; }
MakeTransport peer_of_mirrors_for_tests() { return g_peer_of_mirrors; }

std::unique_ptr<TransportBody> make_peer_transport(const TransportSetup& setup) {
  if (setup.backend == Backend::mirror) return g_peer_of_mirrors(setup);
  return std::make_unique<PeerTransport>(setup.plan, setup.fields, setup.direction, setup.op);
}

}  // namespace weft::detail
