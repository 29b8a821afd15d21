#include "weft/comm/detail/check.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "weft/base/error.hpp"

namespace weft::detail {

void check_mpi(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw CommError(fmt::format("{} failed: {}", call, text));
}

}  // namespace weft::detail
