#pragma once
// Arrays and loops of task_a2b.cpp and task_a2b_gpu.cu.
#include <cstdint>
#include <utility>

#include "weft/array/array_pair.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh_params.hpp"

struct ComputeA {
  const double* b;
  double* a;
  WEFT_HD void operator()(std::int32_t i) const { a[i] = 1 + b[i] / 2; }
};
/// Computes b = mean of a over a cell and its neighbours, for the cells from `first` on.
struct ComputeA2B {
  weft::mesh::MeshView mesh;
  const double* a;
  double* b;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    const weft::mesh::LocalCellId cell(first + i);
    double sum = a[cell.index()];
    for (const weft::mesh::LocalCellId neighbour : mesh.neighbours(cell)) sum += a[neighbour.index()];
    b[cell.index()] = sum / static_cast<double>(1 + mesh.neighbours(cell).size());
  }
};

inline weft::mesh::Mesh mesh_of_ranks(const weft::Communicator& comm) {
  return build(comm, generate(comm, weft::mesh::BoxSpec{.nx = 96, .ny = 96, .elements = weft::mesh::CellMix::mixed}));
}

/// Two arrays, and the functions of the tasks. @tparam Space  where the loops are executed.
template <class Space>
struct Coupled {
  const weft::mesh::Mesh& mesh;
  weft::mesh::MeshParams params;
  weft::ArrayPair<double> a, b;
  double sum = 0, all = 0;  ///< sum of b in a sweep; sum over the ranks and all sweeps

  Coupled(const weft::mesh::Mesh& of, weft::Backend backend)
      : mesh(of), params(of, backend), a(of.plan, weft::Layout::aos, backend), b(of.plan, weft::Layout::aos, backend) {
    for (const auto cell : mesh.owned()) b(cell, 0) = static_cast<double>((mesh.cell_global[cell].value() * 3) % 17);
  }
  void compute_a(weft::Stream& stream, std::int32_t first, std::int32_t cells) {
    parallel_for(Space{}, stream, cells, ComputeA{data_of(b) + first, data_of(a) + first});
  }
  void compute_b(weft::Stream& stream, std::int32_t first, std::int32_t cells) {
    parallel_for(Space{}, stream, cells, ComputeA2B{params.view(), data_of(a), data_of(b), first});
  }
  void compute_inner_b(weft::Stream& stream) { compute_b(stream, 0, mesh.inner_cells); }
  void compute_border_b(weft::Stream& stream) { compute_b(stream, mesh.inner_cells, mesh.border().size()); }
  void add_b() {
    for (const auto cell : mesh.owned()) sum += std::as_const(b)(cell, 0);
  }

 private:
  [[nodiscard]] static double* data_of(weft::ArrayPair<double>& field) { return field.view<weft::Aos, Space>().data(); }
};
