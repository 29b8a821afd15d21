// The extension module weft._weft. The classes and functions that users see are in python/weft.
#include "bindings.hpp"

NB_MODULE(_weft, module) {
  using namespace weft::python;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    throw nb::import_error(
        "weft cannot be used in a sub-interpreter, because MPI and the classes of weft are those of a process; "
        "use processes: multiprocessing with the method \"spawn\", or mpirun");
  }
  // Libraries such as CuPy keep arrays until the process ends, when nanobind would report them as leaks. tests/test_leaks.py
  // measures leaks.
  nb::set_leak_warnings(false);
  bind_errors(module);
  bind_communicator(module);
  bind_mesh(module);
  bind_mesh_arrays(module);
  bind_simulation(module);
  bind_device_view(module);
  bind_plan(module);
  bind_array(module);
  bind_exchange(module);
  bind_task_number(module);
  bind_task_trace(module);
  bind_task_plan(module);
  bind_task_dry_plan(module);
  bind_task_graph(module);
}
