#include "weft/array/signature.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"

namespace weft {

std::string to_string(const ArraySignature& signature) {
  static constexpr const char* kKinds[] = {"static_fixed", "fixed", "static_max", "max", "csr"};
  const char* const kind = kKinds[static_cast<std::size_t>(signature.kind)];
  if (signature.kind == RowKind::csr) return fmt::format("{} csr", to_string(signature.element));
  return fmt::format("{} {}({})", to_string(signature.element), kind, signature.width);
}

void expect_signature(const ArraySignature& found, const ArraySignature& wanted, const std::string& what) {
  if (found == wanted) return;
  throw InputError(fmt::format("{} holds {} where {} is wanted", what, to_string(found), to_string(wanted)),
                   "read it into an array of the type that was written");
}

}  // namespace weft
