#include "weft/flow/app/initial.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <ranges>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/flow/app/expression.hpp"

namespace weft::flow {
namespace {

using Field = std::function<Primitive(Vec3, double)>;

std::string describe(const Primitive& w) {
  return fmt::format("density {:g}, velocity ({:g}, {:g}, {:g}), pressure {:g}", w.density, w.velocity.x, w.velocity.y,
                     w.velocity.z, w.pressure);
}

void expect_physical(const InitialParams& params, const Primitive& w, const char* what) {
  if (params.gas.physical(w)) return;
  throw InputError(fmt::format("{} is not physical: {}", what, describe(w)), "density and pressure must be positive",
                   params.where);
}

void expect_air(const InitialParams& params) {
  if (params.gas.gamma == Ringleb::kGamma) return;
  throw InputError(fmt::format("\"{}\" is a solution for gamma = 1.4, not {:g}", name_of(params.kind), params.gas.gamma),
                   "set gamma to 1.4", params.where);
}

Field tube(const InitialParams& params, const RiemannStates& states, double default_x0) {
  expect_physical(params, states.left, "the left state");
  expect_physical(params, states.right, "the right state");
  const double x0 = params.x0.value_or(default_x0);
  const RiemannSolution solution(params.gas, states);
  return [=](Vec3 x, double t) {
    if (t > 0) return solution.sample((x.x - x0) / t);
    return x.x < x0 ? states.left : states.right;
  };
}

Field formulas(const InitialParams& params) {
  const auto parse = [&](const ExpressionText& expression, int k) {
    Where where = expression.where;
    if (where.key.empty()) where.key = fmt::format("{}.{}", params.where.key, IdealGas::primitive_name(k));
    return std::make_shared<const Expression>(expression.text, std::move(where));
  };
  const StateExpressions& e = params.expressions;
  const std::array parsed{parse(e.density, 0), parse(e.velocity_x, 1), parse(e.velocity_y, 2), parse(e.velocity_z, 3),
                          parse(e.pressure, IdealGas::kVars - 1)};
  static_assert(parsed.size() == IdealGas::kVars);
  return [gas = params.gas, parsed](Vec3 x, double t) {
    Primitive w;
    for (int k = 0; k < IdealGas::kVars; ++k) w[k] = (*parsed[k])(x, t);
    // During the run an unphysical state is detected in the cells, which every rank reports.
    if (t != 0 || gas.physical(w)) return w;
    const bool density_is_bad = !(w.density > 0 && std::isfinite(w.density));
    const bool pressure_is_bad = !(w.pressure > 0 && std::isfinite(w.pressure));
    const Expression& bad = *parsed[density_is_bad ? 0 : pressure_is_bad ? IdealGas::kVars - 1 : 1];
    throw InputError(fmt::format("the state at ({:g}, {:g}, {:g}) is not physical: {}", x.x, x.y, x.z, describe(w)),
                     "density and pressure must be positive and everything finite", bad.where());
  };
}

Field field(const InitialParams& params) {
  switch (params.kind) {
    case InitialKind::uniform:
      break;
    case InitialKind::riemann:
      return tube(params, params.riemann, 0.5);
    case InitialKind::sod:
      return tube(params, kSod, 0.5);
    case InitialKind::lax:
      return tube(params, kLax, 0.5);
    case InitialKind::toro_123:
      return tube(params, kToro123, 0.5);
    case InitialKind::toro_left_blast:
      return tube(params, kToroLeftBlast, 0.5);
    case InitialKind::toro_collision:
      return tube(params, kToroCollision, 0.4);
    case InitialKind::vortex: {
      IsentropicVortex vortex = params.vortex;
      vortex.gas = params.gas;
      expect_physical(params, vortex(vortex.centre, 0), "the vortex core");
      return vortex;
    }
    case InitialKind::entropy_wave: {
      EntropyWave trough = params.entropy_wave;
      trough.density -= std::abs(trough.amplitude);
      trough.amplitude = 0;
      expect_physical(params, trough({}, 0), "the trough of the entropy wave");
      return params.entropy_wave;
    }
    case InitialKind::forward_step:
      expect_air(params);
      return [](Vec3, double) { return kForwardStep; };
    case InitialKind::double_mach:
      expect_air(params);
      return params.double_mach;
    case InitialKind::ringleb:
      expect_air(params);
      return [flow = Ringleb{}](Vec3 x, double) { return flow(x); };
    case InitialKind::manufactured: {
      Primitive least = params.manufactured.mean;
      for (int k = 0; k < IdealGas::kVars; ++k) least[k] -= std::abs(params.manufactured.amplitude[k]);
      expect_physical(params, least, "the least of the manufactured solution");
      return params.manufactured;
    }
    case InitialKind::expression:
      return formulas(params);
    case InitialKind::solution:
      return [solution = params.solution](Vec3 x, double) {
        WEFT_EXPECTS(solution);
        return solution(x);
      };
    case InitialKind::function:
      return [solution = params.solution, where = params.where](Vec3 x, double) {
        if (!solution) throw no_function(where);
        return solution(x);
      };
  }
  expect_physical(params, params.state, "the uniform state");
  return [state = params.state](Vec3, double) { return state; };
}

}  // namespace

InputError no_function(Where where) {
  return InputError("this is a function of the program that computes the flow, and it has given none",
                    "run the case from Python with this function, or choose another kind", std::move(where));
}

bool Region::contains(Vec3 x) const {
  switch (shape) {
    case Shape::sphere:
      return norm(x - centre) <= radius;
    case Shape::half_space:
      return dot(x - point, normal) >= 0;
    case Shape::box:
      break;
  }
  return lower.x <= x.x && x.x <= upper.x && lower.y <= x.y && x.y <= upper.y && lower.z <= x.z && x.z <= upper.z;
}

struct InitialState::Impl {
  InitialParams params;
  Field background;
};

InitialState::InitialState(InitialParams params) {
  for (std::size_t i = 0; i < params.regions.size(); ++i) {
    expect_physical(params, params.regions[i].state, fmt::format("the state of region {}", i + 1).c_str());
  }
  Field background = field(params);
  impl_ = std::make_shared<const Impl>(Impl{std::move(params), std::move(background)});
}

Primitive InitialState::operator()(Vec3 x) const { return at(x, 0); }

bool InitialState::has_exact_solution() const {
  const InitialKind kind = impl_->params.kind;
  const bool unknown = kind == InitialKind::expression || kind == InitialKind::solution || kind == InitialKind::function;
  return !unknown && impl_->params.regions.empty();
}

Primitive InitialState::at(Vec3 x, double t) const {
  for (const Region& region : impl_->params.regions | std::views::reverse) {
    if (region.contains(x)) return region.state;
  }
  return impl_->background(x, t);
}

bool InitialState::depends_on_time() const {
  const StateExpressions& e = impl_->params.expressions;
  const auto uses_time = [](const ExpressionText& formula) { return Expression(formula.text).depends_on_time(); };
  switch (impl_->params.kind) {
    case InitialKind::uniform:
    case InitialKind::forward_step:
    case InitialKind::ringleb:
    case InitialKind::solution:
    case InitialKind::function:
      return false;
    case InitialKind::expression:
      return uses_time(e.density) || uses_time(e.velocity_x) || uses_time(e.velocity_y) || uses_time(e.velocity_z) ||
             uses_time(e.pressure);
    default:
      return true;
  }
}

InitialState InitialState::independent() const { return InitialState(impl_->params); }

const InitialParams& InitialState::params() const { return impl_->params; }

}  // namespace weft::flow
