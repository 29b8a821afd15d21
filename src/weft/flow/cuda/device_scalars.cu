#include <array>
#include <type_traits>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_scalars.hpp"
#include "weft/flow/scheme/integrals.hpp"
#include "weft/flow/scheme/scalar_kernels.hpp"
#include "weft/mesh/mesh_params.hpp"
#include "weft/mesh/with_dim.hpp"

namespace weft::flow::detail {

/// The View on a GPU: mass flows by entry of a cell's faces; gradient weights are computed instead of stored.
struct DeviceScalarView : ScalarView {
  const double* outflows;
  const double* matrices;
  bool green_gauss, stabilized;

  explicit DeviceScalarView(const ResidualView& flow) : ScalarView(flow) {}

  [[nodiscard]] WEFT_HD double outflow(std::int32_t /*c*/, std::int32_t s) const { return outflows[s]; }
  template <int Dim>
  [[nodiscard]] WEFT_HD Vec3 to_face(std::int32_t c, std::int32_t s) const {
    return face_centroids[cell_faces[s].value()] - centroids[c];
  }
  template <int Dim>
  [[nodiscard]] WEFT_HD Vec3 gradient_weight(std::int32_t c, std::int32_t s) const {
    if (!green_gauss) return unscaled_gradient_weight<Dim>(centroids[stencil_rows[s]] - centroids[c], stabilized);
    const std::int32_t f = cell_faces[s].value();
    const double area = (left_row[f] == c ? face_areas[f] : -face_areas[f]) * inverse_volumes[c];
    return face_interpolation_weight(to_face<Dim>(c, s), face_centroids[f] - centroids[cell_face_rows[s]]) *
           (area * face_normals[f]);
  }
  template <int Dim>
  WEFT_HD void complete(std::int32_t c, double (&sum)[Dim]) const {
    if (!green_gauss) multiply(matrices + static_cast<std::int64_t>(c) * (Dim * (Dim + 1) / 2), sum);
  }
};

template <class State>
struct ScalarValues {
  const double* amounts;
  const State* conserved;
  double* values;
  const double* local_dt;
  double* kept_local_dt;
  int count;
  WEFT_HD void operator()(std::int32_t c) const {
    const auto density = static_cast<double>(conserved[static_cast<std::int64_t>(c) * kVars]);
    for (int k = 0; k < count; ++k) {
      const std::int64_t i = static_cast<std::int64_t>(c) * count + k;
      values[i] = amounts[i] / density;
    }
    if (local_dt != nullptr) kept_local_dt[c] = local_dt[c];
  }
};

/// Sets the boundary rows of the cells first <= c < last.
struct ScalarBoundaryRows {
  const std::int32_t *entry, *left, *brings;
  const double *outflows, *inflow;
  double* values;
  ExtrapolationView extrapolations;
  std::int32_t cells, first, last;
  int count;
  WEFT_HD void operator()(std::int32_t face) const {
    if (left[face] < first || left[face] >= last) return;
    for (int k = 0; k < count; ++k) {
      const double inside = values[static_cast<std::int64_t>(left[face]) * count + k];
      values[static_cast<std::int64_t>(cells + face) * count + k] =
          boundary_ghost_scalar(extrapolations, face, brings[face] != 0, outflows[entry[face]], inside,
                                inflow[static_cast<std::int64_t>(face) * count + k], values + k, count);
    }
  }
};

/// Computes the mass flow through the boundary where no stage has computed it.
struct BoundaryOutflows {
  const Conserved* fluxes;
  const double* areas;
  const std::int32_t* entry;
  const double* stationary;  ///< null: none
  double* outflows;
  WEFT_HD void operator()(std::int32_t face) const {
    const std::int32_t s = entry[face];
    outflows[s] = areas[face] * fluxes[face].density - (stationary == nullptr ? 0 : stationary[s]);
  }
};

/// Subtracts the mass flows of the stationary state.
struct SubtractStationary {
  const double* stationary;
  double* outflows;
  WEFT_HD void operator()(std::int32_t s) const { outflows[s] -= stationary[s]; }
};

template <int Dim, class Limiter>
struct ScalarSlopes {
  DeviceScalarView view;
  Limiter limiter;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    DeviceScalarView v = view;
    scalar_slopes_of_cell<Dim>(v, first + i, limiter);
  }
};

template <int Dim>
struct UpdateScalars {
  DeviceScalarView view;
  ScalarUpdate update;
  const StepClock* clock;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    if (clock->halted) return;
    ScalarUpdate u = update;
    u.dt = clock->dt;
    u.local_cfl = clock->local_cfl;
    if (!(u.local_cfl > 0)) u.local_dt = nullptr;
    update_scalars_of_cell<Dim>(view, first + i, u);
  }
};

