#include "weft/flow/host/scalar_transport.hpp"

#include <algorithm>
#include <utility>

#include "weft/mesh/mesh_params.hpp"

namespace weft::flow {

using task::Part, task::reads, task::reads_writes, task::writes;

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
  amounts_ = ArrayPair<double, Dynamic>(residual.owned_space(), count());
  start_ = ArrayPair<double, Dynamic>(residual.owned_space(), count());
  values_ = ArrayPair<double, Dynamic>(mesh::index_space_with_boundary(m), count());
  slopes_ = ArrayPair<double, Dynamic>(m.plan, count() * m.dim);
}

void ScalarTransport::add_data(task::Graph& graph, detail::StageData& d) {
  if (count() == 0) return;
  const std::int32_t inner = residual_.scheme().mesh().inner_cells;
  d.amounts = graph.add_array("amounts of scalars", amounts_, inner);
  d.start_of_scalar_step = graph.add_array("amounts at the start of the step", start_, inner);
  d.scalars = graph.add_array("scalars", values_, inner);
  if (residual_.scheme().numerics().second_order()) d.scalar_slopes = graph.add_array("slopes of scalars", slopes_, inner);
}

void ScalarTransport::record_values(task::Graph& graph, const detail::StageData& d) {
  if (count() == 0) return;
  graph.add_task("values of scalars", {reads(d.amounts, Part::owned), reads(d.values, Part::owned), writes(d.scalars)},
                 [this] { set_values(); });
}

void ScalarTransport::record_slopes(task::Graph& graph, const detail::StageData& d, const detail::Stage& stage) {
  if (count() == 0) return;
  const mesh::Mesh& m = residual_.scheme().mesh();
  graph.add_task("boundary values and slopes of scalars (inner)",
                 detail::existing({reads(d.stage), reads(d.mass_fluxes), reads(d.scalars, Part::owned),
                                   reads_writes(d.scalars, Part::boundary), reads_writes(d.scalar_slopes, Part::inner)}),
                 [this, &stage, &m] {
                   inflow_.prescribe(stage.time);
                   set_boundary_ghosts(0, m.inner_cells);
                   slopes(0, m.inner_cells);
                 });
  graph.add_task("boundary values and slopes of scalars (border)",
                 detail::existing({reads(d.mass_fluxes), reads(d.scalars, Part::owned | Part::ghost),
                                   reads_writes(d.scalars, Part::boundary), reads_writes(d.scalar_slopes, Part::border)}),
                 [this, &m] {
                   set_boundary_ghosts(m.inner_cells, m.owned_cells);
                   slopes(m.inner_cells, m.owned_cells);
                 });
}

void ScalarTransport::record_update(task::Graph& graph, const detail::StageData& d, const detail::Stage& stage,
                                    const double* local_dt) {
  if (count() == 0) return;
  graph.add_task("save scalars", {reads(d.stage), reads(d.amounts), reads_writes(d.start_of_scalar_step)}, [this, &stage] {
    if (stage.first) std::ranges::copy(amounts_.storage(), start_.storage().begin());
  });
  graph.add_task(
      "update scalars",
      detail::existing({reads(d.stage), reads(d.mass_fluxes), reads(d.values), reads(d.scalars), reads(d.scalar_slopes),
                        reads(d.local_dt), reads(d.start_of_scalar_step), reads_writes(d.amounts)}),
      [this, &stage, local_dt](task::Rows rows) { update(stage, local_dt, rows.first().value(), rows.last().value()); });
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
  const std::size_t n = count();
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    const bool brings = inflow_.brings(z);
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const std::int32_t left = d.face_left[face];
      if (left < first || left >= last) continue;
      const std::size_t i = face.index() - d.first_boundary_face;
      const double outflow = residual_.mass_fluxes()[face.index()];
      const std::span ghost = values_.row(d.face_right[face]), inside = values_.row(left);
      for (std::size_t k = 0; k < n; ++k) {
        ghost[k] = detail::boundary_ghost_scalar(extrapolations, static_cast<std::int32_t>(i), brings, outflow, inside[k],
                                                 inflow_.values()[i * n + k], values_.data() + k, count());
      }
    }
  }
}

void ScalarTransport::slopes(std::int32_t first, std::int32_t last) {
  const Numerics& numerics = residual_.scheme().numerics();
  if (!numerics.second_order()) return;
  detail::visit_scalar_limiter(numerics.limiter, [&](const auto& limiter) {
    residual_.team().split(first, last, [&](std::int32_t from, std::int32_t to) noexcept {
      detail::ScalarView v = view();
      residual_.scheme().mesh().dim == 2 ? slope_loop<2>(v, limiter, from, to) : slope_loop<3>(v, limiter, from, to);
    });
  });
}

void ScalarTransport::set_values() {
  const View flow = std::as_const(residual_).values().view();
  const View amounts = std::as_const(amounts_).view();
  const View values = values_.view();
  residual_.team().split(0, residual_.scheme().mesh().owned_cells, [&](std::int32_t first, std::int32_t last) noexcept {
    for (const mesh::LocalCellId c : mesh::CellRange(mesh::LocalCellId(first), mesh::LocalCellId(last))) {
      for (int k = 0; k < count(); ++k) values(c, k) = amounts(c, k) / flow(c, 0);
    }
  });
}

void ScalarTransport::update(const detail::Stage& stage, const double* local_dt, std::int32_t first, std::int32_t last) {
  const detail::ScalarView v = view();
  const detail::ScalarUpdate update{.start = start_.data(),
                                    .now = amounts_.data(),
                                    .result = amounts_.data(),
                                    .local_dt = local_dt,
                                    .start_weight = stage.start_weight,
                                    .dt = stage.dt,
                                    .local_cfl = stage.local_cfl};
  residual_.team().split(first, last, [&](std::int32_t from, std::int32_t to) noexcept {
    residual_.scheme().mesh().dim == 2 ? update_loop<2>(v, update, from, to) : update_loop<3>(v, update, from, to);
  });
}

void ScalarTransport::undo() { std::ranges::copy(start_.storage(), amounts_.storage().begin()); }

double ScalarTransport::at(int k, mesh::LocalCellId cell, Vec3 x) const {
  const mesh::Mesh& m = residual_.scheme().mesh();
  const Vec3 r = x - m.cell_centroid[cell];
  return m.dim == 2 ? detail::scalar_at<2>(view(), cell.value(), k, r) : detail::scalar_at<3>(view(), cell.value(), k, r);
}

}  // namespace weft::flow
