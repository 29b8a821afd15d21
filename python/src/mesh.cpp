// Meshes: files, generators, statistics and views of the subdomain of this rank.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <utility>

#include "weft/base/team.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"
#include "weft/mesh/mesh_stats.hpp"

#include "mesh_arguments.hpp"

namespace weft::python {
namespace {

using mesh::Mesh;

// The cells, faces and nodes of a mesh. `owner` is the Python object of the mesh.
struct Part {
  nb::object owner;
  const Mesh* mesh;
};
struct Cells : Part {};
struct Faces : Part {};
struct Nodes : Part {};

template <class Index, class T, class Entity>
[[nodiscard]] nb::object ids(const IdVector<Index, Id<Entity, T>>& values, std::size_t count, const Part& part) {
  static_assert(sizeof(Id<Entity, T>) == sizeof(T));
  return view(reinterpret_cast<const T*>(values.data()), count, part.owner);
}
// Rows of different lengths: (offsets, values), where the values of row i are values[offsets[i]:offsets[i + 1]].
template <class Entity>
[[nodiscard]] nb::object rows(const Array<Id<Entity, std::int32_t>, NonUniform>& lists, const Part& part) {
  const auto entries = lists.entries();
  return nb::make_tuple(view(lists.offsets().data(), lists.offsets().size(), part.owner),
                        view(reinterpret_cast<const std::int32_t*>(entries.data()), entries.size(), part.owner));
}

[[nodiscard]] PyMesh load(const Communicator& comm, flow::MeshChoice choice, const MeshArguments& arguments) {
  choice.build = build_options(arguments);
  choice.scale = arguments.scale;
  const Computing computing;
  return {flow::load_mesh(comm, choice, mesh_threads(comm))};
}

[[nodiscard]] nb::slice slice_of(mesh::FaceRange faces) { return {faces.first().value(), faces.last().value(), 1}; }

[[nodiscard]] nb::dict zones_of(const Mesh& mesh) {
  nb::dict zones;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    zones[nb::str(zone.name.c_str())] = slice_of(zone.faces);
  }
  return zones;
}

void bind_parts(nb::module_& module) {
  nb::class_<Cells>(module, "Cells", "The cells of this rank: first the owned ones, then the ghosts.")
      .def_prop_ro(
          "owned", [](const Cells& c) { return c.mesh->owned_cells; }, "Number of owned cells.")
      .def_prop_ro(
          "ghosts", [](const Cells& c) { return c.mesh->ghost_cells; }, "Number of ghost cells.")
      .def_prop_ro(
          "inner", [](const Cells& c) { return c.mesh->inner_cells; },
          "Number of owned cells without a ghost neighbour; they come first.")
      .def("__len__", [](const Cells& c) { return c.mesh->cells(); })
      .def_prop_ro(
          "volume", [](const Cells& c) { return view(c.mesh->cell_volume.data(), c.mesh->cell_volume.size(), c.owner); },
          "Volumes, m^3; shape (cells,).")
      .def_prop_ro(
          "centroid", [](const Cells& c) { return view(c.mesh->cell_centroid.data(), c.mesh->cell_centroid.size(), c.owner); },
          "Centroids, m; shape (cells, 3).")
      .def_prop_ro(
          "type",
          [](const Cells& c) {
            return view(reinterpret_cast<const std::uint8_t*>(c.mesh->cell_type.data()), c.mesh->cell_type.size(), c.owner);
          },
          "Shapes: indices into weft.CELL_TYPES; shape (cells,).")
      .def_prop_ro(
          "zone", [](const Cells& c) { return ids(c.mesh->cell_zone, c.mesh->cell_zone.size(), c); },
          "Index in mesh.zone_names of the volume zone of each cell, or -1; shape (cells,).")
      .def_prop_ro(
          "file_id", [](const Cells& c) { return view(c.mesh->cell_file_id.data(), c.mesh->cell_file_id.size(), c.owner); },
          "Number of each cell in its file, as `cell_id` in field files has it; shape (cells,).")
      .def_prop_ro(
          "global_id", [](const Cells& c) { return ids(c.mesh->cell_global, c.mesh->cell_global.size(), c); },
          "Number of each cell in the source mesh, from 0; shape (cells,).")
      .def_prop_ro(
          "nodes", [](const Cells& c) { return rows(c.mesh->cell_nodes, c); },
          "Nodes of each cell as (offsets, values): those of cell i are values[offsets[i]:offsets[i + 1]].")
      .def_prop_ro(
          "faces", [](const Cells& c) { return rows(c.mesh->cell_faces, c); }, "Faces of each owned cell as (offsets, values).")
      .def_prop_ro(
          "neighbours", [](const Cells& c) { return rows(c.mesh->cell_cells, c); },
          "Neighbours of each owned cell as (offsets, values).");
  nb::class_<Faces>(module, "Faces",
                    "The faces of this rank: inner faces, faces between an owned cell and a ghost, then the faces of each zone.")
      .def("__len__", [](const Faces& f) { return f.mesh->faces(); })
      .def_prop_ro(
          "inner", [](const Faces& f) { return slice_of(f.mesh->inner_faces); }, "The slice of the faces between owned cells.")
      .def_prop_ro(
          "interface", [](const Faces& f) { return slice_of(f.mesh->interface_faces); },
          "The slice of the faces between an owned cell and a ghost.")
      .def_prop_ro(
          "left", [](const Faces& f) { return ids(f.mesh->face_left, f.mesh->face_left.size(), f); },
          "The owned cell that the normal points out of; shape (faces,).")
      .def_prop_ro(
          "right", [](const Faces& f) { return ids(f.mesh->face_right, f.mesh->face_right.size(), f); },
          "The cell on the other side, -1 at a boundary; shape (faces,).")
      .def_prop_ro(
          "normal", [](const Faces& f) { return view(f.mesh->face_normal.data(), f.mesh->face_normal.size(), f.owner); },
          "Unit normals, out of the left cell; shape (faces, 3).")
      .def_prop_ro(
          "area", [](const Faces& f) { return view(f.mesh->face_area.data(), f.mesh->face_area.size(), f.owner); },
          "Areas, m^2; shape (faces,).")
      .def_prop_ro(
          "centroid", [](const Faces& f) { return view(f.mesh->face_centroid.data(), f.mesh->face_centroid.size(), f.owner); },
          "Centroids, m; shape (faces, 3).")
      .def_prop_ro(
          "nodes", [](const Faces& f) { return rows(f.mesh->face_nodes, f); }, "Nodes of each face as (offsets, values).");
  nb::class_<Nodes>(module, "Nodes", "The nodes of this rank: those of owned cells, then those of ghosts only.")
      .def("__len__", [](const Nodes& n) { return n.mesh->node_coord.size(); })
      .def_prop_ro(
          "coordinates", [](const Nodes& n) { return view(n.mesh->node_coord.data(), n.mesh->node_coord.size(), n.owner); },
          "Coordinates, m; shape (nodes, 3).")
      .def_prop_ro(
          "global_id", [](const Nodes& n) { return ids(n.mesh->node_global, n.mesh->node_global.size(), n); },
          "Number of each node in the source mesh, from 0; shape (nodes,).");
}

[[nodiscard]] nb::dict info_of(const Mesh& mesh) {
  const mesh::MeshStats stats = [&] {
    const Computing computing;
    Team team(mesh_threads(mesh.comm));
    return mesh::measure(mesh, team);
  }();
  const auto vector = [](Vec3 x) { return nb::make_tuple(x.x, x.y, x.z); };
  nb::dict zones, types, info;
  for (const mesh::MeshStats::ZoneSize& zone : stats.zones) {
    nb::dict size;
    size["dim"] = zone.dim;
    size["elements"] = zone.elements;
    size["measure"] = zone.measure;
    zones[nb::str(zone.name.c_str())] = size;
  }
  for (std::size_t type = 0; type < stats.cells_of_type.size(); ++type) {
    const std::string name(mesh::kCellShapes[type].name);
    if (stats.cells_of_type[type] > 0) types[nb::str(name.c_str())] = stats.cells_of_type[type];
  }
  info["source"] = stats.source;
  info["dim"] = stats.dim;
  info["cells"] = stats.cells;
  info["nodes"] = stats.nodes;
  info["interior_faces"] = stats.interior_faces;
  info["boundary_faces"] = stats.boundary_faces;
  info["cells_of_type"] = types;
  info["zones"] = zones;
  info["low"] = vector(stats.low);
  info["high"] = vector(stats.high);
  info["volume"] = stats.volume;
  info["smallest_cell"] = stats.smallest_cell.value;
  info["largest_cell"] = stats.largest_cell.value;
  info["non_orthogonality"] = stats.non_orthogonality.value;
  info["skewness"] = stats.skewness.value;
  info["aspect_ratio"] = stats.aspect_ratio.value;
  info["ranks"] = stats.ranks;
  info["text"] = mesh::describe(stats);
  return info;
}

/// Binds the functions that read and generate meshes.
void bind_making(nb::module_& module) {
  module.def("read_mesh",
             [](const Communicator& comm, const std::string& path, const std::string& neighbours, const std::string& partitioner,
                const std::string& ordering, double scale, const std::vector<std::pair<std::string, std::string>>& periodic) {
               flow::MeshChoice choice;
               choice.file = path;
               return load(comm, std::move(choice), {neighbours, partitioner, ordering, scale, periodic});
             });
  module.def("generate_mesh", [](const Communicator& comm, const std::string& generator,
                                 const std::map<std::string, mesh::GeneratorValue>& parameters, const std::string& neighbours,
                                 const std::string& partitioner, const std::string& ordering, double scale,
                                 const std::vector<std::pair<std::string, std::string>>& periodic) {
    flow::MeshChoice choice;
    choice.generator = generator;
    choice.parameters = {parameters.begin(), parameters.end()};
    return load(comm, std::move(choice), {neighbours, partitioner, ordering, scale, periodic});
  });
  module.def("generators", [] {
    nb::dict all;
    for (const mesh::GeneratorInfo& generator : mesh::generators()) {
      nb::dict parameters;
      for (const mesh::GeneratorParameter& parameter : generator.parameters) {
        parameters[nb::str(parameter.name.c_str())] =
            nb::make_tuple(parameter.initial, parameter.unit, parameter.range, parameter.text);
      }
      all[nb::str(generator.name.c_str())] = nb::make_tuple(generator.text, generator.zones, parameters);
    }
    return all;
  });
}

}  // namespace

