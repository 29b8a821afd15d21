#pragma once
/// Points and vectors in space. Always three components; two-dimensional meshes have z = 0.
#include <cmath>

#include "weft/base/macros.hpp"

namespace weft {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  [[nodiscard]] WEFT_HD constexpr double operator[](int k) const { return k == 0 ? x : (k == 1 ? y : z); }
  [[nodiscard]] WEFT_HD constexpr double& operator[](int k) { return k == 0 ? x : (k == 1 ? y : z); }

  WEFT_HD constexpr Vec3& operator+=(Vec3 b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  WEFT_HD constexpr Vec3& operator-=(Vec3 b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  WEFT_HD constexpr Vec3& operator*=(double s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  friend WEFT_HD constexpr Vec3 operator+(Vec3 a, Vec3 b) { return a += b; }
  friend WEFT_HD constexpr Vec3 operator-(Vec3 a, Vec3 b) { return a -= b; }
  friend WEFT_HD constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend WEFT_HD constexpr Vec3 operator*(double s, Vec3 a) { return a *= s; }
  friend WEFT_HD constexpr Vec3 operator*(Vec3 a, double s) { return a *= s; }
  friend WEFT_HD constexpr Vec3 operator/(Vec3 a, double s) { return {a.x / s, a.y / s, a.z / s}; }
  friend WEFT_HD constexpr bool operator==(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};

[[nodiscard]] WEFT_HD constexpr double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
[[nodiscard]] WEFT_HD constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] WEFT_HD inline double norm(Vec3 a) { return std::sqrt(dot(a, a)); }

}  // namespace weft
