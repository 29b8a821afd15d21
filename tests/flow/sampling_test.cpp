// Lines and sections of linear fields, on any number of ranks.
#include "weft/flow/app/sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "weft/base/error.hpp"
#include "weft/flow/app/monitors.hpp"

#include "flow/solver_support.hpp"
#include "io/support/scratch.hpp"
#include "io/support/vtu.hpp"
#include "support/contracts.hpp"

namespace weft::flow::sampling_test {
namespace {

using test::generated;
using ::testing::HasSubstr;

constexpr std::array kFields{FieldKind::density, FieldKind::velocity, FieldKind::schlieren};

Primitive linear(Vec3 x) { return {2 + x.x + 0.5 * x.y, {x.y, 2 * x.x, 0.25 * x.z}, 3 - x.y + 0.5 * x.z}; }

/// A linear flow with exact gradients.
struct LinearFlow {
  explicit LinearFlow(const mesh::Mesh& mesh, const std::function<Primitive(Vec3)>& field = linear)
      : solver(mesh, {.boundary = BoundaryConditions(mesh.boundary.size(), {{.kind = BoundaryKind::supersonic_inflow},
                                                                            [field](Vec3 x, double) { return field(x); }}),
                      .numerics = {.limiter = LimiterKind::none},
                      .scalars = {{"dye", [](Vec3 x) { return x.x - x.y; }}}}) {
    solver.initialise(field);
    solver.refresh();
    gradients = solver.gradients();
  }
  [[nodiscard]] SampledState state() const { return {solver, gradients, kFields, {}}; }
  Solver solver;
  std::vector<CellGradient> gradients;
};

std::vector<std::vector<double>> rows_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; std::getline(words, word, ',');) rows.back().push_back(std::stod(word));
  }
  return rows;
}

class Sampling : public ::testing::Test {
 protected:
  const Communicator comm = Communicator::world();
  const io::Scratch scratch{comm};
};

TEST_F(Sampling, OfALineIsExactOnALinearField) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{9}}, {"ny", std::int64_t{7}}});
  const LinearFlow flow(m);
  const Vec3 from{0.03, 0.9, 0}, to{0.97, 0.05, 0};
  const Line line(m, {.name = "cut", .from = from, .to = to, .points = 57});
  line.write(flow.state(), scratch / "line.csv");
  comm.barrier();
  const std::string text = io::read_text(scratch / "line.csv");
  EXPECT_TRUE(text.starts_with("distance,x,y,z,density,velocity_x,velocity_y,velocity_z,schlieren,dye\n"));
  const auto rows = rows_of(text);
  ASSERT_EQ(rows.size(), 57U);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Vec3 x = from + (static_cast<double>(k) / 56) * (to - from);
    const Primitive w = linear(x);
    const std::vector<double> expected{norm(x - from), x.x, x.y, 0, w.density, x.y, 2 * x.x, 0, std::sqrt(1.25)};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(rows[k][i], expected[i], 1e-12) << k << " " << i;
    // A scalar has a limiter; cells near the boundary are left out.
    if (std::min({x.x, 1 - x.x, x.y, 1 - x.y}) > 0.3) {
      EXPECT_NEAR(rows[k].back(), x.x - x.y, 1e-12);
    }
  }
}

TEST_F(Sampling, OfALineIsTheSameOnAnyNumberOfRanks) {
  const mesh::GeneratorParameters grid{{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}};
  const mesh::Mesh parted = generated("box", grid), whole = generated("box", grid, {}, Communicator::self());
  const LineChoice choice{.name = "along", .from = {0, 0.5, 0}, .to = {1, 0.5, 0}, .points = 17};  // along faces, through nodes
  const LinearFlow flow(parted), alone(whole);
  Line(parted, choice).write(flow.state(), scratch / "parted.csv");
  if (comm.is_root()) {
    Line(whole, choice).write(alone.state(), scratch / "whole.csv");
    const auto a = rows_of(io::read_text(scratch / "parted.csv")), b = rows_of(io::read_text(scratch / "whole.csv"));
    ASSERT_EQ(a.size(), 17U);
    ASSERT_EQ(b.size(), 17U);
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t i = 0; i < a[k].size(); ++i) EXPECT_NEAR(a[k][i], b[k][i], 1e-13) << k << " " << i;
    }
  }
  comm.barrier();
}

