#pragma once
// Functors that read a mesh through its views, for tests in every space, and the expected results.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/base/macros.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/mesh_params.hpp"

namespace weft::mesh::test {

/// Values that a cell reads through a view.
struct CellSight {
  Vec3 closure;                 ///< sum of the outward area vectors
  double volume = 0;            ///< as the view has it
  double divergence = 0;        ///< sum of x . n A over the faces / dim: the volume
  std::int64_t neighbours = 0;  ///< a sum that depends on each neighbour and on its position in the list
  std::int64_t across = 0;      ///< a sum over the cells across the faces, and over the zones
  friend bool operator==(const CellSight&, const CellSight&) = default;
};

struct LookAround {
  FvView fv;
  CellSight* sights;
  WEFT_HD void operator()(std::int32_t i) const {
    const LocalCellId cell(i);
    CellSight sight;
    sight.volume = fv.volume(cell);
    std::int64_t place = 1;
    for (const LocalFaceId f : fv.faces(cell)) {
      const Vec3 area = fv.area(f) * fv.outward_normal(f, cell);
      sight.closure += area;
      sight.divergence += dot(fv.face_centroid(f) - fv.centroid(cell), area) / fv.dim;
      const LocalCellId other = fv.other_cell(f, cell);
      sight.across += place++ * (other.valid() ? other.value() + 1 : -1 - fv.zone_of(f).value());
    }
    place = 1;
    for (const LocalCellId other : fv.neighbours(cell)) sight.neighbours += place++ * (other.value() + 1);
    sights[i] = sight;
  }
};

/// Returns the values of all owned cells, read from the mesh without views.
inline std::vector<CellSight> expected_sights(const Mesh& mesh) {
  std::vector<CellSight> sights;
  for (const LocalCellId cell : mesh.owned()) {
    CellSight sight;
    sight.volume = mesh.cell_volume[cell];
    std::int64_t place = 1;
    for (const LocalFaceId f : mesh.cell_faces.row(cell)) {
      const bool left = mesh.face_left[f] == cell;
      const Vec3 normal = mesh.face_normal[f], area = mesh.face_area[f] * (left ? normal : -normal);
      sight.closure += area;
      sight.divergence += dot(mesh.face_centroid[f] - mesh.cell_centroid[cell], area) / mesh.dim;
      std::int64_t number = (left ? mesh.face_right : mesh.face_left)[f].value() + 1;
      for (const BoundaryZoneId z : mesh.boundary.ids()) {
        if (mesh.boundary[z].faces.contains(f)) number = -1 - std::int64_t{z.value()};
      }
      sight.across += place++ * number;
    }
    place = 1;
    for (const LocalCellId other : mesh.cell_cells.row(cell)) sight.neighbours += place++ * (other.value() + 1);
    sights.push_back(sight);
  }
  return sights;
}

inline std::vector<Mesh> sample_meshes(const Communicator& comm) {
  std::vector<Mesh> meshes;
  meshes.push_back(build(comm, generate(comm, BoxSpec{.nx = 9, .ny = 7, .elements = CellMix::mixed})));
  meshes.push_back(build(comm, generate(comm, BoxSpec{.nx = 5, .ny = 4, .nz = 3})));
  meshes.push_back(build(comm, generate(comm, BoxSpec{.nx = 6, .ny = 6}), {.periodic = {Periodic("xmin", "xmax")}}));
  return meshes;
}

}  // namespace weft::mesh::test
