#include "weft/flow/scheme/scalar_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/base/error.hpp"

namespace weft::flow {
namespace {

std::vector<Scalar> checked(std::vector<Scalar> scalars) {
  if (scalars.size() > kMostScalars) {
    throw InputError(fmt::format("{} scalars are more than the {} that a flow carries", scalars.size(), kMostScalars));
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (scalars[i].name == scalars[j].name) throw InputError(fmt::format("two scalars are called \"{}\"", scalars[i].name));
    }
  }
  return scalars;
}

template <int Dim, class Limiter>
void slope_loop(detail::ScalarView& v, const Limiter& limiter, std::int32_t first, std::int32_t last) {
  for (std::int32_t c = first; c < last; ++c) detail::scalar_slopes_of_cell<Dim>(v, c, limiter);
}

template <int Dim>
void update_loop(const detail::ScalarView& v, const detail::ScalarUpdate& update, std::int32_t first, std::int32_t last) {
  for (std::int32_t c = first; c < last; ++c) detail::update_scalars_of_cell<Dim>(v, c, update);
}

}  // namespace

ScalarTransport::ScalarTransport(Residual& residual, std::vector<Scalar> scalars, Backend backend, Transport transport)
    : residual_(residual), scalars_(checked(std::move(scalars))) {
  const mesh::Mesh& m = residual.mesh();
  const Discretization& d = residual.discretization();
  const auto n = static_cast<std::size_t>(count());
  for (const BoundaryCondition& zone : residual.boundary()) {
    if (zone.scalars.size() > n) {
      throw InputError(fmt::format("a boundary zone has values of {} scalars, of which there are {}", zone.scalars.size(), n));
    }
  }
  inflow_.resize(static_cast<std::size_t>(m.faces() - d.first_boundary_face) * n);
  if (backend != Backend::host) return;
  residual.keep_mass_fluxes();
  amounts_.resize(static_cast<std::size_t>(m.owned_cells) * n);
  start_.resize(amounts_.size());
  values_.resize(static_cast<std::size_t>(d.rows) * n);
  slopes_.resize(static_cast<std::size_t>(m.cells()) * n * static_cast<std::size_t>(m.dim));
  const std::span cells = std::span(values_).first(static_cast<std::size_t>(m.cells()) * n);
  pull_values_.emplace(ArrayTransformer(m.plan, {PairRef::rows(cells, count())}, transport).pull());
  pull_slopes_.emplace(ArrayTransformer(m.plan, {PairRef::rows(std::span(slopes_), count() * m.dim)}, transport).pull());
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

bool ScalarTransport::brings(std::size_t zone) const {
  const BoundaryCondition& condition = residual_.boundary()[zone];
  return condition.prescribed || brings_scalars(condition.params.kind);
}

bool ScalarTransport::inflow_varies() const {
  for (std::size_t z = 0; z < residual_.boundary().size(); ++z) {
    for (const ScalarInflow& inflow : residual_.boundary()[z].scalars) {
      if (brings(z) && inflow.of_time) return true;
    }
  }
  return false;
}

void ScalarTransport::prescribe(double time) {
  const mesh::Mesh& m = residual_.mesh();
  const auto n = static_cast<std::size_t>(count());
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const std::vector<ScalarInflow>& inflows = residual_.boundary()[z].scalars;
    for (std::size_t k = 0; k < inflows.size() && brings(z); ++k) {
      if (!inflows[k].value || (prescribed_ && !inflows[k].of_time)) continue;
      for (const mesh::LocalFaceId face : m.boundary[z].faces) {
        const std::size_t i = face.index() - static_cast<std::size_t>(residual_.discretization().first_boundary_face);
        const Vec3 x = m.face_centroid[face.index()];
        const double value = inflow_[i * n + k] = inflows[k].value(x, time);
        if (std::isfinite(value) || bad_inflow_) continue;
        bad_inflow_ = {fmt::format("the scalar \"{}\" that comes in through \"{}\" is {} at ({:g}, {:g}, {:g}) at time {:.9g}",
                                   scalars_[k].name, m.boundary[z].name, value, x.x, x.y, x.z, time),
                       inflows[k].where};
      }
    }
  }
  prescribed_ = true;
}

