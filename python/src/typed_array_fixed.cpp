// Arrays with equally many entries in each row.
#include "typed_array.hpp"

namespace weft::python {

std::unique_ptr<AnyArray> make_fixed(const IndexSpace& space, const ArrayForm& form) {
  return with_element(form.scalar, [&](auto element) -> std::unique_ptr<AnyArray> {
    using Typed = TypedArray<decltype(element), Rows::fixed>;
    return std::make_unique<Typed>(typename Typed::Pair(space, form.width, form.layout, form.backend, form.first));
  });
}

std::unique_ptr<AnyArray> wrap_memory(const IndexSpace& space, const ArrayForm& form, const RegisteredMemory& memory) {
  return with_element(form.scalar, [&](auto element) -> std::unique_ptr<AnyArray> {
    using Typed = TypedArray<decltype(element), Rows::fixed>;
    return std::make_unique<Typed>(
        typename Typed::Pair(space, typename Typed::Content(memory, form.width, form.layout, form.backend)));
  });
}

std::unique_ptr<AnyArray> wrap_device_memory(const IndexSpace& space, const ArrayForm& form, void* memory) {
  return with_element(form.scalar, [&](auto element) -> std::unique_ptr<AnyArray> {
    using Element = decltype(element);
    using Typed = TypedArray<Element, Rows::fixed>;
    const auto count = static_cast<std::size_t>(space.rows()) * static_cast<std::size_t>(form.width);
    return std::make_unique<Typed>(typename Typed::Pair(
        space, typename Typed::Content(std::span(static_cast<Element*>(memory), count), form.width, form.layout, form.backend)));
  });
}

std::unique_ptr<AnyArray> read_fixed(const Communicator& comm, const io::Hdf5File& file, const std::string& name, Scalar scalar,
                                     const std::optional<GhostPlan>& plan, Layout layout, Backend backend) {
  return read_typed<Rows::fixed>(comm, file, name, scalar, plan, layout, backend);
}

}  // namespace weft::python
