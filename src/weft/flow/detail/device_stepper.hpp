#pragma once
/// The state of a solver in the memory of a GPU, and the stages of a step there.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/array/transport.hpp"
#include "weft/flow/residual.hpp"

namespace weft::flow::detail {

/// What a look over all owned cells of this rank found.
struct DeviceSurvey {
  double stable_dt = 0;  ///< s, at CFL number 1; infinite without cells
  bool physical = true;  ///< false: some cell left the range of the gas in a stage of this step
};

/// Does on the current GPU what Residual and Solver do on the host: the same kernels (kernels.hpp) over tiles of cells, fluxes
/// summed per cell in the order of its faces, so that two runs give the same bits.
class DeviceStepper {
 public:
  /// @param residual  the scheme: mesh, gas, boundary conditions, numerics. Outlives this object; its arrays are not used.
  /// @param source  evaluated on the host each stage, where there is one. Outlives this object.
  /// @throws DeviceError without a GPU, or where the case does not fit into its memory, saying how much it needs.
  DeviceStepper(const Residual& residual, const SourceTerm& source);
  /// Sets up the exchange of ghosts. Once, before any step. @collective  @throws as ArrayTransformer::pull.
  void connect(Transport transport);
  /// How ghosts travel; empty where there are none.
  [[nodiscard]] std::string transport() const;
  ~DeviceStepper();
  DeviceStepper(const DeviceStepper&) = delete;
  DeviceStepper& operator=(const DeviceStepper&) = delete;

  /// Conserved values of the owned cells at the start of a step.
  void upload(std::span<const double> conserved);
  void download(std::span<double> conserved);
  /// Waits for the stages so far.
  [[nodiscard]] DeviceSurvey survey();
  /// Cells that left the range of the gas in this step, ascending. @pre !survey().physical
  struct BadCell {
    std::int32_t cell, stage;
  };
  [[nodiscard]] std::vector<BadCell> bad_cells();

  struct Step {
    double time = 0, dt = 0;
    double local_cfl = 0;  ///< above 0: each cell steps min(dt, local_cfl * its own stable step)
  };
  /// All stages of a step, as one launch of a graph where the host takes no part in them (from the third step on).  @collective
  void step(const Step& step);
  /// Ends the step: its result is the start of the next one.
  void accept();
  /// Back to the start of the step.
  void undo();

  /// 1 for owned and ghost cells of lowered order, else 0; empty: none anywhere.
  void set_lowered(std::span<const std::int32_t> flags);

  /// Sum over the owned cells of volume * rate^2 of the first stage, in a fixed order.
  [[nodiscard]] std::array<double, kVars> rate_squared();

  /// Ghosts, boundary rows and gradients of the present values; boundary_flux() and cell_state() are theirs.  @collective
  void refresh(double time);
  /// Flux through a boundary face per unit area, out of the domain. @pre refresh()
  [[nodiscard]] Conserved boundary_flux(std::int32_t face) const;
  /// State at x, linear within the owned cell. @pre refresh()
  [[nodiscard]] Primitive cell_state(std::int32_t cell, Vec3 x) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::flow::detail
