#include "weft/flow/host/share.hpp"

#include <algorithm>

namespace weft::flow::detail {

Numbers Share::not_early(std::int32_t first, std::int32_t last) const {
  if (early.empty()) return Numbers::in_a_row(first, last);
  const auto from = std::lower_bound(rest.begin(), rest.end(), first), to = std::lower_bound(from, rest.end(), last);
  return Numbers::listed({from, to});
}

namespace {

void cut_into_blocks(Share& share, const mesh::Mesh& mesh, const Discretization& d) {
  const auto right = d.face_right.begin(), end = right + mesh.inner_faces.last().value();
  std::int32_t face = static_cast<std::int32_t>(std::lower_bound(right, end, share.inner.first) - right), most = kBlockFaces;
  for (std::int32_t cell = share.inner.first; cell < share.inner.last;) {
    Share::Block block{.cells = {cell, cell}, .faces = {face, face}, .far = {}};
    for (; cell < share.inner.last; ++cell) {
      const auto behind = static_cast<std::int32_t>(std::upper_bound(right + face, end, cell) - right);
      if (behind - block.faces.first > kBlockFaces && block.cells.last > block.cells.first) break;
      face = block.faces.last = behind;
      block.cells.last = cell + 1;
    }
    const auto is_far = [&](std::int32_t c) {
      return c < block.cells.first || std::binary_search(share.early.begin(), share.early.end(), c);
    };
    for (std::int32_t f = block.faces.first; f < block.faces.last; ++f) {
      const auto i = static_cast<std::size_t>(f);
      for (const int side : {0, 1}) {
        const std::int32_t row = side == 0 ? d.face_left[i] : d.face_right[i];
        if (!is_far(row)) continue;
        const Vec3 arm = mesh.face_centroid[i] - d.centroid[static_cast<std::size_t>(row)];
        block.far.push_back({.arm = arm, .row = row, .at = 2 * (f - block.faces.first) + side});
      }
    }
    most = std::max(most, block.faces.last - block.faces.first);
    share.blocks.push_back(std::move(block));
  }
  constexpr std::int32_t kMostAtOnce = 16;  // faces, by face_loop()
  share.room.resize(2 * static_cast<std::size_t>((most + kMostAtOnce - 1) / kMostAtOnce * kMostAtOnce) + 1);
}

}  // namespace

std::vector<std::int32_t> places_of_states(const std::vector<Share>& shares, const Discretization& d) {
  std::vector<std::int32_t> places(d.cell_face.size(), -1);
  for (const Share& share : shares) {
    for (const Share::Block& block : share.blocks) {
      for (std::int32_t c = block.cells.first; c < block.cells.last; ++c) {
        for (auto s = static_cast<std::size_t>(d.cell_face_offset[c]); s < static_cast<std::size_t>(d.cell_face_offset[c + 1]);
             ++s) {
          const std::int32_t face = d.cell_face[s];
          if (face < block.faces.first || face >= block.faces.last) continue;
          places[s] = 2 * (face - block.faces.first) + (d.face_left[static_cast<std::size_t>(face)] == c ? 0 : 1);
        }
      }
    }
  }
  return places;
}

std::vector<Share> cut_into_shares(const mesh::Mesh& mesh, const Discretization& d, int threads) {
  // Where thread t begins among the cells first <= c <= last.
  const auto cut = [&](std::int32_t first, std::int32_t last, int t) {
    const auto offset = d.cell_face_offset.begin();
    const std::int64_t before = offset[first], faces = offset[last] - before;
    const auto at = std::lower_bound(offset + first, offset + last, before + faces * t / threads);
    return static_cast<std::int32_t>(at - offset);
  };
  std::vector<Share> shares(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    Share& share = shares[static_cast<std::size_t>(t)];
    share.inner = {cut(0, mesh.inner_cells, t), cut(0, mesh.inner_cells, t + 1)};
    share.border = {cut(mesh.inner_cells, mesh.owned_cells, t), cut(mesh.inner_cells, mesh.owned_cells, t + 1)};
  }
  const auto share_of = [&](std::int32_t cell) -> Share& {
    return *std::find_if(shares.begin(), shares.end(), [&](const Share& share) { return share.rows().have(cell); });
  };
  for (std::int32_t f = mesh.inner_faces.first().value(); f < mesh.inner_faces.last().value(); ++f) {
    const std::int32_t earlier = d.face_left[static_cast<std::size_t>(f)], later = d.face_right[static_cast<std::size_t>(f)];
    Share &of_earlier = share_of(earlier), &of_later = share_of(later);
    const bool inner = later < mesh.inner_cells;
    if (inner && &of_earlier == &of_later) continue;
    of_earlier.late.push_back(f);
    if (inner) of_earlier.early.push_back(earlier), of_later.early.push_back(later);
    if (!inner && &of_earlier != &of_later) of_later.late.push_back(f);
  }
  for (Share& share : shares) {
    std::sort(share.early.begin(), share.early.end());
    share.early.erase(std::unique(share.early.begin(), share.early.end()), share.early.end());
    for (std::int32_t c = share.inner.first; c < share.inner.last && !share.early.empty(); ++c) {
      if (!std::binary_search(share.early.begin(), share.early.end(), c)) share.rest.push_back(c);
    }
    cut_into_blocks(share, mesh, d);
  }
  return shares;
}

}  // namespace weft::flow::detail
