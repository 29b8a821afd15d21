#pragma once
/// PairRef: type-erased reference of an exchange to an array of owned and ghost rows.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/element_type.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/array/pair_link.hpp"
#include "weft/array/signature.hpp"

namespace weft {

/// Constructed from an ArrayPair& (implicitly), or from a span by rows(). It remains valid when the pair is moved.
class PairRef {
 public:
  /// Refers to a pair. @throws ContractError if the pair is a decompressed CSR array.
  template <class T, int RowSize, int RowMax, int RowAlign>
  PairRef(ArrayPair<T, RowSize, RowMax, RowAlign>& pair)  // NOLINT(google-explicit-constructor): so that {q, grad} reads well
      : fields_(detail::fields(pair.base())),
        link_(pair.link()),
        shape_(link_->shape),
        footprint_(detail::footprint(pair.base(), pair.boundary_rows())),
        staging_{&detail::bring_to_side<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::mark_written<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::device_fields<Array<T, RowSize, RowMax, RowAlign>>},
        backend_(pair.backend()),
        plan_(pair.plan()),
        signature_(to_string(signature(pair.array())) + (pair.layout() == Layout::soa ? " SoA" : " AoS")) {}

  /// Refers to memory of the caller: owned rows, then ghost rows, `width` elements each. The memory must not move while
  /// exchanges use it.
  /// @throws ContractError unless it contains whole rows.
  template <class T>
    requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T>)
  [[nodiscard]] static PairRef rows(std::span<T> owned_then_ghost, int width = 1) {
    return rows(Backend::host, owned_then_ghost, width);
  }
  /// Refers to device memory of the caller: the beginning of a DeviceStorage with this backend (mirror or cuda).
  template <class T>
    requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T>)
  [[nodiscard]] static PairRef rows(Backend backend, std::span<T> owned_then_ghost, int width = 1) {
    detail::check_whole_rows(owned_then_ghost.size(), width);
    const std::size_t row_bytes = sizeof(T) * static_cast<std::size_t>(width);
    auto* const base = reinterpret_cast<std::byte*>(owned_then_ghost.data());
    detail::Field field{
        .base = base, .allocation = base, .row_bytes = row_bytes, .row_stride = row_bytes, .reducers = &detail::kReducers<T>};
    detail::Footprint footprint{.data = owned_then_ghost.empty() ? nullptr : owned_then_ghost.data(),
                                .rows = static_cast<std::int64_t>(owned_then_ghost.size()) / width};
    return {backend, field, footprint, to_string(ArraySignature{element_type<T>, RowKind::static_fixed, width}) + " AoS"};
  }
  /// Refers to any contiguous range, such as a std::vector.
  template <class Range>
    requires requires(Range& r) { std::span(r); }
  [[nodiscard]] static PairRef rows(Range& owned_then_ghost, int width = 1) {
    return rows(std::span(owned_then_ghost), width);
  }

 private:
  friend class ArrayTransformer;
  friend class Exchange;
  PairRef(Backend backend, const detail::Field& field, const detail::Footprint& footprint, std::string signature_text)
      : fields_{field}, footprint_(footprint), backend_(backend), signature_(std::move(signature_text)) {}

  /// Checks the array. @throws ContractError if it was destroyed or resized since it was attached.
  void expect_unchanged() const;

  std::vector<detail::Field> fields_;       // host side, or the side of the memory of the caller
  std::shared_ptr<detail::PairLink> link_;  // null for memory of the caller
  std::int64_t shape_ = 0;                  // value of the link when attached
  detail::Footprint footprint_;
  detail::Staging staging_;
  Backend backend_ = Backend::host;
  bool both_sides_ = false;        // while in flight: the received rows are also copied to the other side
  std::optional<GhostPlan> plan_;  // none for memory of the caller
  std::string signature_;
};

}  // namespace weft
