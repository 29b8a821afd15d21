#include "weft/flow/host/residual.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/base/large_pages.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/mesh/mesh_params.hpp"
#include "weft/mesh/with_dim.hpp"

namespace weft::flow {
namespace {

/// Returns an index space without ghosts. @collective
[[nodiscard]] GhostPlan without_ghosts(const Communicator& comm, std::int32_t rows) {
  return GhostPlan::build(comm, rows, std::span<const GlobalRow>());
}

/// Returns into how many tasks each half of the blocks is divided: of about 8 blocks (1 ms), at most 32. @collective
[[nodiscard]] std::size_t number_of_parts(const Communicator& comm, const std::vector<detail::Share>& shares) {
  constexpr std::int64_t kBlocksOfTwoTasks = 16, kMostParts = 32;
  std::int64_t most = 0;
  for (const detail::Share& share : shares) most = std::max<std::int64_t>(most, std::ssize(share.blocks));
  return static_cast<std::size_t>(std::clamp<std::int64_t>(comm.max(most) / kBlocksOfTwoTasks, 1, kMostParts));
}

}  // namespace

Residual::Residual(const Scheme& scheme)
    : scheme_(scheme),
      mesh_(scheme.mesh()),
      discretization_(scheme.discretization()),
      team_(scheme.options().threads, each_thread_has_core(mesh_.comm, scheme.options().threads)),
      prescribed_(scheme.boundary().size()),
      values_(mesh::index_space_with_boundary(mesh_)),
      gradients_(mesh_.plan, kVars * mesh_.dim),
      residual_(without_ghosts(mesh_.comm, mesh_.owned_cells)),
      geometry_(detail::gradient_geometry(scheme)),
      mass_fluxes_(without_ghosts(mesh_.comm, scheme.scalars().empty() ? 0 : mesh_.faces())),
      limiter_(visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                             [](auto limiter) { return detail::LimiterChoice(limiter); })),
      flux_(visit_flux(scheme.numerics().flux, scheme.numerics().cutoff_mach, scheme.numerics().entropy_fix,
                       [](auto flux) { return detail::FluxChoice(flux); })) {
  const Numerics& numerics = scheme.numerics();
  for (const BoundaryCondition& condition : scheme.boundary()) boundary_params_.push_back(condition.params);
  shares_ = detail::divide_into_shares(mesh_, discretization_, team_.size());
  parts_ = number_of_parts(mesh_.comm, shares_);
  state_slots_ = detail::slots_of_states(shares_, discretization_);
  if (takes_sensor(numerics.flux)) sensors_ = ArrayPair<double>(mesh_.plan);
  place_arrays();
  use_large_pages_for(values_.storage(), gradients_.storage(), residual_.storage());  // rows are accessed in any order
}

detail::ResidualView Residual::view() const {
  const Discretization& d = discretization_;
  return {.stencil_offset = d.stencil_offset.data(),
          .stencil_rows = d.stencil_row.data(),
          .cell_face_offset = d.cell_face_offset.data(),
          .state_slots = state_slots_.data(),
          .left_row = d.face_left.data(),
          .right_row = d.face_right.data(),
          .centroids = d.centroid.data(),
          .face_centroids = mesh_.face_centroid.data(),
          .face_normals = d.face_normal.data(),
          .face_areas = d.face_area.data(),
          .inverse_volumes = d.inverse_volume.data(),
          .gradient_weights = geometry_.weights.data(),
          .cell_to_face = geometry_.to_faces.data(),
          .half_ways = geometry_.half_ways.empty() ? nullptr : geometry_.half_ways.data(),
          .values = const_cast<double*>(values_.data()),  // const members only read through the view
          .gradients = const_cast<double*>(gradients_.data()),
          .sensors = const_cast<double*>(sensors_.data()),
          .residual = const_cast<double*>(residual_.data()),
          .mass_fluxes = mass_fluxes_.empty() ? nullptr : const_cast<double*>(mass_fluxes_.data()),
          .gas = scheme_.gas(),
          .scale = parameters_.scale,
          .reference_length = scheme_.reference_length(),
          .order = parameters_.order,
          .jump_damping = scheme_.jump_damping(parameters_),
          .shock_threshold = scheme_.shock_threshold(),
          .axisymmetric = mesh_.axisymmetric};
}