template <class Visit>
void DeviceScalars::each_array(const TeamVector<double>& matrices, Visit&& visit) {
  if (count() == 0) return;
  const mesh::Mesh& m = scheme_.mesh();
  const Discretization& d = scheme_.discretization();
  const GradientRow& gradient = row_of(scheme_.numerics().gradient);
  const std::size_t owned = m.owned_cells;
  const std::size_t boundary_faces = m.faces() - d.first_boundary_face;
  const std::size_t n = count();
  visit(cell_face_offset_, d.cell_face_offset);
  visit(cell_faces_, d.cell_face);
  visit(cell_face_rows_, d.cell_face_row);
  if (d.stencils_by_node) {
    visit(stencil_offset_, d.stencil_offset);
    visit(stencil_rows_, d.stencil_row);
  }
  visit(centroids_, d.centroid);
  visit(face_centroids_, m.face_centroid);
  visit(inverse_volumes_, d.inverse_volume);
  if (gradient.over_faces) {
    visit(left_row_, d.face_left);
    visit(face_normals_, d.curved.normal.empty() ? m.face_normal : d.curved.normal);
    visit(face_areas_, d.curved.area.empty() ? m.face_area : d.curved.area);
  }
  if (gradient.with_matrices) visit(matrices_, matrices);
  visit(boundary_entry_, boundary_faces);
  visit(boundary_left_, boundary_faces);
  visit(boundary_brings_, boundary_faces);
  visit(boundary_areas_, boundary_faces);
  visit(extrapolation_offset_, d.boundary_extrapolation.offset);
  visit(extrapolation_row_, d.boundary_extrapolation.row);
  visit(extrapolation_weight_, d.boundary_extrapolation.weight);
  visit(inflow_, boundary_faces * n);
  visit(outflows_, d.cell_face.size());
  visit(stationary_, scheme_.numerics().well_balanced ? d.cell_face.size() : 0);
  for (DeviceVector<double>& buffer : amounts_) visit(buffer, owned * n);
  visit(values_, mesh::index_space_with_boundary(m), count());
  visit(slopes_, IndexSpace(m.plan), count() * m.dim);
  if (scheme_.numerics().local_time_step) visit(local_dt_, owned);
}

std::size_t DeviceScalars::bytes(const TeamVector<double>& matrices) {
  CountBytes sum;
  each_array(matrices, sum);
  return sum.bytes;
}

std::size_t DeviceScalars::exchange_bytes(const TeamVector<double>& matrices) {
  CountExchanges sum{.plan = scheme_.mesh().plan};
  each_array(matrices, sum);
  return sum.bytes;
}

void DeviceScalars::allocate(const TeamVector<double>& matrices) {
  if (count() == 0) return;
  each_array(matrices, Allocate());
  const mesh::Mesh& m = scheme_.mesh();
  const Discretization& d = scheme_.discretization();
  const std::size_t first = d.first_boundary_face;
  const std::size_t faces = boundary_entry_.size();
  std::vector<std::int32_t> entry(faces), left(faces), brings(faces);
  for (std::size_t s = 0; s < d.cell_face.size(); ++s) {
    if (d.cell_face_row[s] >= m.cells()) entry[d.cell_face[s].index() - first] = static_cast<std::int32_t>(s);
  }
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      left[face.index() - first] = d.face_left[face];
      brings[face.index() - first] = inflow_values_.brings(z) ? 1 : 0;
    }
  }
  boundary_entry_.put(entry);
  boundary_left_.put(left);
  boundary_brings_.put(brings);
  boundary_areas_.put(std::span(d.face_area.data() + first, faces));
  inflow_values_.prescribe(0);
  inflow_.put(inflow_values_.values());
  carried_ = PinnedBuffer<double>(amounts_[0].size());
}

void DeviceScalars::keep_stationary(Stream& stream) {
  copy_bytes(stream, stationary_.data(), outflows_.data(), stationary_.size() * sizeof(double));
}

DeviceScalarView DeviceScalars::view(const std::int32_t* fallback) {
  const bool by_node = stencil_rows_.size() > 0;
  DeviceScalarView v({.stencil_offset = by_node ? stencil_offset_.data() : cell_face_offset_.data(),
                      .stencil_rows = by_node ? stencil_rows_.data() : cell_face_rows_.data(),
                      .cell_face_offset = cell_face_offset_.data(),
                      .state_slots = nullptr,
                      .left_row = left_row_.data(),
                      .right_row = nullptr,
                      .centroids = centroids_.data(),
                      .face_centroids = face_centroids_.data(),
                      .face_normals = face_normals_.data(),
                      .face_areas = face_areas_.data(),
                      .inverse_volumes = inverse_volumes_.data(),
                      .gradient_weights = nullptr,
                      .cell_to_face = nullptr,
                      .half_ways = nullptr,
                      .values = nullptr,
                      .gradients = nullptr,
                      .sensors = nullptr,
                      .residual = nullptr,
                      .mass_fluxes = nullptr,
                      .gas = scheme_.gas(),
                      .scale = parameters_.scale,
                      .reference_length = scheme_.reference_length(),
                      .order = parameters_.order,
                      .jump_damping = 0,
                      .shock_threshold = 0,
                      .axisymmetric = scheme_.mesh().axisymmetric});
  v.cell_faces = cell_faces_.data();
  v.cell_face_rows = cell_face_rows_.data();
  v.scalars = on_device(values_);
  v.slopes = on_device(slopes_);
  v.fallback = fallback;
  v.cells = scheme_.mesh().cells();
  v.count = count();
  v.outflows = outflows_.data();
  v.matrices = matrices_.data();
  v.green_gauss = scheme_.numerics().gradient == GradientKind::green_gauss;
  v.stabilized = scheme_.discretization().stabilized;
  return v;
}

