// CGNS in HDF5, of CGNS 3 and 4: https://cgns.github.io
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "weft/base/team_loops.hpp"
#include "weft/mesh/io/cgns_units.hpp"
#include "weft/mesh/io/cgns_zone.hpp"
#include "weft/mesh/io/read_mesh.hpp"

namespace weft::mesh {
namespace {

using detail::CgnsNode;
using detail::CgnsZone;

constexpr const char* kNoCells = "the base needs Zone_t with Elements_t of cells (NGON_n with NFACE_n or ParentElements)";
constexpr const char* kNoBoundary = "add a BC_t for each part of the boundary, or sections of its faces";

class CgnsReader {
 public:
  CgnsReader(const std::string& path, Team& team) : file_(path), team_(team) {}

  MeshBlock read() {
    const CgnsNode base = the_base();
    const std::vector<CgnsNode> nodes = file_.children(base, "Zone_t");
    if (nodes.empty()) file_.fail("the file has no zone (Zone_t)", detail::kTruncated);
    bool several = nodes.size() > 1;  // coincident nodes are possible
    for (const CgnsNode& node : nodes) {
      read_zone(node, nodes.size() > 1);
      several = several || zones_.back().structured() || !file_.children(node, "ZoneGridConnectivity_t").empty();
    }
    for (const CgnsZone& zone : zones_) {
      file_.place.set_zone(zone.node.name);
      read_cgns_connectivity(file_, zone, zones_, mesh_);
    }
    file_.place.set_zone({});
    zones_.clear();
    if (several) join_nodes(mesh_);
    MeshBlock block = assemble(file_.place, std::move(mesh_.raw), mesh_.dim,
                               {.no_cells = kNoCells, .no_boundary = kNoBoundary, .z_is_read = has_z_}, team_);
    block.file_unit = file_unit_;
    block.notes.insert(block.notes.begin(), notes_.begin(), notes_.end());
    return block;
  }

 private:
  CgnsNode the_base() {
    const std::vector<CgnsNode> bases = file_.children(file_.root(), "CGNSBase_t");
    if (bases.empty()) {
      file_.fail("this is an HDF5 file without a CGNSBase_t: not a CGNS mesh",
                 "meshes in HDF5 are read as CGNS or in Weft's own format: convert the file to CGNS, Gmsh MSH 4.1 or SU2");
    }
    if (bases.size() > 1)
      file_.fail(fmt::format("the file holds {} meshes (CGNSBase_t)", bases.size()), "write one file per base");
    const std::vector<std::int64_t> dims = file_.integers(bases[0]);
    if (dims.size() != 2 || dims[0] < 2 || dims[0] > 3 || dims[1] < dims[0] || dims[1] > 3) {
      file_.fail(fmt::format("CGNSBase_t \"{}\" has cells of dimension {} in {} dimensions", bases[0].name,
                             dims.empty() ? 0 : dims[0], dims.size() < 2 ? 0 : dims[1]),
                 "meshes of 2 and 3 dimensions are read");
    }
    mesh_.dim = static_cast<int>(dims[0]);
    base_ = bases[0];
    return bases[0];
  }

  void read_zone(const CgnsNode& node, bool several) {
    file_.place.set_zone(node.name);
    CgnsZone zone;
    zone.node = node;
    zone.first_node = static_cast<std::int64_t>(mesh_.raw.coords.size());
    zone.first_cell = mesh_.raw.of_dim[mesh_.dim].list.size();
    read_size(zone);
    read_coordinates(zone);
    // A single zone contains the whole mesh, so its name is not used.
    const std::int32_t tag = several ? mesh_.tag(mesh_.dim, file_.text_of(node, "FamilyName", node.name)) : 0;
    if (zone.structured()) {
      make_cgns_block(zone, mesh_, tag);
    } else {
      read_cgns_sections(file_, zone, mesh_, tag, team_);
    }
    read_cgns_boundary(file_, zone, mesh_);
    zone.faces = {};
    file_.place.set_zone({});
    zones_.push_back(std::move(zone));
  }

