#pragma once
/// CGNS files as trees in memory, which tests modify and write through HDF5.
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/mesh/io/read_mesh.hpp"

#include "read_samples.hpp"

namespace weft::mesh::testing {

using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Reals = std::vector<double>;

struct CgnsTree {
  std::string name, label;
  std::variant<std::monostate, Ints, Longs, Floats, Reals, std::string> data;
  std::vector<CgnsTree> children;
  std::string link_path, link_file;  ///< a link if `link_path` is not empty; within the file if `link_file` is empty

  CgnsTree& add(CgnsTree child) {
    children.push_back(std::move(child));
    return children.back();
  }
  /// Returns the node "Base/Zone", which must exist.
  CgnsTree& at(const std::string& path) {
    const std::size_t slash = path.find('/');
    for (CgnsTree& child : children) {
      if (child.name == path.substr(0, slash)) return slash == std::string::npos ? child : child.at(path.substr(slash + 1));
    }
    throw std::out_of_range(path);
  }
  void remove(const std::string& child) {
    std::erase_if(children, [&](const CgnsTree& c) { return c.name == child; });
  }
};

inline void write_attribute(hid_t group, const char* name, const std::string& value, std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, size);
  std::string bytes = value;
  bytes.resize(size, '\0');
  const hid_t attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, bytes.data());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

inline void write_data(hid_t group, const char* name, hid_t type, hsize_t size, const void* data) {
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  const hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(dataset);
  H5Sclose(space);
}

inline void write_node(hid_t parent, const CgnsTree& node) {
  const hid_t order = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const hid_t group = H5Gcreate2(parent, node.name.c_str(), H5P_DEFAULT, order, H5P_DEFAULT);
  H5Pclose(order);
  constexpr std::size_t kName = 33, kType = 3;
  const char* const types[] = {"MT", "I4", "I8", "R4", "R8", "C1"};
  write_attribute(group, "name", node.name, kName);
  write_attribute(group, "label", node.label, kName);
  write_attribute(group, "type", node.link_path.empty() ? types[node.data.index()] : "LK", kType);
  if (!node.link_file.empty())
    H5Lcreate_external(node.link_file.c_str(), node.link_path.c_str(), group, " link", H5P_DEFAULT, H5P_DEFAULT);
  else if (!node.link_path.empty())
    H5Lcreate_soft(node.link_path.c_str(), group, " link", H5P_DEFAULT, H5P_DEFAULT);
  const auto write = [&](hid_t type, const auto& values) { write_data(group, " data", type, values.size(), values.data()); };
  if (const auto* ints = std::get_if<Ints>(&node.data)) write(H5T_NATIVE_INT32, *ints);
  if (const auto* longs = std::get_if<Longs>(&node.data)) write(H5T_NATIVE_INT64, *longs);
  if (const auto* floats = std::get_if<Floats>(&node.data)) write(H5T_NATIVE_FLOAT, *floats);
  if (const auto* reals = std::get_if<Reals>(&node.data)) write(H5T_NATIVE_DOUBLE, *reals);
  if (const auto* text = std::get_if<std::string>(&node.data)) write(H5T_NATIVE_CHAR, *text);
  for (const CgnsTree& child : node.children) write_node(group, child);
  H5Gclose(group);
}

inline void write_cgns(const CgnsTree& root, const std::string& path) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(file, 0) << path;
  for (const CgnsTree& child : root.children) write_node(file, child);
  H5Fclose(file);
}

/// A file of this process, removed at the end.
struct CgnsScratch {
  std::string path = std::filesystem::temp_directory_path() / ("weft-" + std::to_string(::getpid()) + ".cgns");
  ~CgnsScratch() { std::filesystem::remove(path); }
};

inline CgnsTree cgns_base(int cell_dim, int phys_dim) {
  CgnsTree root;
  root.add({"CGNSLibraryVersion", "CGNSLibraryVersion_t", Floats{4.2F}, {}, {}, {}});
  root.add({"Base", "CGNSBase_t", Ints{cell_dim, phys_dim}, {}, {}, {}});
  return root;
}

inline CgnsTree cgns_coordinates(const TeamVector<Vec3>& coords, int dim) {
  CgnsTree grid{"GridCoordinates", "GridCoordinates_t", {}, {}, {}, {}};
  const char* const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
  for (int k = 0; k < dim; ++k) {
    Reals x;
    for (const Vec3& point : coords) x.push_back(point[k]);
    grid.add({names[k], "DataArray_t", x, {}, {}, {}});
  }
  return grid;
}

