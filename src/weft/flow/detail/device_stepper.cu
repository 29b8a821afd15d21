#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "weft/array/array_transformer.hpp"
#include "weft/base/error.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/storage.hpp"
#include "weft/flow/detail/device_stepper.hpp"
#include "weft/flow/detail/runge_kutta.hpp"
#include "weft/flow/detail/step_loops.cuh"
#include "weft/flow/detail/tile_launch.hpp"
#include "weft/flow/detail/tiles.hpp"

namespace weft::flow::detail {
namespace {

/// An array in the memory of the GPU.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : storage_(DeviceStorage::make(Backend::cuda, size * sizeof(T))), size_(size) {}
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) { put(values); }

  [[nodiscard]] T* data() const { return storage_ ? reinterpret_cast<T*>(storage_->data()) : nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void put(std::span<const T> values) { storage_->copy_from_host(0, std::as_bytes(values), After()).wait(); }
  void get(std::size_t first, std::span<T> values, const After& before) const {
    storage_->copy_to_host(first * sizeof(T), std::as_writable_bytes(values), before).wait();
  }

 private:
  std::unique_ptr<DeviceStorage> storage_;
  std::size_t size_ = 0;
};

template <class T>
DeviceArray<T> copy_of(const std::vector<T>& values) {
  return DeviceArray<T>(std::span<const T>(values));
}

TileRange range_of(std::int32_t first, std::int32_t last, const TileSize& most) {
  return {first, last, most.cells, most.rows, most.flux_rows, most.faces, most.entries};
}

/// The largest tiles of which three fit on a multiprocessor at a time: large ones have fewer faces in two tiles, and many at a
/// time hide the time that memory takes. Where that takes more of them, up to a fifth of the tiles are cut a little smaller than
/// the others. Where a single cell has a great stencil (neighbours by node), as many cells as fit at all.
Tiles make_tiles(const mesh::Mesh& mesh, const Discretization& d) {
  int device = 0, per_multiprocessor = 0, per_block = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&per_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device), "shared memory");
  check_cuda(cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
  constexpr int kReserved = 1024, kMost = std::numeric_limits<int>::max();
  const auto need = [&](const TileSize& most) {
    const TileRange range = range_of(0, 1, most);
    return static_cast<int>(mesh.dim == 2 ? std::max(gradient_memory<2>(range), flux_memory<2>(range))
                                          : std::max(gradient_memory<3>(range), flux_memory<3>(range)));
  };
  for (const int cells : {128, 112, 96, 80, 64, 48, 32, 16, 8}) {
    const TileCut whole(mesh, d, {.cells = cells, .rows = kMost, .flux_rows = kMost, .faces = kMost, .entries = kMost});
    for (const double part : {1.0, 0.98, 0.95, 0.9, 0.8}) {
      const TileSize limit = whole.quantile(part);
      const bool good = need(limit) + kReserved <= per_multiprocessor / 3 || cells <= 32;
      if (!good || need(limit) > per_block) continue;
      Tiles tiles(mesh, d, part == 1.0 ? whole : TileCut(mesh, d, limit));
      if (need(tiles.of_inner) <= per_block && need(tiles.of_border) <= per_block) return tiles;
    }
  }
  throw DeviceError("cells of this mesh have so many neighbours that not even eight fit into a block's shared memory",
                    "use stencil = \"face\"");
}

