// Fields of runs as CGNS: https://cgns.github.io/CGNS_docs_current/sids
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/flow/app/export.hpp"
#include "weft/flow/app/export_points.hpp"
#include "weft/flow/app/export_zones.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/hdf5/pending_file.hpp"
#include "weft/mesh/cell_type.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using detail::BoundaryFaces;
using detail::ExportPoints;
using detail::in_runs;
using detail::join_points;
using detail::narrow;
using detail::read_boundary_faces;
using detail::refuse_boundary;
using detail::renumbered;
using detail::ZoneFaces;
using io::VtkHdfReader;

/// A node of a CGNS file is a group with these attributes and, where it has data, a dataset " data".
class CgnsFile {
 public:
  explicit CgnsFile(io::Hdf5File& file) : file_(file) {
    describe("/", "HDF5 MotherNode", "Root Node of HDF5 File", "MT");
    characters("/ format", "IEEE_LITTLE_32", 15);
    characters("/ hdf5version", "HDF5 Version 1.10", 33);
    const std::string version = group("", "CGNSLibraryVersion", "CGNSLibraryVersion_t", "R4");
    const float number = 3.4F;
    file_.write_rows(version + "/ data", std::span<const float>(&number, 1));
  }
  /// Adds a node without data.
  std::string group(const std::string& parent, const std::string& name, const std::string& label,
                    const std::string& type = "MT") {
    std::string path = parent + "/" + name;
    file_.make_group(path);
    describe(path, name, label, type);
    return path;
  }
  void text(const std::string& parent, const std::string& name, const std::string& label, const std::string& value) {
    characters(group(parent, name, label, "C1") + "/ data", value, value.size());
  }
  void integers(const std::string& parent, const std::string& name, const std::string& label,
                const std::vector<std::int64_t>& values) {
    file_.write_rows(group(parent, name, label, "I8") + "/ data", std::span<const std::int64_t>(values));
  }
  void int32_array(const std::string& parent, const std::string& name, const std::string& label,
                   const std::vector<std::int32_t>& values) {
    file_.write_rows(group(parent, name, label, "I4") + "/ data", std::span<const std::int32_t>(values));
  }
  /// Adds a node of two numbers as an index range.
  void range(const std::string& parent, const std::string& name, std::int64_t first, std::int64_t last) {
    file_.write_table(group(parent, name, "IndexRange_t", "I8") + "/ data", std::array{first, last}, 1);
  }
  template <class T>
  void reals(const std::string& parent, const std::string& name, const std::vector<T>& values) {
    const std::string path = group(parent, name, "DataArray_t", sizeof(T) == 4 ? "R4" : "R8");
    file_.write_rows(path + "/ data", std::span<const T>(values));
  }
  [[nodiscard]] io::Hdf5File& file() { return file_; }
  void characters(const std::string& dataset, const std::string& text) { characters(dataset, text, text.size()); }

 private:
  void describe(const std::string& object, const std::string& name, const std::string& label, const std::string& type) {
    constexpr std::size_t kText = 33, kType = 3;  // with the terminating 0
    const auto padded = [](std::string text, std::size_t size) {
      text.resize(size, '\0');
      return text;
    };
    file_.write_attribute(object, "name", std::string_view(padded(name, kText)));
    file_.write_attribute(object, "label", std::string_view(padded(label, kText)));
    file_.write_attribute(object, "type", std::string_view(padded(type, kType)));
    file_.write_attribute(object, "flags", std::array<std::int64_t, 1>{1});
  }
  void characters(const std::string& dataset, std::string text, std::size_t size) {
    text.resize(size, '\0');
    file_.write_rows(dataset, std::span<const std::int8_t>(reinterpret_cast<const std::int8_t*>(text.data()), size));
  }

  io::Hdf5File& file_;
};

