// weft.task.Number.
#include "task_number.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "weft/device/device.hpp"

#include "device_view.hpp"

namespace weft::python {

PyNumber::PyNumber(double value, const std::string& backend)
    : vector_(std::make_shared<HostDeviceVector<double>>(1, named(kBackends, backend), "number")) {
  set(value);
}

double PyNumber::get() const {
  if (!vector_->fresh(Side::host)) vector_->to_host(After()).wait();
  return std::as_const(*vector_)[0];
}

nb::object PyNumber::view_of_task(nb::handle self, Side side, bool writable) const {
  const Backend backend = vector_->backend();
  if (side == Side::device && backend == Backend::host) {
    throw ContractError("the number has no device side", "create it with backend=\"cuda\" or \"mirror\"");
  }
  Block block;
  vector_->suspend_tracking();
  block.data = vector_->write(side).data();
  vector_->resume_tracking();
  block.shape[0] = 1;
  block.strides[0] = 1;
  block.read_only = !writable && side == Side::host;
  if (side == Side::host) return as_numpy(block, self);
  if (is_cuda(backend)) std::tie(block.device_type, block.device) = std::pair(nb::device::cuda::value, current_device());
  return nb::cast(DeviceView(block, nb::borrow(self), is_cuda(backend) ? &runtime_stream(backend) : nullptr, Order::by_caller));
}

void bind_task_number(nb::module_& module) {
  nb::class_<PyNumber>(module, "TaskNumber",
                       "A number of a task graph, equal on all ranks except while tasks reduce into it. weft.task.Graph.number\n"
                       "creates it.")
      .def(nb::init<double, const std::string&>(), nb::arg("value"), nb::arg("backend") = "host")
      .def_prop_rw("value", &PyNumber::get, &PyNumber::set,
                   "The present value, a float; may be set between runs, to the same value on all ranks.")
      .def_prop_ro(
          "backend", [](const PyNumber& n) { return name_in(kBackends, n.vector().backend()); },
          "Where the device side is: \"host\" (there is none), \"mirror\" or \"cuda\".")
      .def("__repr__", [](const PyNumber& n) { return fmt::format("<weft.TaskNumber: {}>", n.get()); });
}

}  // namespace weft::python
