#pragma once
/// The one place where an MPI result becomes an exception.

namespace weft::detail {

/// @throws CommError naming `call` and MPI's own text, unless `result` is MPI_SUCCESS.
void check_mpi(int result, const char* call);

}  // namespace weft::detail
