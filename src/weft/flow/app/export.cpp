#include "weft/flow/app/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/io/replace_file.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"
#include "weft/io/vtk/vtu.hpp"
#include "weft/mesh/cell_type.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using io::VtkHdfReader;

constexpr std::int64_t kRun = 1 << 18;  ///< rows that are read and written at a time

/// Calls work(first, count) for runs of 0 ... total - 1.
void in_runs(std::int64_t total, const std::function<void(std::int64_t, std::int64_t)>& work) {
  for (std::int64_t first = 0; first < total; first += kRun) work(first, std::min(kRun, total - first));
}

/// The points of a file, those at which its pieces meet joined.
struct Points {
  std::vector<Vec3> x;
  std::vector<std::int64_t> number;  ///< of each point of the file, in x
};

Points join_points(const VtkHdfReader& file) {
  Points points;
  in_runs(file.points(), [&](std::int64_t first, std::int64_t count) {
    const std::vector<Vec3> run = file.read_points(first, count);
    points.x.insert(points.x.end(), run.begin(), run.end());
  });
  points.number.resize(points.x.size());
  std::iota(points.number.begin(), points.number.end(), std::int64_t{0});
  if (file.pieces().size() < 2 || file.single_precision()) return points;
  std::vector<std::int64_t> order = points.number;
  const auto at = [&](std::int64_t i) { return points.x[static_cast<std::size_t>(i)]; };
  const auto key = [&](std::int64_t i) { return std::tuple(at(i).x, at(i).y, at(i).z, i); };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  const auto piece_of = [&](std::int64_t i) {
    return std::upper_bound(
               file.pieces().begin(), file.pieces().end(), i,
               [](std::int64_t point, const VtkHdfReader::Piece& piece) { return point < piece.first_point + piece.points; }) -
           file.pieces().begin();
  };
  for (std::size_t k = 1, first = 0; k < order.size(); ++k) {
    if (at(order[k]) != at(order[first])) {
      first = k;
    } else if (piece_of(order[k]) != piece_of(order[k - 1])) {  // two of one piece are two points, wherever they lie
      points.number[static_cast<std::size_t>(order[k])] = order[first];
    }
  }
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const auto same = static_cast<std::size_t>(points.number[i]);  // i itself, or one before it
    if (same == i) points.x[static_cast<std::size_t>(kept)] = points.x[i];
    points.number[i] = same == i ? kept++ : points.number[same];
  }
  points.x.resize(static_cast<std::size_t>(kept));
  return points;
}

std::vector<std::int64_t> renumbered(const std::vector<std::int64_t>& nodes, const Points& points) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(nodes.size());
  for (const std::int64_t node : nodes) numbers.push_back(points.number[static_cast<std::size_t>(node)]);
  return numbers;
}

/// Turns the triangles of prisms round. Field files have them in the order of VTK's earlier documentation; VTK's present one
/// (9.7), its filters, and other programs that read VTU have them in ours.
void turn_prisms(const VtkHdfReader::Cells& cells, std::vector<std::int64_t>& nodes) {
  const mesh::CellShape& prism = mesh::shape(mesh::CellType::prism);
  for (std::size_t c = 0; c < cells.types.size(); ++c) {
    if (cells.types[c] != prism.vtk || cells.begin[c + 1] - cells.begin[c] != prism.nodes) continue;
    const auto first = static_cast<std::size_t>(cells.begin[c]);
    std::swap(nodes[first + 1], nodes[first + 2]);
    std::swap(nodes[first + 4], nodes[first + 5]);
  }
}

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

io::VtuArray::Type vtu_type(VtkHdfReader::Field::Type type) {
  switch (type) {
    case VtkHdfReader::Field::Type::float32:
      return io::VtuArray::Type::float32;
    case VtkHdfReader::Field::Type::float64:
      return io::VtuArray::Type::float64;
    case VtkHdfReader::Field::Type::int64:
      break;
  }
  return io::VtuArray::Type::int64;
}

