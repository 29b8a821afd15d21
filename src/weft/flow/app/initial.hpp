#pragma once
/// What the flow is at the start: by name, by expression of x, y and z, and by region on top of either.
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/registry.hpp"
#include "weft/flow/solutions/exact.hpp"

namespace weft::flow {

enum class InitialKind : int {
  uniform,  ///< `state`
  riemann,  ///< `riemann`, left and right of x = x0
  sod,      ///< the Riemann problems of riemann.hpp
  lax,
  toro_123,
  toro_left_blast,
  toro_collision,
  vortex,        ///< `vortex`
  entropy_wave,  ///< `entropy_wave`
  forward_step,  ///< kForwardStep
  double_mach,   ///< `double_mach`
  ringleb,
  manufactured,  ///< `manufactured`
  expression,    ///< `expressions`
  solution,      ///< `solution`, which Start (start.hpp) makes from `solution_file`
};

inline constexpr Registry kInitialStates{
    "initial state",
    std::array{Row{InitialKind::uniform, "uniform", "one state everywhere"},
               Row{InitialKind::riemann, "riemann", "two states, left and right of a plane"},
               Row{InitialKind::sod, "sod", "Sod's Riemann problem"}, Row{InitialKind::lax, "lax", "Lax's Riemann problem"},
               Row{InitialKind::toro_123, "toro_123", "Toro's Riemann problem of two rarefactions"},
               Row{InitialKind::toro_left_blast, "toro_left_blast", "left half of Woodward and Colella's blast waves"},
               Row{InitialKind::toro_collision, "toro_collision", "Toro's Riemann problem of two shocks that collide"},
               Row{InitialKind::vortex, "vortex", "the isentropic vortex"},
               Row{InitialKind::entropy_wave, "entropy_wave", "a wave of density that the flow carries"},
               Row{InitialKind::forward_step, "forward_step", "the stream of the forward step at Mach 3"},
               Row{InitialKind::double_mach, "double_mach", "the double Mach reflection"},
               Row{InitialKind::ringleb, "ringleb", "Ringleb's flow"},
               Row{InitialKind::manufactured, "manufactured", "the manufactured solution"},
               Row{InitialKind::expression, "expression", "formulas of x, y and z"},
               Row{InitialKind::solution, "solution", "the solution of another run"}}};
[[nodiscard]] constexpr const auto& registry_of(InitialKind /*tag*/) { return kInitialStates; }
static_assert(is_complete<InitialKind>());

/// A part of space with a state of its own. Each shape reads what its line names.
struct Region {
  enum class Shape : int { box, sphere, half_space };

  Shape shape = Shape::box;
  Vec3 lower = Vec3{-1, -1, -1} * std::numeric_limits<double>::infinity();  ///< box: lower <= x <= upper
  Vec3 upper = Vec3{1, 1, 1} * std::numeric_limits<double>::infinity();
  Vec3 centre{};  ///< sphere: |x - centre| <= radius
  double radius = 0;
  Vec3 point{};  ///< half_space: (x - point) . normal >= 0
  Vec3 normal{1, 0, 0};
  Primitive state{};

  [[nodiscard]] bool contains(Vec3 x) const;
};

inline constexpr Registry kRegionShapes{"shape", std::array{Row{Region::Shape::box, "box", "between two corners"},
                                                            Row{Region::Shape::sphere, "sphere", "in 2-D a circle"},
                                                            Row{Region::Shape::half_space, "half_space", "one side of a plane"}}};
[[nodiscard]] constexpr const auto& registry_of(Region::Shape /*tag*/) { return kRegionShapes; }
static_assert(is_complete<Region::Shape>());

/// The text of a formula and its place in the case.
struct ExpressionText {
  std::string text;
  Where where{};
};

struct StateExpressions {
  ExpressionText density{"1", {}}, velocity_x{"0", {}}, velocity_y{"0", {}}, velocity_z{"0", {}}, pressure{"1", {}};
};

/// What an InitialState is made from; each kind reads only what its line above names.
struct InitialParams {
  InitialKind kind = InitialKind::uniform;
  IdealGas gas{};
  Primitive state{};
  RiemannStates riemann{};
  std::optional<double> x0{};  ///< of the Riemann problems; default 0.5, 0.4 for toro_collision
  IsentropicVortex vortex{};   ///< its gas is `gas`
  EntropyWave entropy_wave{};
  DoubleMach double_mach{};
  ManufacturedSolution manufactured{};
  StateExpressions expressions{};
  std::filesystem::path solution_file{};      ///< a field file, or the results folder that holds it
  std::function<Primitive(Vec3)> solution{};  ///< of the centroids of this rank's cells
  std::vector<Region> regions{};              ///< later ones win
  Where where{.key = "initial"};              ///< for errors
};

/// Gives the state at a point, and at any time where the kind has an exact solution.
/// Cheap to copy; not to be evaluated from two threads at once.
class InitialState {
 public:
  /// @throws InputError: a state or region that is not physical, an expression that cannot be understood, double_mach, ringleb or
  ///   forward_step with a gamma other than 1.4. The same on every rank.
  explicit InitialState(InitialParams params);

  /// @throws InputError where an expression gives no physical state, or where the flow of that name does not exist: with the
  /// place.
  ///   On this rank alone: agree before going on.
  [[nodiscard]] Primitive operator()(Vec3 x) const;

  /// Whether at() is known for t > 0: every kind but expression and solution, without regions. (A uniform state stays what it is;
  /// double_mach and forward_step hold ahead of the reflection.)
  [[nodiscard]] bool has_exact_solution() const;
  /// The exact solution on unbounded or periodic space; formulas at that time; regions stand still. at(x, 0) is operator()(x).
  /// What a formula gives for t > 0 may be no physical state.
  [[nodiscard]] Primitive at(Vec3 x, double t) const;
  /// Whether at() may change with time.
  [[nodiscard]] bool depends_on_time() const;

  [[nodiscard]] const InitialParams& params() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace weft::flow
