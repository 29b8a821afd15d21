#include <array>
#include <vector>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_reconstruction.hpp"
#include "weft/flow/cuda/ghost_states.cuh"
#include "weft/flow/cuda/step_loops.cuh"
#include "weft/mesh/mesh_params.hpp"
#include "weft/mesh/with_dim.hpp"

namespace weft::flow::detail {
namespace {

/// Computes the interior states at the centroids of boundary faces.
template <int Dim, class Real>
struct StatesInside {
  RowView<Real, double> rows;
  const std::int32_t* left;
  const Vec3* to_face;
  Primitive* states;
  WEFT_HD void operator()(std::int32_t i) const { states[i] = reconstruct<Dim>(rows, left[i], to_face[i]); }
};

}  // namespace

template <class Real>
DeviceReconstruction<Real>::DeviceReconstruction(const Scheme& scheme, const SchemeParameters& parameters,
                                                 const DeviceTiles<Real>& tiles, DeviceBoundary& boundary)
    : scheme_(scheme),
      parameters_(parameters),
      tiles_(tiles),
      boundary_(boundary),
      limiter_(visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                             [](auto chosen) { return LimiterChoice(chosen); })) {}

template <class Real>
template <class Visit>
void DeviceReconstruction<Real>::each_array(const Tiles& on_host, Visit&& visit) {
  const mesh::Mesh& m = scheme_.mesh();
  visit(values_, mesh::index_space_with_boundary(m));
  visit(gradients_, IndexSpace(m.plan), kVars * m.dim);
  visit(states_, on_host.opposite_slot.size() * kStateColumns);
  if (takes_sensor(scheme_.numerics().flux)) {
    visit(sensors_, IndexSpace(m.plan));
    visit(side_sensors_, on_host.opposite_slot.size() * 2);
  }
  visit(fallback_, m.cells());
}

template <class Real>
std::size_t DeviceReconstruction<Real>::bytes(const Tiles& on_host) {
  CountBytes count;
  each_array(on_host, count);
  return count.bytes;
}

template <class Real>
std::size_t DeviceReconstruction<Real>::exchange_bytes(const Tiles& on_host) {
  CountExchanges count{.plan = scheme_.mesh().plan};
  each_array(on_host, count);
  return count.bytes;
}

template <class Real>
void DeviceReconstruction<Real>::allocate(const Tiles& on_host) {
  each_array(on_host, Allocate());
}

template <class Real>
void DeviceReconstruction<Real>::add_data(task::Graph& graph, StepData& data, bool has_border) {
  const std::int32_t inner = tiles_.first_border_cell;
  data.values = graph.add_array("values", values_, inner);
  if (scheme_.numerics().second_order()) data.gradients = graph.add_array("gradients", gradients_, inner);
  if (takes_sensor(scheme_.numerics().flux)) data.sensors = graph.add_array("sensors", sensors_, inner);
  data.inner.boundary_rows = graph.add_memory("boundary rows (inner)");
  data.inner.states = graph.add_memory("states (inner)");
  if (!has_border) return;
  data.border.boundary_rows = graph.add_memory("boundary rows (border)");
  data.border.states = graph.add_memory("states (border)");
  data.ghost_states = graph.add_memory("states (ghosts)");
}

template <class Real>
void DeviceReconstruction<Real>::record_states(task::Graph& graph, const StepData& d, bool keep_gradients) {
  using task::Part, task::reads, task::writes;
  graph.add_task("boundary rows (inner)",
                 existing({reads(d.values, Part::owned), reads(d.outside), writes(d.inner.boundary_rows)}), on(task::device),
                 [this](Stream& stream) { set_boundary_ghosts(stream, 0, boundary_.args().inner_faces); });
  const DeviceCounts counts = device_counts(scheme_);
  // Boundary faces are counted by the lists of all of them, in proportion to the rows.
  const double faces = boundary_.args().faces, inner_faces = boundary_.args().inner_faces;
  const task::OperationCount rows = counts.boundary_rows(faces, scheme_.discretization().boundary_extrapolation.offset.back());
  const auto of_rows = [&](double some) { return (faces > 0 ? some / faces : 0) * rows; };
  graph.set_count("boundary rows (inner)", of_rows(inner_faces));
  std::vector<task::Access> of_inner =
      existing({reads(d.values, Part::owned), reads(d.inner.boundary_rows), writes(d.inner.states)});
  if (keep_gradients) {
    const std::vector<task::Access> kept = existing({writes(d.gradients, Part::inner), writes(d.sensors, Part::inner)});
    of_inner.insert(of_inner.end(), kept.begin(), kept.end());
  }
  graph.add_task("gradients (inner)", of_inner, on(task::device),
                 [this, keep_gradients](Stream& stream) { gradients_of(stream, tiles_.inner, keep_gradients); });
  graph.set_count("gradients (inner)", counts.gradients(tiles_.inner_size, keep_gradients));
  if (!d.border.states.valid()) return;
  graph.add_task("boundary rows (border)",
                 existing({reads(d.values, Part::owned | Part::ghost), reads(d.outside), writes(d.border.boundary_rows)}),
                 on(task::device_urgent), [this](Stream& stream) {
                   const BoundaryArgs boundary = boundary_.args();
                   set_boundary_ghosts(stream, boundary.inner_faces, boundary.faces);
                 });
  graph.set_count("boundary rows (border)", of_rows(faces - inner_faces));
  graph.add_task(
      "gradients (border)",
      existing({reads(d.values, Part::owned | Part::ghost), reads(d.inner.boundary_rows), reads(d.border.boundary_rows),
                writes(d.border.states), writes(d.gradients, Part::border), writes(d.sensors, Part::border)}),
      on(task::device_urgent), [this](Stream& stream) { gradients_of(stream, tiles_.border, true); });
  graph.set_count("gradients (border)", counts.gradients(tiles_.border_size, true));
}

