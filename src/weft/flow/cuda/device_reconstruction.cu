#include <array>
#include <utility>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_reconstruction.hpp"
#include "weft/flow/cuda/ghost_states.cuh"
#include "weft/flow/cuda/step_loops.cuh"

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
  const auto cells = static_cast<std::size_t>(m.cells());
  for (DeviceVector<Real>& buffer : values_) visit(buffer, static_cast<std::size_t>(scheme_.discretization().rows) * kVars);
  visit(gradients_, cells * kVars * static_cast<std::size_t>(m.dim));
  visit(states_, on_host.opposite_slot.size() * kStateColumns);
  const bool sensors = takes_sensor(scheme_.numerics().flux);
  visit(sensors_, sensors ? cells : 0);
  visit(side_sensors_, sensors ? on_host.opposite_slot.size() * 2 : 0);
  visit(fallback_, cells);
}

template <class Real>
std::size_t DeviceReconstruction<Real>::bytes(const Tiles& on_host) {
  CountBytes count;
  each_array(on_host, count);
  return count.bytes;
}

template <class Real>
void DeviceReconstruction<Real>::allocate(Stream& stream, const Tiles& on_host) {
  each_array(on_host, Allocate());
  set_bytes(stream, gradients_.data(), 0, gradients_.size() * sizeof(Real));  // the values for first order
}

template <class Real>
void DeviceReconstruction<Real>::connect() {
  const mesh::Mesh& m = scheme_.mesh();
  const Transport transport = scheme_.options().transport;
  if (m.comm.max(m.plan.ghost_rows()) == 0) return;
  const auto rows_of = [&](const DeviceVector<Real>& rows, int width) {
    const std::size_t size = static_cast<std::size_t>(m.cells()) * static_cast<std::size_t>(width);
    return PairRef::rows(Backend::cuda, std::span(rows.data(), size), width);
  };
  for (int i : {0, 1}) pull_values_[i] = ArrayTransformer(m.plan, {rows_of(values_[i], kVars)}, transport).pull();
  std::vector<PairRef> of_gradients;
  if (scheme_.numerics().gradient != GradientKind::none) of_gradients.push_back(rows_of(gradients_, kVars * m.dim));
  if (takes_sensor(scheme_.numerics().flux)) of_gradients.push_back(rows_of(sensors_, 1));
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
               BoundaryGhosts<Real>{boundary_.args(), values_[buffer].data(), scheme_.gas(), scheme_.mesh().cells(), first});
}

template <class Real>
GradientArgs<Real> DeviceReconstruction<Real>::gradient_args(int buffer) {
  return {.tiles = tiles_.arrays,
          .values = values_[buffer].data(),
          .states = states_.data(),
          .gradients = gradients_.data(),
          .sensors = sensors_.data(),
          .side_sensors = side_sensors_.data(),
          .first_order = scheme_.numerics().gradient == GradientKind::none,
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
    with_dimension(scheme_.mesh().dim, [&](auto dim) { launch_gradients<dim()>(on, range, gradient_weights, limiter_, args); });
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
  with_dimension(scheme_.mesh().dim, [&](auto dim) {
    launch_ghost_states<dim()>(border_stream, tiles_.ghost_sides, values_[buffer].data(), gradients_.data(), sensors_.data(),
                               states_.data(), side_sensors_.data());
  });
}

template <class Real>
Primitive DeviceReconstruction<Real>::cell_state(Stream& stream, int buffer, std::int32_t cell, Vec3 x) const {
  const int dim = scheme_.mesh().dim;
  const auto c = static_cast<std::size_t>(cell);
  std::array<Real, kVars> mean;
  std::array<Real, kVars * 3> slopes{};
  values_[buffer].get(c * kVars, mean, after(stream));
  gradients_.get(c * static_cast<std::size_t>(kVars * dim), std::span(slopes).first(static_cast<std::size_t>(kVars * dim)),
                 after(stream));
  const Vec3 r = x - scheme_.discretization().centroid[c];
  const RowView<Real, double> row{mean.data(), slopes.data()};
  return dim == 2 ? reconstruct<2>(row, 0, r) : reconstruct<3>(row, 0, r);
}

template <class Real>
std::vector<Primitive> DeviceReconstruction<Real>::face_states(Stream& stream, int buffer, mesh::FaceRange faces) const {
  const std::int32_t count = faces.last().value() - faces.first().value();
  std::vector<Primitive> states(static_cast<std::size_t>(count));
  if (count == 0) return states;
  const DeviceVector<Primitive> there(Backend::cuda, states.size());
  const BoundaryArgs boundary = boundary_.args();
  const std::int32_t first = faces.first().value() - scheme_.discretization().first_boundary_face;
  const RowView<Real, double> rows{values_[buffer].data(), gradients_.data()};
  with_dimension(scheme_.mesh().dim, [&](auto dim) {
    parallel_for(space::cuda{}, stream, count,
                 StatesInside<dim(), Real>{rows, boundary.left + first, boundary.to_face + first, there.data()});
  });
  there.get(0, states, after(stream));
  return states;
}

template <class Real>
std::vector<CellGradient> DeviceReconstruction<Real>::cell_gradients(Stream& stream) const {
  const auto cells = static_cast<std::size_t>(scheme_.mesh().owned_cells);
  std::vector<CellGradient> all(cells);
  std::vector<Real> slopes(cells * static_cast<std::size_t>(kVars * scheme_.mesh().dim));
  if (!slopes.empty()) gradients_.get(0, slopes, after(stream));
  const RowView<Real, Real> rows{nullptr, slopes.data()};
  with_dimension(scheme_.mesh().dim, [&](auto dim) {
    for (std::size_t c = 0; c < cells; ++c) all[c] = stored_gradient<dim()>(rows, static_cast<std::int32_t>(c));
  });
  return all;
}

template class DeviceReconstruction<float>;
template class DeviceReconstruction<double>;

}  // namespace weft::flow::detail
