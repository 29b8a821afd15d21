// The tasks of Residual. Their order of recording is that of the sums of fluxes, on which the last bit depends.
#include <algorithm>
#include <cstddef>

#include "weft/flow/host/residual.hpp"

namespace weft::flow {

using task::Part, task::reads, task::reads_writes;

template <class Work>
void Residual::share_out(const Work& work) {
  team_.run([&](int thread) noexcept { work(shares_[thread]); });
}

void Residual::add_data(task::Graph& graph, detail::StageData& d) {
  const std::int32_t inner = mesh_.inner_cells;
  d.values = graph.add_array("values", values_, inner);
  if (scheme_.numerics().second_order()) d.gradients = graph.add_array("gradients", gradients_, inner);
  if (takes_sensor(scheme_.numerics().flux)) d.sensors = graph.add_array("sensors", sensors_, inner);
  d.residual = graph.add_array("residual", residual_, inner);
  if (!scheme_.scalars().empty()) d.mass_fluxes = graph.add_array("mass fluxes", mass_fluxes_);
}

void Residual::record_prescription(task::Graph& graph, const detail::StageData& d, const detail::Stage& stage) {
  const auto& zones = scheme_.boundary();
  if (std::ranges::none_of(zones, [](const BoundaryCondition& zone) { return static_cast<bool>(zone.prescribed); })) return;
  graph.add_task("prescribed states", {reads(d.stage), reads_writes(d.values, Part::boundary)},
                 [this, &stage] { prescribe(stage.time); });
}

void Residual::record_border_gradients(task::Graph& graph, const detail::StageData& d) {
  graph.add_task("boundary states and gradients (border)",
                 detail::existing({reads(d.values, Part::owned | Part::ghost), reads_writes(d.values, Part::boundary),
                                   reads_writes(d.gradients, Part::border), reads_writes(d.sensors, Part::border)}),
                 [this] {
                   if (!has_border()) return;
                   share_out([&](const detail::Share& share) {
                     set_boundary_ghosts(share.border);
                     gradients(detail::Indices::contiguous(share.border.first, share.border.last));
                   });
                 });
  graph.set_count("boundary states and gradients (border)", count_of_gradients(GradientTask::border));
}

void Residual::record_evaluation(task::Graph& graph, const detail::StageData& d, const detail::Stage& stage) {
  record_prescription(graph, d, stage);
  graph.add_task("boundary states and shared gradients (inner)",
                 detail::existing({reads(d.values, Part::owned), reads_writes(d.values, Part::boundary),
                                   reads_writes(d.gradients, Part::inner), reads_writes(d.sensors, Part::inner)}),
                 [this] {
                   share_out([&](const detail::Share& share) {
                     set_boundary_ghosts(share.inner);  // read only by the cells at the boundary
                     gradients(detail::Indices::listed(share.shared));
                   });
                 });
  graph.set_count("boundary states and shared gradients (inner)", count_of_gradients(GradientTask::shared));
  const std::vector<task::Access> of_blocks = detail::existing(
      {reads(d.values, Part::owned | Part::boundary), reads_writes(d.gradients, Part::inner),
       reads_writes(d.sensors, Part::inner), reads_writes(d.residual, Part::inner), reads_writes(d.mass_fluxes)});
  // Messages make progress between two tasks.
  const auto record_half = [&](const char* name, std::size_t half) {
    for (std::size_t part = half * parts_; part < (half + 1) * parts_; ++part) {
      graph.add_task(name, of_blocks, [this, part] {
        share_out([&](detail::Share& share) {
          const auto first_of = [&](std::size_t p) { return (share.blocks.size() * p + 2 * parts_ - 1) / (2 * parts_); };
          blocks(share, first_of(part), first_of(part + 1));
        });
      });
    }
    graph.set_count(name, 1.0 / static_cast<double>(parts_) * count_of_blocks(half == 1));  // per part
  };
  record_half("gradients and fluxes (inner, first half)", 0);
  record_border_gradients(graph, d);
  record_half("gradients and fluxes (inner, second half)", 1);
  graph.add_task("remaining and boundary fluxes",
                 detail::existing({reads(d.values, Part::owned | Part::boundary), reads(d.gradients, Part::owned),
                                   reads(d.sensors, Part::owned), reads_writes(d.residual), reads_writes(d.mass_fluxes)}),
                 [this] {
                   share_out([&](detail::Share& share) {
                     fluxes(share, detail::Indices::listed(share.deferred));
                     boundary_fluxes(share);
                   });
                 });
  graph.set_count("remaining and boundary fluxes", count_of_remaining_fluxes());
  graph.add_task("fluxes of partition interfaces",
                 detail::existing({reads(d.values, Part::owned | Part::ghost), reads(d.gradients, Part::owned | Part::ghost),
                                   reads(d.sensors, Part::owned | Part::ghost), reads_writes(d.residual, Part::border),
                                   reads_writes(d.mass_fluxes)}),
                 [this] {
                   if (!has_border()) return;
                   share_out([&](detail::Share& share) {
                     const mesh::FaceRange faces = faces_of(share.border, mesh_.interface_faces);
                     fluxes(share, detail::Indices::contiguous(faces.first().value(), faces.last().value()));
                   });
                 });
  graph.set_count("fluxes of partition interfaces", count_of_interfaces());
  record_stationary(graph, d, 0);
}

void Residual::record_refresh(task::Graph& graph, const detail::StageData& d, const detail::Stage& stage) {
  record_prescription(graph, d, stage);
  graph.add_task("boundary states and gradients (inner)",
                 detail::existing({reads(d.values, Part::owned), reads_writes(d.values, Part::boundary),
                                   reads_writes(d.gradients, Part::inner), reads_writes(d.sensors, Part::inner)}),
                 [this] {
                   share_out([&](const detail::Share& share) {
                     set_boundary_ghosts(share.inner);
                     gradients(detail::Indices::contiguous(share.inner.first, share.inner.last));
                   });
                 });
  graph.set_count("boundary states and gradients (inner)", count_of_gradients(GradientTask::inner));
  record_border_gradients(graph, d);
  if (!d.mass_fluxes.valid()) return;
  graph.add_task("mass fluxes (boundary)",
                 detail::existing({reads(d.values, Part::owned | Part::boundary), reads(d.gradients, Part::owned),
                                   reads_writes(d.mass_fluxes)}),
                 [this] {
                   for (const mesh::BoundaryZoneId z : boundary_params_.ids()) {
                     for (const mesh::LocalFaceId face : mesh_.boundary[z].faces) {
                       mass_fluxes_.data()[face.index()] = discretization_.face_area[face] * boundary_flux(z, face).density;
                     }
                   }
                 });
  record_stationary(graph, d, discretization_.first_boundary_face);
}

void Residual::record_stationary(task::Graph& graph, const detail::StageData& d, std::int32_t first) {
  if (!d.mass_fluxes.valid() || !scheme_.numerics().well_balanced) return;
  graph.add_task("subtract stationary mass fluxes", {reads_writes(d.mass_fluxes)},
                 [this, first] { subtract_stationary(first, mesh_.faces()); });
}

}  // namespace weft::flow
