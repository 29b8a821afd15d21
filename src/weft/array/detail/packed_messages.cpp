#include "weft/array/detail/packed_messages.hpp"

#include <cstdint>
#include <span>

#include "weft/base/id.hpp"

namespace weft::detail {
namespace {

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

/// Items of a field: its rows, or the entries of CSR rows.
struct Items {
  std::size_t first = 0, count = 0, stride = 0;
  std::vector<std::int32_t> list;  ///< empty: first, first + 1, ...
};

Items items_of(const Field& field, const RowSet& rows) {
  Items items{.first = 0, .count = rows.count, .stride = field.csr() ? field.row_bytes : field.row_stride, .list = {}};
  if (rows.count == 0) return items;
  if (field.csr()) {
    if (rows.is_run()) {
      items.first = static_cast<std::size_t>(field.offsets[rows.first.index()]);
      items.count = static_cast<std::size_t>(field.offsets[rows.first.index() + rows.count]) - items.first;
      return items;
    }
    for (std::size_t i = 0; i < rows.count; ++i) {
      for (std::int64_t e = field.offsets[rows[i].index()]; e < field.offsets[rows[i].index() + 1]; ++e) {
        items.list.push_back(checked_local(e, "entries of a CSR array that is exchanged on a device"));
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

/// Field after field.
std::size_t packed_bytes(std::span<const Field> fields, const RowSet& rows) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes = aligned(bytes) + message_bytes(field, rows);
  return bytes;
}

/// Whether these rows are a message as they lie. NCCL copies what begins elsewhere than at a multiple of 16 byte by byte.
bool is_message(const Field& field, const RowSet& rows) {
  return field.dense() && rows.is_run() && reinterpret_cast<std::uintptr_t>(field.row(rows.first)) % kSectionAlignment == 0;
}

}  // namespace

std::size_t section_bytes(const Field& field, const RowSet& rows) { return aligned(message_bytes(field, rows)); }

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
  std::vector<std::size_t> sections(arrivals.size(), 0);  // where the present field begins in each message
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
        const std::int32_t item = items.list.empty() ? static_cast<std::int32_t>(items.first + i) : items.list[i];
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
  // Equal on all ranks, as the arrays are; where rows lie is known to the rank alone that has them.
  const std::size_t together = through_host || fields.size() > kMostAlone ? fields.size() : 1;
  struct Planned {
    Rank rank;
    std::span<const Field> fields;
    RowSet rows;
    std::size_t bytes, at;  ///< where it begins in the buffer
    bool in_place;
  };
  std::vector<Planned> in, out;
  std::vector<PushedMessage> pushed;
  RowSet own_from, own_to;
  std::size_t own_at = 0, buffer_bytes = 0;
  const auto add = [&](std::vector<Planned>& list, Rank rank, const RowSet& rows, bool may_stay) {
    for (std::size_t first = 0; first < fields.size(); first += together) {
      const auto some = std::span(fields).subspan(first, together);
      Planned m{
          .rank = rank, .fields = some, .rows = rows, .bytes = packed_bytes(some, rows), .at = buffer_bytes, .in_place = {}};
      if (m.bytes == 0) continue;
      m.in_place = may_stay && some.size() == 1 && is_message(some.front(), rows);
      if (!m.in_place) buffer_bytes += aligned(m.bytes);
      list.push_back(m);
    }
  };
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    const RowSet from = pulls ? RowSet(n.send_rows) : RowSet(n.ghosts), to = pulls ? RowSet(n.ghosts) : RowSet(n.send_rows);
    if (!pulls) pushed.push_back({buffer_bytes, to});
    if (n.rank == plan.comm().rank()) {
      own_from = from;
      own_to = to;
      own_at = buffer_bytes;
      if (!pulls) buffer_bytes += aligned(packed_bytes(fields, to));
      continue;
    }
    add(in, n.rank, to, pulls && !through_host);
    add(out, n.rank, from, !through_host);
  }
  std::byte* buffer = nullptr;
  if (through_host) {
    pinned_ = PinnedBuffer<std::byte>(buffer_bytes);
    buffer = pinned_.data();
  } else {
    on_device_ = DeviceStorage::make(backend, buffer_bytes);
    buffer = on_device_->data();
  }

  std::vector<ItemCopy> packs, unpacks;
  for (const Planned& m : out) {
    sends_.push_back({m.rank, m.in_place ? m.fields.front().row(m.rows.first) : buffer + m.at, m.bytes});
    std::byte* section = buffer + m.at;
    for (const Field& field : m.fields) {
      if (m.in_place) break;
      ItemCopy& pack = packs.emplace_back();
      copies_from(field, m.rows, pack);
      copies_to(section, pack);
      section += section_bytes(field, m.rows);
    }
  }
  for (const Planned& m : in) {
    receives_.push_back({m.rank, m.in_place ? m.fields.front().row(m.rows.first) : buffer + m.at, m.bytes});
    const std::byte* section = buffer + m.at;
    for (const Field& field : m.fields) {
      if (m.in_place || !pulls) break;
      ItemCopy& unpack = unpacks.emplace_back();
      copies_to(field, m.rows, unpack);
      copies_from(section, unpack);
      section += section_bytes(field, m.rows);
    }
  }
  // A push to this rank itself is a message that is packed where messages arrive.
  std::byte* section = buffer + own_at;
  for (const Field& field : fields) {
    ItemCopy& own = packs.emplace_back();
    copies_from(field, own_from, own);
    if (pulls) {
      copies_to(field, own_to, own);
    } else {
      copies_to(section, own);
      section += section_bytes(field, own_to);
    }
  }
  pack_ = CopyList(backend, packs);
  unpack_ = CopyList(backend, unpacks);
  if (!pulls) combine_ = make_combine_list(backend, fields, op, buffer, pushed);
}

}  // namespace weft::detail
