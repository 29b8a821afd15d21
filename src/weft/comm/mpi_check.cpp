#include "weft/comm/mpi_check.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "weft/base/error.hpp"

namespace weft::detail {

std::string mpi_error_text(int result) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(result, text, &length);
  return text;
}

void check_mpi(int result, const char* call) {
  if (result != MPI_SUCCESS) throw CommError(fmt::format("{} failed: {}", call, mpi_error_text(result)));
}

}  // namespace weft::detail
