// The heat equation dT/dt = div grad T on the unit square, explicit, with finite volumes: T = 0 on the boundary, and initially
// T = sin(pi x) sin(pi y), which keeps its shape and decays as exp(-2 pi^2 t). Two meshes show second order.
//
//   mpirun -n 2 heat_equation
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"

namespace {

constexpr double kPi = std::numbers::pi;

double exact(weft::Vec3 x, double t) { return std::exp(-2 * kPi * kPi * t) * std::sin(kPi * x.x) * std::sin(kPi * x.y); }

/// Temperature on one mesh, and the data of a step.
class Heat {
 public:
  Heat(const weft::Communicator& comm, int n)
      : mesh_(weft::mesh::build(comm, weft::mesh::generate(comm, weft::mesh::BoxSpec{.nx = n, .ny = n}))),
        t_(mesh_.plan),
        rate_(static_cast<std::size_t>(mesh_.cells())),
        pull_(weft::ArrayTransformer{mesh_.plan, {t_}}.pull()) {
    for (const auto c : mesh_.owned()) t_(c, 0) = exact(mesh_.cell_centroid[c], 0);
  }

  void step(double dt) {
    pull_.run();  // the neighbours' present temperatures
    std::fill(rate_.begin(), rate_.end(), 0.0);
    for (const weft::mesh::FaceRange& faces : {mesh_.inner_faces, mesh_.interface_faces}) {
      for (const auto f : faces) {
        const auto l = mesh_.face_left[f], r = mesh_.face_right[f];
        const double distance = norm(mesh_.cell_centroid[r] - mesh_.cell_centroid[l]);
        const double flux = mesh_.face_area[f] * (t_(r, 0) - t_(l, 0)) / distance;
        rate_[l.index()] += flux;
        rate_[r.index()] -= flux;  // that of a ghost is not used: its owner computes the same face
      }
    }
    for (const weft::mesh::BoundaryZone& zone : mesh_.boundary) {
      for (const auto f : zone.faces) {
        const auto l = mesh_.face_left[f];
        const double distance = norm(mesh_.face_centroid[f] - mesh_.cell_centroid[l]);
        rate_[l.index()] -= mesh_.face_area[f] * t_(l, 0) / distance;
      }
    }
    for (const auto c : mesh_.owned()) t_(c, 0) += dt * rate_[c.index()] / mesh_.cell_volume[c];
  }

  /// Returns the root mean square of the error over all ranks.
  [[nodiscard]] double error(double time) const {
    double sum = 0;
    for (const auto c : mesh_.owned()) {
      const double e = t_(c, 0) - exact(mesh_.cell_centroid[c], time);
      sum += e * e * mesh_.cell_volume[c];
    }
    return std::sqrt(mesh_.comm.sum(sum));
  }

 private:
  weft::mesh::Mesh mesh_;
  weft::ArrayPair<double, 1> t_;
  std::vector<double> rate_;
  weft::Exchange pull_;
};

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  constexpr double kEnd = 0.05;
  std::vector<double> errors;
  for (const int n : {16, 32}) {
    Heat heat(comm, n);
    const int steps = static_cast<int>(std::ceil(kEnd * n * n / 0.2));  // dt / h^2 = 0.2: below the limit of 1/4
    for (int i = 0; i < steps; ++i) heat.step(kEnd / steps);
    errors.push_back(heat.error(kEnd));
    if (comm.is_root())
      std::printf("%d x %d cells, %d ranks: error %.3e after %d steps\n", n, n, comm.size(), errors.back(), steps);
  }
  const double order = std::log2(errors[0] / errors[1]);
  if (comm.is_root()) std::printf("observed order %.2f\n", order);
  return order > 1.9 ? 0 : 1;
}
