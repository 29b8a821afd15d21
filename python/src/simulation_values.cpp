// Values of a simulation: fields, walls, integrals.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulation.hpp"

namespace weft::python {

bool Simulation::has(flow::FieldKind field) const {
  return field != flow::FieldKind::cp || (case_.free_stream && norm(case_.free_stream->velocity) > 0);
}

std::vector<std::string> Simulation::field_names() const {
  std::vector<std::string> all;
  for (const flow::FieldRow& row : flow::kFields.rows) {
    if (has(row.value)) all.emplace_back(row.name);
  }
  for (const flow::Scalar& scalar : solver_->scalars()) all.push_back(scalar.name);
  return all;
}

nb::object Simulation::field(const std::string& name) {
  const Use use(in_use_);
  const auto cells = static_cast<std::size_t>(solver_->mesh().owned_cells);
  for (std::size_t k = 0; k < solver_->scalars().size(); ++k) {
    if (solver_->scalars()[k].name != name) continue;
    std::vector<double> values(cells);
    for (std::size_t c = 0; c < cells; ++c) values[c] = solver_->scalar(static_cast<int>(k), mesh::LocalCellId(c));
    return array_of(std::move(values));
  }
  const auto kind = kind_named<flow::FieldKind>(name, {.key = "field"});
  if (!has(kind))
    throw InputError("cp needs a free stream that moves", "give the case a section [free_stream]", {.key = "field"});
  const int dim = solver_->mesh().dim;
  std::vector<double> values;
  {
    const Computing computing;
    std::vector<flow::CellGradient> gradients;
    if (flow::needs_gradient(kind)) {
      refresh();
      gradients = solver_->gradients();
    }
    const flow::FieldReference reference = case_.field_reference();
    values.reserve(cells * static_cast<std::size_t>(flow::components(kind, dim)));
    for (std::size_t c = 0; c < cells; ++c) {
      flow::append_field(kind, reference, dim, solver_->primitive(mesh::LocalCellId(c)),
                         gradients.empty() ? flow::CellGradient{} : gradients[c], values);
    }
  }
  const auto columns = static_cast<std::size_t>(flow::components(kind, dim));
  return array_of(std::move(values), columns == 1 ? 0 : columns);
}

nb::dict Simulation::on_zone(const std::string& name) {
  const Use use(in_use_);
  const mesh::Mesh& m = solver_->mesh();
  std::vector<std::string> names;
  for (const mesh::BoundaryZone& zone : m.boundary) names.push_back(zone.name);
  const mesh::BoundaryZoneId zone(std::find(names.begin(), names.end(), name) - names.begin());
  if (zone == mesh::BoundaryZoneId(names.size())) {
    const std::string near = closest_match(name, names);
    throw InputError(fmt::format("the mesh has no boundary zone \"{}\"", name),
                     near.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : fmt::format("did you mean \"{}\"?", near),
                     {.zone = name});
  }
  std::vector<double> pressure, cp;
  {
    const Computing computing;
    refresh();
    for (const mesh::LocalFaceId face : m.boundary[zone].faces) {
      pressure.push_back(dot(solver_->boundary_flux(zone, face).momentum, solver_->scheme().discretization().face_normal[face]));
    }
  }
  nb::dict values;
  if (has(flow::FieldKind::cp)) {
    const flow::Primitive& free = *case_.free_stream;
    const double dynamic_pressure = 0.5 * free.density * dot(free.velocity, free.velocity);
    for (const double p : pressure) cp.push_back((p - free.pressure) / dynamic_pressure);
    values["cp"] = array_of(std::move(cp));
  }
  values["pressure"] = array_of(std::move(pressure));
  return values;
}

nb::object Simulation::totals() {
  const Use use(in_use_);
  std::vector<double> values;
  {
    const Computing computing;
    const auto all = flow::totals(*solver_);
    values.assign(all.begin(), all.end());
  }
  return array_of(std::move(values));
}

}  // namespace weft::python
