#pragma once
/// The order of keys: total also for floating-point numbers, and the same on hosts and GPUs.
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "weft/base/macros.hpp"

namespace weft::kernels {

/// The direction of a sort. Equal keys retain their order in both directions.
enum class Direction : std::uint8_t { ascending, descending };

/// A key of a sort on a GPU: an integer, float or double.
template <class Key>
concept RadixKey = std::integral<Key> || std::same_as<Key, float> || std::same_as<Key, double>;

/// Returns true if `a` precedes `b` in a total order: `<`, and for floating-point keys -NaN, -inf, ..., -0, +0, ..., +inf, +NaN.
template <class Key>
[[nodiscard]] bool before(const Key& a, const Key& b) {
  if constexpr (std::floating_point<Key>) {
    return std::is_lt(std::strong_order(a, b));
  } else {
    return a < b;
  }
}

namespace detail {

/// The unsigned integer of the size of a key.
template <class Key>
using KeyBits = std::conditional_t<
    sizeof(Key) == 8, std::uint64_t,
    std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::conditional_t<sizeof(Key) == 2, std::uint16_t, std::uint8_t>>>;

/// Returns an unsigned integer for the bits of a floating-point number; it has the order of before().
template <class Bits>
[[nodiscard]] WEFT_HD constexpr Bits ordered_bits(Bits bits) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
}
/// Returns the argument of ordered_bits().
template <class Bits>
[[nodiscard]] WEFT_HD constexpr Bits unordered_bits(Bits ordered) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  return static_cast<Bits>((ordered & kSign) != 0 ? ordered ^ kSign : ~ordered);
}

/// The conversion of keys to unsigned integers whose ascending order is that of a sort.
struct KeyCode {
  enum class Kind : std::uint8_t { unsigned_integer, signed_integer, floating } kind;
  bool descending;

  template <class Bits>
  [[nodiscard]] WEFT_HD Bits encode(Bits key) const {
    if (kind == Kind::floating) key = ordered_bits(key);
    if (kind == Kind::signed_integer) key = static_cast<Bits>(key ^ kSign<Bits>);
    return descending ? static_cast<Bits>(~key) : key;
  }
  template <class Bits>
  [[nodiscard]] WEFT_HD Bits decode(Bits number) const {
    if (descending) number = static_cast<Bits>(~number);
    if (kind == Kind::floating) number = unordered_bits(number);
    if (kind == Kind::signed_integer) number = static_cast<Bits>(number ^ kSign<Bits>);
    return number;
  }

 private:
  template <class Bits>
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
};

/// Returns the conversion of keys for a sort.
template <class Key>
[[nodiscard]] constexpr KeyCode key_code(Direction direction) {
  using Kind = KeyCode::Kind;
  const Kind kind = std::floating_point<Key> ? Kind::floating
                    : std::is_signed_v<Key>  ? Kind::signed_integer
                                             : Kind::unsigned_integer;
  return {kind, direction == Direction::descending};
}

/// Returns true if neither key precedes the other: == would make -0 and +0 one key, and every NaN a key of its own.
template <class Key>
[[nodiscard]] WEFT_HD bool is_same_key(const Key& a, const Key& b) {
  if constexpr (std::floating_point<Key>) {
    return std::bit_cast<KeyBits<Key>>(a) == std::bit_cast<KeyBits<Key>>(b);
  } else {
    return a == b;
  }
}

}  // namespace detail

}  // namespace weft::kernels
