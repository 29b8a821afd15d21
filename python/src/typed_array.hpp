#pragma once
/// The implementation of AnyArray for one element type and kind of rows. Each kind has a source file, which instantiates the five
/// element types, so that they compile in parallel.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "weft/array/csr_pair.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/array_io.hpp"

#include "any_array.hpp"

namespace weft::python {

template <class T, Rows R>
struct PairOf;
template <class T>
struct PairOf<T, Rows::fixed> {
  using Type = ArrayPair<T, Dynamic>;
};
template <class T>
struct PairOf<T, Rows::padded> {
  using Type = ArrayPair<T, NonUniform, Dynamic>;
};
template <class T>
struct PairOf<T, Rows::csr> {
  using Type = ArrayPair<T, NonUniform>;
};

template <class T, Rows R>
class TypedArray final : public AnyArray {
 public:
  using Pair = typename PairOf<T, R>::Type;
  using Content = typename Pair::ArrayType;

  explicit TypedArray(Pair pair) : pair_(std::move(pair)) {}

  [[nodiscard]] ArrayForm form() const override {
    int width = 0;
    if constexpr (R != Rows::csr) width = pair_.array().width();
    return {element_type<T>.scalar, R, width, pair_.layout(), pair_.backend(), Side::host};
  }
  [[nodiscard]] const IndexSpace& space() const override { return pair_.space(); }
  void set_name(const std::string& name) override { pair_.set_name(name); }
  [[nodiscard]] std::byte* access(Side side, IdRange<LocalRow> rows, bool write) override {
    return pair_.access(side, rows, write);
  }
  [[nodiscard]] std::int32_t* row_sizes(Side side) override {
    if constexpr (R == Rows::padded) return pair_.sizes_on(side);
    return nullptr;
  }
  [[nodiscard]] const std::int64_t* offsets(Side side) override {
    if constexpr (R == Rows::csr) return pair_.offsets_on(side);
    return nullptr;
  }
  [[nodiscard]] bool fresh(Side side) const override { return pair_.fresh(side); }
  Event bring(Side to, const After& before) override { return pair_.bring(to, before, {LocalRow(0), LocalRow(pair_.rows())}); }
  [[nodiscard]] PairRef ref() override { return pair_; }
  [[nodiscard]] std::unique_ptr<AnyArray> clone() const override { return std::make_unique<TypedArray>(pair_.clone()); }
  void resize_width(int width) override {
    if constexpr (R != Rows::csr) pair_.resize_width(width);
  }
  [[nodiscard]] std::unique_ptr<AnyArray> resized(const IndexSpace& space) const override {
    Content content = pair_.array().clone();
    content.resize(space.rows());
    return std::make_unique<TypedArray>(Pair(space, std::move(content)));
  }
  [[nodiscard]] std::unique_ptr<AnyArray> redistributed(const Redistribution& moves) const override {
    const Communicator& comm = pair_.plan().comm();
    Content moved = with_owned_rows([&](const Content& owned) { return moves.apply(owned); });
    const GhostPlan plan = GhostPlan::build(comm, moved.rows(), std::span<const GlobalRow>());
    return std::make_unique<TypedArray>(Pair(plan, std::move(moved)));
  }
  void write(io::Hdf5File& file, const std::string& name) const override {
    with_owned_rows([&](const Content& owned) { io::write_array(file, name, owned); });
  }

 private:
  /// Calls f with an array of the owned rows: a copy where there are others. @collective
  template <class F>
  auto with_owned_rows(const F& f) const {
    if (pair_.plan().comm().all(pair_.rows() == pair_.owned_rows())) return f(pair_.array());
    const Content owned = agreed(pair_.plan().comm(), [&] {
      Content copy = pair_.array().clone();
      copy.resize(pair_.owned_rows());
      return copy;
    });
    return f(owned);
  }

  Pair pair_;
};

/// Calls f with a value of the element type.
template <class F>
auto with_element(Scalar scalar, const F& f) {
  switch (scalar) {
    case Scalar::float32:
      return f(float{});
    case Scalar::int64:
      return f(std::int64_t{});
    case Scalar::int32:
      return f(std::int32_t{});
    case Scalar::uint8:
      return f(std::uint8_t{});
    default:
      return f(double{});
  }
}

/// Returns the stored rows as the owned rows of `plan`, or of a new plan without ghost rows.  @collective
template <Rows R>
[[nodiscard]] std::unique_ptr<AnyArray> read_typed(const Communicator& comm, const io::Hdf5File& file, const std::string& name,
                                                   Scalar scalar, const std::optional<GhostPlan>& plan, Layout layout,
                                                   Backend backend) {
  return with_element(scalar, [&](auto element) -> std::unique_ptr<AnyArray> {
    using Typed = TypedArray<decltype(element), R>;
    typename Typed::Content content;
    if constexpr (R == Rows::csr) {
      content = typename Typed::Content(0, backend);
    } else {
      content = typename Typed::Content(0, 0, layout, backend);
    }
    std::optional<std::int64_t> rows;
    if (plan) rows = plan->owned_rows();
    io::read_array(file, name, content, rows);
    if constexpr (R == Rows::csr) {
      if (plan) {
        const auto pulled = pull_rows(*plan, content);
        return std::make_unique<Typed>(
            typename Typed::Pair(*plan, typename Typed::Content(pulled.array().offsets(), pulled.array().entries(), backend)));
      }
    }
    const GhostPlan space = plan ? *plan : GhostPlan::build(comm, content.rows(), std::span<const GlobalRow>());
    if (plan) agreed(comm, [&] { content.resize(space.rows()); });
    return std::make_unique<Typed>(typename Typed::Pair(space, std::move(content)));
  });
}

// The functions of any_array.hpp for one kind of rows, in its source file.
[[nodiscard]] std::unique_ptr<AnyArray> make_fixed(const IndexSpace& space, const ArrayForm& form);
[[nodiscard]] std::unique_ptr<AnyArray> make_padded(const IndexSpace& space, const ArrayForm& form);
[[nodiscard]] std::unique_ptr<AnyArray> make_empty_csr(const IndexSpace& space, const ArrayForm& form);
[[nodiscard]] std::unique_ptr<AnyArray> read_fixed(const Communicator& comm, const io::Hdf5File& file, const std::string& name,
                                                   Scalar scalar, const std::optional<GhostPlan>& plan, Layout layout,
                                                   Backend backend);
[[nodiscard]] std::unique_ptr<AnyArray> read_padded(const Communicator& comm, const io::Hdf5File& file, const std::string& name,
                                                    Scalar scalar, const std::optional<GhostPlan>& plan, Layout layout,
                                                    Backend backend);
[[nodiscard]] std::unique_ptr<AnyArray> read_csr(const Communicator& comm, const io::Hdf5File& file, const std::string& name,
                                                 Scalar scalar, const std::optional<GhostPlan>& plan, Layout layout,
                                                 Backend backend);

}  // namespace weft::python
