#pragma once
/// PairRef: type-erased reference of an exchange to an array of owned and ghost rows.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/array/pair_link.hpp"
#include "weft/array/signature.hpp"

namespace weft {

/// Constructed from an ArrayPair& (implicitly). It remains valid when the pair is moved.
class PairRef {
 public:
  /// Refers to a pair. @throws ContractError if the pair is a decompressed CSR array.
  template <class T, int RowSize, int RowMax, int RowAlign>
  PairRef(ArrayPair<T, RowSize, RowMax, RowAlign>& pair)  // NOLINT(google-explicit-constructor): so that {q, grad} reads well
      : fields_(
            detail::fields(pair.base(), detail::ArrayAccess::allocated(pair.array(), Side::host) ? Side::host : Side::device)),
        link_(pair.link()),
        shape_(link_->shape),
        rows_(pair.rows() - pair.boundary_rows()),
        staging_{&detail::bring_to_side<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::mark_written<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::is_allocated<Array<T, RowSize, RowMax, RowAlign>>,
                 &detail::fields_on<Array<T, RowSize, RowMax, RowAlign>>},
        backend_(pair.backend()),
        plan_(pair.plan()),
        signature_(to_string(signature(pair.array())) + (pair.layout() == Layout::soa ? " SoA" : " AoS")) {}

 private:
  friend class ArrayTransformer;
  friend class Exchange;

  /// Checks the array. @throws ContractError if it was destroyed or resized since it was attached.
  void expect_unchanged() const;

  std::vector<detail::Field> fields_;  // for checks, on a side with memory; an exchange asks for those of its side
  std::shared_ptr<detail::PairLink> link_;
  std::int64_t shape_;  // value of the link when attached
  std::int32_t rows_;   // owned and ghost
  detail::Staging staging_;
  Backend backend_;
  bool both_sides_ = false;  // while in flight: the received rows are also copied to the other side
  GhostPlan plan_;
  std::string signature_;
};

}  // namespace weft
