#include "weft/mesh/generate/generate_pattern.hpp"

#include <vector>

#include "weft/base/contracts.hpp"

namespace weft::mesh::detail {
namespace {

using Corners = std::array<std::uint8_t, 4>;

/// Returns the tetrahedron with these corners of the unit cube in an order of positive volume.
constexpr Piece tetrahedron(Corners c) {
  std::array<std::array<int, 3>, 3> e{};
  for (std::size_t n = 0; n < 3; ++n) {
    for (std::size_t d = 0; d < 3; ++d) {
      e[n][d] = kCornerOffset[c[n + 1]][d] - kCornerOffset[c[0]][d];
    }
  }
  const int six_volumes = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  if (six_volumes < 0) return {CellType::tetrahedron, {c[0], c[2], c[1], c[3]}};
  return {CellType::tetrahedron, {c[0], c[1], c[2], c[3]}};
}

/// Returns a face of the hexahedron with outward orientation.
constexpr Corners outward_face(int face) {
  const CellFace& f = shape(CellType::hexahedron).face[face];
  return {static_cast<std::uint8_t>(f.node[0]), static_cast<std::uint8_t>(f.node[1]), static_cast<std::uint8_t>(f.node[2]),
          static_cast<std::uint8_t>(f.node[3])};
}

constexpr Piece pyramid_on(int face) {
  const Corners f = outward_face(face);
  return {CellType::pyramid, {f[0], f[3], f[2], f[1], kCentre}};
}

/// Returns the two tetrahedra between a face, split from its first corner, and the centre.
constexpr std::array<Piece, 2> tetrahedra_on(int face) {
  const Corners f = outward_face(face);
  return {{{CellType::tetrahedron, {f[0], f[2], f[1], kCentre}}, {CellType::tetrahedron, {f[0], f[3], f[2], kCentre}}}};
}

constexpr std::array<Piece, 1> kQuad{{{CellType::quad, {0, 1, 2, 3}}}};
constexpr std::array<Piece, 2> kTriangles{{{CellType::triangle, {0, 1, 2}}, {CellType::triangle, {0, 2, 3}}}};
constexpr std::array<Piece, 2> kOtherTriangles{{{CellType::triangle, {0, 1, 3}}, {CellType::triangle, {1, 2, 3}}}};
constexpr std::array<Piece, 1> kHexahedron{{{CellType::hexahedron, {0, 1, 2, 3, 4, 5, 6, 7}}}};
constexpr std::array<Piece, 2> kPrisms{{{CellType::prism, {0, 1, 2, 4, 5, 6}}, {CellType::prism, {0, 2, 3, 4, 6, 7}}}};
constexpr std::array<Piece, 2> kOtherPrisms{{{CellType::prism, {0, 1, 3, 4, 5, 7}}, {CellType::prism, {1, 2, 3, 5, 6, 7}}}};

// Kuhn's subdivision: one tetrahedron for each path from corner 0 to corner 6 along the axes.
constexpr std::array<Piece, 6> kSixTetrahedra{{tetrahedron({0, 1, 2, 6}), tetrahedron({0, 1, 5, 6}), tetrahedron({0, 3, 2, 6}),
                                               tetrahedron({0, 3, 7, 6}), tetrahedron({0, 4, 5, 6}), tetrahedron({0, 4, 7, 6})}};
constexpr std::array<Piece, 5> kFiveTetrahedra{{tetrahedron({0, 2, 5, 7}), tetrahedron({1, 0, 2, 5}), tetrahedron({3, 0, 2, 7}),
                                                tetrahedron({4, 0, 5, 7}), tetrahedron({6, 2, 5, 7})}};
constexpr std::array<Piece, 5> kOtherFiveTetrahedra{{tetrahedron({1, 3, 4, 6}), tetrahedron({0, 1, 3, 4}),
                                                     tetrahedron({2, 1, 3, 6}), tetrahedron({5, 1, 4, 6}),
                                                     tetrahedron({7, 3, 4, 6})}};

constexpr int kBottom = 0, kTop = 1;
constexpr std::array<Piece, 6> kSixPyramids{
    {pyramid_on(0), pyramid_on(1), pyramid_on(2), pyramid_on(3), pyramid_on(4), pyramid_on(5)}};
constexpr std::array<Piece, 7> kTrianglesAbove{{pyramid_on(kBottom), pyramid_on(2), pyramid_on(3), pyramid_on(4), pyramid_on(5),
                                                tetrahedra_on(kTop)[0], tetrahedra_on(kTop)[1]}};
constexpr std::array<Piece, 7> kTrianglesBelow{{tetrahedra_on(kBottom)[0], tetrahedra_on(kBottom)[1], pyramid_on(2),
                                                pyramid_on(3), pyramid_on(4), pyramid_on(5), pyramid_on(kTop)}};

}  // namespace

std::span<const Piece> pieces(int dim, Split split, bool other) {
  WEFT_EXPECTS(dim == 3 || split <= Split::patches);
  switch (split) {
    case Split::none:
    case Split::patches:
      if (dim == 2) return kQuad;
      return kHexahedron;
    case Split::diagonal:
      if (dim == 2) return other ? kOtherTriangles : kTriangles;
      return other ? kOtherPrisms : kPrisms;
    case Split::six_tetrahedra:
      return kSixTetrahedra;
    case Split::five_tetrahedra:
      return other ? kOtherFiveTetrahedra : kFiveTetrahedra;
    case Split::six_pyramids:
      return kSixPyramids;
    case Split::triangles_above:
      return kTrianglesAbove;
    case Split::triangles_below:
      return kTrianglesBelow;
  }
  return {};
}

}  // namespace weft::mesh::detail