void bind_mesh(nb::module_& module) {
  bind_parts(module);
  nb::list types;
  for (const mesh::CellShape& shape : mesh::kCellShapes) types.append(nb::str(std::string(shape.name).c_str()));
  module.attr("CELL_TYPES") = nb::tuple(types);

  nb::class_<PyMesh>(module, "Mesh",
                     "The subdomain of this rank of a partitioned mesh. Arrays are read-only views of its memory.")
      .def_prop_ro(
          "dim", [](const PyMesh& m) { return m.mesh.dim; }, "2 or 3.")
      .def_prop_ro(
          "global_cells", [](const PyMesh& m) { return m.mesh.global_cells; }, "Number of cells of all ranks.")
      .def_prop_ro(
          "source", [](const PyMesh& m) { return m.mesh.source; }, "The file, or the generator.")
      .def_prop_ro(
          "warnings", [](const PyMesh& m) { return m.mesh.warnings; }, "What the reader found that may not be meant.")
      .def_prop_ro(
          "comm", [](const PyMesh& m) { return m.mesh.comm; }, "The ranks that share the mesh.")
      .def_prop_ro(
          "cells",
          [](nb::handle self) {
            return Cells{{nb::borrow(self), &nb::cast<const PyMesh&>(self).mesh}};
          },
          "The cells of this rank.")
      .def_prop_ro(
          "faces",
          [](nb::handle self) {
            return Faces{{nb::borrow(self), &nb::cast<const PyMesh&>(self).mesh}};
          },
          "The faces of this rank.")
      .def_prop_ro(
          "nodes",
          [](nb::handle self) {
            return Nodes{{nb::borrow(self), &nb::cast<const PyMesh&>(self).mesh}};
          },
          "The nodes of this rank.")
      .def_prop_ro(
          "zones", [](const PyMesh& m) { return zones_of(m.mesh); },
          "The boundary zones: name and the slice of their faces on this rank.")
      .def_prop_ro(
          "zone_names",
          [](const PyMesh& m) {
            nb::list names;
            for (const mesh::Zone& zone : m.mesh.zones) names.append(nb::str(zone.name.c_str()));
            return nb::tuple(names);
          },
          "The names of all zones of the source, of boundaries and of volumes, to which cells.zone refers.")
      .def_prop_ro(
          "periodic",
          [](const PyMesh& m) {
            nb::list pairs;
            for (const mesh::Periodic& pair : m.mesh.periodic) pairs.append(nb::make_tuple(pair.from, pair.to));
            return nb::tuple(pairs);
          },
          "The pairs of names of boundary zones that are identified.")
      .def_prop_ro(
          "axisymmetric", [](const PyMesh& m) { return m.mesh.axisymmetric; },
          "Whether y is the distance from an axis: volumes and areas are those of a full revolution.")
      .def(
          "info", [](const PyMesh& m) { return info_of(m.mesh); },
          "Returns sizes, extent, quality and zones of the whole mesh; \"text\" is the report for people. Collective.")
      .def("__repr__", [](const PyMesh& m) {
        return nb::str("weft.Mesh({!r}, dim={}, global_cells={})").format(m.mesh.source, m.mesh.dim, m.mesh.global_cells);
      });
  bind_making(module);
}

}  // namespace weft::python