mesh::FaceRange Residual::faces_of(const detail::Share::Cells& cells, mesh::FaceRange faces) const {
  const auto left = discretization_.face_left.begin();
  const auto begin = left + faces.first().value(), end = left + faces.last().value();
  const auto from = std::lower_bound(begin, end, cells.first), to = std::lower_bound(from, end, cells.last);
  return {mesh::LocalFaceId(static_cast<std::int32_t>(from - left)), mesh::LocalFaceId(static_cast<std::int32_t>(to - left))};
}

void Residual::prescribe(double time) {
  for (const mesh::BoundaryZoneId z : boundary_params_.ids()) {
    const BoundaryCondition& condition = scheme_.boundary()[z];
    if (!condition.prescribed || (!condition.depends_on_time && !prescribed_[z].empty())) continue;
    const mesh::FaceRange faces = mesh_.boundary[z].faces;
    std::vector<Primitive> states(faces.size());
    condition.prescribed(centroids(mesh_, faces), time, states);
    for (const mesh::LocalFaceId face : faces) {
      const auto i = static_cast<std::size_t>(face.value() - faces.first().value());
      detail::store(values_.row(discretization_.face_right[face]).data(), states[i]);
    }
    prescribed_[z] = std::move(states);
  }
}

void Residual::set_boundary_ghosts(const detail::Share::Cells& cells) {
  const detail::ExtrapolationView boundary_extrapolation = detail::view_of(discretization_.boundary_extrapolation);
  double* const values = values_.data();
  const auto row = [values](std::int32_t number) { return values + std::int64_t{number} * kVars; };
  each_boundary(cells, [&](mesh::BoundaryZoneId z, mesh::FaceRange faces) {
    if (scheme_.boundary()[z].prescribed) return;
    for (const mesh::LocalFaceId face : faces) {
      const Primitive inside = detail::load(row(discretization_.face_left[face]));
      const std::int32_t i = face.value() - discretization_.first_boundary_face;
      const detail::Increments<double> sums = detail::increments(boundary_extrapolation, i, inside, values);
      const Primitive extrapolated = detail::extrapolated(boundary_extrapolation, i, scheme_.gas(), inside, sums);
      const Vec3 n = discretization_.face_normal[face];
      const Primitive outside = outside_state(scheme_.gas(), boundary_params_[z], mesh_.face_centroid[face]);
      detail::store(row(discretization_.face_right[face]),
                    boundary_ghost_state(scheme_.gas(), boundary_params_[z], outside, inside, extrapolated, n));
    }
  });
}

void Residual::gradients(const detail::Indices& cells) {
  if (!scheme_.numerics().second_order()) {
    if (takes_sensor(scheme_.numerics().flux)) detail::sensor_loop(view(), cells);
    return;
  }
  mesh::with_dim(mesh_.dim, [&](auto dim) { detail::gradient_loop<dim()>(view(), limiter_, cells); });
  clear_fallback_gradients(cells);
}

void Residual::subtract_stationary(std::int32_t first, std::int32_t last) {
  if (stationary_mass_fluxes_.empty()) return;
  team_.split(first, last, [&](std::int32_t from, std::int32_t to) noexcept {
    for (auto f = static_cast<std::size_t>(from); f < static_cast<std::size_t>(to); ++f) {
      mass_fluxes_.data()[f] -= stationary_mass_fluxes_[f];
    }
  });
}

