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
  /// Records a task that adds the sources of the present values at the time of `stage` to residual.residual(); none if the scheme
  /// has no sources. @param stage, residual  must live as long as the plans of the graph.
  void record(task::Graph& graph, const detail::StageData& data, const detail::Stage& stage, Residual& residual);

 private:
  void add(double time, Residual& residual);

  const Scheme& scheme_;
  VolumeSource volume_source_;
  std::vector<double> stationary_;
  std::vector<Primitive> states_;       ///< arguments of the user function, of the owned cells; empty without one
  std::vector<Conserved> of_function_;  ///< its results
};

}  // namespace weft::flow
