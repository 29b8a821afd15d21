#include "weft/array/transport/combine.hpp"

#include <algorithm>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/device/parallel_for.hpp"

namespace weft::detail {
namespace {

std::size_t entry_bytes(Element element) {
  switch (element) {
    case Element::f32:
    case Element::i32:
      return 4;
    case Element::f64:
    case Element::i64:
      return 8;
    case Element::other:
      break;
  }
  return 1;
}

}  // namespace

CombineList::CombineList(Backend backend, const std::byte* messages, std::span<const Combination> combinations)
    : backend_(backend) {
  for (const Combination& c : combinations) {
    if (c.sources.empty() || c.item_bytes == 0) continue;
    std::vector<Combination::Source> sources = c.sources;
    std::stable_sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.item < b.item; });
    std::vector<std::int32_t> items, first;
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (i == 0 || sources[i].item != sources[i - 1].item) {
        items.push_back(sources[i].item);
        first.push_back(static_cast<std::int32_t>(i));
      }
      offsets.push_back(sources[i].offset);
    }
    first.push_back(static_cast<std::int32_t>(sources.size()));
    const std::size_t entries = c.item_bytes / entry_bytes(c.element);
    if (entries * items.size() > std::numeric_limits<std::uint32_t>::max() ||
        sources.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw LimitError("a push receives more than 2^32 entries", "distribute the arrays over more ranks");
    }
    DeviceVector<std::int32_t> device_items(backend, items), first_source(backend, first);
    DeviceVector<std::uint64_t> source_offsets(backend, offsets);
    const CombinePart part{.to = c.to,
                           .messages = messages,
                           .items = device_items.data(),
                           .first_source = first_source.data(),
                           .source_offsets = source_offsets.data(),
                           .to_stride = c.to_stride,
                           .item_entries = static_cast<std::uint32_t>(entries),
                           .entries = static_cast<std::uint32_t>(entries * items.size())};
    parts_.push_back({part, c.element, c.op, std::move(device_items), std::move(first_source), std::move(source_offsets)});
  }
}

void CombineList::run(Stream& stream) const {
  for (const Part& p : parts_) {
    if (backend_ != Backend::mirror) {
      launch_combine(stream, p.part, p.element, p.op);
    } else {
      with_combination(p.part, p.element, p.op, [&](const auto& loop) { parallel_for(space::mirror{}, p.part.entries, loop); });
    }
  }
}

}  // namespace weft::detail
