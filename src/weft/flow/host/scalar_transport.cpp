#include "weft/flow/host/scalar_transport.hpp"

#include <algorithm>
#include <utility>

#include "weft/mesh/mesh_params.hpp"

namespace weft::flow {
namespace {

template <int Dim, class Limiter>
void slope_loop(detail::ScalarView& v, const Limiter& limiter, std::int32_t first, std::int32_t last) {
  for (std::int32_t c = first; c < last; ++c) detail::scalar_slopes_of_cell<Dim>(v, c, limiter);
}

template <int Dim>
void update_loop(const detail::ScalarView& v, const detail::ScalarUpdate& update, std::int32_t first, std::int32_t last) {
  for (std::int32_t c = first; c < last; ++c) detail::update_scalars_of_cell<Dim>(v, c, update);
}

}  // namespace

ScalarTransport::ScalarTransport(Residual& residual, BoundaryScalars& inflow) : residual_(residual), inflow_(inflow) {
  if (count() == 0) return;
  const mesh::Mesh& m = residual.scheme().mesh();
  const Transport transport = residual.scheme().options().transport;
  amounts_ = Array<double, Dynamic>(m.owned_cells, count());
  start_ = Array<double, Dynamic>(m.owned_cells, count());
  values_ = ArrayPair<double, Dynamic>(mesh::index_space_with_boundary(m), count());
  slopes_ = ArrayPair<double, Dynamic>(m.plan, count() * m.dim);
  pull_values_.emplace(ArrayTransformer(m.plan, {values_}, transport).pull());
  pull_slopes_.emplace(ArrayTransformer(m.plan, {slopes_}, transport).pull());
}

void ScalarTransport::close() {
  for (auto* pull : {&pull_values_, &pull_slopes_}) {
    if (pull->has_value()) (*pull)->close();
  }
}

Traffic ScalarTransport::sent() const {
  Traffic sum;
  for (const auto* pull : {&pull_values_, &pull_slopes_}) {
    if (!pull->has_value()) continue;
    const Traffic sent = (*pull)->sent();
    sum.messages += sent.messages;
    sum.bytes += sent.bytes;
  }
  return sum;
}

detail::ScalarView ScalarTransport::view() const {
  detail::ScalarView v(residual_.view());
  v.cell_faces = residual_.scheme().discretization().cell_face.data();
  v.cell_face_rows = residual_.scheme().discretization().cell_face_row.data();
  v.scalars = values_.data();
  v.slopes = const_cast<double*>(slopes_.data());  // const members only read through the view
  v.fallback = residual_.fallback().empty() ? nullptr : residual_.fallback().data();
  v.cells = residual_.scheme().mesh().cells();
  v.count = count();
  return v;
}

void ScalarTransport::set_boundary_ghosts(std::int32_t first, std::int32_t last) {
  const detail::ExtrapolationView extrapolations = detail::view_of(residual_.scheme().discretization().boundary_extrapolation);
  const mesh::Mesh& m = residual_.scheme().mesh();
  const Discretization& d = residual_.scheme().discretization();
  const auto n = static_cast<std::size_t>(count());
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const bool brings = inflow_.brings(z);
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const std::size_t f = face.index(), i = f - static_cast<std::size_t>(d.first_boundary_face);
      if (d.face_left[f] < first || d.face_left[f] >= last) continue;
      const double outflow = residual_.mass_fluxes()[f];
      const std::span ghost = values_.row(d.face_right[f]), inside = values_.row(d.face_left[f]);
      for (std::size_t k = 0; k < n; ++k) {
        ghost[k] = detail::boundary_ghost_scalar(extrapolations, static_cast<std::int32_t>(i), brings, outflow, inside[k],
                                                 inflow_.values()[i * n + k], values_.data() + k, count());
      }
    }
  }
}

void ScalarTransport::slopes(std::int32_t first, std::int32_t last) {
  const Numerics& numerics = residual_.scheme().numerics();
  if (numerics.gradient == GradientKind::none) return;
  detail::visit_scalar_limiter(numerics.limiter, [&](const auto& limiter) {
    residual_.team().split(first, last, [&](std::int32_t from, std::int32_t to) noexcept {
      detail::ScalarView v = view();
      residual_.scheme().mesh().dim == 2 ? slope_loop<2>(v, limiter, from, to) : slope_loop<3>(v, limiter, from, to);
    });
  });
}

/// Computes values and slopes, except for the slopes of ghosts, whose exchange follows.
void ScalarTransport::values_and_slopes(double time) {
  const mesh::Mesh& m = residual_.scheme().mesh();
  const View flow = std::as_const(residual_).values().view();
  const View amounts = std::as_const(amounts_).view();
  const View values = values_.view();
  residual_.team().split(0, m.owned_cells, [&](std::int32_t first, std::int32_t last) noexcept {
    for (const mesh::LocalCellId c : mesh::CellRange(mesh::LocalCellId(first), mesh::LocalCellId(last))) {
      for (int k = 0; k < count(); ++k) values(c, k) = amounts(c, k) / flow(c, 0);
    }
  });
  inflow_.prescribe(time);
  pull_values_->start(after(host_stream()));
  set_boundary_ghosts(0, m.inner_cells);
  slopes(0, m.inner_cells);
  pull_values_->wait();
  set_boundary_ghosts(m.inner_cells, m.owned_cells);
  slopes(m.inner_cells, m.owned_cells);
}

void ScalarTransport::refresh(double time) {
  if (count() > 0) values_and_slopes(time);
}

void ScalarTransport::advance(const ScalarStage& stage) {
  if (count() == 0) return;
  const mesh::Mesh& m = residual_.scheme().mesh();
  const bool second_order = residual_.scheme().numerics().gradient != GradientKind::none;
  if (stage.first) std::ranges::copy(amounts_.storage(), start_.storage().begin());
  values_and_slopes(stage.time);
  if (second_order) pull_slopes_->start(after(host_stream()));
  const detail::ScalarView v = view();
  const detail::ScalarUpdate update{.start = start_.data(),
                                    .now = amounts_.data(),
                                    .result = amounts_.data(),
                                    .local_dt = stage.local_dt,
                                    .start_weight = stage.start_weight,
                                    .dt = stage.dt,
                                    .local_cfl = stage.local_cfl};
  const auto update_cells = [&](std::int32_t first, std::int32_t last) {
    residual_.team().split(first, last, [&](std::int32_t from, std::int32_t to) noexcept {
      m.dim == 2 ? update_loop<2>(v, update, from, to) : update_loop<3>(v, update, from, to);
    });
  };
  update_cells(0, m.inner_cells);
  if (second_order) pull_slopes_->wait();
  update_cells(m.inner_cells, m.owned_cells);
}

void ScalarTransport::undo() { std::ranges::copy(start_.storage(), amounts_.storage().begin()); }

double ScalarTransport::at(int k, std::int32_t cell, Vec3 x) const {
  const Vec3 r = x - residual_.scheme().discretization().centroid[static_cast<std::size_t>(cell)];
  return residual_.scheme().mesh().dim == 2 ? detail::scalar_at<2>(view(), cell, k, r) : detail::scalar_at<3>(view(), cell, k, r);
}

}  // namespace weft::flow