/// Returns an unstructured zone without sections.
inline CgnsTree cgns_zone(const std::string& name, const TeamVector<Vec3>& coords, int dim, int cells) {
  CgnsTree zone{name, "Zone_t", Ints{static_cast<int>(coords.size()), cells, 0}, {}, {}, {}};
  zone.add({"ZoneType", "ZoneType_t", std::string("Unstructured"), {}, {}, {}});
  zone.add(cgns_coordinates(coords, dim));
  return zone;
}

inline CgnsTree cgns_section(const std::string& name, int type, int first, int last, const Ints& connectivity,
                             const Ints& offset = {}) {
  CgnsTree section{name, "Elements_t", Ints{type, 0}, {}, {}, {}};
  section.add({"ElementRange", "IndexRange_t", Ints{first, last}, {}, {}, {}});
  section.add({"ElementConnectivity", "DataArray_t", connectivity, {}, {}, {}});
  if (!offset.empty()) section.add({"ElementStartOffset", "DataArray_t", offset, {}, {}, {}});
  return section;
}

/// Adds a boundary condition with its points under `points` ("PointList", ...) to the ZoneBC of the zone.
inline CgnsTree& add_condition(CgnsTree& zone, const std::string& name, const std::string& points, const Ints& numbers,
                               const std::string& location = {}, const std::string& family = {}) {
  const bool has = std::any_of(zone.children.begin(), zone.children.end(), [](const CgnsTree& c) { return c.name == "ZoneBC"; });
  if (!has) zone.add({"ZoneBC", "ZoneBC_t", {}, {}, {}, {}});
  CgnsTree& condition = zone.at("ZoneBC").add({name, "BC_t", std::string("FamilySpecified"), {}, {}, {}});
  condition.add({points, points.ends_with("Range") ? "IndexRange_t" : "IndexArray_t", numbers, {}, {}, {}});
  if (!location.empty()) condition.add({"GridLocation", "GridLocation_t", location, {}, {}, {}});
  if (!family.empty()) condition.add({"FamilyName", "FamilyName_t", family, {}, {}, {}});
  return condition;
}

/// Returns the unit square of two triangles (elements 1, 2) and four lines (3 ... 6: bottom, right, top, left), in the zones
/// "wall" (bottom, right) and "far".
inline CgnsTree cgns_square() {
  CgnsTree root = cgns_base(2, 2);
  CgnsTree zone = cgns_zone("Zone 1", {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, 2, 2);
  zone.add(cgns_section("Triangles", 5, 1, 2, {1, 2, 3, 1, 3, 4}));
  zone.add(cgns_section("Lines", 3, 3, 6, {1, 2, 2, 3, 3, 4, 4, 1}));
  add_condition(zone, "wall", "PointRange", {3, 4}, "EdgeCenter");
  add_condition(zone, "far", "PointList", {6, 5}, "EdgeCenter");
  root.at("Base").add(zone);
  return root;
}

constexpr int kBar = 3, kQuad = 7;  ///< element types of CGNS

inline MeshBlock load(const CgnsTree& root) {
  const CgnsScratch scratch;
  write_cgns(root, scratch.path);
  return load_cgns(scratch.path);
}

inline std::string error_of(const CgnsTree& root) {
  try {
    static_cast<void>(load(root));
  } catch (const Error& error) {
    return error.problem();
  }
  return "read without an error";
}

/// Returns the boundary elements by the name of their zone, each as its sorted nodes.
inline std::map<std::string, std::set<std::set<std::int64_t>>> faces_of(const MeshBlock& block) {
  std::map<std::string, std::set<std::set<std::int64_t>>> faces;
  for (std::int64_t i = 0; i < block.boundary.size(); ++i) {
    std::set<std::int64_t> nodes;
    for (const GlobalNodeId node : block.boundary.nodes(i)) nodes.insert(node.value());
    faces[block.zones[block.boundary.zone[i]].name].insert(nodes);
  }
  return faces;
}

/// Returns a number for a corner of the cell that is positive if the numbering is that of cell_type.hpp.
inline double corner(const MeshBlock& block, std::int64_t cell) {
  const CellType type = block.cells.type[static_cast<std::size_t>(cell)];
  const bool square = type == CellType::pyramid || type == CellType::hexahedron;
  const auto at = [&](std::size_t k) { return block.coords[block.cells.nodes(cell)[k].index()]; };
  return dot(cross(at(1) - at(0), at(square ? 3 : 2) - at(0)), at(square ? 4 : 3) - at(0));
}

}  // namespace weft::mesh::testing
