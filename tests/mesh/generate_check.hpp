#pragma once
// Checks of every generated mesh, as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::testing {

/// Returns the joined shares of `ranks` ranks; checks that they are contiguous and evenly sized.
inline MeshBlock put_together(const std::vector<MeshBlock>& shares) {
  MeshBlock whole = shares.front();
  for (std::size_t r = 1; r < shares.size(); ++r) {
    const MeshBlock& share = shares[r];
    EXPECT_EQ(share.dim, whole.dim);
    EXPECT_EQ(share.zones, whole.zones);
    EXPECT_EQ(share.source, whole.source);
    EXPECT_EQ(share.first_node.value(), static_cast<std::int64_t>(whole.coords.size()));
    EXPECT_EQ(share.first_cell.value(), whole.cells.size());
    whole.coords.insert(whole.coords.end(), share.coords.begin(), share.coords.end());
    for (std::int64_t c = 0; c < share.cells.size(); ++c) {
      const auto n = static_cast<std::size_t>(c);
      whole.cells.add(share.cells.type[n], share.cells.nodes(c), share.cells.zone[n], share.cells.file_id[n]);
    }
    for (std::int64_t b = 0; b < share.boundary.size(); ++b) {
      const auto n = static_cast<std::size_t>(b);
      whole.boundary.add(share.boundary.type[n], share.boundary.nodes(b), share.boundary.zone[n], share.boundary.file_id[n]);
    }
  }
  return whole;
}

inline MeshBlock whole_mesh(const GeneratorSpec& spec, int ranks = 1) {
  std::vector<MeshBlock> shares;
  for (int r = 0; r < ranks; ++r) shares.push_back(generate(Share{Rank(r), ranks}, spec));
  return put_together(shares);
}

inline void expect_equal(const Elements& a, const Elements& b) {
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.node, b.node);
  EXPECT_EQ(a.zone, b.zone);
  EXPECT_EQ(a.file_id, b.file_id);
}

inline void expect_equal(const MeshBlock& a, const MeshBlock& b) {
  EXPECT_EQ(a.dim, b.dim);
  EXPECT_EQ(a.zones, b.zones);
  EXPECT_EQ(a.source, b.source);
  EXPECT_TRUE(a.coords == b.coords);
  expect_equal(a.cells, b.cells);
  expect_equal(a.boundary, b.boundary);
}

using FaceKey = std::vector<std::int64_t>;

inline FaceKey key_of(std::span<const GlobalNodeId> nodes) {
  FaceKey key;
  for (const GlobalNodeId node : nodes) key.push_back(node.value());
  std::sort(key.begin(), key.end());
  return key;
}

struct FaceGeometry {
  Vec3 area, centre;  ///< area vector; point
  double moment = 0;  ///< integral of x . n
};

/// Returns a face as triangles from the mean of its nodes, or in 2-D an edge of unit depth.
inline FaceGeometry geometry(const std::vector<Vec3>& x) {
  FaceGeometry face;
  for (const Vec3& p : x) face.centre += p / static_cast<double>(x.size());
  if (x.size() == 2) {
    face.area = {x[1].y - x[0].y, x[0].x - x[1].x, 0};
    face.moment = dot(face.centre, face.area);
    return face;
  }
  for (std::size_t n = 0; n < x.size(); ++n) {
    const Vec3 a = x[n], b = x[(n + 1) % x.size()];
    const Vec3 area = 0.5 * cross(a - face.centre, b - face.centre);
    face.area += area;
    face.moment += dot((a + b + face.centre) / 3.0, area);
  }
  return face;
}

inline std::vector<Vec3> coordinates(const MeshBlock& mesh, std::span<const GlobalNodeId> nodes) {
  std::vector<Vec3> x;
  for (const GlobalNodeId node : nodes) x.push_back(mesh.coords[node.index()]);
  return x;
}

inline std::vector<GlobalNodeId> face_nodes(std::span<const GlobalNodeId> cell, const CellFace& face) {
  std::vector<GlobalNodeId> nodes;
  for (int n = 0; n < face.size; ++n) nodes.push_back(cell[static_cast<std::size_t>(face.node[static_cast<std::size_t>(n)])]);
  return nodes;
}

struct Totals {
  double volume = 0, least_volume = 1e300;
  std::map<CellType, std::int64_t> cells;
  std::map<std::string, std::int64_t> faces;  ///< by zone
  std::map<std::string, double> area;         ///< by zone
  std::int64_t inner_faces = 0;
};

/// A face as the cells and boundary elements with its nodes have it.
struct SeenFace {
  int count = 0;  ///< cells; -1: one cell and one boundary element
  Vec3 area;      ///< sum over the cells, outward
};

