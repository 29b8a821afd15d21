#include "weft/flow/cuda/boundary_groups.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "weft/base/error.hpp"
#include "weft/flow/cuda/tile_numbering.hpp"

namespace weft::flow::detail {

BoundaryGroups::BoundaryGroups(const mesh::Mesh& mesh, const Discretization& d) {
  const Extrapolations& e = d.boundary_extrapolation;
  const auto faces = static_cast<std::int32_t>(e.offset.size() - 1);
  order.resize(e.offset.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  const auto border = std::stable_partition(order.begin(), order.end(), [&](std::int32_t face) {
    return mesh.face_left[mesh::LocalFaceId(d.first_boundary_face + face)].value() < mesh.inner_cells;
  });
  const auto inner_faces = static_cast<std::int32_t>(border - order.begin());
  entry.resize(e.row.size());
  Numbering numbers(d.rows);
  for (std::int32_t first = 0; first < faces;) {
    const std::int32_t end = std::min(first + kGroupFaces, first < inner_faces ? inner_faces : faces);
    numbers.begin(static_cast<std::int32_t>(group.size()));
    BoundaryGroup next{.first_face = first, .faces = end - first, .first_row = static_cast<std::int32_t>(row.size()), .rows = 0};
    for (std::int32_t i = first; i < end; ++i) {
      for (std::int32_t s = e.offset[order[i]]; s < e.offset[order[i] + 1]; ++s) {
        if (numbers.add(e.row[s])) row.push_back(e.row[s]);
        entry[s] = numbers[e.row[s]];
      }
    }
    next.rows = numbers.count();
    if (next.rows > std::numeric_limits<std::uint16_t>::max()) {
      throw LimitError("32 boundary faces extrapolate from more than 65535 cells", "use a mesh whose nodes have fewer cells");
    }
    most_rows = std::max(most_rows, next.rows);
    group.push_back(next);
    first = end;
    if (first == inner_faces) inner = static_cast<std::int32_t>(group.size());
  }
}

}  // namespace weft::flow::detail