/// Returns the SIDS name of component k of a field with `width` components; in 2-D vorticity has only the component along z.
std::string sids_name(const std::string& field, std::size_t k, std::size_t width) {
  static const std::map<std::string, std::string> names{
      {"density", "Density"},     {"velocity", "Velocity"},       {"pressure", "Pressure"},
      {"mach", "Mach"},           {"temperature", "Temperature"}, {"total_temperature", "TemperatureStagnation"},
      {"vorticity", "Vorticity"}, {"cp", "CoefPressure"},         {"total_pressure", "PressureStagnation"}};
  const auto found = names.find(field);
  const std::string name = found == names.end() ? field : found->second;
  if (width == 1) return field == "vorticity" ? name + "Z" : name;
  return name + (width == 3 ? std::string(1, "XYZ"[k]) : std::to_string(k + 1));
}

const mesh::CellShape& shape_of(const VtkHdfReader& file, std::uint8_t vtk) {
  if (const std::optional<mesh::CellType> type = mesh::vtk_type(vtk)) return mesh::shape(*type);
  throw IoError(fmt::format("has a cell of VTK type {}, which is not supported", vtk), "export it to VTU",
                Where{.file = file.path().string()});
}

constexpr std::int32_t kMixed = 20;       ///< element type of CGNS
constexpr std::size_t kLongestName = 32;  ///< length of a node's name

/// The elements of a zone in CGNS numbering; all of one type, or MIXED.
struct Elements {
  std::vector<std::int64_t> connectivity, offsets{0};  ///< offsets: for MIXED
  std::int32_t type = kMixed;
  std::string name = "Cells";
  int dim = 3;
};

Elements elements_of(const VtkHdfReader& file, const ExportPoints& points) {
  std::set<std::uint8_t> types;
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    for (const std::uint8_t type : file.read_cells(first, count).types) types.insert(type);
  });
  Elements elements;
  for (const std::uint8_t type : types) elements.dim = shape_of(file, type).dim;
  const bool mixed = types.size() != 1;
  if (!mixed) elements.type = shape_of(file, *types.begin()).cgns;
  elements.connectivity.reserve(file.ids() + (mixed ? file.cells() : 0));
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    const VtkHdfReader::Cells cells = file.read_cells(first, count);
    const std::vector<std::int64_t> nodes = renumbered(cells.nodes, points);
    for (std::size_t c = 0; c < cells.types.size(); ++c) {
      const mesh::CellShape& shape = shape_of(file, cells.types[c]);
      const auto type = static_cast<mesh::CellType>(&shape - mesh::kCellShapes.data());
      const std::size_t begin = cells.begin[c];
      if (cells.begin[c + 1] - cells.begin[c] != shape.nodes) {
        throw IoError(fmt::format("has a {} of {} nodes", shape.name, cells.begin[c + 1] - cells.begin[c]), {},
                      Where{.file = file.path().string()});
      }
      if (mixed) elements.connectivity.push_back(shape.cgns);
      const std::size_t base = elements.connectivity.size();
      elements.connectivity.resize(base + shape.nodes);
      for (int k = 0; k < shape.nodes; ++k) {
        elements.connectivity[base + mesh::vtk_position(type, k)] = nodes[begin + k] + 1;
      }
      if (mixed) elements.offsets.push_back(std::ssize(elements.connectivity));
    }
  });
  return elements;
}

void write_coordinates(CgnsFile& out, const std::string& zone, const ExportPoints& points, bool single) {
  const std::string grid = out.group(zone, "GridCoordinates", "GridCoordinates_t");
  for (int d = 0; d < 3; ++d) {
    std::vector<double> along;
    along.reserve(points.x.size());
    for (const Vec3& x : points.x) along.push_back(x[d]);
    const std::string name = fmt::format("Coordinate{}", "XYZ"[d]);
    if (single) {
      out.reals(grid, name, narrow(along));
    } else {
      out.reals(grid, name, along);
    }
  }
}

