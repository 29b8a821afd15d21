#include "weft/flow/scheme/first_order_fallback.hpp"

#include <algorithm>

namespace weft::flow {

FirstOrderFallback::FirstOrderFallback(const mesh::Mesh& mesh)
    : mesh_(mesh), flags_(mesh.plan), pull_(ArrayTransformer(mesh.plan, {flags_}).pull()) {}

void FirstOrderFallback::add(std::span<const mesh::LocalCellId> cells) {
  for (const mesh::LocalCellId c : cells) flags_(c) = 1;
  pull_.run();
  active_ = true;
}

void FirstOrderFallback::clear() {
  std::ranges::fill(flags_.storage(), 0);
  active_ = false;
}

std::span<const std::int32_t> FirstOrderFallback::flags() const {
  return active_ ? flags_.storage() : std::span<const std::int32_t>();
}

std::vector<mesh::LocalCellId> FirstOrderFallback::cells() const {
  std::vector<mesh::LocalCellId> cells;
  for (const mesh::LocalCellId c : mesh_.owned()) {
    if (flags_(c) != 0) cells.push_back(c);
  }
  return cells;
}

}  // namespace weft::flow
