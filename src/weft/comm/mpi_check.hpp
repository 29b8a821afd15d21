#pragma once
/// The one place where an MPI result becomes an exception.
#include <string>

namespace weft::detail {

[[nodiscard]] std::string mpi_error_text(int result);

/// @throws CommError naming `call` and MPI's own text, unless `result` is MPI_SUCCESS.
void check_mpi(int result, const char* call);

}  // namespace weft::detail