void write_solution(CgnsFile& out, const std::string& zone, const VtkHdfReader& file) {
  const std::string solution = out.group(zone, "FlowSolution", "FlowSolution_t");
  out.text(solution, "GridLocation", "GridLocation_t", "CellCenter");
  for (const VtkHdfReader::Field& field : file.fields()) {
    if (field.type == VtkHdfReader::Field::Type::int64) {
      if (field.components == 1) out.integers(solution, field.name, "DataArray_t", file.read_integers(field, 0, file.cells()));
      continue;
    }
    const std::vector<double> values = file.read_reals(field, 0, file.cells());
    const std::size_t width = field.components;
    for (std::size_t k = 0; k < width; ++k) {
      std::vector<double> component;
      component.reserve(values.size() / width);
      for (std::size_t i = k; i < values.size(); i += width) component.push_back(values[i]);
      const std::string name = sids_name(field.name, k, width);
      if (field.type == VtkHdfReader::Field::Type::float32) {
        out.reals(solution, name, narrow(component));
      } else {
        out.reals(solution, name, component);
      }
    }
  }
}

/// Finds points by their coordinates.
class PointFinder {
 public:
  explicit PointFinder(const ExportPoints& points) : points_(points), order_(points.x.size()) {
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::int64_t a, std::int64_t b) { return key(at(a)) < key(at(b)); });
  }
  /// Returns the numbers of the points at x.
  [[nodiscard]] std::span<const std::int64_t> find(Vec3 x) const {
    const auto found =
        std::lower_bound(order_.begin(), order_.end(), x, [&](std::int64_t i, Vec3 y) { return key(at(i)) < key(y); });
    const auto end = std::find_if(found, order_.end(), [&](std::int64_t i) { return at(i) != x; });
    return {found, end};
  }

 private:
  static std::tuple<double, double, double> key(Vec3 x) { return {x.x, x.y, x.z}; }
  [[nodiscard]] Vec3 at(std::int64_t i) const { return points_.x[i]; }

  const ExportPoints& points_;
  std::vector<std::int64_t> order_;
};

/// Returns the faces of each zone, their nodes as numbers of `points`.  @throws IoError where a face has a point that is none of
/// `points`; InputError where one is at several of them.
std::vector<ZoneFaces> faces_of_zones(const ExportedZones& zones, const ExportPoints& points) {
  BoundaryFaces boundary = read_boundary_faces(zones);
  const PointFinder finder(points);
  for (ZoneFaces& zone : boundary.zones) {
    for (std::int64_t& node : zone.nodes) {
      const Vec3 x = boundary.points[node];
      const std::span<const std::int64_t> found = finder.find(x);
      if (found.empty())
        refuse_boundary(zones, fmt::format("has a point at ({:g}, {:g}, {:g}), where the cells have none", x.x, x.y, x.z));
      if (found.size() > 1) {
        throw InputError(fmt::format("the cells have {} points at ({:g}, {:g}, {:g}), as walls back to back do, and a zone does "
                                     "not say which of them are its own",
                                     found.size(), x.x, x.y, x.z),
                         "export to vtu", {.file = zones.boundary.string()});
      }
      node = found.front();
    }
  }
  return std::move(boundary.zones);
}

/// Returns the element type of CGNS of a face of this type of VTK.
std::int32_t cgns_face(std::uint8_t vtk) {
  constexpr std::uint8_t kLine = 3, kTriangle = 5;
  constexpr std::int32_t kBar2 = 3, kTri3 = 5, kQuad4 = 7;
  return vtk == kLine ? kBar2 : vtk == kTriangle ? kTri3 : kQuad4;
}

/// Returns a name for the node of a boundary zone: without slashes, short enough, and not in `used`, to which it is added.
std::string node_name(std::string zone, std::set<std::string>& used) {
  std::replace(zone.begin(), zone.end(), '/', '_');
  std::string name = zone.substr(0, kLongestName);
  for (int i = 2; !used.insert(name).second; ++i) {
    const std::string number = fmt::format("_{}", i);
    name = zone.substr(0, kLongestName - number.size()) + number;
  }
  return name;
}