template <class State>
void DeviceScalars::set_values(Stream& stream, const Stage& stage, const State* conserved) {
  parallel_for(
      space::cuda{}, stream, scheme_.mesh().owned_cells,
      ScalarValues<State>{amounts_[stage.now].data(), conserved, on_device(values_), stage.local_dt, local_dt_.data(), count()});
}
template void DeviceScalars::set_values(Stream&, const Stage&, const double*);
template void DeviceScalars::set_values(Stream&, const Stage&, const float*);

void DeviceScalars::set_boundary_flows(Stream& stream, const Conserved* boundary_fluxes) {
  parallel_for(
      space::cuda{}, stream, static_cast<std::int32_t>(boundary_entry_.size()),
      BoundaryOutflows{boundary_fluxes, boundary_areas_.data(), boundary_entry_.data(), stationary_.data(), outflows_.data()});
}

void DeviceScalars::subtract_stationary(Stream& stream) {
  parallel_for(space::cuda{}, stream, static_cast<std::int32_t>(stationary_.size()),
               SubtractStationary{stationary_.data(), outflows_.data()});
}

void DeviceScalars::set_inflow(Stream& stream, double time) {
  inflow_values_.prescribe(time);
  stream.wait();  // the previous values may still be read
  inflow_.put(inflow_values_.values());
}

void DeviceScalars::set_boundary_rows(Stream& stream, std::int32_t first, std::int32_t last) {
  if (first == last) return;
  const ExtrapolationView extrapolations{
      .offset = extrapolation_offset_.data(), .row = extrapolation_row_.data(), .weight = extrapolation_weight_.data()};
  parallel_for(
      space::cuda{}, stream, static_cast<std::int32_t>(boundary_entry_.size()),
      ScalarBoundaryRows{boundary_entry_.data(), boundary_left_.data(), boundary_brings_.data(), outflows_.data(), inflow_.data(),
                         on_device(values_), extrapolations, scheme_.mesh().cells(), first, last, count()});
}

void DeviceScalars::slopes(Stream& stream, const std::int32_t* fallback, std::int32_t first, std::int32_t last) {
  const DeviceScalarView v = view(fallback);
  visit_scalar_limiter(scheme_.numerics().limiter, [&](const auto& limiter) {
    using Limiter = std::decay_t<decltype(limiter)>;
    mesh::with_dim(scheme_.mesh().dim, [&](auto dim) {
      parallel_for(space::cuda{}, stream, last - first, ScalarSlopes<dim(), Limiter>{v, limiter, first});
    });
  });
}

void DeviceScalars::update(Stream& stream, const Stage& stage, std::int32_t first, std::int32_t last) {
  const DeviceScalarView v = view(stage.fallback);
  const ScalarUpdate update{.start = amounts_[stage.start].data(),
                            .now = amounts_[stage.now].data(),
                            .result = amounts_[stage.result].data(),
                            .local_dt = local_dt_.data(),
                            .start_weight = stage.start_weight,
                            .dt = 0,
                            .local_cfl = 0};
  mesh::with_dim(scheme_.mesh().dim, [&](auto dim) {
    parallel_for(space::cuda{}, stream, last - first, UpdateScalars<dim()>{v, update, stage.clock, first});
  });
}

void DeviceScalars::upload(int buffer) {
  if (count() > 0) amounts_[buffer].put(carried_.span());
}

void DeviceScalars::start_fetch(Stream& stream, int buffer) const {
  if (count() > 0) fetched_ = amounts_[buffer].copy_to_host(0, carried_.span(), after(stream));
}

std::vector<double> DeviceScalars::integrals(Stream& stream, int buffer) const {
  std::vector<double> values;
  for (int k = 0; k < count(); ++k) {
    const CellContent<1, double> content{amounts_[buffer].data() + k, count(), inverse_volumes_.data()};
    values.push_back(reduce(space::cuda{}, stream, scheme_.mesh().owned_cells, Integrals<1>{}, content, Add{}).values().front());
  }
  return values;
}

double DeviceScalars::at(Stream& stream, int k, mesh::LocalCellId cell, Vec3 x) const {
  const int dim = scheme_.mesh().dim;
  double value = 0;
  std::array<double, 3> slope{};
  copy_bytes(stream, &value, &values_.view<Aos, space::cuda>()(cell, k), sizeof(value));
  copy_bytes(stream, slope.data(), &slopes_.view<Aos, space::cuda>()(cell, k * dim),
             static_cast<std::size_t>(dim) * sizeof(double));
  stream.wait();
  const Vec3 r = x - scheme_.mesh().cell_centroid[cell];
  return value + (dim == 2 ? along<2>(slope.data(), r) : along<3>(slope.data(), r));
}

}  // namespace weft::flow::detail
