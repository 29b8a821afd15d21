#include "weft/mesh/mesh_stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "weft/base/counted.hpp"
#include "weft/base/team_loops.hpp"

namespace weft::mesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Stores the largest, or with a negative sign the smallest, of the values passed to it; the first of equal ones.
struct Search {
  double sign;
  MeshStats::Extreme best{.value = 0, .place = {}};
  bool found = false;

  void show(double value, Vec3 place) {
    if (found && sign * value <= sign * best.value) return;
    best = {value, place};
    found = true;
  }
  void show(const Search& other) {
    if (other.found) show(other.best.value, other.best.place);
  }
  /// Reduces over all ranks. @collective
  [[nodiscard]] MeshStats::Extreme over_ranks(const Communicator& comm) const {
    struct Candidate {
      double value;
      Vec3 place;
      double found;
    };
    Search all{sign};
    for (const Candidate& c : comm.all_gather(Candidate{best.value, best.place, found ? 1.0 : 0.0})) {
      if (c.found != 0) all.show(c.value, c.place);
    }
    return all.best;
  }
};

/// Calls add(figures, i) for i = 0 ... n - 1, with figures of its own for each block of 1024 indices, and returns those of all
/// blocks, combined in their order: the digits of sums do not depend on the number of threads.
template <class Figures, class Add>
Figures in_blocks(Team& team, std::int64_t n, const Figures& none, const Add& add) {
  constexpr std::int64_t kBlock = 1024;
  const std::int64_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<Figures> of_blocks(blocks, none);
  const int calls = static_cast<int>(std::clamp<std::int64_t>(blocks, 1, team.size()));
  on_threads(team, calls, [&](int call) {
    for (std::int64_t b = blocks * call / calls; b < blocks * (call + 1) / calls; ++b) {
      for (std::int64_t i = b * kBlock; i < std::min(n, (b + 1) * kBlock); ++i) add(of_blocks[b], i);
    }
  });
  Figures all = none;
  for (const Figures& block : of_blocks) all.add(block);
  return all;
}

