// Arrays with up to a number of entries in each row, padded.
#include "typed_array.hpp"

namespace weft::python {

std::unique_ptr<AnyArray> make_padded(const IndexSpace& space, const ArrayForm& form) {
  return with_element(form.scalar, [&](auto element) -> std::unique_ptr<AnyArray> {
    using Typed = TypedArray<decltype(element), Rows::padded>;
    return std::make_unique<Typed>(typename Typed::Pair(space, form.width, form.layout, form.backend));
  });
}

std::unique_ptr<AnyArray> read_padded(const Communicator& comm, const io::Hdf5File& file, const std::string& name, Scalar scalar,
                                      const std::optional<GhostPlan>& plan, Layout layout, Backend backend) {
  return read_typed<Rows::padded>(comm, file, name, scalar, plan, layout, backend);
}

}  // namespace weft::python
