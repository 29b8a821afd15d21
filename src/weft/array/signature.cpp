#include "weft/array/signature.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"

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

void expect_same_on_all_ranks(const Communicator& comm, const std::string& text) {
  const auto number = static_cast<std::int64_t>(hash_text(text));
  if (comm.min(number) == comm.max(number)) return;
  throw CommError(fmt::format("ranks disagree on what they exchange; rank {} brings: {}", comm.rank().value(), text),
                  "bring the same arrays of the same plan in the same order on every rank");
}

}  // namespace weft
