#include "weft/flow/app/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "weft/comm/agreement.hpp"
#include "weft/flow/physics/limiter.hpp"
#include "weft/io/text_file.hpp"
#include "weft/io/vtk/vtu.hpp"

namespace weft::flow {
namespace {

constexpr std::uint8_t kVtkPolygon = 7;

/// Returns the state at x, linear within an owned cell, or its mean if the linear state is unphysical.
Primitive state_at(const SampledState& s, mesh::LocalCellId cell, Vec3 x) {
  const Vec3 r = x - s.solver.mesh().cell_centroid[cell];
  Primitive increment;
  for (int k = 0; k < Primitive::kVars; ++k) increment[k] = dot(s.gradients[cell.index()].of[k], r);
  return reconstruct(s.solver.primitive(cell), increment);
}

/// Returns the names of the columns of the fields, one for each component, and of the scalars.
std::vector<std::string> columns_of(const SampledState& s) {
  std::vector<std::string> columns;
  const int dim = s.solver.mesh().dim;
  for (const FieldKind field : s.fields) {
    const std::string name(name_of(field));
    if (components(field, dim) == 1) {
      columns.push_back(name);
    } else {
      for (const char* axis : {"_x", "_y", "_z"}) columns.push_back(name + axis);
    }
  }
  for (const Scalar& scalar : s.solver.scalars()) columns.push_back(scalar.name);
  return columns;
}

void append_fields(const SampledState& s, mesh::LocalCellId cell, Vec3 x, std::vector<double>& values) {
  const Primitive state = state_at(s, cell, x);
  const CellGradient& gradient = s.gradients[cell.index()];
  for (const FieldKind field : s.fields) append_field(field, s.reference, s.solver.mesh().dim, state, gradient, values);
}

/// The polygons of some cells.
struct Polygons {
  std::vector<Vec3> points;
  std::vector<std::int64_t> sizes, cell_ids;
  std::vector<double> values;  ///< values of the columns, polygon by polygon
};

/// Returns the corners of the intersection of a cell and a plane, in order around its centre; fewer than 3 if it is empty. A face
/// in the plane belongs to the cell out of which the normal points; at the boundary, to its only cell.
std::vector<Vec3> cut(const mesh::Mesh& mesh, mesh::LocalCellId cell, Vec3 point, Vec3 normal) {
  const mesh::CellShape& shape = mesh::shape(mesh.cell_type[cell]);
  const auto nodes = mesh.cell_nodes.row(cell);
  std::array<Vec3, mesh::kMaxCellNodes> x;
  std::array<double, mesh::kMaxCellNodes> height{};
  constexpr double kInPlane = 1e-10;  // relative to the size of the cell
  const double size = std::cbrt(mesh.cell_volume[cell]);
  for (int k = 0; k < shape.nodes; ++k) {
    x[k] = mesh.node_coord[nodes[k]];
    height[k] = dot(x[k] - point, normal);
    if (std::abs(height[k]) <= kInPlane * size) height[k] = 0;
  }
  std::vector<Vec3> corners;
  for (int f = 0; f < shape.faces; ++f) {
    const mesh::CellFace& face = shape.face[f];
    const bool in_plane = std::all_of(face.node.begin(), face.node.begin() + face.size, [&](int k) { return height[k] == 0; });
    const bool above = *std::min_element(height.begin(), height.begin() + shape.nodes) >= 0;
    if (in_plane && above && !mesh.face_right[mesh.cell_faces.row(cell)[f]].valid()) {
      for (int k = face.size - 1; k >= 0; --k) corners.push_back(x[face.node[k]]);
      return corners;  // turned round: the normal points into the cell
    }
    for (int k = 0; k < face.size; ++k) {
      std::size_t a = face.node[k];
      std::size_t b = face.node[(k + 1) % face.size];
      if ((height[a] < 0) == (height[b] < 0) || a > b) continue;  // each edge is of two faces, once in either direction
      corners.push_back(x[a] + (height[a] / (height[a] - height[b])) * (x[b] - x[a]));
    }
  }
  if (corners.size() < 3) return {};
  Vec3 middle{};
  for (const Vec3& corner : corners) middle += (1.0 / static_cast<double>(corners.size())) * corner;
  const Vec3 along = corners.front() - middle, across = cross(normal, along);
  std::vector<std::pair<double, Vec3>> by_angle;
  for (const Vec3& corner : corners) {
    by_angle.emplace_back(std::atan2(dot(corner - middle, across), dot(corner - middle, along)), corner);
  }
  std::stable_sort(by_angle.begin(), by_angle.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Vec3 area{};
  for (std::size_t k = 0; k < by_angle.size(); ++k) {
    corners[k] = by_angle[k].second;
    area += 0.5 * cross(by_angle[k].second - middle, by_angle[(k + 1) % by_angle.size()].second - middle);
  }
  constexpr double kSliver = 1e-12;  // relative area where the plane meets only a node or an edge
  if (!(norm(area) > kSliver * size * size)) return {};
  return corners;
}

Vec3 unit(Vec3 v) { return v / norm(v); }

}  // namespace

Line::Line(const mesh::Mesh& mesh, LineChoice choice) : choice_(std::move(choice)) {
  if (mesh.dim == 2) choice_.from.z = choice_.to.z = 0;
  where_ = locate_on_line(mesh, choice_.from, choice_.to, choice_.points);
  if (std::none_of(where_.begin(), where_.end(), [](const Location& at) { return std::isfinite(at.outside); })) {
    throw InputError(fmt::format("no point of the line \"{}\" lies in the mesh {}", choice_.name, mesh.source),
                     "give points in m, after mesh.scale and mesh.offset", choice_.where);
  }
}

void Line::write(const SampledState& state, const std::filesystem::path& file) const {
  const Communicator& comm = state.solver.mesh().comm;
  const std::vector<std::string> columns = columns_of(state);
  std::vector<double> mine;
  for (std::size_t k = 0; k < where_.size(); ++k) {
    if (!where_[k].cell.valid()) continue;
    const Vec3 x = point_on_line(choice_.from, choice_.to, choice_.points, static_cast<std::int64_t>(k));
    mine.insert(mine.end(), {static_cast<double>(k), norm(x - choice_.from), x.x, x.y, x.z});
    append_fields(state, where_[k].cell, x, mine);
    for (std::size_t i = 0; i < state.solver.scalars().size(); ++i) {
      mine.push_back(state.solver.scalar_at(static_cast<int>(i), where_[k].cell, x));
    }
  }
  const std::vector<double> all = comm.gather(std::span<const double>(mine));
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    const std::size_t width = 5 + columns.size();  // the first is the number of the point
    std::vector<std::size_t> rows;
    for (std::size_t at = 0; at < all.size(); at += width) rows.push_back(at);
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
    std::string text = "distance,x,y,z";
    for (const std::string& column : columns) text += "," + column;
    text += "\n";
    for (const std::size_t row : rows) {
      for (std::size_t k = 1; k < width; ++k) {
        fmt::format_to(std::back_inserter(text), "{:.17g}{}", all[row + k], k + 1 < width ? "," : "\n");
      }
    }
    io::write_text(file, text, io::Durable::no);
  });
}

