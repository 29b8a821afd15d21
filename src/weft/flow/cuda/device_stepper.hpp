#pragma once
/// The state of a solver in the memory of a GPU, and the stages of a step there.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/array/transport.hpp"
#include "weft/flow/physics/face_force.hpp"
#include "weft/flow/scheme/residual.hpp"
#include "weft/flow/scheme/scalar_transport.hpp"

namespace weft::flow::detail {

/// What a step did to the owned cells of this rank.
struct DeviceStep {
  double dt = 0;             ///< s, by which the time advanced
  double stable_before = 0;  ///< s, at CFL number 1, of all ranks at its start; known where the GPU has chosen dt
  double stable_dt = 0;      ///< s, of this rank at its end; infinite without cells
  bool physical = true;      ///< false: some cell left the range of the gas in a stage
  /// Sum of volume * rate^2 of the first stage, in a fixed order; 0 where not wanted.
  std::array<double, kVars> rate_squared{};
};

/// Does on the current GPU what Residual and Solver do on the host: the same kernels (kernels.hpp) over tiles of cells, fluxes
/// summed per cell in the order of its faces, so that two runs give the same bits. Numerics::precision says in which numbers.
class DeviceStepper {
 public:
  /// @param residual  the scheme: mesh, gas, boundary conditions, numerics. Outlives this object; its arrays are not used.
  /// @param source  its function is evaluated on the host each stage, where there is one. Outlives this object.
  /// @param scalars  what the flow carries, null: nothing. Outlives this object.
  /// @collective  @throws on every rank, DeviceError without a GPU, or where what the ranks of a GPU need does not fit into its
  ///   memory, saying how much that is.
  [[nodiscard]] static std::unique_ptr<DeviceStepper> make(const Residual& residual, const SourceTerm& source,
                                                           ScalarTransport* scalars);
  /// Sets up the exchange of ghosts. Once, before anything else. @collective  @throws as ArrayTransformer::pull.
  virtual void connect(Transport transport) = 0;
  /// How ghosts travel; empty where there are none.
  [[nodiscard]] virtual std::string transport() const = 0;
  /// As Solver::close(). @collective
  virtual void close() = 0;
  virtual ~DeviceStepper() = default;
  DeviceStepper(const DeviceStepper&) = delete;
  DeviceStepper& operator=(const DeviceStepper&) = delete;

  /// Conserved values of the owned cells, owned x kVars in page-locked memory: what upload() takes, and those of the last
  /// keep_state().
  [[nodiscard]] virtual std::span<double> state() = 0;
  /// rho phi of scalars likewise, owned x their number; they go with state() wherever that goes.
  [[nodiscard]] virtual std::span<double> scalar_amounts() = 0;
  /// Makes state() that of the start of a step, rounded to what the GPU keeps.  @collective
  virtual void upload() = 0;
  /// Makes what the scheme computes of state() at `time`, s, the rates that it subtracts from now on, and returns them: volume
  /// times d(conserved)/dt, owned x kVars. upload() follows.  @pre Numerics::well_balanced.  @collective
  [[nodiscard]] virtual std::vector<double> keep_stationary(double time) = 0;
  /// Starts copying the state, as the work so far leaves it, to state(); steps go on meanwhile.
  virtual void keep_state() = 0;
  /// Waits for what keep_state() has started.
  virtual void wait_for_state() = 0;
  /// Integral of each conserved variable over the owned cells, as the work so far leaves it; waits for that.
  [[nodiscard]] virtual std::array<double, kVars> integrals() = 0;
  /// Of rho phi of each scalar.
  [[nodiscard]] virtual std::vector<double> scalar_integrals() = 0;
  /// Waits for the work so far. The last step.
  [[nodiscard]] virtual DeviceStep survey() = 0;
  /// Cells that left the range of the gas in the last step, ascending. @pre !survey().physical
  struct BadCell {
    std::int32_t cell, stage;
    bool diverged;  ///< its state was physical, but outside the limits
  };
  [[nodiscard]] virtual std::vector<BadCell> bad_cells() = 0;

  struct Step {
    double time = 0, dt = 0;
    double advance = 0;    ///< s by which the time goes on: dt, less where local time steps make that longer
    double local_cfl = 0;  ///< above 0: each cell steps min(dt, local_cfl * its own stable step)
  };
  /// All stages of a step, as one launch of a graph where the host takes no part in them (from the third step on).  @collective
  virtual void step(const Step& step) = 0;

  /// Whether steps can follow each other without a look of the host. Equal on every rank.
  [[nodiscard]] virtual bool works_ahead() const = 0;
  static constexpr int kMostAhead = 256;
  struct Ahead {
    int count = 1;               ///< steps at most, of kMostAhead; fewer where the time comes to `until` before
    double time = 0, until = 0;  ///< s
    double cfl = 0;
    std::int64_t first_step = 0;      ///< number of the first one
    std::int64_t rates_interval = 1;  ///< rate_squared is wanted of steps with a multiple of this number, and of the last
  };
  /// Puts steps one behind the other, each accepted; the GPU chooses their lengths, and does none after one that left the range
  /// of the gas.  @collective  @pre works_ahead()
  virtual void start(const Ahead& ahead) = 0;
  /// Waits. The steps that were done, equally many on every rank; the last is not accepted yet.
  [[nodiscard]] virtual std::vector<DeviceStep> finish() = 0;

  /// Ends the step: its result is the start of the next one.
  virtual void accept() = 0;
  /// Back to the start of the step.
  virtual void undo() = 0;

  /// Takes the states outside a boundary zone from the residual again. Waits for the work so far.
  virtual void update_outside(std::size_t zone) = 0;

  /// 1 for owned and ghost cells of lowered order, else 0; empty: none anywhere.
  virtual void set_lowered(std::span<const std::int32_t> flags) = 0;

  /// Ghosts, boundary rows and gradients of the present values; what follows is theirs.  @collective
  virtual void refresh(double time) = 0;
  /// Flux through a boundary face per unit area, out of the domain; the first one brings them all to the host. @pre refresh()
  [[nodiscard]] virtual Conserved boundary_flux(std::int32_t face) const = 0;
  /// Sum of force_on_face() over faces of the boundary, with arms from `centre`. @pre refresh()
  [[nodiscard]] virtual ForceAndMoment force_on(mesh::FaceRange faces, double pressure, Vec3 centre) const = 0;
  /// States inside at the centroids of faces of the boundary, in their order. @pre refresh()
  [[nodiscard]] virtual std::vector<Primitive> face_states(mesh::FaceRange faces) const = 0;
  /// State at x, linear within the owned cell. @pre refresh()
  [[nodiscard]] virtual Primitive cell_state(std::int32_t cell, Vec3 x) const = 0;
  /// Limited gradients of the owned cells, brought to the host. @pre refresh()
  [[nodiscard]] virtual std::vector<CellGradient> gradients() const = 0;
  /// Scalar k likewise. @pre refresh()
  [[nodiscard]] virtual double scalar_at(int k, std::int32_t cell, Vec3 x) const = 0;

 protected:
  DeviceStepper() = default;
};

}  // namespace weft::flow::detail