/// @throws DeviceError where the case needs more than the GPU has, saying how many GPUs would do.
void expect_room(std::size_t needed, std::int32_t cells) {
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (needed <= free) return;
  const auto up = [](std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit; };
  const auto gigabytes = [&](std::size_t bytes) { return std::to_string(up(bytes, 1'000'000'000)) + " GB"; };
  throw DeviceError("the case needs " + gigabytes(needed) + " on this GPU (" +
                        std::to_string(needed / static_cast<std::size_t>(std::max(cells, 1))) + " bytes for each of " +
                        std::to_string(cells) + " cells), and " + gigabytes(free) + " are free",
                    free == 0 ? "end what else runs on this GPU"
                              : "use a coarser mesh, or spread it over at least " + std::to_string(up(needed, free)) + " GPUs");
}

}  // namespace

struct DeviceStepper::Impl {
  Impl(const Residual& scheme, const SourceTerm& source_term);

  template <class F>
  void with_dim(const F& f) const {
    if (residual.mesh().dim == 2) {
      f(std::integral_constant<int, 2>{});
    } else {
      f(std::integral_constant<int, 3>{});
    }
  }
  void make_boundary();
  void prescribe(double time);
  void evaluate_source(double time);
  /// Starts an exchange of what the stream has computed so far.
  Exchange* start_pull(std::optional<Exchange>& pull);
  void finish_pull(Exchange* pull);
  /// Boundary rows, ghosts and gradients of the present values. Returns the exchange that is in flight: kernels that read ghosts
  /// must wait for it.
  [[nodiscard]] Exchange* ghosts_and_gradients(double time);
  void look();
  [[nodiscard]] FluxArgs flux_args() const;
  void begin_step();
  void stage(int number, double time);
  void all_stages(const Step& step);
  void report();
  [[nodiscard]] bool can_be_graph() const;

  const Residual& residual;
  const SourceTerm& source;
  Stream stream;
  std::int32_t tile_count = 0;
  LimiterChoice limiter;
  FluxChoice flux;

  // Of the tiles and the mesh.
  DeviceArray<std::int32_t> cell_offset, halo_offset, halo_row, face_halo, face_offset, face_end, face_boundary, cell_face_offset,
      stencil_offset;
  DeviceArray<std::uint32_t> sides, cell_sides;
  DeviceArray<std::uint16_t> stencil_row;
  DeviceArray<double> normal_x, normal_y, normal_z, area, centroid_x, centroid_y, centroid_z, inverse_volume, matrices;
  DeviceArray<Vec3> row_centroid, projected_area;
  TileArrays tiles{};
  TileRange inner{}, border{};

  // Of the boundary.
  DeviceArray<ZoneArgs> zones;
  DeviceArray<std::int32_t> zone, boundary_left;
  DeviceArray<Vec3> boundary_normal, boundary_centroid;
  DeviceArray<Primitive> prescribed;
  DeviceArray<Conserved> boundary_fluxes;
  PinnedBuffer<Primitive> prescribed_on_host;
  bool prescribes = false;
  BoundaryArgs boundary{};

  // The state. Buffer `start` holds it at the start of the step, `now` after the last stage.
  DeviceArray<double> conserved[2], values[2], gradients, local_dt, rate_partial;
  int start = 0, now = 0, shown = 0;
  DeviceArray<StepSize> size;
  DeviceArray<StepStatus> status;
  DeviceArray<std::int32_t> bad, lowered;
  PinnedBuffer<StepSize> size_on_host{1};
  PinnedBuffer<StepStatus> status_on_host{1};
  bool order_lowered = false;
  std::vector<Conserved> fluxes_on_host;

  DeviceArray<double> source_rates;     ///< owned x kVars, of the whole cell; empty without a source
  PinnedBuffer<double> source_on_host;  ///< the values of the owned cells, then their source_rates

  std::optional<Exchange> pull_values[2], pull_gradients;  ///< none where no rank has ghosts

  /// A step as a graph, by the buffers that it begins with, and the buffers that it ends with.
  struct StepGraph {
    Graph graph;
    int now, shown;
  };
  std::map<std::pair<int, int>, StepGraph> graphs;
  std::int64_t steps_done = 0;
};

DeviceStepper::Impl::Impl(const Residual& scheme, const SourceTerm& source_term)
    : residual(scheme),
      source(source_term),
      limiter(visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                            [](auto chosen) { return LimiterChoice(chosen); })),
      flux(visit_flux(scheme.numerics().flux, [](auto chosen) { return FluxChoice(chosen); })) {
  const mesh::Mesh& m = scheme.mesh();
  const Discretization& d = scheme.discretization();
  const Tiles on_host = make_tiles(m, d);
  tile_count = on_host.size();
  const auto owned = static_cast<std::size_t>(m.owned_cells), cells = static_cast<std::size_t>(m.cells());
  const auto rows = static_cast<std::size_t>(d.rows);
  const std::size_t per_face = 7 * sizeof(double) + sizeof(std::uint32_t), per_side = 2 * sizeof(std::uint32_t);
  const std::size_t per_owned = ((source ? 3 : 2) * kVars + 8 + 3) * sizeof(double), per_row = (2 * kVars + 3) * sizeof(double);
  expect_room(owned * per_owned + rows * per_row + cells * (static_cast<std::size_t>(kVars * m.dim) + 1) * sizeof(double) +
                  d.least_squares.size() * sizeof(double) + on_host.sides.size() * per_face + d.cell_face.size() * per_side +
                  (on_host.halo_row.size() + on_host.stencil_row.size()) * sizeof(std::int32_t),
              m.owned_cells);
  cell_offset = copy_of(on_host.cell_offset);
  halo_offset = copy_of(on_host.halo_offset);
  halo_row = copy_of(on_host.halo_row);
  face_halo = copy_of(on_host.face_halo);
  face_offset = copy_of(on_host.face_offset);
  face_end = copy_of(on_host.face_end);
  face_boundary = copy_of(on_host.face_boundary);
  cell_face_offset = copy_of(d.cell_face_offset);
  sides = copy_of(on_host.sides);
  cell_sides = copy_of(on_host.cell_sides);
  const bool by_node = !on_host.stencil_row.empty();
  if (by_node) {
    stencil_row = copy_of(on_host.stencil_row);
    stencil_offset = copy_of(d.stencil_offset);
  }
  normal_x = copy_of(on_host.normal_x);
  normal_y = copy_of(on_host.normal_y);
  normal_z = copy_of(on_host.normal_z);
  area = copy_of(on_host.area);
  centroid_x = copy_of(on_host.centroid_x);
  centroid_y = copy_of(on_host.centroid_y);
  centroid_z = copy_of(on_host.centroid_z);
  inverse_volume = copy_of(d.inverse_volume);
  matrices = copy_of(d.least_squares);
  row_centroid = copy_of(d.centroid);
  projected_area = copy_of(d.projected_area);
  tiles = {.cell_offset = cell_offset.data(),
           .halo_offset = halo_offset.data(),
           .halo_row = halo_row.data(),
           .face_halo = face_halo.data(),
           .face_offset = face_offset.data(),
           .face_end = face_end.data(),
           .face_boundary = face_boundary.data(),
           .sides = sides.data(),
           .cell_sides = cell_sides.data(),
           .normal_x = normal_x.data(),
           .normal_y = normal_y.data(),
           .normal_z = normal_z.data(),
           .area = area.data(),
           .centroid_x = centroid_x.data(),
           .centroid_y = centroid_y.data(),
           .centroid_z = centroid_z.data(),
           .cell_face_offset = cell_face_offset.data(),
           .stencil_offset = stencil_offset.data(),
           .stencil_row = stencil_row.data(),
           .row_centroid = row_centroid.data(),
           .projected_area = projected_area.data(),
           .inverse_volume = inverse_volume.data(),
           .matrices = matrices.data(),
           .cells = m.cells()};
  inner = range_of(0, on_host.inner, on_host.of_inner);
  border = range_of(on_host.inner, on_host.size(), on_host.of_border);
  make_boundary();
  for (DeviceArray<double>& buffer : conserved) buffer = DeviceArray<double>(owned * kVars);
  for (DeviceArray<double>& buffer : values) buffer = DeviceArray<double>(rows * kVars);
  gradients = DeviceArray<double>(cells * kVars * static_cast<std::size_t>(m.dim));
  set_bytes(stream, gradients.data(), 0, gradients.size() * sizeof(double));  // what they stay in first order
  if (scheme.numerics().local_time_step) local_dt = DeviceArray<double>(owned);
  rate_partial = DeviceArray<double>(static_cast<std::size_t>(on_host.size()) * kVars);
  size = DeviceArray<StepSize>(1);
  status = DeviceArray<StepStatus>(1);
  *size_on_host.data() = {};
  bad = DeviceArray<std::int32_t>(owned);
  set_bytes(stream, bad.data(), 0, bad.size() * sizeof(std::int32_t));
  lowered = DeviceArray<std::int32_t>(cells);
  if (source) {
    source_rates = DeviceArray<double>(owned * kVars);
    source_on_host = PinnedBuffer<double>(owned * kVars);
  }
}

void DeviceStepper::Impl::make_boundary() {
  const mesh::Mesh& m = residual.mesh();
  const std::int32_t first = residual.discretization().first_boundary_face;
  const auto faces = static_cast<std::size_t>(m.faces() - first);
  std::vector<ZoneArgs> zone_args;
  std::vector<std::int32_t> zone_of(faces), left_of(faces);
  std::vector<Vec3> normals(faces), centroids(faces);
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const BoundaryCondition& condition = residual.boundary()[z];
    zone_args.push_back({condition.params, static_cast<bool>(condition.prescribed)});
    prescribes = prescribes || condition.prescribed;
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const auto i = static_cast<std::size_t>(face.value() - first);
      zone_of[i] = static_cast<std::int32_t>(z);
      left_of[i] = m.face_left[face.index()].value();
      normals[i] = m.face_normal[face.index()];
      centroids[i] = m.face_centroid[face.index()];
    }
  }
  zones = copy_of(zone_args);
  zone = copy_of(zone_of);
  boundary_left = copy_of(left_of);
  boundary_normal = copy_of(normals);
  boundary_centroid = copy_of(centroids);
  if (prescribes) {
    prescribed = DeviceArray<Primitive>(faces);
    prescribed_on_host = PinnedBuffer<Primitive>(faces);
  }
  boundary_fluxes = DeviceArray<Conserved>(faces);
  fluxes_on_host.resize(faces);
  boundary = {.zones = zones.data(),
              .zone = zone.data(),
              .left = boundary_left.data(),
              .normal = boundary_normal.data(),
              .centroid = boundary_centroid.data(),
              .prescribed = prescribed.data(),
              .faces = static_cast<std::int32_t>(faces)};
}

