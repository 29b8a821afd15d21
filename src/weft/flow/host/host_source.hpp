#pragma once
/// Sources in the owned cells of a rank, on the host.
#include <vector>

#include "weft/flow/host/residual.hpp"

namespace weft::flow {

/// Adds the sources of a scheme to a residual; without sources it adds nothing.
class HostSource {
 public:
  /// @param scheme  outlives this object.
  explicit HostSource(const Scheme& scheme);
  /// Sets the rates of a stationary state, owned x kVars: volume * d(conserved)/dt, which add() subtracts. Empty: none.
  void set_stationary(std::vector<double> rates) { stationary_ = std::move(rates); }
  /// Adds the sources at `time`, s, of the present values to residual.residual().
  void add(double time, Residual& residual) const;

 private:
  const Scheme& scheme_;
  VolumeSource volume_source_;
  std::vector<double> stationary_;
};

}  // namespace weft::flow
