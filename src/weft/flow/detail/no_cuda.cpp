// The device stepper of a build without CUDA: none.
#include "weft/base/error.hpp"
#include "weft/flow/detail/device_stepper.hpp"

namespace weft::flow::detail {

std::unique_ptr<DeviceStepper> DeviceStepper::make(const Residual& /*residual*/, const SourceTerm& /*source*/,
                                                   ScalarTransport* /*scalars*/) {
  throw DeviceError("this build has no CUDA", "configure with nvcc on the PATH, or run on the host");
}

}  // namespace weft::flow::detail