/// Outside states of the faces that have a given one, evaluated on the host.
void DeviceStepper::Impl::prescribe(double time) {
  if (!prescribes) return;
  const mesh::Mesh& m = residual.mesh();
  stream.wait();  // the buffer may still be read
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const BoundaryCondition& condition = residual.boundary()[z];
    if (!condition.prescribed) continue;
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      prescribed_on_host.data()[face.value() - residual.discretization().first_boundary_face] =
          condition.prescribed(m.face_centroid[face.index()], time);
    }
  }
  copy_bytes(stream, prescribed.data(), prescribed_on_host.data(), prescribed.size() * sizeof(Primitive));
}

/// Sources of the owned cells at their present values, evaluated on the host as Solver::add_sources does.
void DeviceStepper::Impl::evaluate_source(double time) {
  if (!source) return;
  const mesh::Mesh& m = residual.mesh();
  copy_bytes(stream, source_on_host.data(), values[shown].data(), source_rates.size() * sizeof(double));
  stream.wait();
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.owned_cells); ++i) {
    double* const row = source_on_host.data() + i * kVars;
    const Conserved rate = m.cell_volume[i] * source(m.cell_centroid[i], time, load(row));
    for (int k = 0; k < kVars; ++k) row[k] = rate[k];
  }
  copy_bytes(stream, source_rates.data(), source_on_host.data(), source_rates.size() * sizeof(double));
}

