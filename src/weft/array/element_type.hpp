#pragma once
/// Names of element types for files, messages and the signatures that ranks compare.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "weft/base/id.hpp"
#include "weft/base/vec3.hpp"

namespace weft {

/// Composition of an element in memory: `components` contiguous scalars of one type.
struct ElementType {
  enum class Scalar : std::uint8_t { bytes, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64 };
  Scalar scalar = Scalar::bytes;
  std::int32_t components = 1;
  std::int32_t bytes = 0;  ///< size of an element with all components
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// Returns the name of a type: "float64", "int32", "float64x3", "bytes12".
[[nodiscard]] std::string to_string(const ElementType& type);

namespace detail {

template <class T>
consteval ElementType::Scalar scalar_of() {
  using Scalar = ElementType::Scalar;
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? Scalar::float32 : (sizeof(T) == 8 ? Scalar::float64 : Scalar::bytes);
  } else if constexpr (std::is_integral_v<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? Scalar::int8 : Scalar::uint8;
      case 2:
        return is_signed ? Scalar::int16 : Scalar::uint16;
      case 4:
        return is_signed ? Scalar::int32 : Scalar::uint32;
      case 8:
        return is_signed ? Scalar::int64 : Scalar::uint64;
      default:
        return Scalar::bytes;
    }
  } else {
    return Scalar::bytes;
  }
}

}  // namespace detail

/// Element type of T. Specialise it for other aggregates of one scalar type; other trivially copyable types are plain bytes.
template <class T>
struct ElementTypeOf {
  static constexpr ElementType value{detail::scalar_of<T>(), 1, static_cast<std::int32_t>(sizeof(T))};
};
template <class T>
  requires std::is_enum_v<T>
struct ElementTypeOf<T> : ElementTypeOf<std::underlying_type_t<T>> {};
template <class Tag, class Rep>
struct ElementTypeOf<Id<Tag, Rep>> : ElementTypeOf<Rep> {};
template <>
struct ElementTypeOf<Vec3> {
  static constexpr ElementType value{ElementType::Scalar::float64, 3, static_cast<std::int32_t>(sizeof(Vec3))};
};
template <class T, std::size_t N>
struct ElementTypeOf<std::array<T, N>> {
  static constexpr ElementType inner = ElementTypeOf<T>::value;
  static constexpr ElementType value{inner.scalar, inner.components* static_cast<std::int32_t>(N),
                                     static_cast<std::int32_t>(sizeof(std::array<T, N>))};
};

template <class T>
inline constexpr ElementType element_type = ElementTypeOf<std::remove_cv_t<T>>::value;

}  // namespace weft