double edge_ratio(const Mesh& mesh, LocalCellId cell) {
  double shortest = kInfinity, longest = 0;
  const CellShape& s = shape(mesh.cell_type[cell]);
  const auto nodes = mesh.cell_nodes.row(cell);
  const auto at = [&](int i) { return mesh.node_coord[nodes[i]]; };
  for (int f = 0; f < s.faces; ++f) {
    const CellFace& face = s.face[f];
    for (int i = 0; i < face.size; ++i) {
      const double length = norm(at(face.node[i]) - at(face.node[(i + 1) % face.size]));
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
  }
  return shortest > 0 ? longest / shortest : kInfinity;
}

/// Sums and extreme values over cells.
struct CellFigures {
  explicit CellFigures(std::size_t zones) : zone_cells(zones, 0), zone_volume(zones, 0) { box.fill(-kInfinity); }

  Search smallest{-1}, largest{1}, aspect{1};
  double volume = 0;
  std::array<std::int64_t, kCellTypes> of_type{};
  IdVector<ZoneId, std::int64_t> zone_cells;
  IdVector<ZoneId, double> zone_volume;
  std::array<double, 6> box{};  // -low, high

  void add(const Mesh& mesh, LocalCellId c) {
    ++of_type[static_cast<std::size_t>(mesh.cell_type[c])];
    smallest.show(mesh.cell_volume[c], mesh.cell_centroid[c]);
    largest.show(mesh.cell_volume[c], mesh.cell_centroid[c]);
    aspect.show(edge_ratio(mesh, c), mesh.cell_centroid[c]);
    volume += mesh.cell_volume[c];
    if (mesh.cell_zone[c].valid()) {
      ++zone_cells[mesh.cell_zone[c]];
      zone_volume[mesh.cell_zone[c]] += mesh.cell_volume[c];
    }
    for (const LocalNodeId n : mesh.cell_nodes.row(c)) {
      for (int k = 0; k < 3; ++k) {
        box[k] = std::max(box[k], -mesh.node_coord[n][k]);
        box[k + 3] = std::max(box[k + 3], mesh.node_coord[n][k]);
      }
    }
  }
  void add(const CellFigures& other) {
    smallest.show(other.smallest);
    largest.show(other.largest);
    aspect.show(other.aspect);
    volume += other.volume;
    for (std::size_t t = 0; t < of_type.size(); ++t) of_type[t] += other.of_type[t];
    for (const ZoneId z : zone_cells.ids()) {
      zone_cells[z] += other.zone_cells[z];
      zone_volume[z] += other.zone_volume[z];
    }
    for (std::size_t k = 0; k < box.size(); ++k) box[k] = std::max(box[k], other.box[k]);
  }
};

void measure_cells(const Mesh& mesh, MeshStats& stats, Team& team) {
  CellFigures all = in_blocks(team, mesh.owned_cells, CellFigures(mesh.zones.size()), [&](CellFigures& figures, std::int64_t i) {
    figures.add(mesh, LocalCellId(static_cast<std::int32_t>(i)));
  });
  stats.cells_of_type = all.of_type;
  mesh.comm.sum(std::span<std::int64_t>(stats.cells_of_type));
  mesh.comm.sum(std::span<std::int64_t>(all.zone_cells));
  mesh.comm.sum(std::span<double>(all.zone_volume));
  mesh.comm.max(std::span<double>(all.box));
  stats.low = {0 - all.box[0], 0 - all.box[1], 0 - all.box[2]};
  stats.high = {all.box[3], all.box[4], all.box[5]};
  stats.volume = mesh.comm.sum(all.volume);
  stats.smallest_cell = all.smallest.over_ranks(mesh.comm);
  stats.largest_cell = all.largest.over_ranks(mesh.comm);
  stats.aspect_ratio = all.aspect.over_ranks(mesh.comm);
  for (const ZoneId z : mesh.zones.ids()) {
    stats.zones.push_back({mesh.zones[z].name, mesh.zones[z].dim, all.zone_cells[z], all.zone_volume[z]});
  }
}

/// Sums and extreme values over the faces between cells.
struct FaceFigures {
  Search angle{1}, skewness{1};
  double angles = 0;
  std::int64_t cut = 0;

  void add(const Mesh& mesh, LocalFaceId f) {
    const LocalCellId left = mesh.face_left[f], right = mesh.face_right[f];
    const Vec3 line = mesh.cell_centroid[right] - mesh.cell_centroid[left];
    const double through = dot(line, mesh.face_normal[f]), length = norm(line);
    const double degrees = std::acos(std::clamp(through / length, -1.0, 1.0)) * 180 / std::numbers::pi;
    const Vec3 to_face = mesh.face_centroid[f] - mesh.cell_centroid[left];
    const Vec3 passage = (dot(to_face, mesh.face_normal[f]) / through) * line;
    angle.show(degrees, mesh.face_centroid[f]);
    skewness.show(through > 0 ? norm(to_face - passage) / length : kInfinity, mesh.face_centroid[f]);
    // Partition-interface faces are counted twice.
    angles += mesh.inner_faces.contains(f) ? degrees : degrees / 2;
    if (right.value() >= mesh.owned_cells && mesh.plan.owner(LocalRow(right.value())) != mesh.comm.rank()) ++cut;
  }
  void add(const FaceFigures& other) {
    angle.show(other.angle);
    skewness.show(other.skewness);
    angles += other.angles;
    cut += other.cut;
  }
};

void measure_faces(const Mesh& mesh, MeshStats& stats, Team& team) {
  const FaceFigures all =
      in_blocks(team, mesh.interface_faces.last().value(), FaceFigures{},
                [&](FaceFigures& figures, std::int64_t i) { figures.add(mesh, LocalFaceId(static_cast<std::int32_t>(i))); });
  const std::int64_t twice = 2 * std::int64_t{mesh.inner_faces.size()} + mesh.interface_faces.size();
  stats.interior_faces = mesh.comm.sum(twice) / 2;
  stats.cut_faces = mesh.comm.sum(all.cut) / 2;
  stats.non_orthogonality = all.angle.over_ranks(mesh.comm);
  stats.skewness = all.skewness.over_ranks(mesh.comm);
  const double sum_of_angles = mesh.comm.sum(all.angles);
  stats.mean_non_orthogonality = stats.interior_faces > 0 ? sum_of_angles / static_cast<double>(stats.interior_faces) : 0;

  for (const BoundaryZone& zone : mesh.boundary) {
    double area = 0;
    for (const LocalFaceId f : zone.faces) area += mesh.face_area[f];
    const auto at = std::find_if(stats.zones.begin(), stats.zones.end(), [&](const auto& z) { return z.name == zone.name; });
    at->elements = mesh.comm.sum(static_cast<std::int64_t>(zone.faces.size()));
    at->measure = mesh.comm.sum(area);
    stats.boundary_faces += at->elements;
  }
}

std::string place(Vec3 x) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", x.x, x.y, x.z); }

}  // namespace