template <class Real>
void DeviceReconstruction<Real>::record_ghost_states(task::Graph& graph, const StepData& d) {
  using task::Part, task::reads;
  if (!d.ghost_states.valid()) return;
  graph.add_task("states (ghosts)",
                 existing({reads(d.values, Part::ghost), reads(d.gradients, Part::ghost), reads(d.sensors, Part::ghost),
                           task::writes(d.ghost_states)}),
                 on(task::device_urgent), [this](Stream& stream) {
                   mesh::with_dim(scheme_.mesh().dim, [&](auto dim) {
                     launch_ghost_states<dim()>(stream, tiles_.ghost_sides, values(), gradients(), on_device(sensors_),
                                                states_.data(), side_sensors_.data());
                   });
                 });
  graph.set_count("states (ghosts)", device_counts(scheme_).ghost_states(static_cast<double>(tiles_.ghost_sides.size())));
}

template <class Real>
void DeviceReconstruction<Real>::set_fallback(Stream& stream, std::span<const std::int32_t> flags) {
  fallback_is_set_ = !flags.empty();
  if (!fallback_is_set_) return;
  stream.wait();
  fallback_.put(flags);
}

template <class Real>
void DeviceReconstruction<Real>::set_boundary_ghosts(Stream& stream, std::int32_t first, std::int32_t last) {
  parallel_for(space::cuda{}, stream, (last - first) * std::int64_t{kBoundaryLanes},
               BoundaryGhosts<Real>{boundary_.args(), values(), scheme_.gas(), scheme_.mesh().cells(), first});
}

/// Computes gradients and states of tiles. @param keep  the gradients are stored.
template <class Real>
void DeviceReconstruction<Real>::gradients_of(Stream& stream, const TileRange& range, bool keep) {
  const GradientArgs<Real> args{.tiles = tiles_.arrays,
                                .values = values(),
                                .states = states_.data(),
                                .gradients = keep ? on_device(gradients_) : nullptr,
                                .sensors = on_device(sensors_),
                                .side_sensors = side_sensors_.data(),
                                .first_order = !scheme_.numerics().second_order(),
                                .fallback = fallback(),
                                .gas = scheme_.gas(),
                                .scale = parameters_.scale,
                                .reference_length = scheme_.reference_length(),
                                .order = parameters_.order,
                                .shock_threshold = scheme_.shock_threshold(),
                                .stabilized = scheme_.discretization().stabilized};
  const GradientWeights weights = gradient_weights_of(scheme_.numerics().gradient, tiles_.arrays.stencil_row != nullptr);
  mesh::with_dim(scheme_.mesh().dim, [&](auto dim) { launch_gradients<dim()>(stream, range, weights, limiter_, args); });
}

template <class Real>
Primitive DeviceReconstruction<Real>::cell_state(Stream& stream, mesh::LocalCellId cell, Vec3 x) const {
  const int dim = scheme_.mesh().dim;
  std::array<Real, kVars> mean;
  std::array<Real, kVars * 3> slopes{};
  const auto value = values_.template view<Aos, space::cuda>().row(cell);
  const auto gradient = gradients_.template view<Aos, space::cuda>().row(cell);
  copy_bytes(stream, mean.data(), value.data(), value.size_bytes());
  copy_bytes(stream, slopes.data(), gradient.data(), gradient.size_bytes());
  stream.wait();
  const Vec3 r = x - scheme_.mesh().cell_centroid[cell];
  const RowView<Real, double> row{mean.data(), slopes.data()};
  return dim == 2 ? reconstruct<2>(row, 0, r) : reconstruct<3>(row, 0, r);
}

template <class Real>
std::vector<Primitive> DeviceReconstruction<Real>::face_states(Stream& stream, mesh::FaceRange faces) const {
  const std::int32_t count = faces.last().value() - faces.first().value();
  std::vector<Primitive> states(count);
  if (count == 0) return states;
  const DeviceVector<Primitive> there(Backend::cuda, states.size());
  const BoundaryArgs boundary = boundary_.args();
  const std::int32_t first = faces.first().value() - scheme_.discretization().first_boundary_face;
  const RowView<Real, double> rows{on_device(values_), gradients()};
  mesh::with_dim(scheme_.mesh().dim, [&](auto dim) {
    parallel_for(space::cuda{}, stream, count,
                 StatesInside<dim(), Real>{rows, boundary.left + first, boundary.to_face + first, there.data()});
  });
  there.get(0, states, after(stream));
  return states;
}

template <class Real>
std::vector<CellGradient> DeviceReconstruction<Real>::cell_gradients(Stream& stream) const {
  const std::size_t cells = scheme_.mesh().owned_cells;
  std::vector<CellGradient> all(cells);
  std::vector<Real> slopes(cells * static_cast<std::size_t>(kVars * scheme_.mesh().dim));
  copy_bytes(stream, slopes.data(), gradients(), slopes.size() * sizeof(Real));
  stream.wait();
  const RowView<Real, Real> rows{nullptr, slopes.data()};
  mesh::with_dim(scheme_.mesh().dim, [&](auto dim) {
    for (std::size_t c = 0; c < cells; ++c) all[c] = stored_gradient<dim()>(rows, static_cast<std::int32_t>(c));
  });
  return all;
}

template class DeviceReconstruction<float>;
template class DeviceReconstruction<double>;

}  // namespace weft::flow::detail
