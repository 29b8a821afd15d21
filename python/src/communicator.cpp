// Communicators, and the start and end of MPI in a Python process.
#include "weft/comm/communicator.hpp"

#include <mpi.h>

#include <memory>

#include "weft/comm/environment.hpp"

#include "bindings.hpp"

namespace weft::python {
namespace {

std::unique_ptr<MpiEnvironment>& environment() {
  static std::unique_ptr<MpiEnvironment> instance;
  return instance;
}

}  // namespace

void start_mpi() {
  if (environment() != nullptr) return;
  static int no_arguments = 0;
  static char** no_argument_list = nullptr;
  environment() = std::make_unique<MpiEnvironment>(no_arguments, no_argument_list);
}

void bind_communicator(nb::module_& module) {
  nb::class_<Communicator>(module, "Communicator",
                           "Ranks that exchange messages. Each object owns a duplicate of an MPI communicator.")
      .def_prop_ro(
          "rank", [](const Communicator& comm) { return comm.rank().value(); }, "Number of this rank, from 0.")
      .def_prop_ro("size", &Communicator::size, "Number of ranks.")
      .def("barrier", &Communicator::barrier, nb::call_guard<nb::gil_scoped_release>(),
           "Returns when all ranks have called it. Collective.")
      .def(
          "sum", [](const Communicator& comm, double value) { return comm.sum(value); }, nb::arg("value"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Returns the sum over all ranks, added in an order that depends on their number alone. Collective.")
      .def(
          "min", [](const Communicator& comm, double value) { return comm.min(value); }, nb::arg("value"),
          nb::call_guard<nb::gil_scoped_release>(), "Returns the smallest value of all ranks. Collective.")
      .def(
          "max", [](const Communicator& comm, double value) { return comm.max(value); }, nb::arg("value"),
          nb::call_guard<nb::gil_scoped_release>(), "Returns the largest value of all ranks. Collective.")
      .def("__repr__", [](const Communicator& comm) {
        return nb::str("weft.Communicator(rank={}, size={})").format(comm.rank().value(), comm.size());
      });
  module.def("world", [] {
    start_mpi();
    return Communicator::world();
  });
  module.def("communicator_self", [] {
    start_mpi();
    return Communicator::self();
  });
  module.def("duplicate_fortran", [](std::int64_t handle) {
    start_mpi();
    return Communicator::duplicate(MPI_Comm_f2c(static_cast<MPI_Fint>(handle)));
  });
  module.def("mpi_runs", [] { return environment() != nullptr; });
  module.def(
      "all_ranks_arrive", [](double seconds) { return MpiEnvironment::all_ranks_arrive(seconds); },
      nb::call_guard<nb::gil_scoped_release>());
  module.def("abort_job", [](int code) { MpiEnvironment::abort_job(code); });
  module.def("end_mpi", [] { environment().reset(); });
}

}  // namespace weft::python