/// Checks ids, positive volumes and closed cells; adds them to `totals` and returns their faces.
inline std::map<FaceKey, SeenFace> check_cells(const MeshBlock& mesh, Totals& totals) {
  std::vector<char> used(mesh.coords.size(), 0);
  for (const GlobalNodeId node : mesh.cells.node) {
    EXPECT_TRUE(node.value() >= 0 && node.value() < std::ssize(mesh.coords));
    used[node.index()] = 1;
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0) << "orphan nodes";

  std::map<FaceKey, SeenFace> faces;
  int bad_shape = 0, open = 0;
  for (std::int64_t c = 0; c < mesh.cells.size(); ++c) {
    const CellType type = mesh.cells.type[c];
    const CellShape& form = shape(type);
    const auto cell = mesh.cells.nodes(c);
    bad_shape +=
        form.dim != mesh.dim || form.nodes != std::ssize(cell) || mesh.cells.file_id[c] != c || mesh.cells.zone[c].valid();
    ++totals.cells[type];
    const Vec3 origin = mesh.coords[cell[0].index()];
    double volume = 0, surface = 0;
    Vec3 sum;
    for (int f = 0; f < form.faces; ++f) {
      const auto of_face = face_nodes(cell, form.face[f]);
      const FaceGeometry g = geometry(coordinates(mesh, of_face));
      volume += (g.moment - dot(origin, g.area)) / mesh.dim;
      surface += norm(g.area);
      sum += g.area;
      SeenFace& seen = faces[key_of(of_face)];
      ++seen.count;
      seen.area += g.area;
    }
    totals.volume += volume;
    totals.least_volume = std::min(totals.least_volume, volume);
    open += norm(sum) > 1e-14 * surface + 1e-300;
  }
  EXPECT_EQ(bad_shape, 0);
  EXPECT_EQ(open, 0) << "cells whose faces do not close";
  EXPECT_GT(totals.least_volume, 0);
  return faces;
}

/// Checks that boundary elements are free faces of cells, point outwards and enclose the volume of the cells.
inline void check_boundary(const MeshBlock& mesh, std::map<FaceKey, SeenFace>& faces, Totals& totals) {
  double by_boundary = 0;
  int inward = 0, unknown = 0;
  for (const Zone& zone : mesh.zones) {
    EXPECT_EQ(zone.dim, mesh.dim - 1);
    totals.faces[zone.name] = 0;
  }
  for (std::int64_t b = 0; b < mesh.boundary.size(); ++b) {
    const auto of_face = mesh.boundary.nodes(b);
    const FaceGeometry g = geometry(coordinates(mesh, of_face));
    by_boundary += g.moment / mesh.dim;
    const auto found = faces.find(key_of(of_face));
    if (found == faces.end() || found->second.count != 1) {
      ++unknown;
      continue;
    }
    inward += dot(found->second.area, g.area) <= 0;
    found->second.count = -1;  // closed by a boundary element; a second one would be detected
    const ZoneId zone = mesh.boundary.zone[b];
    if (!mesh.zones.ids().contains(zone)) {
      ++unknown;
      continue;
    }
    ++totals.faces[mesh.zones[zone].name];
    totals.area[mesh.zones[zone].name] += norm(g.area);
  }
  EXPECT_EQ(unknown, 0) << "boundary elements that are not exactly one cell's free face";
  EXPECT_EQ(inward, 0) << "boundary elements that point into the mesh";
  EXPECT_NEAR(by_boundary, totals.volume, 1e-12 * std::abs(totals.volume) * static_cast<double>(mesh.dim * 10));
  for (const auto& [zone, count] : totals.faces) EXPECT_GT(count, 0) << zone;
}

/// Checks ids, positive volumes, closed cells, faces of exactly two cells or of one cell and one boundary element, outward
/// boundary elements, volume by cells = volume by boundary, no empty zones and no unused nodes.
inline Totals check_mesh(const MeshBlock& mesh) {
  Totals totals;
  std::map<FaceKey, SeenFace> faces = check_cells(mesh, totals);
  check_boundary(mesh, faces, totals);
  int unmatched = 0, one_sided = 0;
  for (const auto& [key, seen] : faces) {
    unmatched += seen.count != -1 && seen.count != 2;
    one_sided += seen.count == 2 && norm(seen.area) > 1e-13 * totals.volume + 1e-14;
    totals.inner_faces += seen.count == 2;
  }
  EXPECT_EQ(unmatched, 0) << "faces of one cell without boundary element, or of more than two";
  EXPECT_EQ(one_sided, 0) << "inner faces whose two cells lie on the same side";
  return totals;
}

/// Returns the faces of a zone, each as the coordinates of its nodes in order, translated by `shift`; sorted.
inline std::vector<std::vector<std::array<double, 3>>> faces_of_zone(const MeshBlock& mesh, const std::string& name, Vec3 shift) {
  std::vector<std::vector<std::array<double, 3>>> faces;
  for (std::int64_t b = 0; b < mesh.boundary.size(); ++b) {
    if (mesh.zones[mesh.boundary.zone[static_cast<std::size_t>(b)]].name != name) continue;
    std::vector<std::array<double, 3>> face;
    for (const Vec3& x : coordinates(mesh, mesh.boundary.nodes(b))) face.push_back({x.x + shift.x, x.y + shift.y, x.z + shift.z});
    std::sort(face.begin(), face.end());
    faces.push_back(face);
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}

}  // namespace weft::mesh::testing
