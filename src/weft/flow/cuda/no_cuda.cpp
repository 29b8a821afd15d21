// The device stepper of a build without CUDA, which throws.
#include "weft/device/device.hpp"
#include "weft/flow/cuda/make_device_stepper.hpp"

namespace weft::flow::detail {

std::unique_ptr<Stepper> make_device_stepper(const Scheme& /*scheme*/) { throw no_gpu(); }

}  // namespace weft::flow::detail
