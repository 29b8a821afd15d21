#include "weft/flow/host/share.hpp"

#include <algorithm>

namespace weft::flow::detail {

Indices Share::not_shared(std::int32_t first, std::int32_t last) const {
  if (shared.empty()) return Indices::contiguous(first, last);
  const auto from = std::lower_bound(remaining.begin(), remaining.end(), first),
             to = std::lower_bound(from, remaining.end(), last);
  return Indices::listed({from, to});
}

namespace {

void divide_into_blocks(Share& share, const mesh::Mesh& mesh, const Discretization& d) {
  const auto right = d.face_right.begin(), end = right + mesh.inner_faces.last().value();
  std::int32_t face = static_cast<std::int32_t>(std::lower_bound(right, end, share.inner.first) - right), most = kBlockFaces;
  for (std::int32_t cell = share.inner.first; cell < share.inner.last;) {
    Share::Block block{.cells = {cell, cell}, .faces = {face, face}, .stored = {}};
    for (; cell < share.inner.last; ++cell) {
      const auto next_face = static_cast<std::int32_t>(std::upper_bound(right + face, end, cell) - right);
      if (next_face - block.faces.first > kBlockFaces && block.cells.last > block.cells.first) break;
      face = block.faces.last = next_face;
      block.cells.last = cell + 1;
    }
    const auto is_stored = [&](std::int32_t c) {
      return c < block.cells.first || std::binary_search(share.shared.begin(), share.shared.end(), c);
    };
    for (std::int32_t f = block.faces.first; f < block.faces.last; ++f) {
      const mesh::LocalFaceId face_id(f);
      for (const int side : {0, 1}) {
        const std::int32_t row = side == 0 ? d.face_left[face_id] : d.face_right[face_id];
        if (!is_stored(row)) continue;
        const Vec3 to_face = mesh.face_centroid[face_id] - d.centroid[LocalRow(row)];
        block.stored.push_back({.to_face = to_face, .row = row, .at = 2 * (f - block.faces.first) + side});
      }
    }
    most = std::max(most, block.faces.last - block.faces.first);
    share.blocks.push_back(std::move(block));
  }
  constexpr std::int32_t kLargestBatch = 16;  // faces per batch of face_loop()
  share.state_buffer.resize(2 * static_cast<std::size_t>((most + kLargestBatch - 1) / kLargestBatch * kLargestBatch) + 1);
}

}  // namespace

std::vector<std::int32_t> slots_of_states(const std::vector<Share>& shares, const Discretization& d) {
  std::vector<std::int32_t> slots(d.cell_face.size(), -1);
  for (const Share& share : shares) {
    for (const Share::Block& block : share.blocks) {
      for (std::int32_t c = block.cells.first; c < block.cells.last; ++c) {
        for (auto s = static_cast<std::size_t>(d.cell_face_offset[c]); s < static_cast<std::size_t>(d.cell_face_offset[c + 1]);
             ++s) {
          const mesh::LocalFaceId face = d.cell_face[s];
          if (face.value() < block.faces.first || face.value() >= block.faces.last) continue;
          slots[s] = 2 * (face.value() - block.faces.first) + (d.face_left[face] == c ? 0 : 1);
        }
      }
    }
  }
  return slots;
}

std::vector<Share> divide_into_shares(const mesh::Mesh& mesh, const Discretization& d, int threads) {
  // Returns the first cell of thread t among the cells first <= c <= last.
  const auto bound = [&](std::int32_t first, std::int32_t last, int t) {
    const auto offset = d.cell_face_offset.begin();
    const std::int64_t before = offset[first], faces = offset[last] - before;
    const auto at = std::lower_bound(offset + first, offset + last, before + faces * t / threads);
    return static_cast<std::int32_t>(at - offset);
  };
  std::vector<Share> shares(threads);
  for (int t = 0; t < threads; ++t) {
    Share& share = shares[t];
    share.inner = {bound(0, mesh.inner_cells, t), bound(0, mesh.inner_cells, t + 1)};
    share.border = {bound(mesh.inner_cells, mesh.owned_cells, t), bound(mesh.inner_cells, mesh.owned_cells, t + 1)};
  }
  const auto share_of = [&](std::int32_t cell) -> Share& {
    return *std::find_if(shares.begin(), shares.end(), [&](const Share& share) { return share.rows().have(cell); });
  };
  for (const mesh::LocalFaceId f : mesh.inner_faces) {
    const std::int32_t earlier = d.face_left[f], later = d.face_right[f];
    Share &earlier_share = share_of(earlier), &later_share = share_of(later);
    const bool inner = later < mesh.inner_cells;
    if (inner && &earlier_share == &later_share) continue;
    earlier_share.deferred.push_back(f.value());
    if (inner) earlier_share.shared.push_back(earlier), later_share.shared.push_back(later);
    if (!inner && &earlier_share != &later_share) later_share.deferred.push_back(f.value());
  }
  for (Share& share : shares) {
    std::sort(share.shared.begin(), share.shared.end());
    share.shared.erase(std::unique(share.shared.begin(), share.shared.end()), share.shared.end());
    for (std::int32_t c = share.inner.first; c < share.inner.last && !share.shared.empty(); ++c) {
      if (!std::binary_search(share.shared.begin(), share.shared.end(), c)) share.remaining.push_back(c);
    }
    divide_into_blocks(share, mesh, d);
  }
  return shares;
}

}  // namespace weft::flow::detail
