#pragma once
/// Typed integer ids: cell and face ids, local and global ids, and plain integers are distinct types.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"

namespace weft {

/// An integer id of the entity type `Tag` with the representation `Rep`. It is trivially copyable, has the size of `Rep`, and is
/// ordered and hashable. A default-constructed id is `invalid()` (-1).
template <class Tag, class Rep>
class Id {
  static_assert(std::is_signed_v<Rep> && std::is_integral_v<Rep>);

 public:
  using rep = Rep;

  constexpr Id() = default;
  WEFT_HD constexpr explicit Id(Rep value) : value_(value) {}
  /// Converts any other integer type. @pre the value fits into Rep (checked_local() checks this).
  template <class Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, Rep>)
  WEFT_HD constexpr explicit Id(Integer value) : value_(static_cast<Rep>(value)) {}

  [[nodiscard]] WEFT_HD static constexpr Id invalid() { return Id{}; }
  [[nodiscard]] WEFT_HD constexpr bool valid() const { return value_ >= 0; }
  [[nodiscard]] WEFT_HD constexpr Rep value() const { return value_; }
  /// Returns the id as a subscript. @pre valid().
  [[nodiscard]] WEFT_HD constexpr std::size_t index() const {
    WEFT_EXPECTS(valid());
    return static_cast<std::size_t>(value_);
  }

  WEFT_HD constexpr Id& operator++() {
    ++value_;
    return *this;
  }
  friend WEFT_HD constexpr bool operator==(Id a, Id b) { return a.value_ == b.value_; }
  friend WEFT_HD constexpr auto operator<=>(Id a, Id b) { return a.value_ <=> b.value_; }

 private:
  Rep value_ = -1;
};

/// A half-open range of ids for loops: `for (LocalCellId cell : IdRange{first, last})`.
template <class I>
class IdRange {
 public:
  class Iterator {
   public:
    WEFT_HD constexpr explicit Iterator(I id) : id_(id) {}
    WEFT_HD constexpr I operator*() const { return id_; }
    WEFT_HD constexpr Iterator& operator++() {
      ++id_;
      return *this;
    }
    friend WEFT_HD constexpr bool operator==(Iterator a, Iterator b) { return a.id_ == b.id_; }

   private:
    I id_;
  };

  constexpr IdRange() : first_(0), last_(0) {}
  WEFT_HD constexpr IdRange(I first, I last) : first_(first), last_(last) {}
  [[nodiscard]] WEFT_HD constexpr Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] WEFT_HD constexpr Iterator end() const { return Iterator(last_); }
  [[nodiscard]] WEFT_HD constexpr I first() const { return first_; }
  [[nodiscard]] WEFT_HD constexpr I last() const { return last_; }
  [[nodiscard]] WEFT_HD constexpr typename I::rep size() const { return last_.value() - first_.value(); }
  [[nodiscard]] WEFT_HD constexpr bool empty() const { return first_ == last_; }
  [[nodiscard]] WEFT_HD constexpr bool contains(I id) const { return first_ <= id && id < last_; }

 private:
  I first_, last_;
};

template <class T>
inline constexpr bool is_id_v = false;
template <class Tag, class Rep>
inline constexpr bool is_id_v<Id<Tag, Rep>> = true;

/// A type that subscripts the rows of an array: an integer or an id.
template <class T>
concept RowIndex = std::is_integral_v<T> || is_id_v<T>;

template <RowIndex T>
[[nodiscard]] WEFT_HD constexpr std::size_t to_index(T row) {
  if constexpr (is_id_v<T>) {
    return row.index();
  } else {
    return static_cast<std::size_t>(row);
  }
}

/// Converts a size or a global id to a 32-bit local index. @param what  the quantity, for the message.
/// @throws LimitError where the value is negative or too large.
[[nodiscard]] std::int32_t checked_local(std::int64_t value, const char* what);

}  // namespace weft

template <class Tag, class Rep>
struct std::hash<weft::Id<Tag, Rep>> {
  std::size_t operator()(weft::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value()); }
};
