#pragma once
// Checks and conversions of arguments of arrays, plans and exchanges.
#include <cstdint>
#include <string>
#include <vector>

#include "any_array.hpp"
#include "bindings.hpp"

namespace weft::python {

/// Returns the communicator of what users pass: None, a weft.Communicator, or one of mpi4py.
[[nodiscard]] Communicator communicator_of(nb::handle comm);
/// Returns a list or an array of whole numbers; where it is none, empty, and `problem` says why.
[[nodiscard]] std::vector<std::int64_t> integers(nb::handle values, const std::string& what, std::string& problem);
/// Throws an InputError with `problem` on every rank unless it is empty on all. @collective
void agree_on(const Communicator& comm, const std::string& problem, const std::string& suggestion);
/// Returns the element type of anything that numpy.dtype takes. @throws InputError if arrays do not have it.
[[nodiscard]] Scalar scalar_of(nb::handle dtype);
/// Sets the GPU of the calling thread before its first array or stream on a GPU, unless another library has chosen one: each
/// rank of a machine gets one of its GPUs.
void choose_gpu(Backend backend);

}  // namespace weft::python
