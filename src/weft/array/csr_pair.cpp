#include "weft/array/csr_pair.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::detail {

void expect_owned_rows(const GhostPlan& plan, std::int32_t rows, bool compressed) {
  agreed(plan.comm(), [&] {
    if (rows != plan.owned_rows()) {
      throw ContractError(fmt::format("{} rows for a plan of {} owned rows", rows, plan.owned_rows()));
    }
    if (!compressed) throw ContractError("ghost rows of a decompressed CSR array", "compress() it first");
  });
}

void throw_not_local(std::int64_t global) {
  throw InputError(fmt::format("global row {} is neither owned nor a ghost on this rank", global),
                   "request it when the GhostPlan is built");
}

}  // namespace weft::detail