// --- CGNS

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
  void small_integers(const std::string& parent, const std::string& name, const std::string& label,
                      const std::vector<std::int32_t>& values) {
    file_.write_rows(group(parent, name, label, "I4") + "/ data", std::span<const std::int32_t>(values));
  }
  template <class T>
  void reals(const std::string& parent, const std::string& name, const std::vector<T>& values) {
    const std::string path = group(parent, name, "DataArray_t", sizeof(T) == 4 ? "R4" : "R8");
    file_.write_rows(path + "/ data", std::span<const T>(values));
  }
  [[nodiscard]] io::Hdf5File& file() { return file_; }

 private:
  void describe(const std::string& object, const std::string& name, const std::string& label, const std::string& type) {
    constexpr std::size_t kText = 33, kType = 3;  // with the 0 at the end
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

/// Returns the name of the SIDS of component k of a field with `width` components; in 2-D vorticity is that along z alone.
std::string sids_name(const std::string& field, std::size_t k, std::size_t width) {
  static const std::map<std::string, std::string> kNames{
      {"density", "Density"},     {"velocity", "Velocity"},       {"pressure", "Pressure"},
      {"mach", "Mach"},           {"temperature", "Temperature"}, {"total_temperature", "TemperatureStagnation"},
      {"vorticity", "Vorticity"}, {"cp", "CoefPressure"},         {"total_pressure", "PressureStagnation"}};
  const auto found = kNames.find(field);
  const std::string name = found == kNames.end() ? field : found->second;
  if (width == 1) return field == "vorticity" ? name + "Z" : name;
  return name + (width == 3 ? std::string(1, "XYZ"[k]) : std::to_string(k + 1));
}

const mesh::CellShape& shape_of(const VtkHdfReader& file, std::uint8_t vtk) {
  for (const mesh::CellShape& shape : mesh::kCellShapes) {
    if (shape.vtk == vtk) return shape;
  }
  throw IoError(fmt::format("has a cell of VTK type {}, which is none of weft's", vtk), "export it to VTU",
                Where{.file = file.path().string()});
}

constexpr std::int32_t kMixed = 20;  ///< the element type of CGNS

/// The elements of a zone as CGNS numbers them; all of one type, or MIXED.
struct Elements {
  std::vector<std::int64_t> connectivity, offsets{0};  ///< offsets: of MIXED
  std::int32_t type = kMixed;
  std::string name = "Cells";
  int dim = 3;
};

Elements elements_of(const VtkHdfReader& file, const Points& points) {
  std::set<std::uint8_t> types;
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    for (const std::uint8_t type : file.read_cells(first, count).types) types.insert(type);
  });
  Elements elements;
  for (const std::uint8_t type : types) elements.dim = shape_of(file, type).dim;
  const bool mixed = types.size() != 1;
  if (!mixed) elements.type = shape_of(file, *types.begin()).cgns;
  elements.connectivity.reserve(static_cast<std::size_t>(file.ids() + (mixed ? file.cells() : 0)));
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    const VtkHdfReader::Cells cells = file.read_cells(first, count);
    const std::vector<std::int64_t> nodes = renumbered(cells.nodes, points);
    for (std::size_t c = 0; c < cells.types.size(); ++c) {
      const mesh::CellShape& shape = shape_of(file, cells.types[c]);
      const auto type = static_cast<mesh::CellType>(&shape - mesh::kCellShapes.data());
      const auto begin = static_cast<std::size_t>(cells.begin[c]);
      if (cells.begin[c + 1] - cells.begin[c] != shape.nodes) {
        throw IoError(fmt::format("has a {} of {} nodes", shape.name, cells.begin[c + 1] - cells.begin[c]), {},
                      Where{.file = file.path().string()});
      }
      if (mixed) elements.connectivity.push_back(shape.cgns);
      const std::size_t base = elements.connectivity.size();
      elements.connectivity.resize(base + static_cast<std::size_t>(shape.nodes));
      for (int k = 0; k < shape.nodes; ++k) {
        elements.connectivity[base + mesh::vtk_position(type, k)] = nodes[begin + static_cast<std::size_t>(k)] + 1;
      }
      if (mixed) elements.offsets.push_back(std::ssize(elements.connectivity));
    }
  });
  return elements;
}

void write_coordinates(CgnsFile& out, const std::string& zone, const Points& points, bool single) {
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
    const auto width = static_cast<std::size_t>(field.components);
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

}  // namespace

Exported export_vtu(const fs::path& fields, const fs::path& to) {
  const VtkHdfReader file(Communicator::self(), fields);
  const Points points = join_points(file);
  std::vector<io::VtuArray> arrays;
  for (const VtkHdfReader::Field& field : file.fields()) arrays.push_back({field.name, vtu_type(field.type), field.components});
  const auto point_type = file.single_precision() ? io::VtuArray::Type::float32 : io::VtuArray::Type::float64;
  io::VtuWriter out(to, {.points = std::ssize(points.x), .cells = file.cells(), .connectivity = file.ids()}, point_type, arrays,
                    file.time(), file.step());
  const auto append_reals = [&](const std::vector<double>& values, bool single) {
    if (single) {
      out.append(std::span<const float>(narrow(values)));
    } else {
      out.append(std::span<const double>(values));
    }
  };
  in_runs(std::ssize(points.x), [&](std::int64_t first, std::int64_t count) {
    std::vector<double> run;
    for (std::int64_t i = first; i < first + count; ++i) {
      const Vec3& x = points.x[static_cast<std::size_t>(i)];
      run.insert(run.end(), {x.x, x.y, x.z});
    }
    append_reals(run, file.single_precision());
  });
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    const VtkHdfReader::Cells cells = file.read_cells(first, count);
    std::vector<std::int64_t> nodes = renumbered(cells.nodes, points);
    turn_prisms(cells, nodes);
    out.append(std::span<const std::int64_t>(nodes));
  });
  std::int64_t before = 0;  // nodes of the runs before
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> ends = file.read_cells(first, count).begin;
    ends.erase(ends.begin());
    for (std::int64_t& end : ends) end += before;
    before = ends.back();
    out.append(std::span<const std::int64_t>(ends));
  });
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    out.append(std::span<const std::uint8_t>(file.read_cells(first, count).types));
  });
  for (const VtkHdfReader::Field& field : file.fields()) {
    in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
      if (field.type == VtkHdfReader::Field::Type::int64) {
        out.append(std::span<const std::int64_t>(file.read_integers(field, first, count)));
      } else {
        append_reals(file.read_reals(field, first, count), field.type == VtkHdfReader::Field::Type::float32);
      }
    });
  }
  out.finish();
  return {file.cells(), std::ssize(points.x)};
}

Exported export_cgns(const fs::path& fields, const fs::path& to) {
  const Communicator self = Communicator::self();
  const VtkHdfReader file(self, fields);
  const Points points = join_points(file);
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
    out.small_integers(iterations, "IterationValues", "DataArray_t", {static_cast<std::int32_t>(file.step())});
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
    write_solution(out, zone, file);
  });
  return {file.cells(), std::ssize(points.x)};
}

}  // namespace weft::flow
