// Both sides of a periodic face compute its flux, with cell-to-face vectors that differ by rounding: the flow is still conserved.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/scalar_support.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_periodic_test {
namespace {

using test::generated;

constexpr double kLength = 1.2, kEps = std::numeric_limits<double>::epsilon();

/// Returns a periodic box with a corner at (origin, origin, origin), whose coordinates are no multiples of a power of two.
mesh::Mesh box(const char* elements, double origin, int dim) {
  const std::int64_t cells = dim == 2 ? 10 : 6;
  mesh::GeneratorParameters p{{"elements", elements}, {"jitter", 0.1}};
  mesh::BuildOptions options = test::periodic_box(dim, kLength);
  for (const std::string axis : {"x", "y", "z"}) {
    if (dim == 2 && axis == "z") break;
    p["n" + axis] = cells;
    p[axis + "min"] = origin;
    p[axis + "max"] = origin + kLength;
  }
  return generated("box", p, options);
}

/// A face to a ghost: the cell-to-face vectors of the two sides.
struct GhostFace {
  std::int64_t own, ghost;  // global ids
  Vec3 normal, own_to_face, ghost_to_face;
};

std::vector<GhostFace> interface_faces(const mesh::Mesh& m) {
  std::vector<GhostFace> mine;
  for (const mesh::LocalFaceId f : m.interface_faces) {
    const mesh::LocalCellId left = m.face_left[f], right = m.face_right[f];
    mine.push_back({m.cell_global[left].value(), m.cell_global[right].value(), m.face_normal[f],
                    m.face_centroid[f] - m.cell_centroid[left], m.face_centroid[f] - m.cell_centroid[right]});
  }
  return m.comm.all_gather(std::span<const GhostFace>(mine));
}

struct CellToFaceDifference {
  double largest = 0;  ///< largest difference between a vector on its owner and on the other side
  int as_floats = 0;   ///< number of components that differ in single precision
};

CellToFaceDifference cell_to_face_difference(const mesh::Mesh& m) {
  const auto key = [](std::int64_t own, std::int64_t ghost, Vec3 n) { return std::tuple(own, ghost, n.x, n.y, n.z); };
  std::map<decltype(key(0, 0, {})), Vec3> cell_to_face;
  const std::vector<GhostFace> faces = interface_faces(m);
  for (const GhostFace& f : faces) cell_to_face[key(f.own, f.ghost, f.normal)] = f.own_to_face;
  CellToFaceDifference difference;
  for (const GhostFace& f : faces) {
    const auto other = cell_to_face.find(key(f.ghost, f.own, -f.normal));  // normals are opposite to the last bit
    if (other == cell_to_face.end()) {
      ADD_FAILURE() << "a face has no other side: of cells " << f.own << ", " << f.ghost;
      continue;
    }
    difference.largest = std::max(difference.largest, norm(other->second - f.ghost_to_face));
    for (int k = 0; k < 3; ++k) {
      difference.as_floats += static_cast<float>(other->second[k]) != static_cast<float>(f.ghost_to_face[k]);
    }
  }
  return difference;
}

TEST(PeriodicFaces, HaveCellToFaceVectorsThatDifferByTheRoundingOfCoordinates) {
  for (const auto& [elements, dim] : {std::pair{"triangles", 2}, std::pair{"tetrahedra", 3}}) {
    const CellToFaceDifference near = cell_to_face_difference(box(elements, 0.1, dim)),
                               far = cell_to_face_difference(box(elements, 1000.1, dim));
    EXPECT_LE(near.largest, 4 * kEps * (0.1 + kLength)) << elements;
    EXPECT_GT(near.largest, 0) << elements << ": then this file is about nothing";
    EXPECT_LE(far.largest, 4 * kEps * (1000.1 + kLength)) << elements;
    EXPECT_EQ(near.as_floats + far.as_floats, 0) << elements << ": unlucky; take another origin for flows in mixed precision";
  }
}

/// Returns the change of mass, energy and, except in fp32, a scalar after these steps, relative to their totals.
std::vector<double> drift(const mesh::Mesh& m, int steps, Backend backend, Precision precision) {
  const double turn = 2 * std::numbers::pi / kLength;
  const auto wave = [=](Vec3 x) { return std::sin(turn * x.x) * std::cos(turn * x.y) + 0.3 * std::sin(turn * (x.y + x.z)); };
  std::vector<Scalar> scalars;
  if (precision != Precision::fp32) scalars.push_back({.name = "dye", .initial = [&](Vec3 x) { return 2 + wave(x); }});
  const auto solver = test::carrying(m, scalars, {.cfl = 0.5, .precision = precision}, {}, mesh::Neighbours::face, backend);
  solver->initialise([&](Vec3 x) {
    return Primitive{1.2 + 0.2 * wave(x), {0.6 + 0.1 * wave(x), 0.4, m.dim == 3 ? 0.3 : 0.0}, 0.9 + 0.1 * wave(x)};
  });
  const auto all = [&] {
    std::vector<double> list = scalar_totals(*solver);
    list.push_back(totals(*solver)[0]);
    list.push_back(totals(*solver)[4]);
    return list;
  };
  const std::vector<double> before = all();
  for (int i = 0; i < steps; ++i) solver->step(1.0);
  std::vector<double> change = all();
  for (std::size_t k = 0; k < change.size(); ++k) change[k] = change[k] / before[k] - 1;
  return change;
}

/// Tolerances relative to the integral: of the sums, and per step. A flux that both sides round differently changes the content
/// of a cell by a fraction eps of the flux in the step, with either sign; the rounding of updates has no sign, either. Weights of
/// a stage that miss 1 by 2^-54 would change it by eps / 4 in every step.
constexpr double kOfSums = 4 * kEps, kPerStep = 0.02 * kEps;
/// Flows in fp32 vary in the same way, by float's rounding.
constexpr double kFloatEps = std::numeric_limits<float>::epsilon();

TEST(PeriodicFaces, ConserveInManySteps) {
  constexpr int kSteps = full_or_sanitized(400, 80);
  for (const auto& [elements, dim, origin, steps] :
       {std::tuple{"triangles", 2, 0.1, kSteps}, std::tuple{"triangles", 2, 1000.1, kSteps},
        std::tuple{"tetrahedra", 3, 0.1, kSteps / 4}}) {
    for (const double change : drift(box(elements, origin, dim), steps, Backend::host, Precision::fp64)) {
      EXPECT_NEAR(change, 0, kOfSums + steps * kPerStep) << elements << " at " << origin;
    }
  }
}

class PeriodicFacesOnCuda : public ::testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

TEST_F(PeriodicFacesOnCuda, ConserveInManySteps) {
  for (const auto& [elements, dim, steps] : {std::tuple{"triangles", 2, 500}, std::tuple{"tetrahedra", 3, 100}}) {
    const mesh::Mesh m = box(elements, 0.1, dim);
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
      for (const double change : drift(m, steps, Backend::cuda, precision)) {
        EXPECT_NEAR(change, 0, kOfSums + steps * kPerStep) << elements << ", mixed: " << (precision == Precision::mixed);
      }
    }
    for (const double change : drift(m, steps, Backend::cuda, Precision::fp32)) {
      EXPECT_NEAR(change, 0, (10 + 0.02 * steps) * kFloatEps) << elements << ", fp32";
    }
  }
}

}  // namespace
}  // namespace weft::flow::solver_periodic_test
