#include "weft/flow/scheme/first_order_fallback.hpp"

#include <algorithm>

namespace weft::flow {

FirstOrderFallback::FirstOrderFallback(const mesh::Mesh& mesh)
    : mesh_(mesh), flags_(mesh.cells(), 0), pull_(ArrayTransformer(mesh.plan, {PairRef::rows(flags_)}).pull()) {}

void FirstOrderFallback::add(std::span<const std::int32_t> cells) {
  for (const std::int32_t c : cells) flags_[c] = 1;
  pull_.run();
  active_ = true;
}

void FirstOrderFallback::clear() {
  std::fill(flags_.begin(), flags_.end(), 0);
  active_ = false;
}

std::span<const std::int32_t> FirstOrderFallback::flags() const {
  return active_ ? std::span<const std::int32_t>(flags_) : std::span<const std::int32_t>();
}

std::vector<std::int32_t> FirstOrderFallback::cells() const {
  std::vector<std::int32_t> cells;
  for (std::int32_t c = 0; c < mesh_.owned_cells; ++c) {
    if (flags_[c] != 0) cells.push_back(c);
  }
  return cells;
}

}  // namespace weft::flow
