#include "weft/array/transport/packed_messages.hpp"

#include <cstdint>

#include "weft/base/id.hpp"

namespace weft::detail {
namespace {

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

/// Returns the number of an entry of a CSR array. @throws LimitError if the kernels cannot number it.
std::int32_t checked_entry(std::int64_t entry) {
  return checked_local(entry, "entries of a CSR array that is exchanged on a device");
}

/// Items of a field: its rows, or the entries of its CSR rows.
struct Items {
  std::size_t first = 0, count = 0, stride = 0;
  std::vector<std::int32_t> list;  ///< empty: first, first + 1, ...
};

Items items_of(const Field& field, const RowSet& rows) {
  Items items{.first = 0, .count = rows.count, .stride = field.csr() ? field.row_bytes : field.row_stride, .list = {}};
  if (rows.count == 0) return items;
  if (field.csr()) {
    if (rows.is_run()) {
      items.first = field.offsets[rows.first.index()];
      items.count = field.offsets[rows.first.index() + rows.count] - items.first;
      return items;
    }
    for (std::size_t i = 0; i < rows.count; ++i) {
      for (std::int64_t e = field.offsets[rows[i].index()]; e < field.offsets[rows[i].index() + 1]; ++e) {
        items.list.push_back(checked_entry(e));
      }
    }
    items.count = items.list.size();
    return items;
  }
  if (rows.is_run()) {
    items.first = rows.first.index();
  } else {
    for (std::size_t i = 0; i < rows.count; ++i) items.list.push_back(rows[i].value());
  }
  return items;
}

/// Returns true if rows are received in place: contiguous rows of a single field. For many bytes that do not start at a
/// multiple of 16, NCCL takes longer than an unpack kernel.
bool received_in_place(const std::vector<Field>& fields, const RowSet& rows) {
  constexpr std::size_t kMany = 512 * 1024, kGoodBegin = 16;
  if (fields.size() != 1 || !fields.front().dense() || !rows.is_run()) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(fields.front().row(rows.first));
  return address % kGoodBegin == 0 || message_bytes(fields.front(), rows) < kMany;
}

}  // namespace

std::size_t section_bytes(const Field& field, const RowSet& rows) { return aligned(message_bytes(field, rows)); }

std::size_t packed_bytes(const std::vector<Field>& fields, const RowSet& rows) {
  if (fields.empty()) return 0;
  std::size_t sum = message_bytes(fields.back(), rows);
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) sum += section_bytes(fields[i], rows);
  return sum;
}

void copies_from(const Field& field, const RowSet& rows, ItemCopy& copy) {
  Items items = items_of(field, rows);
  copy.from = field.base + items.first * items.stride;
  copy.from_stride = items.stride;
  copy.from_items = std::move(items.list);
  copy.item_bytes = field.row_bytes;
  copy.count = items.count;
}

void copies_to(const Field& field, const RowSet& rows, ItemCopy& copy) {
  Items items = items_of(field, rows);
  copy.to = field.base + items.first * items.stride;
  copy.to_stride = items.stride;
  copy.to_items = std::move(items.list);
  copy.item_bytes = field.row_bytes;
  copy.count = items.count;
}

void copies_from(const std::byte* message, ItemCopy& copy) {
  copy.from = message;
  copy.from_stride = copy.item_bytes;
}

void copies_to(std::byte* message, ItemCopy& copy) {
  copy.to = message;
  copy.to_stride = copy.item_bytes;
}

