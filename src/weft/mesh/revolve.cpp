#include "weft/mesh/revolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::mesh {

void revolve(Mesh& mesh) {
  ArrayPair<double> y_of_owner(mesh.plan);
  for (const LocalCellId c : mesh.owned()) y_of_owner(c) = mesh.cell_centroid[c].y;
  ArrayTransformer(mesh.plan, {y_of_owner}).pull().run();
  agreed(mesh.comm, [&] {
    if (mesh.dim != 2) {
      throw MeshError("an axisymmetric flow needs a 2-D mesh, of its meridian plane", "leave mesh.axisymmetric out",
                      {.file = mesh.source});
    }
    double size = 0;
    for (const Vec3& x : mesh.node_coord) size = std::max({size, std::abs(x.x), std::abs(x.y)});
    constexpr double kRounding = 1e-12;
    for (const LocalCellId c : mesh.cell_centroid.ids()) {
      if (std::abs(y_of_owner(c) - mesh.cell_centroid[c].y) <= 1e-9 * size) continue;
      throw MeshError("the mesh is periodic across the axis y = 0, and both sides of such a face differ in radius",
                      "only translations along x fit an axisymmetric flow", {.file = mesh.source});
    }
    for (const Vec3& x : mesh.node_coord) {
      if (x.y >= -kRounding * size) continue;
      throw MeshError(fmt::format("the node at ({:.6g}, {:.6g}) lies below the axis y = 0", x.x, x.y),
                      "an axisymmetric flow needs the half of the plane with y >= 0; mesh.offset moves a mesh",
                      {.file = mesh.source});
    }
  });
  constexpr double kTurn = 2 * std::numbers::pi;
  for (const LocalFaceId f : mesh.face_area.ids()) mesh.face_area[f] *= kTurn * std::max(mesh.face_centroid[f].y, 0.0);
  for (const LocalCellId c : mesh.cell_volume.ids()) mesh.cell_volume[c] *= kTurn * mesh.cell_centroid[c].y;
  mesh.axisymmetric = true;
}

}  // namespace weft::mesh
