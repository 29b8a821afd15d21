#pragma once
/// Points and vectors in three-dimensional space; two-dimensional meshes have z = 0.
#include <cmath>
#include <type_traits>

#include "weft/base/macros.hpp"

namespace weft {

/// A vector with three components. @tparam T  a floating-point type or a SIMD vector.
template <class T>
struct BasicVec3 {
  T x = 0, y = 0, z = 0;

  [[nodiscard]] WEFT_HD constexpr T operator[](int k) const { return k == 0 ? x : (k == 1 ? y : z); }
  [[nodiscard]] WEFT_HD constexpr T& operator[](int k) { return k == 0 ? x : (k == 1 ? y : z); }

  WEFT_HD constexpr BasicVec3& operator+=(BasicVec3 b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  WEFT_HD constexpr BasicVec3& operator-=(BasicVec3 b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  WEFT_HD constexpr BasicVec3& operator*=(T s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  friend WEFT_HD constexpr BasicVec3 operator+(BasicVec3 a, BasicVec3 b) { return a += b; }
  friend WEFT_HD constexpr BasicVec3 operator-(BasicVec3 a, BasicVec3 b) { return a -= b; }
  friend WEFT_HD constexpr BasicVec3 operator-(BasicVec3 a) { return {-a.x, -a.y, -a.z}; }
  friend WEFT_HD constexpr BasicVec3 operator*(T s, BasicVec3 a) { return a *= s; }
  friend WEFT_HD constexpr BasicVec3 operator*(BasicVec3 a, T s) { return a *= s; }
  friend WEFT_HD constexpr BasicVec3 operator/(BasicVec3 a, T s) { return {a.x / s, a.y / s, a.z / s}; }
  friend WEFT_HD constexpr bool operator==(BasicVec3 a, BasicVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};

using Vec3 = BasicVec3<double>;

template <class T = double>
[[nodiscard]] WEFT_HD constexpr T dot(const BasicVec3<T>& a, const BasicVec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T = double>
[[nodiscard]] WEFT_HD constexpr BasicVec3<T> cross(const BasicVec3<T>& a, const BasicVec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T = double>
[[nodiscard]] WEFT_HD T norm(const BasicVec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

}  // namespace weft
