// Arrays of offsets and entries.
#include "typed_array.hpp"

namespace weft::python {

std::unique_ptr<AnyArray> make_empty_csr(const IndexSpace& space, const ArrayForm& form) {
  return with_element(form.scalar, [&](auto element) -> std::unique_ptr<AnyArray> {
    using Typed = TypedArray<decltype(element), Rows::csr>;
    return std::make_unique<Typed>(typename Typed::Pair(space, typename Typed::Content(space.rows(), form.backend)));
  });
}

std::unique_ptr<AnyArray> make_csr(const GhostPlan& plan, Scalar scalar, std::span<const std::int64_t> offsets,
                                   const void* entries, Backend backend) {
  return with_element(scalar, [&](auto element) -> std::unique_ptr<AnyArray> {
    using Element = decltype(element);
    using Typed = TypedArray<Element, Rows::csr>;
    const auto owned = agreed(plan.comm(), [&] {
      const auto count = offsets.empty() || offsets.back() < 0 ? 0 : static_cast<std::size_t>(offsets.back());
      return typename Typed::Content(offsets, std::span(static_cast<const Element*>(entries), count));
    });
    auto pulled = pull_rows(plan, owned);
    if (backend == Backend::host) return std::make_unique<Typed>(std::move(pulled));
    return agreed(plan.comm(), [&] {
      return std::make_unique<Typed>(
          typename Typed::Pair(plan, typename Typed::Content(pulled.array().offsets(), pulled.array().entries(), backend)));
    });
  });
}

std::unique_ptr<AnyArray> read_csr(const Communicator& comm, const io::Hdf5File& file, const std::string& name, Scalar scalar,
                                   const std::optional<GhostPlan>& plan, Layout layout, Backend backend) {
  return read_typed<Rows::csr>(comm, file, name, scalar, plan, layout, backend);
}

}  // namespace weft::python