MeshStats measure(const Mesh& mesh, Team& team) {
  MeshStats stats;
  stats.source = mesh.source;
  stats.notes = mesh.notes;
  stats.warnings = mesh.warnings;
  stats.dim = mesh.dim;
  stats.axisymmetric = mesh.axisymmetric;
  stats.cells = mesh.global_cells;
  stats.nodes = mesh.global_nodes;
  measure_cells(mesh, stats, team);
  measure_faces(mesh, stats, team);
  stats.ranks = mesh.comm.size();
  stats.source_parts = mesh.source_parts;
  stats.fewest_cells = mesh.comm.min(std::int64_t{mesh.owned_cells});
  stats.most_cells = mesh.comm.max(std::int64_t{mesh.owned_cells});
  stats.ghost_cells = mesh.comm.sum(std::int64_t{mesh.ghost_cells});
  const auto neighbours = mesh.plan.neighbours();
  stats.most_neighbours = mesh.comm.max(static_cast<int>(
      std::count_if(neighbours.begin(), neighbours.end(), [&](const auto& n) { return n.rank != mesh.comm.rank(); })));
  return stats;
}

std::string describe(const MeshStats& stats) {
  std::string text =
      fmt::format("{}: {}-D, {}, {}\n", stats.source, stats.dim, counted(stats.cells, "cell"), counted(stats.nodes, "node"));
  for (const std::string& warning : stats.warnings) text += fmt::format("  warning   {}\n", warning);
  for (const std::string& note : stats.notes) text += fmt::format("  note      {}\n", note);
  std::string types;
  for (std::size_t t = 0; t < stats.cells_of_type.size(); ++t) {
    if (stats.cells_of_type[t] == 0) continue;
    types += (types.empty() ? "" : ", ") + counted(stats.cells_of_type[t], kCellShapes[t].name);
  }
  text += fmt::format("  cells     {}\n", types);
  text += fmt::format("  faces     {} interior, {} boundary\n", stats.interior_faces, stats.boundary_faces);
  text += fmt::format("  box       {} to {}\n", place(stats.low), place(stats.high));
  text += fmt::format("  {}    {:.6g}; cells {:.4g} at {} to {:.4g} at {}\n", stats.dim == 2 ? "area  " : "volume", stats.volume,
                      stats.smallest_cell.value, place(stats.smallest_cell.place), stats.largest_cell.value,
                      place(stats.largest_cell.place));
  for (const MeshStats::ZoneSize& zone : stats.zones) {
    const bool boundary = zone.dim == stats.dim - 1;
    text += fmt::format("  {}  {}: {}\n", boundary ? "boundary" : "zone    ", zone.name,
                        boundary && zone.elements == 0
                            ? std::string("periodic")
                            : fmt::format("{}, {} {:.6g}", counted(zone.elements, boundary ? "face" : "cell"),
                                          zone.dim == 1 ? "length" : (zone.dim == 2 ? "area" : "volume"), zone.measure));
  }
  text += fmt::format("  quality   non-orthogonality mean {:.1f}, max {:.1f} degrees at {}\n", stats.mean_non_orthogonality,
                      stats.non_orthogonality.value, place(stats.non_orthogonality.place));
  text += fmt::format("            skewness max {:.3g} at {}\n", stats.skewness.value, place(stats.skewness.place));
  text += fmt::format("            edge ratio max {:.4g} at {}\n", stats.aspect_ratio.value, place(stats.aspect_ratio.place));
  if (stats.ranks > 1) {
    const double mean = static_cast<double>(stats.cells) / stats.ranks;
    text += fmt::format("  ranks     {}: {} to {} cells (imbalance {:.1f} %), at most {}\n", stats.ranks, stats.fewest_cells,
                        stats.most_cells, 100 * (static_cast<double>(stats.most_cells) / mean - 1),
                        counted(stats.most_neighbours, "neighbour"));
    text += fmt::format("            {} cut, {}\n", counted(stats.cut_faces, "face"), counted(stats.ghost_cells, "ghost cell"));
  }
  if (stats.source_parts > 0) {
    text += fmt::format(
        "  parts     the file is cut into {}{}\n", counted(stats.source_parts, "part"),
        stats.source_parts == stats.ranks ? "" : fmt::format(", of which {} can make no use", counted(stats.ranks, "rank")));
  }
  return text;
}

}  // namespace weft::mesh