void Residual::clear_fallback_gradients(const detail::Indices& cells) {
  if (fallback_.empty()) return;
  const Discretization& d = discretization_;
  for (std::int32_t n = 0; n < cells.count; ++n) {
    const std::size_t i = cells[n];
    bool first_order = fallback_[i] != 0;
    for (std::int32_t s = d.cell_face_offset[i]; s < d.cell_face_offset[i + 1] && !first_order; ++s) {
      const std::int32_t row = d.cell_face_row[s];
      first_order = row < mesh_.cells() && fallback_[row] != 0;
    }
    if (first_order) std::ranges::fill(gradients_.row(i), 0.0);
  }
}

void Residual::fluxes(detail::Share& share, const detail::Indices& faces) {
  mesh::with_dim(mesh_.dim, [&](auto dim) {
    for (std::int32_t i = 0; i < faces.count; i += detail::kBlockFaces) {
      const detail::Indices some = faces.part(i, std::min(i + detail::kBlockFaces, faces.count));
      detail::side_loop<dim()>(view(), some, share.states());
      detail::face_loop<dim()>(view(), flux_, share.rows(), some, share.states());
    }
  });
}

void Residual::blocks(detail::Share& share, std::size_t first, std::size_t last) {
  mesh::with_dim(mesh_.dim, [&](auto dim) {
    for (const detail::Share::Block& block : std::span(share.blocks).subspan(first, last - first)) {
      const detail::Indices cells = share.not_shared(block.cells.first, block.cells.last),
                            faces = detail::Indices::contiguous(block.faces.first, block.faces.last);
      if (!scheme_.numerics().second_order() || !fallback_.empty()) {
        gradients(cells);
        detail::side_loop<dim()>(view(), faces, share.states());
      } else {
        detail::state_loop<dim()>(view(), limiter_, cells, block.stored, share.states());
      }
      detail::face_loop<dim()>(view(), flux_, share.rows(), faces, share.states());
    }
  });
}

void Residual::boundary_fluxes(const detail::Share& share) {
  const auto work = [&](mesh::BoundaryZoneId z, mesh::FaceRange faces) {
    const std::int32_t first = faces.first().value(), last = faces.last().value();
    const Primitive* const prescribed =
        prescribed_[z].empty() ? nullptr : prescribed_[z].data() + (first - mesh_.boundary[z].faces.first().value());
    mesh::with_dim(mesh_.dim, [&](auto dim) {
      detail::boundary_face_loop<dim()>(view(), flux_, boundary_params_[z], prescribed, first, last);
    });
  };
  for (const detail::Share::Cells& cells : {share.inner, share.border}) each_boundary(cells, work);
}

Primitive Residual::cell_state(mesh::LocalCellId cell, Vec3 x) const {
  Primitive state;
  const Vec3 r = x - mesh_.cell_centroid[cell];
  mesh::with_dim(mesh_.dim, [&](auto dim) { state = detail::reconstruct<dim()>(view(), cell.value(), r); });
  return state;
}

std::vector<CellGradient> Residual::gradients() const {
  std::vector<CellGradient> all(mesh_.owned_cells);
  mesh::with_dim(mesh_.dim, [&](auto dim) {
    for (std::int32_t c = 0; c < mesh_.owned_cells; ++c) {
      all[c] = detail::stored_gradient<dim()>(view(), c);
    }
  });
  return all;
}

Primitive Residual::face_state(mesh::LocalFaceId face) const {
  return cell_state(mesh_.face_left[face], mesh_.face_centroid[face]);
}

Conserved Residual::boundary_flux(mesh::BoundaryZoneId zone, mesh::LocalFaceId face) const {
  const Vec3 n = discretization_.face_normal[face];
  const BoundaryParams& params = boundary_params_[zone];
  const Primitive inside = face_state(face);
  if (prescribed_[zone].empty()) {
    const Primitive outside = outside_state(scheme_.gas(), params, mesh_.face_centroid[face]);
    return flow::boundary_flux(scheme_.gas(), params, outside, inside, n);
  }
  const std::size_t k = face.value() - mesh_.boundary[zone].faces.first().value();
  return std::visit([&](const auto& flux) { return flux(scheme_.gas(), inside, prescribed_[zone][k], n); }, flux_);
}

}  // namespace weft::flow
