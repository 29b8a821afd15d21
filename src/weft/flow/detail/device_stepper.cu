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
#include "weft/flow/detail/choose_tiles.hpp"
#include "weft/flow/detail/device_array.hpp"
#include "weft/flow/detail/device_stepper.hpp"
#include "weft/flow/detail/runge_kutta.hpp"
#include "weft/flow/detail/step_loops.cuh"
#include "weft/flow/detail/tile_launch.hpp"

namespace weft::flow::detail {
namespace {

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

/// Whether exchanges that travel like this can be part of a graph.
bool captures(Transport transport) { return transport == Transport::peer || transport == Transport::nccl; }

}  // namespace

struct DeviceStepper::Impl {
  Impl(const Residual& scheme, const SourceTerm& source_term);
  ~Impl() {
    try {
      stream.wait();                // what is in flight uses the memory
    } catch (const DeviceError&) {  // was or will be told by who waits for it
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

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
  [[nodiscard]] bool has_source() const { return source.function || volume_source.any(); }
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
  void end_step(bool rates);
  void sum_rates();
  void stage(int number, double time);
  void all_stages(double time, double advance, bool rates);
  void launch_step(double time, double advance, bool rates);
  void report(int steps);
  /// A new order to the GPU. Only while nothing is in flight.
  void order(const StepOrder& order);
  [[nodiscard]] bool can_be_graph() const;

  const Residual& residual;
  const SourceTerm& source;
  const VolumeSource volume_source;
  Stream stream;
  std::int32_t tile_count = 0;
  LimiterChoice limiter;
  FluxChoice flux;

  // Of the tiles and the mesh.
  DeviceArray<Tile> tile;
  DeviceArray<std::int32_t> halo_row, stencil_offset;
  DeviceArray<std::uint32_t> topology;
  DeviceArray<std::uint16_t> stencil_row;
  DeviceArray<double> geometry, inverse_volume, matrices;
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
  struct Buffers {
    int start = 0, now = 0, shown = 0;
    auto operator<=>(const Buffers&) const = default;
  };
  Buffers at;
  DeviceArray<StepClock> clock;
  DeviceArray<StepStatus> status;
  DeviceArray<Sums> rate_squared;
  DeviceArray<StepEntry> entries;
  DeviceArray<double> stable_dt;  ///< of this rank, then of the others
  DeviceArray<std::int32_t> bad, lowered;
  PinnedBuffer<StepOrder> order_on_host{1};
  PinnedBuffer<StepClock> clock_on_host{1};
  PinnedBuffer<StepEntry> entries_on_host{kMostAhead};
  struct Started {
    Buffers end;
    bool rates;
  };
  std::vector<Started> ahead;  ///< steps
  bool order_lowered = false;

  PinnedBuffer<double> state;  ///< of the host
  Event kept;                  ///< the copy to it, which reads buffer kept_from
  int kept_from = -1;          ///< -1: no copy that anybody may have to wait for
  std::vector<Conserved> fluxes_on_host;

  DeviceArray<double> source_rates;     ///< owned x kVars, of the whole cell; empty without a source
  PinnedBuffer<double> source_on_host;  ///< the values of the owned cells, then their source_rates

  std::optional<Exchange> pull_values[2], pull_gradients;  ///< none where no rank has ghosts
  std::optional<Exchange> pull_stable_dt;                  ///< none on one rank, and where steps cannot follow each other alone

  /// A step as a graph, and the buffers that it ends with; by those that it begins with, and whether rates are wanted.
  struct StepGraph {
    Graph graph;
    Buffers end;
  };
  std::map<std::pair<Buffers, bool>, StepGraph> graphs;
  std::int64_t steps_done = 0;
};

DeviceStepper::Impl::Impl(const Residual& scheme, const SourceTerm& source_term)
    : residual(scheme),
      source(source_term),
      volume_source{source.acceleration, scheme.mesh().axisymmetric},
      limiter(visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                            [](auto chosen) { return LimiterChoice(chosen); })),
      flux(visit_flux(scheme.numerics().flux, scheme.numerics().cutoff_mach, [](auto chosen) { return FluxChoice(chosen); })) {
  const mesh::Mesh& m = scheme.mesh();
  const Discretization& d = scheme.discretization();
  const Tiles on_host = choose_tiles(m, d);
  tile_count = on_host.size();
  const auto owned = static_cast<std::size_t>(m.owned_cells), cells = static_cast<std::size_t>(m.cells());
  const auto rows = static_cast<std::size_t>(d.rows);
  const std::size_t per_owned = ((has_source() ? 3 : 2) * kVars + 8 + 3) * sizeof(double),
                    per_row = (2 * kVars + 3) * sizeof(double);
  expect_room(owned * per_owned + rows * per_row + cells * (static_cast<std::size_t>(kVars * m.dim) + 1) * sizeof(double) +
                  (d.least_squares.size() + on_host.geometry.size()) * sizeof(double) +
                  (on_host.topology.size() + on_host.halo_row.size() + on_host.stencil_row.size()) * sizeof(std::int32_t),
              m.owned_cells);
  tile = copy_of(on_host.tile);
  halo_row = copy_of(on_host.halo_row);
  topology = copy_of(on_host.topology);
  geometry = copy_of(on_host.geometry);
  const bool by_node = !on_host.stencil_row.empty();
  if (by_node) {
    stencil_row = copy_of(on_host.stencil_row);
    stencil_offset = copy_of(d.stencil_offset);
  }
  inverse_volume = copy_of(d.inverse_volume);
  matrices = copy_of(d.least_squares);
  row_centroid = copy_of(d.centroid);
  projected_area = copy_of(d.projected_area);
  tiles = {.tile = tile.data(),
           .halo_row = halo_row.data(),
           .topology = topology.data(),
           .geometry = geometry.data(),
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
  clock = DeviceArray<StepClock>(1);
  set_bytes(stream, clock.data(), 0, sizeof(StepClock));
  status = DeviceArray<StepStatus>(1);
  rate_squared = DeviceArray<Sums>(1);
  entries = DeviceArray<StepEntry>(kMostAhead);
  stable_dt = DeviceArray<double>(static_cast<std::size_t>(m.comm.size()));
  set_bytes(stream, stable_dt.data(), 0, stable_dt.size() * sizeof(double));
  order_on_host.data()->number = 0;
  state = PinnedBuffer<double>(owned * kVars);
  bad = DeviceArray<std::int32_t>(owned);
  set_bytes(stream, bad.data(), 0, bad.size() * sizeof(std::int32_t));
  lowered = DeviceArray<std::int32_t>(cells);
  if (has_source()) source_rates = DeviceArray<double>(owned * kVars);
  if (source.function) source_on_host = PinnedBuffer<double>(owned * kVars);
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

/// Sources of the owned cells at their present values, as Solver::add_sources: a function's on the host, others here.
void DeviceStepper::Impl::evaluate_source(double time) {
  const mesh::Mesh& m = residual.mesh();
  if (volume_source.any() && !source.function) {
    parallel_for(
        space::cuda{}, stream, m.owned_cells,
        VolumeSources{volume_source, values[at.shown].data(), row_centroid.data(), inverse_volume.data(), source_rates.data()});
  }
  if (!source.function) return;
  copy_bytes(stream, source_on_host.data(), values[at.shown].data(), source_rates.size() * sizeof(double));
  stream.wait();
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.owned_cells); ++i) {
    double* const row = source_on_host.data() + i * kVars;
    const Primitive w = load(row);
    const Conserved rate =
        m.cell_volume[i] * (volume_source(m.cell_centroid[i], w) + source.function(m.cell_centroid[i], time, w));
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
  double* const rows = values[at.shown].data();
  parallel_for(space::cuda{}, stream, boundary.faces, BoundaryRows{boundary, rows, residual.gas(), residual.mesh().cells()});
  Exchange* const ghost_values = start_pull(pull_values[at.shown]);
  if (residual.numerics().gradient == GradientKind::none) return ghost_values;
  const GradientArgs args{.tiles = tiles,
                          .values = rows,
                          .gradients = gradients.data(),
                          .lowered = order_lowered ? lowered.data() : nullptr,
                          .gas = residual.gas(),
                          .scale = residual.scale(),
                          .reference_length = residual.numerics().reference_length,
                          .order = residual.order(),
                          .axisymmetric = residual.mesh().axisymmetric};
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
  order({.dt = 1});
  begin_step();
  set_bytes(stream, bad.data(), 0, bad.size() * sizeof(std::int32_t));
  parallel_for(space::cuda{}, stream, residual.mesh().owned_cells,
               Survey{conserved[at.now].data(), values[at.shown].data(), local_dt.data(), inverse_volume.data(),
                      projected_area.data(), status.data(), bad.data(), residual.gas()});
  end_step(false);
  report(1);
}

void DeviceStepper::Impl::order(const StepOrder& order) {
  stream.wait();
  StepOrder& standing = *order_on_host.data();
  const std::uint64_t number = standing.number + 1;
  standing = order;
  standing.number = number;
}

void DeviceStepper::Impl::begin_step() {
  const int ranks = pull_stable_dt ? residual.mesh().comm.size() : 1;
  parallel_for(space::cuda{}, stream, 1, BeginStep{order_on_host.data(), stable_dt.data(), ranks, clock.data(), status.data()});
}

void DeviceStepper::Impl::end_step(bool rates) {
  if (rates) sum_rates();
  parallel_for(space::cuda{}, stream, 1,
               EndStep{clock.data(), status.data(), rates ? rate_squared.data() : nullptr, entries.data(), stable_dt.data()});
  finish_pull(start_pull(pull_stable_dt));
}

void DeviceStepper::Impl::sum_rates() {
  reduce_into(space::cuda{}, stream, tile_count, Sums{}, SumOfTile{rate_partial.data()}, Add{}, rate_squared.data());
}

void DeviceStepper::Impl::report(int steps) {
  copy_bytes(stream, clock_on_host.data(), clock.data(), sizeof(StepClock));
  copy_bytes(stream, entries_on_host.data(), entries.data(), static_cast<std::size_t>(steps) * sizeof(StepEntry));
}

void DeviceStepper::Impl::stage(int number, double time) {
  const int stages = residual.numerics().rk_stages;
  const RungeKuttaStage coefficients = runge_kutta_stage(stages, number);
  evaluate_source(time);
  Exchange* const ghosts = ghosts_and_gradients(time);
  const int out = 1 - at.start;
  FluxArgs args = flux_args();
  args.start = conserved[at.start].data();
  args.conserved = conserved[at.now].data();
  args.source = source_rates.data();
  args.new_conserved = conserved[out].data();
  args.new_values = values[1 - at.shown].data();
  args.clock = clock.data();
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
  at.now = out;
  at.shown = 1 - at.shown;
}

void DeviceStepper::Impl::all_stages(double time, double advance, bool rates) {
  begin_step();
  for (int number = 0; number < residual.numerics().rk_stages; ++number) {
    stage(number, time + runge_kutta_stage(residual.numerics().rk_stages, number).time * advance);
  }
  end_step(rates);
}

/// time and advance are only asked for by what the host takes part in.
void DeviceStepper::Impl::launch_step(double time, double advance, bool rates) {
  if (kept_from == 1 - at.start) {  // this step writes there
    stream.wait_for(after(kept));
    kept_from = -1;
  }
  // The first steps make messages set up what they need; while the order grows no step is like another.
  if (!can_be_graph() || steps_done++ < 2 || residual.order() < 1) return all_stages(time, advance, rates);
  const std::pair from{at, rates};
  auto known = graphs.find(from);
  if (known == graphs.end()) {
    Graph graph = Graph::capture(stream, [&](Stream&) { all_stages(time, advance, rates); });
    known = graphs.emplace(from, StepGraph{std::move(graph), at}).first;
  }
  known->second.graph.launch(stream);
  at = known->second.end;
}

/// Whether a step asks nothing of the host but to launch kernels.
bool DeviceStepper::Impl::can_be_graph() const {
  return !prescribes && !source.function && (!pull_gradients || captures(pull_gradients->transport()));
}

FluxArgs DeviceStepper::Impl::flux_args() const {
  FluxArgs args{};
  args.tiles = tiles;
  args.boundary = boundary;
  args.values = values[at.shown].data();
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
  if (m.comm.size() > 1 && s.can_be_graph()) {
    std::vector<GlobalRow> others;
    for (int rank = 0; rank < m.comm.size(); ++rank) others.emplace_back(rank);
    GhostPlan plan = GhostPlan::build(m.comm, 1, std::span<const GlobalRow>(others));
    const PairRef rows = PairRef::rows(Backend::cuda, std::span(s.stable_dt.data(), s.stable_dt.size()), 1);
    Exchange pull = ArrayTransformer(std::move(plan), {rows}, transport).pull();
    if (captures(pull.transport())) s.pull_stable_dt = std::move(pull);
  }
  if (m.comm.max(m.plan.ghost_rows()) == 0) return;
  const auto pull_of = [&](const DeviceArray<double>& rows, int width) {
    const std::size_t size = static_cast<std::size_t>(m.cells()) * static_cast<std::size_t>(width);
    return ArrayTransformer(m.plan, {PairRef::rows(Backend::cuda, std::span(rows.data(), size), width)}, transport).pull();
  };
  for (int i : {0, 1}) s.pull_values[i] = pull_of(s.values[i], kVars);
  s.pull_gradients = pull_of(s.gradients, kVars * m.dim);
}

bool DeviceStepper::works_ahead() const {
  return impl_->can_be_graph() && (impl_->pull_stable_dt || impl_->residual.mesh().comm.size() == 1);
}

std::string DeviceStepper::transport() const {
  return impl_->pull_gradients ? to_string(impl_->pull_gradients->transport()) : "";
}

std::span<double> DeviceStepper::state() { return impl_->state.span(); }

void DeviceStepper::upload() {
  Impl& s = *impl_;
  wait_for_state();
  s.stream.wait();
  s.conserved[s.at.start].put(s.state.span());
  s.at.now = s.at.start;
  s.look();
}

void DeviceStepper::keep_state() {
  Impl& s = *impl_;
  s.kept_from = s.at.now;
  s.kept = s.conserved[s.at.now].get_later(0, s.state.span(), after(s.stream));
}

void DeviceStepper::wait_for_state() { impl_->kept.wait(); }

namespace {

DeviceStep from(const StepEntry& entry) {
  DeviceStep step{.dt = entry.clock.advance,
                  .stable_before = entry.clock.stable_dt,
                  .stable_dt = std::bit_cast<double>(entry.status.stable_dt),
                  .physical = entry.status.bad == 0};
  std::copy(std::begin(entry.rate_squared), std::end(entry.rate_squared), step.rate_squared.begin());
  return step;
}

}  // namespace

DeviceStep DeviceStepper::survey() {
  impl_->stream.wait();
  return from(impl_->entries_on_host.data()[impl_->clock_on_host.data()->done - 1]);
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
  s.order({.dt = step.dt, .local_cfl = step.local_cfl});
  s.launch_step(step.time, step.advance, true);
  s.report(1);
}

void DeviceStepper::start(const Ahead& ahead) {
  Impl& s = *impl_;
  WEFT_EXPECTS(works_ahead() && ahead.count >= 1 && ahead.count <= kMostAhead);
  const bool local = s.residual.numerics().local_time_step;
  s.order({.time = ahead.time, .until = ahead.until, .local_cfl = local ? ahead.cfl : 0, .cfl = ahead.cfl});
  s.ahead.clear();
  for (int i = 0; i < ahead.count; ++i) {
    if (i > 0) accept();
    const bool rates = (ahead.first_step + i) % ahead.rates_interval == 0;
    s.launch_step(0, 0, rates);
    s.ahead.push_back({s.at, rates});
  }
  s.report(ahead.count);
}

std::vector<DeviceStep> DeviceStepper::finish() {
  Impl& s = *impl_;
  s.stream.wait();
  const auto done = static_cast<std::size_t>(s.clock_on_host.data()->done);
  WEFT_EXPECTS(done >= 1 && done <= s.ahead.size());  // the host starts none where there is nothing to do
  s.at = s.ahead[done - 1].end;
  if (!s.ahead[done - 1].rates) {
    s.sum_rates();
    copy_bytes(s.stream, s.entries_on_host.data()[done - 1].rate_squared, s.rate_squared.data(), sizeof(Sums));
    s.stream.wait();
  }
  std::vector<DeviceStep> steps;
  for (std::size_t i = 0; i < done; ++i) steps.push_back(from(s.entries_on_host.data()[i]));
  return steps;
}

void DeviceStepper::accept() { impl_->at.start = impl_->at.now; }

void DeviceStepper::undo() {
  impl_->at.now = impl_->at.start;
  impl_->look();
}

void DeviceStepper::set_lowered(std::span<const std::int32_t> flags) {
  impl_->order_lowered = !flags.empty();
  impl_->graphs.clear();
  if (!impl_->order_lowered) return;
  impl_->stream.wait();
  impl_->lowered.put(flags);
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
  s.values[s.at.shown].get(c * kVars, mean, after(stream));
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
