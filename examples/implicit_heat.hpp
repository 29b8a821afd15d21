#pragma once
// The system of implicit_heat.cpp and implicit_heat_gpu.cu: four components of a medium share every cell of the unit square. Each
// has a temperature, conducts, and exchanges heat with the next one,
//
//     dT_i/dt = D_i div grad T_i + sum of K_ij T_j,    T = 0 on the boundary.
//
// A step of implicit Euler solves (1 - dt (D div grad + K)) T_new = T_old, a block-sparse matrix with blocks of 4 x 4. The modes
// sin(p pi x) sin(q pi y) stay eigenvectors of the scheme on squares, with eigenvalues -lambda of div grad: the four amplitudes
// of a mode follow from (1 + dt (lambda D - K)) a_new = a_old, which gives the exact solution of the discrete system.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "weft/base/small_matrix.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/kernels/linear/bsr_pattern.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"

constexpr int kComponents = 4, kEdge = 32, kSteps = 10;
constexpr double kStep = 0.01, kTolerance = 1e-10;  // kStep: 80 times the limit of an explicit step with D = 2
using Block = weft::Matrix<double, kComponents>;
using Temperatures = weft::Vector<double, kComponents>;

constexpr Block kConduction{{0.1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 2}};
constexpr Block kExchange{{-1, 1, 0, 0, 10, -30, 20, 0, 0, 100, -300, 200, 0, 0, 400, -400}};

/// The amplitudes of sin(p pi x) sin(q pi y).
struct Mode {
  int p, q;
  Temperatures amplitudes;

  void step() {
    const auto squared_sine = [](int k) { return std::pow(std::sin(k * std::numbers::pi / (2 * kEdge)), 2); };
    const double lambda = 4.0 * kEdge * kEdge * (squared_sine(p) + squared_sine(q));
    amplitudes = lu_factors(Block::identity() + kStep * (lambda * kConduction - kExchange)).solve(amplitudes);
  }
};

/// The rows of the owned cells: positions and values of the blocks, and the exact solution.
struct Medium {
  weft::mesh::Mesh mesh;
  std::shared_ptr<const weft::kernels::BsrPattern> pattern;
  std::vector<double> blocks;  ///< row-major, in the order of the pattern
  std::vector<Mode> modes{{1, 1, {{1, 2, 0, -1}}}, {2, 3, {{0, 1, 3, 1}}}, {9, 5, {{1, -1, 1, -1}}}};

  Medium(const weft::Communicator& comm, weft::Backend backend)
      : mesh(build(comm, generate(comm, weft::mesh::BoxSpec{.nx = kEdge, .ny = kEdge}))) {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> columns;
    for (const auto cell : mesh.owned()) {
      // Columns are local cells, owned ones first; the map has them in ascending order.
      std::map<std::int32_t, Block> row{{cell.value(), Block::identity() - kStep * kExchange}};
      for (const auto face : mesh.cell_faces.row(cell)) {
        const auto other = mesh.face_left[face] == cell ? mesh.face_right[face] : mesh.face_left[face];
        const weft::Vec3 to = other.valid() ? mesh.cell_centroid[other] : mesh.face_centroid[face];
        const double distance = norm(to - mesh.cell_centroid[cell]);
        const Block flux = (kStep * mesh.face_area[face] / (distance * mesh.cell_volume[cell])) * kConduction;
        row[cell.value()] = row[cell.value()] + flux;
        if (other.valid()) row[other.value()] = row[other.value()] - flux;
      }
      for (const auto& [column, block] : row) {
        columns.push_back(column);
        blocks.insert(blocks.end(), std::begin(block.entry), std::end(block.entry));
      }
      offsets.push_back(std::ssize(columns));
    }
    pattern = std::make_shared<const weft::kernels::BsrPattern>(offsets, columns, mesh.cells(), backend);
  }

  /// Returns the temperatures of the owned cells, those of a cell next to each other.
  [[nodiscard]] std::vector<double> exact(std::span<const Mode> at) const {
    std::vector<double> all;
    for (const auto cell : mesh.owned()) {
      const weft::Vec3 x = std::numbers::pi * mesh.cell_centroid[cell];
      Temperatures t;
      for (const Mode& mode : at) t = t + std::sin(mode.p * x.x) * std::sin(mode.q * x.y) * mode.amplitudes;
      all.insert(all.end(), std::begin(t.entry), std::end(t.entry));
    }
    return all;
  }

  /// Returns the largest difference from the exact solution after kSteps, relative to the largest temperature of all ranks.
  [[nodiscard]] double error(std::span<const double> temperatures) const {
    std::vector<Mode> last = modes;
    for (int i = 0; i < kSteps; ++i) std::for_each(last.begin(), last.end(), [](Mode& mode) { mode.step(); });
    const std::vector<double> expected = exact(last);
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      difference = std::max(difference, std::abs(temperatures[i] - expected[i]));
      largest = std::max(largest, std::abs(expected[i]));
    }
    return mesh.comm.max(difference) / mesh.comm.max(largest);
  }
};
