// The device stepper of a build without CUDA: none.
#include "weft/device/device.hpp"
#include "weft/flow/cuda/device_stepper.hpp"

namespace weft::flow::detail {

std::unique_ptr<DeviceStepper> DeviceStepper::make(const Residual& /*residual*/, const SourceTerm& /*source*/,
                                                   ScalarTransport* /*scalars*/) {
  throw no_gpu();
}

}  // namespace weft::flow::detail
