#include <array>
#include <utility>

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
  for (ArrayPair<Real, kVars>& buffer : values_) visit(buffer, mesh::index_space_with_boundary(m));
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
void DeviceReconstruction<Real>::allocate(const Tiles& on_host) {
  each_array(on_host, Allocate());
}

template <class Real>
void DeviceReconstruction<Real>::connect() {
  const mesh::Mesh& m = scheme_.mesh();
  const Transport transport = scheme_.options().transport;
  if (m.comm.max(m.plan.ghost_rows()) == 0) return;
  for (int i : {0, 1}) pull_values_[i] = ArrayTransformer(m.plan, {values_[i]}, transport).pull();
  std::vector<PairRef> of_gradients;
  if (scheme_.numerics().second_order()) of_gradients.emplace_back(gradients_);
  if (takes_sensor(scheme_.numerics().flux)) of_gradients.emplace_back(sensors_);
  if (!of_gradients.empty()) pull_gradients_ = ArrayTransformer(m.plan, of_gradients, transport).pull();
}

template <class Real>
void DeviceReconstruction<Real>::close() {
  for (auto* pull : {&pull_values_[0], &pull_values_[1], &pull_gradients_}) {
    if (pull->has_value()) (*pull)->close();
  }
}

template <class Real>
std::string DeviceReconstruction<Real>::transport() const {
  return pull_values_[0] ? to_string(pull_values_[0]->transport()) : "";
}

template <class Real>
bool DeviceReconstruction<Real>::captured() const {
  return !pull_values_[0] || captures(pull_values_[0]->transport());
}

template <class Real>
void DeviceReconstruction<Real>::set_fallback(Stream& stream, std::span<const std::int32_t> flags) {
  fallback_is_set_ = !flags.empty();
  if (!fallback_is_set_) return;
  stream.wait();
  fallback_.put(flags);
}

template <class Real>
void DeviceReconstruction<Real>::set_boundary_ghosts(Stream& stream, int buffer, std::int32_t first, std::int32_t last) {
  parallel_for(space::cuda{}, stream, last - first,
               BoundaryGhosts<Real>{boundary_.args(), values(buffer), scheme_.gas(), scheme_.mesh().cells(), first});
}

template <class Real>
GradientArgs<Real> DeviceReconstruction<Real>::gradient_args(int buffer) {
  return {.tiles = tiles_.arrays,
          .values = values(buffer),
          .states = states_.data(),
          .gradients = on_device(gradients_),
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
}

template <class Real>
typename DeviceReconstruction<Real>::Pending DeviceReconstruction<Real>::evaluate(Stream& stream, Stream& border_stream,
                                                                                  int buffer, double time, bool keep_gradients) {
  boundary_.prescribe(stream, time);
  if (pull_values_[buffer]) pull_values_[buffer]->start(after(stream));
  const BoundaryArgs outside = boundary_.args();
  set_boundary_ghosts(stream, buffer, 0, outside.inner_faces);
  const GradientWeights gradient_weights = gradient_weights_of(scheme_.numerics().gradient, tiles_.arrays.stencil_row != nullptr);
  const auto gradients_of = [&](Stream& on, const TileRange& range, const GradientArgs<Real>& args) {
    mesh::with_dim(scheme_.mesh().dim, [&](auto dim) { launch_gradients<dim()>(on, range, gradient_weights, limiter_, args); });
  };
  GradientArgs<Real> inner_args = gradient_args(buffer);
  if (!keep_gradients) inner_args.gradients = nullptr;
  border_stream.wait_for(after(stream));
  gradients_of(stream, tiles_.inner, inner_args);
  Event inner = stream.record();
  if (pull_values_[buffer]) pull_values_[buffer]->finish(border_stream);
  set_boundary_ghosts(border_stream, buffer, outside.inner_faces, outside.faces);
  gradients_of(border_stream, tiles_.border, gradient_args(buffer));
  if (pull_gradients_) pull_gradients_->start(after(border_stream));
  stream.wait_for(after(border_stream));
  return {pull_gradients_ ? &*pull_gradients_ : nullptr, std::move(inner)};
}

template <class Real>
void DeviceReconstruction<Real>::add_ghost_states(Stream& border_stream, int buffer, Exchange* ghosts) {
  if (ghosts != nullptr) ghosts->finish(border_stream);
  mesh::with_dim(scheme_.mesh().dim, [&](auto dim) {
    launch_ghost_states<dim()>(border_stream, tiles_.ghost_sides, values(buffer), gradients(), on_device(sensors_),
                               states_.data(), side_sensors_.data());
  });
}

template <class Real>
Primitive DeviceReconstruction<Real>::cell_state(Stream& stream, int buffer, mesh::LocalCellId cell, Vec3 x) const {
  const int dim = scheme_.mesh().dim;
  std::array<Real, kVars> mean;
  std::array<Real, kVars * 3> slopes{};
  const auto value = values_[buffer].template view<Aos, space::cuda>().row(cell);
  const auto gradient = gradients_.template view<Aos, space::cuda>().row(cell);
  copy_bytes(stream, mean.data(), value.data(), value.size_bytes());
  copy_bytes(stream, slopes.data(), gradient.data(), gradient.size_bytes());
  stream.wait();
  const Vec3 r = x - scheme_.mesh().cell_centroid[cell];
  const RowView<Real, double> row{mean.data(), slopes.data()};
  return dim == 2 ? reconstruct<2>(row, 0, r) : reconstruct<3>(row, 0, r);
}

template <class Real>
std::vector<Primitive> DeviceReconstruction<Real>::face_states(Stream& stream, int buffer, mesh::FaceRange faces) const {
  const std::int32_t count = faces.last().value() - faces.first().value();
  std::vector<Primitive> states(count);
  if (count == 0) return states;
  const DeviceVector<Primitive> there(Backend::cuda, states.size());
  const BoundaryArgs boundary = boundary_.args();
  const std::int32_t first = faces.first().value() - scheme_.discretization().first_boundary_face;
  const RowView<Real, double> rows{on_device(values_[buffer]), gradients()};
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