Exchange* DeviceStepper::Impl::start_pull(std::optional<Exchange>& pull) {
  if (!pull) return nullptr;
  pull->start(after(stream));
  return &*pull;
}

void DeviceStepper::Impl::finish_pull(Exchange* pull) {
  if (pull != nullptr) pull->finish(stream);
}

Exchange* DeviceStepper::Impl::ghosts_and_gradients(double time) {
  prescribe(time);
  double* const rows = values[shown].data();
  parallel_for(space::cuda{}, stream, boundary.faces, BoundaryRows{boundary, rows, residual.gas(), residual.mesh().cells()});
  Exchange* const ghost_values = start_pull(pull_values[shown]);
  if (residual.numerics().gradient == GradientKind::none) return ghost_values;
  const GradientArgs args{.tiles = tiles,
                          .values = rows,
                          .gradients = gradients.data(),
                          .lowered = order_lowered ? lowered.data() : nullptr,
                          .gas = residual.gas(),
                          .scale = residual.scale(),
                          .reference_length = residual.numerics().reference_length};
  const auto gradients_of = [&](const TileRange& range) {
    with_dim([&](auto dim) { launch_gradients<dim()>(stream, range, residual.numerics().gradient, limiter, args); });
  };
  gradients_of(inner);
  finish_pull(ghost_values);
  gradients_of(border);
  return start_pull(pull_gradients);
}

