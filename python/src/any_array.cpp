#include "any_array.hpp"

#include <fmt/format.h>

#include "weft/comm/agreement.hpp"

#include "typed_array.hpp"

namespace weft::python {

std::unique_ptr<AnyArray> make_array(const IndexSpace& space, const ArrayForm& form) {
  switch (form.rows) {
    case Rows::padded:
      return make_padded(space, form);
    case Rows::csr:
      return make_empty_csr(space, form);
    default:
      return make_fixed(space, form);
  }
}

std::unique_ptr<AnyArray> read_array(const Communicator& comm, const io::Hdf5File& file, const std::string& name,
                                     const std::optional<GhostPlan>& plan, bool padded, Layout layout, Backend backend) {
  if (!file.has(name) || !file.has_attribute(name, "Element")) {
    throw IoError(fmt::format("has no array \"{}\"", name), {}, {.file = file.path().string()});
  }
  const std::string stored = file.read_text_attribute(name, "Element");
  const bool ragged = file.read_text_attribute(name, "Shape") == "ragged";
  const Scalar scalar = agreed(comm, [&] {
    for (const auto& row : kScalars.rows) {
      if (row.name == stored) return row.value;
    }
    throw IoError(fmt::format("array \"{}\" has elements of type {}, which weft.Array does not have", name, stored),
                  "read it with h5py", {.file = file.path().string()});
  });
  const auto read = !ragged ? &read_fixed : padded ? &read_padded : &read_csr;
  return read(comm, file, name, scalar, plan, layout, backend);
}

}  // namespace weft::python