TEST_F(Sampling, LeavesOutPointsThatNoCellHolds) {
  const mesh::Mesh m = generated("naca", {{"around", std::int64_t{48}}, {"radial", std::int64_t{12}}});
  const LinearFlow flow(m, [](Vec3) { return Primitive{1, {1, 0, 0}, 1}; });
  const Line line(m, {.name = "chord", .from = {-1, 0, 0}, .to = {2, 0, 0}, .points = 31});  // every 0.1, the chord is 0 to 1
  line.write(flow.state(), scratch / "chord.csv");
  comm.barrier();
  const auto rows = rows_of(io::read_text(scratch / "chord.csv"));
  EXPECT_GE(rows.size(), 20U);
  EXPECT_LE(rows.size(), 22U);
  for (const auto& row : rows) EXPECT_TRUE(row[1] < 0.05 || row[1] > 0.95) << row[1];
  const std::string text = test::common_error<InputError>(comm, [&] {
    (void)Line(m, {.name = "far", .from = {900, 0, 0}, .to = {901, 0, 0}, .points = 5, .where = {.key = "lines.far"}});
  });
  EXPECT_THAT(text, HasSubstr("no point of the line \"far\""));
}

TEST_F(Sampling, OfASectionIsExactOnALinearField) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{5}}, {"ny", std::int64_t{4}}, {"nz", std::int64_t{3}}});
  const LinearFlow flow(m);
  // Through cells; along the faces between cells; along the boundary; oblique.
  struct Plane {
    Vec3 point, normal;
    double area;
  };
  for (const Plane& plane : {Plane{{0.5, 0, 0}, {2, 0, 0}, 1}, Plane{{0.2, 0, 0}, {1, 0, 0}, 1}, Plane{{0, 1, 0}, {0, 1, 0}, 1},
                             Plane{{0, 0, 0}, {0, 1, 0}, 1}, Plane{{0.5, 0.5, 0.5}, {1, 1, 0}, std::sqrt(2.0)},
                             Plane{{0.5, 0.5, 0.5}, {1, 1, 1}, 0.75 * std::sqrt(3.0)}}) {
    const SectionChoice choice{.name = "s", .point = plane.point, .normal = plane.normal};
    check_section(m, choice);
    write_section(flow.state(), choice, scratch / "s.vtu");
    comm.barrier();
    const io::VtuContent file(scratch / "s.vtu");
    const std::vector<double> x = file.array("Points"), ends = file.array("offsets"), density = file.array("density"),
                              schlieren = file.array("schlieren"), velocity = file.array("velocity");
    ASSERT_EQ(density.size(), file.cells());
    ASSERT_EQ(velocity.size(), 3 * file.cells());
    EXPECT_TRUE(file.has("dye"));
    EXPECT_TRUE(file.has("cell_id"));
    double area = 0;
    std::size_t begin = 0;
    for (std::size_t c = 0; c < file.cells(); ++c) {
      const auto end = static_cast<std::size_t>(ends[c]);
      std::vector<Vec3> corners;
      Vec3 middle{};
      for (std::size_t k = begin; k < end; ++k) {
        corners.push_back({x[3 * k], x[3 * k + 1], x[3 * k + 2]});
        EXPECT_NEAR(dot(corners.back() - plane.point, plane.normal), 0, 1e-14);
        middle += (1.0 / static_cast<double>(end - begin)) * corners.back();
      }
      Vec3 sum{};
      for (std::size_t k = 0; k < corners.size(); ++k)
        sum += 0.5 * cross(corners[k] - middle, corners[(k + 1) % corners.size()] - middle);
      EXPECT_GT(dot(sum, plane.normal), 0);
      area += norm(sum);
      EXPECT_NEAR(density[c], linear(middle).density, 1e-12);
      EXPECT_NEAR(velocity[3 * c + 1], 2 * middle.x, 1e-12);
      EXPECT_NEAR(schlieren[c], std::sqrt(1.25), 1e-12);
      begin = end;
    }
    EXPECT_NEAR(area, plane.area, 1e-12);
    comm.barrier();
  }
}

TEST_F(Sampling, RefusesPlanesThatMeetNothing) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{3}}, {"ny", std::int64_t{3}}, {"nz", std::int64_t{3}}});
  const auto far = [&] { check_section(m, {.name = "far", .point = {0, 0, 7}, .normal = {0, 0, 1}}); };
  EXPECT_THAT(test::common_error<InputError>(comm, far), HasSubstr("meets no cell"));
  const mesh::Mesh flat = generated("box", {{"nx", std::int64_t{3}}, {"ny", std::int64_t{3}}});
  const auto plane = [&] { check_section(flat, {.name = "s", .point = {0.5, 0, 0}, .normal = {1, 0, 0}}); };
  EXPECT_THAT(test::common_error<InputError>(comm, plane), HasSubstr("two-dimensional"));
}

}  // namespace
}  // namespace weft::flow::sampling_test