/// Values and stable step of the present conserved state.
void DeviceStepper::Impl::look() {
  graphs.clear();  // what they were captured with may have changed
  begin_step();
  set_bytes(stream, bad.data(), 0, bad.size() * sizeof(std::int32_t));
  parallel_for(space::cuda{}, stream, residual.mesh().owned_cells,
               Survey{conserved[now].data(), values[shown].data(), local_dt.data(), inverse_volume.data(), projected_area.data(),
                      status.data(), bad.data(), residual.gas()});
  report();
}

void DeviceStepper::Impl::begin_step() {
  parallel_for(space::cuda{}, stream, 1, BeginStep{size_on_host.data(), size.data(), status.data()});
}

void DeviceStepper::Impl::report() { copy_bytes(stream, status_on_host.data(), status.data(), sizeof(StepStatus)); }

void DeviceStepper::Impl::stage(int number, double time) {
  const int stages = residual.numerics().rk_stages;
  const RungeKuttaStage coefficients = runge_kutta_stage(stages, number);
  evaluate_source(time);
  Exchange* const ghosts = ghosts_and_gradients(time);
  const int out = 1 - start;
  FluxArgs args = flux_args();
  args.start = conserved[start].data();
  args.conserved = conserved[now].data();
  args.source = source_rates.data();
  args.new_conserved = conserved[out].data();
  args.new_values = values[1 - shown].data();
  args.size = size.data();
  args.keep = coefficients.keep;
  args.stage = number;
  args.last = number + 1 == stages;
  args.local_dt = local_dt.data();
  args.rate_squared = number == 0 ? rate_partial.data() : nullptr;
  args.status = status.data();
  args.bad = bad.data();
  const auto fluxes_of = [&](const TileRange& range) {
    with_dim([&](auto dim) { launch_fluxes<dim()>(stream, range, flux, args); });
  };
  fluxes_of(inner);
  finish_pull(ghosts);
  fluxes_of(border);
  now = out;
  shown = 1 - shown;
}

void DeviceStepper::Impl::all_stages(const Step& step) {
  begin_step();
  for (int number = 0; number < residual.numerics().rk_stages; ++number) {
    stage(number, step.time + runge_kutta_stage(residual.numerics().rk_stages, number).time * step.dt);
  }
  report();
}

/// Whether a step asks nothing of the host but to launch kernels.
bool DeviceStepper::Impl::can_be_graph() const {
  const bool messages_can =
      !pull_gradients || pull_gradients->transport() == Transport::peer || pull_gradients->transport() == Transport::nccl;
  return !prescribes && !source && messages_can;
}

FluxArgs DeviceStepper::Impl::flux_args() const {
  FluxArgs args{};
  args.tiles = tiles;
  args.boundary = boundary;
  args.values = values[shown].data();
  args.gradients = gradients.data();
  args.gas = residual.gas();
  return args;
}

DeviceStepper::DeviceStepper(const Residual& residual, const SourceTerm& source)
    : impl_(std::make_unique<Impl>(residual, source)) {}
DeviceStepper::~DeviceStepper() = default;

void DeviceStepper::connect(Transport transport) {
  Impl& s = *impl_;
  const mesh::Mesh& m = s.residual.mesh();
  if (m.comm.max(m.plan.ghost_rows()) == 0) return;
  const auto pull_of = [&](const DeviceArray<double>& rows, int width) {
    const std::size_t size = static_cast<std::size_t>(m.cells()) * static_cast<std::size_t>(width);
    return ArrayTransformer(m.plan, {PairRef::rows(Backend::cuda, std::span(rows.data(), size), width)}, transport).pull();
  };
  for (int i : {0, 1}) s.pull_values[i] = pull_of(s.values[i], kVars);
  s.pull_gradients = pull_of(s.gradients, kVars * m.dim);
}

std::string DeviceStepper::transport() const {
  return impl_->pull_gradients ? to_string(impl_->pull_gradients->transport()) : "";
}