/// Writes the faces of each zone as a section of its name after the cells, and a BC_t for it.
void write_zones(CgnsFile& out, const std::string& zone, const ExportedZones& zones, const ExportPoints& points,
                 std::int64_t cells, int dim) {
  const std::vector<ZoneFaces> all = faces_of_zones(zones, points);
  const std::string conditions = out.group(zone, "ZoneBC", "ZoneBC_t");
  std::set<std::string> used{"Cells", "FlowSolution", "GridCoordinates", "ZoneBC", "ZoneType"};
  std::int64_t last = cells;
  for (std::size_t z = 0; z < all.size(); ++z) {
    const ZoneFaces& faces = all[z];
    if (faces.types.empty()) continue;
    const std::string name = node_name(zones.names[z], used);
    const bool mixed = std::set<std::uint8_t>(faces.types.begin(), faces.types.end()).size() > 1;
    std::vector<std::int64_t> connectivity, offsets{0};
    for (std::size_t f = 0; f < faces.types.size(); ++f) {
      if (mixed) connectivity.push_back(cgns_face(faces.types[f]));
      for (std::int64_t k = faces.begin[f]; k < faces.begin[f + 1]; ++k) connectivity.push_back(faces.nodes[k] + 1);
      offsets.push_back(std::ssize(connectivity));
    }
    const std::int64_t first = last + 1;
    last += std::ssize(faces.types);
    const std::string section = out.group(zone, name, "Elements_t", "I4");
    const std::array<std::int32_t, 2> type{mixed ? kMixed : cgns_face(faces.types.front()), 0};
    out.file().write_rows(section + "/ data", std::span<const std::int32_t>(type));
    out.integers(section, "ElementRange", "IndexRange_t", {first, last});
    out.integers(section, "ElementConnectivity", "DataArray_t", connectivity);
    if (mixed) out.integers(section, "ElementStartOffset", "DataArray_t", offsets);
    const std::string condition = out.group(conditions, name, "BC_t", "C1");
    out.characters(condition + "/ data", "UserDefined");
    out.range(condition, "PointRange", first, last);
    out.text(condition, "GridLocation", "GridLocation_t", dim == 2 ? "EdgeCenter" : "FaceCenter");
  }
}

}  // namespace

Exported export_cgns(const fs::path& fields, const fs::path& to, const std::optional<ExportedZones>& zones) {
  const Communicator self = Communicator::self();
  const VtkHdfReader file(self, fields);
  const ExportPoints points = join_points(file);
  const Elements elements = elements_of(file, points);
  io::write_whole_hdf5(self, to, [&](io::Hdf5File& hdf5) {
    CgnsFile out(hdf5);
    const std::string base = out.group("", "Base", "CGNSBase_t", "I4");
    const std::array<std::int32_t, 2> dims{elements.dim, 3};
    hdf5.write_rows(base + "/ data", std::span<const std::int32_t>(dims));
    const std::string iterations = out.group(base, "TimeIterValues", "BaseIterativeData_t", "I4");
    const std::array<std::int32_t, 1> one{1};
    hdf5.write_rows(iterations + "/ data", std::span<const std::int32_t>(one));
    out.reals(iterations, "TimeValues", std::vector<double>{file.time()});
    out.int32_array(iterations, "IterationValues", "DataArray_t", {static_cast<std::int32_t>(file.step())});
    const std::string zone = out.group(base, "Zone", "Zone_t", "I8");
    hdf5.write_table(zone + "/ data", std::array<std::int64_t, 3>{std::ssize(points.x), file.cells(), 0}, 1);
    out.text(zone, "ZoneType", "ZoneType_t", "Unstructured");
    write_coordinates(out, zone, points, file.single_precision());
    const std::string section = out.group(zone, elements.name, "Elements_t", "I4");
    const std::array<std::int32_t, 2> type{elements.type, 0};
    hdf5.write_rows(section + "/ data", std::span<const std::int32_t>(type));
    out.integers(section, "ElementRange", "IndexRange_t", {1, file.cells()});
    out.integers(section, "ElementConnectivity", "DataArray_t", elements.connectivity);
    if (elements.type == kMixed) out.integers(section, "ElementStartOffset", "DataArray_t", elements.offsets);
    if (zones && !file.single_precision()) write_zones(out, zone, *zones, points, file.cells(), elements.dim);
    write_solution(out, zone, file);
  });
  return {file.cells(), std::ssize(points.x)};
}

}  // namespace weft::flow