CombineList make_combine_list(Backend backend, const std::vector<Field>& fields, Reduce op, const std::byte* messages,
                              const std::vector<PushedMessage>& arrivals) {
  std::vector<Combination> combinations;
  std::vector<std::size_t> sections(arrivals.size(), 0);  // start of the current field in each message
  for (const Field& field : fields) {
    Combination c{.to = field.base,
                  .to_stride = field.csr() ? field.row_bytes : field.row_stride,
                  .item_bytes = field.row_bytes,
                  .op = op,
                  .element = op == Reduce::insert ? Element::other : field.reducers->element,
                  .sources = {}};
    for (std::size_t m = 0; m < arrivals.size(); ++m) {
      const Items items = items_of(field, arrivals[m].rows);
      for (std::size_t i = 0; i < items.count; ++i) {
        const std::int32_t item = items.list.empty() ? checked_entry(static_cast<std::int64_t>(items.first + i)) : items.list[i];
        c.sources.push_back({item, arrivals[m].offset + sections[m] + i * field.row_bytes});
      }
      sections[m] += section_bytes(field, arrivals[m].rows);
    }
    combinations.push_back(std::move(c));
  }
  return {backend, messages, combinations};
}

PackedMessages::PackedMessages(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields, Direction direction,
                               Reduce op, bool through_host) {
  const bool pulls = direction == Direction::pull;
  // Messages and lists are in memory of the GPU also if the rows are in managed or mapped memory.
  const Backend memory = is_cuda(backend) ? Backend::cuda : backend;
  struct Peer {
    Rank rank;
    RowSet from, to;
    std::size_t send = 0, receive = 0;  ///< offsets in the buffer, bytes
    bool self = false, in_place = false;
  };
  std::vector<Peer> peers;
  std::size_t bytes = 0;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    Peer peer{.rank = n.rank,
              .from = pulls ? RowSet(n.send_rows) : RowSet(n.ghosts),
              .to = pulls ? RowSet(n.ghosts) : RowSet(n.send_rows),
              .self = n.rank == plan.comm().rank()};
    peer.in_place = pulls && !through_host && backend == memory && received_in_place(fields, peer.to);
    if (!peer.self) peer.send = packed_bytes(fields, peer.from);
    // A push to this rank itself is packed into the buffer of received messages.
    if (peer.self ? !pulls : !peer.in_place) peer.receive = packed_bytes(fields, peer.to);
    bytes += aligned(peer.send) + aligned(peer.receive);
    peers.push_back(peer);
  }
  std::byte* buffer = nullptr;
  if (through_host) {
    pinned_ = PinnedBuffer<std::byte>(bytes);
    buffer = pinned_.data();
  } else {
    on_device_ = DeviceVector<std::byte>(memory, bytes);
    buffer = on_device_.data();
  }

  std::vector<ItemCopy> packs, unpacks;
  std::vector<PushedMessage> pushed;
  std::size_t at = 0;
  for (const Peer& peer : peers) {
    std::byte* const received = buffer + at;
    std::byte* const sent = received + aligned(peer.receive);
    if (!pulls) pushed.push_back({at, peer.to});
    at += aligned(peer.receive) + aligned(peer.send);
    std::size_t from_section = 0, to_section = 0;
    for (const Field& field : fields) {
      ItemCopy pack;
      copies_from(field, peer.from, pack);
      if (peer.self && pulls) {
        copies_to(field, peer.to, pack);
      } else {
        copies_to((peer.self ? received : sent) + from_section, pack);
      }
      packs.push_back(std::move(pack));
      from_section += section_bytes(field, peer.from);
      if (pulls && !peer.self && !peer.in_place) {
        ItemCopy unpack;
        copies_to(field, peer.to, unpack);
        copies_from(received + to_section, unpack);
        unpacks.push_back(std::move(unpack));
        to_section += section_bytes(field, peer.to);
      }
    }
    if (peer.self) continue;
    if (peer.send > 0) sends_.push_back({peer.rank, sent, peer.send});
    if (peer.in_place) {
      const Field& field = fields.front();
      const std::size_t in_place = message_bytes(field, peer.to);
      if (in_place > 0) receives_.push_back({peer.rank, field.row(peer.to.first), in_place});
    } else if (peer.receive > 0) {
      receives_.push_back({peer.rank, received, peer.receive});
    }
  }
  pack_ = CopyList(memory, packs);
  unpack_ = CopyList(memory, unpacks);
  if (!pulls) combine_ = make_combine_list(memory, fields, op, buffer, pushed);
}

}  // namespace weft::detail
