#pragma once
/// Sequences that are subscripted by typed ids: IdVector owns its elements, IdSpan refers to those of others.
///
/// Example: a mesh with 3 cells and 4 faces, and the volumes of its cells:
///
///     IdVector<LocalCellId, double> volume(3, 1.0);
///     volume                   1.0   1.0   1.0
///     LocalCellId                0     1     2            volume.ids() is 0, 1, 2
///     volume[LocalCellId(2)] = 0.5;                       the volume of cell 2
///     volume.push_back(0.25)                              returns LocalCellId(3); volume.count() is 4
///     volume[LocalFaceId(2)], volume[2]                   do not compile: neither is a cell
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/base/team_vector.hpp"

namespace weft {

namespace detail {
/// Choice of the list of an IdVector: TeamVector if elements are trivially copyable, std::vector otherwise.
struct TeamElements {
  template <class T>
  using List = TeamVector<T>;
};
struct OtherElements {
  template <class T>
  using List = std::vector<T>;
};
}  // namespace detail

/// A view of consecutive elements, the first of which belongs to id 0. T may be const. Trivially copyable; valid as long as the
/// elements.
template <class I, class T>
  requires is_id_v<I>
class IdSpan {
 public:
  using value_type = std::remove_const_t<T>;

  constexpr IdSpan() = default;
  WEFT_HD constexpr IdSpan(T* data, std::size_t size) : data_(data), size_(size) {}
  /// Converts a span of elements to one of const elements.
  template <class U>
    requires(std::is_same_v<const U, T>)
  WEFT_HD constexpr IdSpan(IdSpan<I, U> other) : data_(other.data()), size_(other.size()) {}

  /// @pre id is one of ids().
  [[nodiscard]] WEFT_HD constexpr T& operator[](I id) const {
    WEFT_EXPECTS(id.index() < size_);
    return data_[id.index()];
  }
  [[nodiscard]] WEFT_HD constexpr IdRange<I> ids() const { return {I(0), I(size_)}; }
  [[nodiscard]] WEFT_HD constexpr std::size_t size() const { return size_; }
  /// Returns the number of elements in the type of the ids.
  [[nodiscard]] WEFT_HD constexpr typename I::rep count() const { return static_cast<typename I::rep>(size_); }
  [[nodiscard]] WEFT_HD constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] WEFT_HD constexpr T* data() const { return data_; }
  [[nodiscard]] WEFT_HD constexpr T* begin() const { return data_; }
  [[nodiscard]] WEFT_HD constexpr T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A list with one element per id 0, 1, ..., that only ids of that type subscript. T is not bool: use char.
template <class I, class T>
  requires(is_id_v<I> && !std::is_same_v<T, bool>)
class IdVector {
 public:
  using value_type = T;
  /// The list of the elements: a TeamVector of those that are trivially copyable.
  using Elements =
      typename std::conditional_t<std::is_trivially_copyable_v<T>, detail::TeamElements, detail::OtherElements>::template List<T>;

  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : elements_(size, value) { check_size(); }
  IdVector(std::initializer_list<T> elements) : elements_(elements) {}
  /// Takes over the elements of a list whose element i belongs to id i.
  explicit IdVector(Elements elements) : elements_(std::move(elements)) { check_size(); }

  /// @pre id is one of ids().
  [[nodiscard]] T& operator[](I id) {
    WEFT_EXPECTS(id.index() < elements_.size());
    return elements_[id.index()];
  }
  [[nodiscard]] const T& operator[](I id) const {
    WEFT_EXPECTS(id.index() < elements_.size());
    return elements_[id.index()];
  }
  /// Appends an element and returns its id. @pre the id fits into I.
  I push_back(T value) {
    const I id(elements_.size());
    elements_.push_back(std::move(value));
    check_size();
    return id;
  }
  /// Changes the number of elements; new elements are `value`. @pre size fits into I.
  void resize(std::size_t size, const T& value = T()) {
    elements_.resize(size, value);
    check_size();
  }
  /// Changes the number of elements; new elements are undefined. @pre size fits into I.
  void resize_uninitialised(std::size_t size)
    requires(std::is_trivially_copyable_v<T>)
  {
    elements_.resize(size);
    check_size();
  }
  void reserve(std::size_t size) { elements_.reserve(size); }
  [[nodiscard]] std::size_t capacity() const { return elements_.capacity(); }
  void clear() { elements_.clear(); }

  [[nodiscard]] IdRange<I> ids() const { return {I(0), I(elements_.size())}; }
  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  /// Returns the number of elements in the type of the ids.
  [[nodiscard]] typename I::rep count() const { return static_cast<typename I::rep>(elements_.size()); }
  [[nodiscard]] bool empty() const { return elements_.empty(); }
  [[nodiscard]] T* data() { return elements_.data(); }
  [[nodiscard]] const T* data() const { return elements_.data(); }
  [[nodiscard]] auto begin() { return elements_.begin(); }
  [[nodiscard]] auto begin() const { return elements_.begin(); }
  [[nodiscard]] auto end() { return elements_.end(); }
  [[nodiscard]] auto end() const { return elements_.end(); }
  [[nodiscard]] T& back() { return elements_.back(); }
  [[nodiscard]] const T& back() const { return elements_.back(); }
  [[nodiscard]] IdSpan<I, T> span() { return {data(), size()}; }
  [[nodiscard]] IdSpan<I, const T> span() const { return {data(), size()}; }

  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  void check_size() const {
    WEFT_EXPECTS(elements_.size() <= static_cast<std::size_t>(std::numeric_limits<typename I::rep>::max()));
  }

  Elements elements_;
};

}  // namespace weft
