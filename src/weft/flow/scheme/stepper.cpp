#include "weft/flow/scheme/stepper.hpp"

#include "weft/base/contracts.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/flow/cuda/make_device_stepper.hpp"
#include "weft/flow/host/host_stepper.hpp"

namespace weft::flow {

std::unique_ptr<Stepper> Stepper::make(const Scheme& scheme) {
  const TracedRegion region("stepper");
  if (scheme.options().backend == Backend::host) return std::make_unique<HostStepper>(scheme);
  return detail::make_device_stepper(scheme);
}

void Stepper::start(const StepSequence& /*sequence*/) { WEFT_EXPECTS(runs_sequences()); }

std::vector<StepResult> Stepper::finish() {
  WEFT_EXPECTS(runs_sequences());
  return {};
}

}  // namespace weft::flow