  void read_size(CgnsZone& zone) {
    const std::string type = file_.text_of(zone.node, "ZoneType", "Structured");
    const std::vector<std::int64_t> size = file_.integers(zone.node);
    const bool structured = type == "Structured";
    if (!structured && type != "Unstructured")
      file_.fail(fmt::format("the zone is of type {}", type), "structured and unstructured zones are read");
    const std::size_t dims = structured ? mesh_.dim : 1;
    if (size.size() != 3 * dims)
      file_.fail(fmt::format("the zone's size is {} numbers, not {}", size.size(), 3 * dims), detail::kTruncated);
    // A number beyond the size of the file is detected with the coordinates; here only the product must not overflow.
    constexpr std::int64_t kMostNodes = std::int64_t{1} << 40;
    zone.nodes = 1;
    for (std::size_t d = 0; d < dims; ++d) {
      if (size[d] < (structured ? 2 : 1) || size[d] > kMostNodes / zone.nodes)
        file_.fail(fmt::format("the zone has {} vertices{}", size[d], structured ? " in a direction" : ""), detail::kTruncated);
      zone.nodes *= size[d];
      if (structured) zone.size[d] = size[d];
    }
  }

  void read_coordinates(const CgnsZone& zone) {
    const auto grids = file_.children(zone.node, "GridCoordinates_t");
    if (grids.empty()) file_.fail("the zone has no GridCoordinates_t", detail::kTruncated);
    constexpr std::array<const char*, 3> kNames{"CoordinateX", "CoordinateY", "CoordinateZ"};
    if (!file_.child(grids[0], kNames[0]) && file_.child(grids[0], "CoordinateR"))
      file_.fail("the coordinates are not Cartesian",
                 "CoordinateX, CoordinateY (and CoordinateZ) are read: write the mesh in these");
    for (int k = 0; k < 3; ++k) {
      const char* name = kNames[k];
      if (k == 2 && mesh_.dim == 2 && !file_.child(grids[0], name)) break;
      has_z_ = has_z_ || k == 2;
      const CgnsNode array = file_.need(grids[0], name);
      const std::vector<double> x = file_.reals(array);
      const detail::CgnsLength length = read_cgns_length(file_, std::array{array, grids[0], zone.node, base_});
      note(length);
      if (static_cast<std::int64_t>(x.size()) != zone.nodes) {
        file_.fail(fmt::format("{} has {} numbers for {} vertices", name, x.size(), zone.nodes),
                   "write the mesh again, without rind planes");
      }
      if (k == 0) mesh_.raw.append_coords(zone.nodes, team_);
      for_indices(team_, zone.nodes, [&](std::int64_t i) {
        if (!std::isfinite(x[i]))
          file_.fail(fmt::format("{} of node {} is {}", name, i + 1, x[i]),
                     "a coordinate must be a finite number: repair the mesh");
        Vec3& node = mesh_.raw.coords[zone.first_node + i];
        if (k == 0) node = {};
        node[k] = length.scale * x[i] + length.offset;
      });
    }
  }

  /// Adds one note for all coordinates with the same conversion.
  void note(const detail::CgnsLength& length) {
    file_unit_ = length.unit;
    if (!length.note.empty() && std::find(notes_.begin(), notes_.end(), length.note) == notes_.end())
      notes_.push_back(length.note);
  }

  detail::CgnsFile file_;
  Team& team_;
  detail::CgnsMesh mesh_;
  CgnsNode base_;
  double file_unit_ = 1;
  std::vector<std::string> notes_;
  std::vector<CgnsZone> zones_;
  bool has_z_ = false;
};

}  // namespace

MeshBlock load_cgns(const std::string& path, Team& team) {
  try {
    return CgnsReader(path, team).read();
  } catch (const IoError& error) {
    if (!error.suggestion().empty()) throw;
    throw IoError(error.problem(), detail::kTruncated, error.where());
  }
}

}  // namespace weft::mesh
