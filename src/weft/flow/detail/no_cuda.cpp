// The device stepper of a build without CUDA.
#include "weft/base/error.hpp"
#include "weft/flow/detail/device_stepper.hpp"

namespace weft::flow::detail {

struct DeviceStepper::Impl {};

DeviceStepper::DeviceStepper(const Residual& /*residual*/, const SourceTerm& /*source*/) {
  throw DeviceError("this build has no CUDA", "configure with nvcc on the PATH, or run on the host");
}
DeviceStepper::~DeviceStepper() = default;
void DeviceStepper::connect(Transport /*transport*/) {}
std::string DeviceStepper::transport() const { return {}; }
std::span<double> DeviceStepper::state() { return {}; }
void DeviceStepper::upload() {}
void DeviceStepper::keep_state() {}
void DeviceStepper::wait_for_state() {}
DeviceStep DeviceStepper::survey() { return {}; }
std::vector<DeviceStepper::BadCell> DeviceStepper::bad_cells() { return {}; }
void DeviceStepper::step(const Step& /*step*/) {}
bool DeviceStepper::works_ahead() const { return false; }
void DeviceStepper::start(const Ahead& /*ahead*/) {}
std::vector<DeviceStep> DeviceStepper::finish() { return {}; }
void DeviceStepper::accept() {}
void DeviceStepper::undo() {}
void DeviceStepper::set_lowered(std::span<const std::int32_t> /*flags*/) {}
void DeviceStepper::refresh(double /*time*/) {}
Conserved DeviceStepper::boundary_flux(std::int32_t /*face*/) const { return {}; }
Primitive DeviceStepper::cell_state(std::int32_t /*cell*/, Vec3 /*x*/) const { return {}; }

}  // namespace weft::flow::detail
