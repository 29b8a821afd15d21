#pragma once
/// Conversion of MPI results to exceptions.
#include <string>

namespace weft::detail {

[[nodiscard]] std::string mpi_error_text(int result);

/// Checks the result of an MPI function. @throws CommError with `call` and the error text of MPI unless `result` is
/// MPI_SUCCESS.
void check_mpi(int result, const char* call);

}  // namespace weft::detail
