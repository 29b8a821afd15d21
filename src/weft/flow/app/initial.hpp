#pragma once
/// The initial state of the flow: by name, by formulas of x, y and z, and by regions that override either.
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/registry.hpp"
#include "weft/flow/physics/field_function.hpp"
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
  solution,      ///< `solution`, which Start (start.hpp) computes from `solution_file`
  function,      ///< `function`, which a program sets: Start computes `solution` from it
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
               Row{InitialKind::solution, "solution", "the solution of another run"},
               Row{InitialKind::function, "function", "a function of the program, given from Python"}}};
[[nodiscard]] constexpr const auto& registry_of(InitialKind /*tag*/) { return kInitialStates; }
static_assert(is_complete<InitialKind>());

/// A part of space with a state of its own. Each shape reads the members that are named for it.
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

/// Returns the error of a state or source that the case leaves to a function of the program, and that has none.
[[nodiscard]] InputError no_function(Where where);

/// The text of a formula and its place in the case.
struct ExpressionText {
  std::string text;
  Where where{};
};

struct StateExpressions {
  ExpressionText density{"1", {}}, velocity_x{"0", {}}, velocity_y{"0", {}}, velocity_z{"0", {}}, pressure{"1", {}};
};

/// The parameters of an InitialState; each kind reads only those that are named at its enumerator.
struct InitialParams {
  InitialKind kind = InitialKind::uniform;
  IdealGas gas{};
  Primitive state{};
  RiemannStates riemann{};
  std::optional<double> x0{};  ///< position in the Riemann problems; default 0.5, 0.4 for toro_collision
  IsentropicVortex vortex{};   ///< its gas is `gas`
  EntropyWave entropy_wave{};
  DoubleMach double_mach{};
  ManufacturedSolution manufactured{};
  StateExpressions expressions{};
  std::filesystem::path solution_file{};      ///< a field file, or the results folder that holds it
  std::function<Primitive(Vec3)> solution{};  ///< for the centroids of this rank's cells
  FieldFunction<Primitive> function{};        ///< evaluated at t = 0 unless it is of a boundary
  bool function_depends_on_time = false;      ///< only for a boundary
  std::vector<Region> regions{};              ///< later ones override earlier ones
  Where where{.key = "initial"};              ///< place in the case, for errors
};

/// Returns the state at a point, and at any time if the kind has an exact solution. Cheap to copy; must not be evaluated by two
/// threads at the same time.
class InitialState {
 public:
  /// @throws InputError: a state or region that is not physical, an expression that cannot be parsed, double_mach, ringleb or
  ///   forward_step with a gamma other than 1.4. The same on every rank.
  explicit InitialState(InitialParams params);

  /// Returns the initial state at x.
  /// @throws InputError where an expression gives no physical state, or where the named flow does not exist, with the position.
  ///   On this rank alone: ranks must agree on the error.
  [[nodiscard]] Primitive operator()(Vec3 x) const;

  /// Returns whether at() is known for t > 0: for all kinds but expression, solution and function, without regions. (A uniform
  /// state is constant; double_mach and forward_step are valid ahead of the reflection.)
  [[nodiscard]] bool has_exact_solution() const;
  /// Returns the exact solution on unbounded or periodic space; formulas at that time; regions do not move. at(x, 0) is
  /// operator()(x). A formula may give an unphysical state for t > 0.
  [[nodiscard]] Primitive at(Vec3 x, double t) const;
  /// Returns whether at() may change with time.
  [[nodiscard]] bool depends_on_time() const;

  /// Returns a state that another thread may evaluate at the same time.
  [[nodiscard]] InitialState independent() const;

  [[nodiscard]] const InitialParams& params() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace weft::flow