detail::ScalarView ScalarTransport::view() const {
  detail::ScalarView v(residual_.view());
  v.cell_faces = residual_.discretization().cell_face.data();
  v.cell_face_rows = residual_.discretization().cell_face_row.data();
  v.scalars = values_.data();
  v.slopes = const_cast<double*>(slopes_.data());  // const members only read through the view
  v.lowered = residual_.order_lowered() ? residual_.lowered().data() : nullptr;
  v.cells = residual_.mesh().cells();
  v.count = count();
  return v;
}

void ScalarTransport::boundary_rows(std::int32_t first, std::int32_t last) {
  const detail::ExtrapolationView extrapolations = detail::view_of(residual_.discretization().behind);
  const mesh::Mesh& m = residual_.mesh();
  const Discretization& d = residual_.discretization();
  const auto n = static_cast<std::size_t>(count());
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const bool brings = this->brings(z);
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const std::size_t f = face.index(), i = f - static_cast<std::size_t>(d.first_boundary_face);
      if (d.face_left[f] < first || d.face_left[f] >= last) continue;
      const double outflow = residual_.mass_fluxes()[f];
      double* const behind = &values_[(static_cast<std::size_t>(m.cells()) + i) * n];
      const double* const inside = &values_[static_cast<std::size_t>(d.face_left[f]) * n];
      for (std::size_t k = 0; k < n; ++k) {
        behind[k] = detail::scalar_behind(extrapolations, static_cast<std::int32_t>(i), brings, outflow, inside[k],
                                          inflow_[i * n + k], &values_[k], count());
      }
    }
  }
}

void ScalarTransport::slopes(std::int32_t first, std::int32_t last) {
  const Numerics& numerics = residual_.numerics();
  if (numerics.gradient == GradientKind::none) return;
  detail::visit_scalar_limiter(numerics.limiter, [&](const auto& limiter) {
    residual_.team().split(first, last, [&](std::int32_t from, std::int32_t to) noexcept {
      detail::ScalarView v = view();
      residual_.mesh().dim == 2 ? slope_loop<2>(v, limiter, from, to) : slope_loop<3>(v, limiter, from, to);
    });
  });
}

/// Until the slopes of border cells, whose exchange is still to come.
void ScalarTransport::values_and_slopes(double time) {
  const mesh::Mesh& m = residual_.mesh();
  const auto n = static_cast<std::size_t>(count());
  const std::span<const double> flow = std::as_const(residual_).values();
  residual_.team().split(0, m.owned_cells, [&](std::int32_t first, std::int32_t last) noexcept {
    for (std::size_t i = static_cast<std::size_t>(first) * n; i < static_cast<std::size_t>(last) * n; ++i) {
      values_[i] = amounts_[i] / flow[i / n * Residual::kVars];
    }
  });
  prescribe(time);
  pull_values_->start(after(host_stream()));
  boundary_rows(0, m.inner_cells);
  slopes(0, m.inner_cells);
  pull_values_->wait();
  boundary_rows(m.inner_cells, m.owned_cells);
  slopes(m.inner_cells, m.owned_cells);
}

void ScalarTransport::refresh(double time) { values_and_slopes(time); }

void ScalarTransport::advance(const ScalarStage& stage) {
  const mesh::Mesh& m = residual_.mesh();
  const bool second_order = residual_.numerics().gradient != GradientKind::none;
  if (stage.first) start_ = amounts_;
  values_and_slopes(stage.time);
  if (second_order) pull_slopes_->start(after(host_stream()));
  const detail::ScalarView v = view();
  const detail::ScalarUpdate update{.start = start_.data(),
                                    .now = amounts_.data(),
                                    .result = amounts_.data(),
                                    .local_dt = stage.local_dt,
                                    .keep = stage.keep,
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

void ScalarTransport::undo() { amounts_ = start_; }

double ScalarTransport::at(int k, std::int32_t cell, Vec3 x) const {
  const Vec3 r = x - residual_.discretization().centroid[static_cast<std::size_t>(cell)];
  return residual_.mesh().dim == 2 ? detail::scalar_at<2>(view(), cell, k, r) : detail::scalar_at<3>(view(), cell, k, r);
}

}  // namespace weft::flow
