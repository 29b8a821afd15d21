#include "weft/flow/app/scalar_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string_view>

#include "weft/flow/app/expression.hpp"

namespace weft::flow {
namespace {

using io::Section;

/// Names of fields in field files, and of columns of histories.
constexpr std::string_view kTaken[] = {"density", "velocity",   "velocity_x", "velocity_y", "velocity_z", "pressure",
                                       "mach",    "momentum_x", "momentum_y", "momentum_z", "energy",     "cell_id",
                                       "rank",    "step",       "time",       "dt",         "cp",         "zone"};

bool is_word(std::string_view name) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), inside);
}

/// Returns the place of the section itself.
Where place_of(const Section& s) {
  Where where = s.where("");
  where.key = s.path();
  return where;
}

ExpressionText read_formula(const Section& s, const std::string& key, Expression::Variables variables, const char* doc) {
  ExpressionText formula{s.expression(key, {.default_value = "0", .doc = doc}), s.where(key)};
  if (!s.documenting()) (void)Expression(formula.text, formula.where, variables);
  return formula;
}

double finite_value(const Expression& formula, Vec3 x, double t) {
  const double value = formula(x, t);
  if (std::isfinite(value)) return value;
  throw InputError(fmt::format("the scalar is {} at ({:g}, {:g}, {:g})", value, x.x, x.y, x.z), "it must be finite everywhere",
                   formula.where());
}

}  // namespace

std::vector<ScalarChoice> read_scalars(const Section& root) {
  std::vector<ScalarChoice> scalars;
  for (const Section& s : root.named_sections(
           "scalars", {.doc = "A passive scalar: a quantity that the flow carries, such as a dye or a mixture "
                              "fraction. Its name is that of its field in the results. Where the flow has a limiter "
                              "the scalar has that of Barth and Jespersen, and keeps between the extremes of its "
                              "start and of what comes in; without a limiter it may leave them."})) {
    ScalarChoice scalar;
    scalar.name = s.name();
    scalar.initial = read_formula(s, "initial", Expression::Variables::place, "At the start: a formula of x, y, z.");
    if (!s.documenting()) {
      if (!is_word(scalar.name)) {
        throw InputError(fmt::format("\"{}\" cannot be the name of a scalar", scalar.name),
                         "a name begins with a letter, and goes on with letters, digits and underscores", place_of(s));
      }
      if (std::find(std::begin(kTaken), std::end(kTaken), scalar.name) != std::end(kTaken)) {
        throw InputError(fmt::format("\"{}\" is the name of a field of the flow", scalar.name), "choose another name",
                         place_of(s));
      }
      if (scalars.size() == kMostScalars) {
        throw InputError(fmt::format("a flow carries {} scalars at most", kMostScalars), "leave out one", place_of(s));
      }
    }
    scalars.push_back(std::move(scalar));
  }
  return scalars;
}

std::vector<ExpressionText> read_scalar_inflow(const Section& zone, const std::vector<ScalarChoice>& scalars, bool brings) {
  if (!brings && !zone.documenting()) {
    if (!zone.has("scalars")) return {};
    zone.fail("scalars", "what comes in through a zone of this kind has the scalars of the gas inside",
              "leave this out, or choose an inflow, a far field or a prescribed state");
  }
  const Section s = zone.section("scalars", {.doc = "The scalars in the gas that comes in through this zone, where it is a far "
                                                    "field, an inflow or prescribed."});
  if (scalars.empty() && s.present()) {
    throw InputError("the case has no scalars", "add [scalars.<name>], or leave this out", place_of(s));
  }
  std::vector<ExpressionText> formulas;
  for (const ScalarChoice& scalar : scalars) {
    formulas.push_back(read_formula(s, scalar.name, Expression::Variables::place_and_time,
                                    "The scalar of this name: a formula of x, y, z and the time t. On a GPU one with t has the "
                                    "host take part in every stage."));
  }
  return formulas;
}

std::vector<Scalar> make_scalars(const std::vector<ScalarChoice>& choices) {
  std::vector<Scalar> scalars;
  for (const ScalarChoice& choice : choices) {
    auto formula = std::make_shared<const Expression>(choice.initial.text, choice.initial.where, Expression::Variables::place);
    scalars.push_back({.name = choice.name, .initial = [formula](Vec3 x) { return finite_value(*formula, x, 0); }});
  }
  return scalars;
}

std::vector<ScalarInflow> make_scalar_inflow(const std::vector<ExpressionText>& formulas, std::span<const Vec3> faces) {
  std::vector<ScalarInflow> inflows;
  for (const ExpressionText& text : formulas) {
    auto formula = std::make_shared<const Expression>(text.text, text.where);
    for (const Vec3 x : faces) (void)finite_value(*formula, x, 0);
    inflows.push_back({.value = [formula](Vec3 x, double t) { return (*formula)(x, t); },
                       .depends_on_time = formula->depends_on_time(),
                       .where = text.where});
  }
  return inflows;
}

}  // namespace weft::flow
