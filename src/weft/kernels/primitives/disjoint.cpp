#include "weft/kernels/primitives/disjoint.hpp"

#include <string>

#include "weft/base/error.hpp"

namespace weft::kernels::detail {

void throw_overlap(const char* names) {
  throw ContractError(std::string(names) + " overlap", "pass memory that does not overlap");
}

}  // namespace weft::kernels::detail
