// Communicators, and the start and end of MPI in a Python process.
#include "weft/comm/communicator.hpp"

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"

#include "bindings.hpp"

namespace weft::python {
namespace {

std::unique_ptr<MpiEnvironment>& environment() {
  static std::unique_ptr<MpiEnvironment> instance;
  return instance;
}

thread_local bool t_in_task = false;

}  // namespace

void start_mpi() {
  if (environment() != nullptr) return;
  static int no_arguments = 0;
  static char** no_argument_list = nullptr;
  environment() = std::make_unique<MpiEnvironment>(no_arguments, no_argument_list, MpiEnvironment::Threads::several);
}

void expect_mpi() {
  if (!MpiEnvironment::usable()) {
    throw ContractError("MPI cannot be used here: it has ended, or this process is a fork of the one that started it",
                        "start processes with mpirun or multiprocessing's method \"spawn\", and compute before the program ends");
  }
}

InTask::InTask() { t_in_task = true; }
InTask::~InTask() { t_in_task = false; }

Computing::Computing() {
  if (t_in_task) {
    throw ContractError("the body of a task calls a function of weft that computes or communicates",
                        "state what the task reads and writes: the graph communicates");
  }
  static std::recursive_mutex mutex;
  one_thread_ = std::unique_lock(mutex);
  expect_mpi();
}

void bind_communicator(nb::module_& module) {
  nb::class_<Communicator>(module, "Communicator",
                           "Ranks that exchange messages. Each object owns a duplicate of an MPI communicator.")
      .def_prop_ro(
          "rank",
          [](const Communicator& comm) {
            expect_mpi();
            return comm.rank().value();
          },
          "Number of this rank, from 0.")
      .def_prop_ro(
          "size",
          [](const Communicator& comm) {
            expect_mpi();
            return comm.size();
          },
          "Number of ranks.")
      .def("barrier", &Communicator::barrier, nb::call_guard<Computing>(), "Returns when all ranks have called it. Collective.")
      .def(
          "sum", [](const Communicator& comm, double value) { return comm.sum(value); }, nb::arg("value"),
          nb::call_guard<Computing>(),
          "Returns the sum over all ranks, added in an order that depends on their number alone. Collective.")
      .def(
          "min", [](const Communicator& comm, double value) { return comm.min(value); }, nb::arg("value"),
          nb::call_guard<Computing>(), "Returns the smallest value of all ranks. Collective.")
      .def(
          "max", [](const Communicator& comm, double value) { return comm.max(value); }, nb::arg("value"),
          nb::call_guard<Computing>(), "Returns the largest value of all ranks. Collective.")
      .def("__repr__", [](const Communicator& comm) {
        if (!MpiEnvironment::usable()) return nb::str("weft.Communicator(MPI has ended)");
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
  module.def("gather_bytes", [](const Communicator& comm, const nb::bytes& mine) {
    std::vector<std::byte> all;
    {
      const Computing computing;
      const auto* const first = static_cast<const std::byte*>(mine.data());
      all = comm.gather(std::span<const std::byte>(first, mine.size()));
    }
    return nb::bytes(all.data(), all.size());
  });
  module.def("mpi_runs", [] { return environment() != nullptr; });
  module.def(
      "all_ranks_arrive", [](double seconds) { return MpiEnvironment::all_ranks_arrive(seconds); }, nb::call_guard<Computing>());
  module.def("abort_job", [](int code) { MpiEnvironment::abort_job(code); });
  module.def("end_mpi", [] { environment().reset(); });
}

}  // namespace weft::python