void check_section(const mesh::Mesh& mesh, const SectionChoice& choice) {
  if (mesh.dim == 2) {
    throw InputError(fmt::format("the section \"{}\" is a plane, and the mesh {} is two-dimensional", choice.name, mesh.source),
                     "use [lines], or leave it out", choice.where);
  }
  bool meets = false;
  for (const mesh::LocalCellId c : mesh.owned()) meets = meets || !cut(mesh, c, choice.point, unit(choice.normal)).empty();
  if (mesh.comm.any(meets)) return;
  throw InputError(fmt::format("the plane of the section \"{}\" meets no cell of the mesh {}", choice.name, mesh.source),
                   "give a point in m, after mesh.scale and mesh.offset", choice.where);
}

void write_section(const SampledState& state, const SectionChoice& choice, const std::filesystem::path& file) {
  const mesh::Mesh& m = state.solver.mesh();
  const Communicator& comm = m.comm;
  const std::vector<std::string> columns = columns_of(state);
  Polygons mine;
  for (const mesh::LocalCellId c : m.owned()) {
    const std::vector<Vec3> corners = cut(m, c, choice.point, unit(choice.normal));
    if (corners.empty()) continue;
    Vec3 middle{};
    for (const Vec3& corner : corners) middle += (1.0 / static_cast<double>(corners.size())) * corner;
    mine.points.insert(mine.points.end(), corners.begin(), corners.end());
    mine.sizes.push_back(std::ssize(corners));
    mine.cell_ids.push_back(m.cell_file_id[c]);
    append_fields(state, c, middle, mine.values);
    for (std::size_t k = 0; k < state.solver.scalars().size(); ++k) {
      mine.values.push_back(state.solver.scalar(static_cast<int>(k), c));
    }
  }
  const Polygons all{.points = comm.gather(std::span<const Vec3>(mine.points)),
                     .sizes = comm.gather(std::span<const std::int64_t>(mine.sizes)),
                     .cell_ids = comm.gather(std::span<const std::int64_t>(mine.cell_ids)),
                     .values = comm.gather(std::span<const double>(mine.values))};
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    if (std::ssize(all.points) > std::numeric_limits<std::int32_t>::max())
      throw LimitError(fmt::format("the section \"{}\" has {} points, and 2^31 - 1 are the most", choice.name, all.points.size()),
                       "use a field file, and cut it in ParaView");
    std::vector<std::int32_t> connectivity(all.points.size());
    for (std::size_t i = 0; i < connectivity.size(); ++i) connectivity[i] = static_cast<std::int32_t>(i);
    std::vector<std::int64_t> offsets{0};
    for (const std::int64_t size : all.sizes) offsets.push_back(offsets.back() + size);
    const std::vector<std::uint8_t> types(all.sizes.size(), kVtkPolygon);
    std::vector<std::pair<std::string, int>> arrays;  // with their numbers of components
    for (const FieldKind field : state.fields) arrays.emplace_back(name_of(field), components(field, m.dim));
    for (const Scalar& scalar : state.solver.scalars()) arrays.emplace_back(scalar.name, 1);
    std::vector<std::vector<double>> values(arrays.size());
    for (std::size_t row = 0, at = 0; row < all.sizes.size(); ++row) {
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        for (int i = 0; i < arrays[k].second; ++i) values[k].push_back(all.values[at++]);
      }
    }
    std::vector<io::VtkField> fields;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      fields.push_back({arrays[k].first, std::span<const double>(values[k]), arrays[k].second});
    }
    fields.push_back({"cell_id", std::span<const std::int64_t>(all.cell_ids), 1});
    io::write_vtu(file, {.points = all.points, .connectivity = connectivity, .offsets = offsets, .types = types}, fields,
                  state.solver.time(), state.solver.steps());
  });
}

}  // namespace weft::flow