void DeviceStepper::upload(std::span<const double> conserved) {
  impl_->stream.wait();
  impl_->conserved[impl_->start].put(conserved);
  impl_->now = impl_->start;
  impl_->look();
}

void DeviceStepper::download(std::span<double> conserved) {
  impl_->conserved[impl_->now].get(0, conserved, after(impl_->stream));
}

DeviceSurvey DeviceStepper::survey() {
  impl_->stream.wait();
  const StepStatus& status = *impl_->status_on_host.data();
  return {std::bit_cast<double>(status.stable_dt), status.bad == 0};
}

std::vector<DeviceStepper::BadCell> DeviceStepper::bad_cells() {
  std::vector<std::int32_t> flags(impl_->bad.size());
  std::vector<BadCell> cells;
  impl_->bad.get(0, flags, after(impl_->stream));
  for (std::size_t c = 0; c < flags.size(); ++c) {
    if (flags[c] != 0) cells.push_back({static_cast<std::int32_t>(c), flags[c] - 1});
  }
  return cells;
}

void DeviceStepper::step(const Step& step) {
  Impl& s = *impl_;
  *s.size_on_host.data() = {step.dt, step.local_cfl};
  // The first steps make messages set up what they need.
  if (!s.can_be_graph() || s.steps_done++ < 2) return s.all_stages(step);
  const std::pair<int, int> from{s.start, s.shown};
  auto known = s.graphs.find(from);
  if (known == s.graphs.end()) {
    Graph graph = Graph::capture(s.stream, [&](Stream&) { s.all_stages(step); });
    known = s.graphs.emplace(from, Impl::StepGraph{std::move(graph), s.now, s.shown}).first;
  }
  known->second.graph.launch(s.stream);
  s.now = known->second.now;
  s.shown = known->second.shown;
}

void DeviceStepper::accept() { impl_->start = impl_->now; }

void DeviceStepper::undo() {
  impl_->now = impl_->start;
  impl_->look();
}

void DeviceStepper::set_lowered(std::span<const std::int32_t> flags) {
  impl_->order_lowered = !flags.empty();
  impl_->graphs.clear();
  if (!impl_->order_lowered) return;
  impl_->stream.wait();
  impl_->lowered.put(flags);
}

std::array<double, kVars> DeviceStepper::rate_squared() {
  const Sums sums = reduce(space::cuda{}, impl_->stream, impl_->tile_count, Sums{}, SumOfTile{impl_->rate_partial.data()}, Add{});
  std::array<double, kVars> result;
  std::copy(std::begin(sums.sum), std::end(sums.sum), result.begin());
  return result;
}

void DeviceStepper::refresh(double time) {
  Impl& s = *impl_;
  s.finish_pull(s.ghosts_and_gradients(time));
  s.with_dim([&](auto dim) { launch_boundary_fluxes<dim()>(s.stream, s.flux, s.flux_args(), s.boundary_fluxes.data()); });
  s.boundary_fluxes.get(0, s.fluxes_on_host, after(s.stream));
}

Conserved DeviceStepper::boundary_flux(std::int32_t face) const {
  return impl_->fluxes_on_host[static_cast<std::size_t>(face - impl_->residual.discretization().first_boundary_face)];
}

Primitive DeviceStepper::cell_state(std::int32_t cell, Vec3 x) const {
  const Impl& s = *impl_;
  const int dim = s.residual.mesh().dim;
  const auto c = static_cast<std::size_t>(cell);
  std::array<double, kVars> mean;
  std::array<double, kVars * 3> slopes{};
  Stream& stream = impl_->stream;
  s.values[s.shown].get(c * kVars, mean, after(stream));
  s.gradients.get(c * static_cast<std::size_t>(kVars * dim), std::span(slopes).first(static_cast<std::size_t>(kVars * dim)),
                  after(stream));
  const Vec3 r = x - s.residual.discretization().centroid[c];
  Primitive increment;
  for (int k = 0; k < kVars; ++k) {
    double slope[3] = {};
    for (int d = 0; d < dim; ++d) slope[d] = slopes[static_cast<std::size_t>(gradient_index(k, d))];
    increment[k] = dim == 2 ? along<2>(slope, r) : along<3>(slope, r);
  }
  return flow::reconstruct(load(mean.data()), increment);
}

}  // namespace weft::flow::detail
