#include "weft/mesh/geometry.hpp"

#include "weft/base/contracts.hpp"

namespace weft::mesh {
namespace {

Vec3 mean(std::span<const Vec3> points) {
  Vec3 sum;
  for (const Vec3& x : points) sum += x;
  return sum / static_cast<double>(points.size());
}

/// Adds signed simplices with one corner at the origin.
struct Simplices {
  double measure = 0;  ///< 6 x volume or 2 x area
  Vec3 moment;         ///< sum of measure x sum of corners

  void add(Vec3 a, Vec3 b, Vec3 c) {
    const double v = dot(a, cross(b, c));
    measure += v;
    moment += v * (a + b + c);
  }
  void add(Vec3 a, Vec3 b) {
    const double v = a.x * b.y - a.y * b.x;
    measure += v;
    moment += v * (a + b);
  }
};

}  // namespace

FaceGeometry face_geometry(std::span<const Vec3> node) {
  WEFT_EXPECTS(node.size() >= 2 && node.size() <= 4);
  if (node.size() == 2) {
    const Vec3 along = node[1] - node[0];
    return {{along.y, -along.x, 0}, 0.5 * (node[0] + node[1])};
  }
  const Vec3 middle = mean(node);
  if (node.size() == 3) return {0.5 * cross(node[1] - node[0], node[2] - node[0]), middle};
  const Vec3 area = 0.5 * cross(node[2] - node[0], node[3] - node[1]);
  double weight = 0;
  Vec3 moment;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 a = node[i] - middle, b = node[(i + 1) % 4] - middle;
    const double projected = dot(cross(a, b), area);
    weight += projected;
    moment += projected * (a + b);
  }
  return {area, weight == 0 ? middle : middle + moment / (3 * weight)};
}

CellGeometry cell_geometry(CellType type, std::span<const Vec3> node) {
  const CellShape& s = shape(type);
  WEFT_EXPECTS(s.dim >= 2 && std::ssize(node) == s.nodes);
  const Vec3 origin = mean(node);
  Simplices sum;
  for (int f = 0; f < s.faces; ++f) {
    const CellFace& face = s.face[f];
    std::array<Vec3, kMaxFaceNodes> x;
    const std::size_t size = face.size;
    for (std::size_t i = 0; i < size; ++i) x[i] = node[face.node[i]] - origin;
    if (size == 2) {
      sum.add(x[0], x[1]);
    } else if (size == 3) {
      sum.add(x[0], x[1], x[2]);
    } else {
      const Vec3 middle = mean(std::span<const Vec3>(x));
      for (std::size_t i = 0; i < 4; ++i) sum.add(x[i], x[(i + 1) % 4], middle);
    }
  }
  const double corners = s.dim + 1;
  const Vec3 offset = sum.measure == 0 ? Vec3{} : sum.moment / (corners * sum.measure);
  return {sum.measure / (s.dim == 2 ? 2 : 6), origin + offset};
}

}  // namespace weft::mesh
