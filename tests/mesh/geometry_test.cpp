// Areas, volumes, centroids; the Hilbert curve, reverse Cuthill-McKee and the lattice of translations.
#include "weft/mesh/geometry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/mesh/build/id_table.hpp"
#include "weft/mesh/build/translations.hpp"
#include "weft/mesh/partition/cell_ordering.hpp"

namespace weft::mesh::geometry_test {
namespace {

void expect_near(Vec3 a, Vec3 b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

/// Returns a valid cell of each type in general position.
std::vector<Vec3> sample(CellType type) {
  switch (type) {
    case CellType::triangle:
      return {{0, 0, 0}, {2, 0.3, 0}, {0.5, 1.5, 0}};
    case CellType::quad:
      return {{0, 0, 0}, {2, 0.3, 0}, {1.8, 1.6, 0}, {-0.3, 1.1, 0}};
    case CellType::tetrahedron:
      return {{0, 0, 0}, {1, 0.1, 0}, {0.2, 1.1, 0.1}, {0.3, 0.2, 1.3}};
    case CellType::pyramid:
      return {{0, 0, 0}, {1, 0, 0.1}, {1.2, 1, 0}, {0.1, 1.1, -0.1}, {0.4, 0.5, 1.2}};
    case CellType::prism:
      return {{0, 0, 0}, {1, 0, 0.1}, {0.3, 1, 0}, {0.1, 0.1, 1}, {1.2, 0, 1.1}, {0.2, 1.1, 0.9}};
    case CellType::hexahedron:
      return {{0, 0, 0}, {1, 0.1, 0}, {1.1, 1, 0.2}, {-0.1, 1, 0}, {0, 0.1, 1}, {1, 0, 1.1}, {1.2, 1.2, 1}, {0, 0.9, 0.8}};
    default:
      return {};
  }
}

constexpr std::array kTypes{CellType::triangle, CellType::quad,  CellType::tetrahedron,
                            CellType::pyramid,  CellType::prism, CellType::hexahedron};

TEST(Geometry, UnitCells) {
  const std::vector<Vec3> cube{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  CellGeometry g = cell_geometry(CellType::hexahedron, cube);
  EXPECT_NEAR(g.volume, 1, 1e-15);
  expect_near(g.centroid, {0.5, 0.5, 0.5}, 1e-15);
  g = cell_geometry(CellType::tetrahedron, std::vector<Vec3>{cube[0], cube[1], cube[3], cube[4]});
  EXPECT_NEAR(g.volume, 1.0 / 6, 1e-16);
  expect_near(g.centroid, {0.25, 0.25, 0.25}, 1e-16);
  g = cell_geometry(CellType::prism, std::vector<Vec3>{cube[0], cube[1], cube[3], cube[4], cube[5], cube[7]});
  EXPECT_NEAR(g.volume, 0.5, 1e-16);
  expect_near(g.centroid, {1.0 / 3, 1.0 / 3, 0.5}, 1e-15);
  g = cell_geometry(CellType::pyramid, std::vector<Vec3>{cube[0], cube[1], cube[2], cube[3], {0.5, 0.5, 1}});
  EXPECT_NEAR(g.volume, 1.0 / 3, 1e-16);
  expect_near(g.centroid, {0.5, 0.5, 0.25}, 1e-15);
  g = cell_geometry(CellType::triangle, std::vector<Vec3>{cube[0], cube[1], cube[3]});
  EXPECT_NEAR(g.volume, 0.5, 1e-16);
  expect_near(g.centroid, {1.0 / 3, 1.0 / 3, 0}, 1e-16);
  // A trapezium: the centroid is h (a + 2 b) / 3 (a + b) above side a.
  g = cell_geometry(CellType::quad, std::vector<Vec3>{{0, 0, 0}, {4, 0, 0}, {3, 2, 0}, {1, 2, 0}});
  EXPECT_NEAR(g.volume, 6, 1e-14);
  expect_near(g.centroid, {2, 2.0 * (4 + 2 * 2) / (3 * (4 + 2)), 0}, 1e-15);
}

TEST(Geometry, FacesOfACellAreClosedAndDetermineItsVolume) {
  for (const CellType type : kTypes) {
    const std::vector<Vec3> node = sample(type);
    const CellShape& s = shape(type);
    Vec3 sum;
    double triangulated = 0;  // V = 1/3 sum over the triangles of x . S, and in 2-D half the sum over edges
    for (int f = 0; f < s.faces; ++f) {
      std::vector<Vec3> x;
      const CellFace& face = s.face[static_cast<std::size_t>(f)];
      for (int i = 0; i < face.size; ++i) x.push_back(node[static_cast<std::size_t>(face.node[static_cast<std::size_t>(i)])]);
      const FaceGeometry g = face_geometry(x);
      sum += g.area;
      if (face.size == 4) {
        const Vec3 middle = 0.25 * (x[0] + x[1] + x[2] + x[3]);
        for (std::size_t i = 0; i < 4; ++i) triangulated += dot(middle, 0.5 * cross(x[i] - middle, x[(i + 1) % 4] - middle)) / 3;
      } else {
        triangulated += dot(g.centroid, g.area) / s.dim;
      }
    }
    EXPECT_LT(norm(sum), 1e-15) << s.name;
    EXPECT_NEAR(cell_geometry(type, node).volume, triangulated, 1e-15) << s.name;
    EXPECT_GT(triangulated, 0) << s.name;
  }
}

TEST(Geometry, InvertedCellsAreNegative) {
  for (const CellType type : kTypes) {
    std::vector<Vec3> node = sample(type);
    const double volume = cell_geometry(type, node).volume;
    for (Vec3& x : node) x.x = -x.x;
    EXPECT_NEAR(cell_geometry(type, node).volume, -volume, 1e-15);
  }
}

TEST(Geometry, ResultsAreAccurateFarFromTheOrigin) {
  for (const CellType type : kTypes) {
    const std::vector<Vec3> node = sample(type);
    std::vector<Vec3> far = node;
    const Vec3 shift{4096, -8192, shape(type).dim == 3 ? 2048.0 : 0.0};  // exact in binary
    for (Vec3& x : far) x += shift;
    const CellGeometry near_g = cell_geometry(type, node), far_g = cell_geometry(type, far);
    EXPECT_NEAR(far_g.volume, near_g.volume, 1e-11);
    expect_near(far_g.centroid, near_g.centroid + shift, 1e-11);
  }
}

TEST(Geometry, AWarpedQuadrilateralPrefersNoDiagonal) {
  const std::vector<Vec3> x{{0, 0, 0}, {1, 0, 0.3}, {1, 1, 0}, {0, 1, 0.3}};
  const FaceGeometry g = face_geometry(x);
  for (std::size_t start = 1; start < 4; ++start) {
    std::vector<Vec3> turned = x;
    std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(start), turned.end());
    expect_near(face_geometry(turned).area, g.area, 1e-16);
    expect_near(face_geometry(turned).centroid, g.centroid, 1e-16);
  }
  expect_near(g.area, {0, 0, 1}, 1e-16);
  expect_near(g.centroid, {0.5, 0.5, 0.15}, 1e-16);
}

TEST(Geometry, NonConvexPlaneQuadrilateral) {
  const FaceGeometry g = face_geometry(std::vector<Vec3>{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {0, 4, 0}});  // an arrow head
  expect_near(g.area, {0, 0, 4}, 1e-15);
  // Two triangles: (0,0) (4,0) (1,1) of area 2 and its mirror image.
  expect_near(g.centroid, {(5.0 / 3 + 1.0 / 3) / 2, (1.0 / 3 + 5.0 / 3) / 2, 0}, 1e-15);
}

TEST(Hilbert, ConsecutivePositionsAreAdjacentInSpace) {
  for (const int dim : {2, 3}) {
    constexpr std::uint32_t kSide = 8, kUnit = (1U << detail::kHilbertBits) / kSide;
    std::vector<std::pair<std::uint64_t, std::array<std::int64_t, 3>>> points;
    for (std::uint32_t i = 0; i < kSide * kSide * (dim == 3 ? kSide : 1); ++i) {
      const std::array<std::uint32_t, 3> at{i % kSide, i / kSide % kSide, i / kSide / kSide};
      const std::array<std::uint32_t, 3> scaled{at[0] * kUnit, at[1] * kUnit, at[2] * kUnit};
      points.push_back({detail::hilbert_index(dim, scaled), {at[0], at[1], at[2]}});
    }
    std::sort(points.begin(), points.end());
    for (std::size_t i = 1; i < points.size(); ++i) {
      std::int64_t far = 0;
      for (std::size_t k = 0; k < 3; ++k) far += std::abs(points[i].second[k] - points[i - 1].second[k]);
      EXPECT_EQ(far, 1) << "dim " << dim << " step " << i;
    }
  }
}

TEST(Hilbert, IndicesAreUnchanged) {  // meshes do not depend on the version
  constexpr std::uint32_t kLast = (1U << detail::kHilbertBits) - 1;
  EXPECT_EQ(detail::hilbert_index(2, {kLast, 0, 0}), (std::uint64_t{1} << 42) - 1);
  EXPECT_EQ(detail::hilbert_index(2, {123456, 654321, 0}), 996497510315U);
  EXPECT_EQ(detail::hilbert_index(2, {0x155555, 0x0AAAAA, 0}), 3811640309623U);
  EXPECT_EQ(detail::hilbert_index(3, {1, 0, 0}), 1U);
  EXPECT_EQ(detail::hilbert_index(3, {123456, 654321, 999999}), 962596258893611720U);
  EXPECT_EQ(detail::hilbert_index(3, {kLast, kLast, kLast}), 6222116056608380505U);
  EXPECT_EQ(detail::hilbert_index(3, {0x155555, 0x0AAAAA, 0x1B6DB6}), 4717022657852695473U);
}

TEST(CuthillMckee, ReducesTheBandwidthOfAShuffledStrip) {
  // A ladder of 2 x 50 cells numbered at random, and an isolated cell.
  constexpr std::int32_t kCells = 101;
  std::vector<std::int32_t> name(kCells - 1);
  std::iota(name.begin(), name.end(), 0);
  std::mt19937 random(5);
  for (std::size_t i = name.size(); i > 1; --i) std::swap(name[i - 1], name[random() % i]);
  std::vector<std::vector<std::int32_t>> rows(kCells);
  const auto link = [&](std::int32_t a, std::int32_t b) {
    rows[static_cast<std::size_t>(name[static_cast<std::size_t>(a)])].push_back(name[static_cast<std::size_t>(b)]);
    rows[static_cast<std::size_t>(name[static_cast<std::size_t>(b)])].push_back(name[static_cast<std::size_t>(a)]);
  };
  for (std::int32_t i = 0; i < 50; ++i) {
    link(2 * i, 2 * i + 1);
    if (i > 0) link(2 * i - 2, 2 * i);
    if (i > 0) link(2 * i - 1, 2 * i + 1);
  }
  rows[3].push_back(-5);      // a boundary
  rows[4].push_back(kCells);  // a cell of another rank
  std::vector<std::int32_t> first{0}, neighbour;
  for (const auto& row : rows) {
    neighbour.insert(neighbour.end(), row.begin(), row.end());
    first.push_back(static_cast<std::int32_t>(neighbour.size()));
  }
  const std::vector<std::int32_t> order = detail::reverse_cuthill_mckee(first, neighbour);
  std::vector<std::int32_t> place(kCells, -1);
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0);
  EXPECT_EQ(order.size(), static_cast<std::size_t>(kCells));
  std::int32_t band = 0;
  for (std::int32_t i = 0; i < kCells; ++i) {
    for (const std::int32_t j : rows[static_cast<std::size_t>(i)]) {
      if (j >= 0 && j < kCells)
        band = std::max(band, std::abs(place[static_cast<std::size_t>(i)] - place[static_cast<std::size_t>(j)]));
    }
  }
  EXPECT_LE(band, 3);
}

TEST(Translations, ImagesAreAddedLikeTranslations) {
  const std::vector<Vec3> t{{0, 3, 0}, {1, 0, 0}, {0, 0, -2}};
  const detail::Translations lattice(t);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(lattice.shift(lattice.image(i)) == t[i]);
  const std::int32_t far = 500 * lattice.image(0) - 500 * lattice.image(1) - 3 * lattice.image(2);
  EXPECT_TRUE(lattice.shift(far) == (Vec3{-500, 1500, 6}));
  EXPECT_TRUE(lattice.shift(-far) == (Vec3{500, -1500, -6}));
  EXPECT_TRUE(lattice.shift(0) == Vec3{});
  EXPECT_NE(lattice.image(0), 0);
}

TEST(Translations, EachPositionHasAUniqueImage) {
  // A hexagonal lattice: the third translation is the difference of the others; also with a doubled one first.
  const std::vector<Vec3> t{{2, 0, 0}, {1, 0, 0}, {0.5, 0.75, 0}, {-0.5, 0.75, 0}};
  const detail::Translations lattice(t);
  EXPECT_EQ(lattice.image(0), 2 * lattice.image(1));
  EXPECT_EQ(lattice.image(1), lattice.image(2) - lattice.image(3));
}

TEST(Translations, RejectsInvalidTranslations) {
  EXPECT_THROW(detail::Translations(std::vector<Vec3>{{0, 0, 0}}), InputError);
  EXPECT_THROW(detail::Translations(std::vector<Vec3>{{1, 0, 0}, {0, 1.1, 0}, {0, 0, 1.2}, {0.7, 1, 1}}), InputError);
}

TEST(IdTable, FindsInsertedIds) {
  detail::IdTable table;
  std::map<std::int64_t, std::int32_t> reference;
  std::mt19937_64 random(2);
  for (std::int32_t i = 0; i < 20000; ++i) {
    const auto id = static_cast<std::int64_t>(random() % 15000) * (i % 3 == 0 ? 1 : 1000003);
    const auto [at, fresh] = reference.try_emplace(id, i);
    EXPECT_EQ(table.find_or_insert(id, i), at->second);
  }
  EXPECT_EQ(table.size(), reference.size());
  for (const auto& [id, position] : reference) EXPECT_EQ(table.find(id), position);
  EXPECT_EQ(table.find(7), reference.count(7) ? reference[7] : detail::IdTable::kAbsent);
  EXPECT_EQ(table.find(std::int64_t{1} << 62), detail::IdTable::kAbsent);
}

TEST(IdTable, FindsInsertedIdsOfARange) {
  constexpr std::int64_t kLow = std::int64_t{1} << 40;
  for (const std::int64_t range : {1, 1000, 100'000'000}) {  // the last one is sparse
    detail::IdTable table(kLow, kLow + range - 1, 1000);
    std::map<std::int64_t, std::int32_t> reference;
    std::mt19937_64 random(3);
    for (std::int32_t i = 0; i < 2000; ++i) {
      const std::int64_t id = kLow + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
      EXPECT_EQ(table.find_or_insert(id, i), reference.try_emplace(id, i).first->second);
    }
    EXPECT_EQ(table.size(), reference.size());
    for (const auto& [id, position] : reference) EXPECT_EQ(table.find(id), position);
    for (const std::int64_t id : {std::int64_t{0}, kLow - 1, kLow + range, std::int64_t{1} << 62})
      EXPECT_EQ(table.find(id), detail::IdTable::kAbsent);
  }
}

}  // namespace
}  // namespace weft::mesh::geometry_test
