#include "weft/mesh/generate/generate_by_name.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate_fields.hpp"

namespace weft::mesh {
namespace detail {
namespace {

struct Labels {
  Label operator()(const BoxSpec&) const { return {"box", "A box, 2-D or 3-D", "xmin, xmax, ymin, ymax, zmin, zmax"}; }
  Label operator()(const VortexBoxSpec&) const {
    return {"vortex_box", "The square of the isentropic vortex, to be made periodic", "xmin, xmax, ymin, ymax"};
  }
  Label operator()(const WedgeSpec&) const {
    return {"wedge", "A channel whose floor turns up: a compression corner", "inlet, outlet, wall, upper, zmin, zmax"};
  }
  Label operator()(const ExpansionSpec&) const {
    return {"expansion", "A channel whose floor turns down: a Prandtl-Meyer corner", "inlet, outlet, wall, upper, zmin, zmax"};
  }
  Label operator()(const ForwardStepSpec&) const {
    return {"forward_step", "The forward-facing step of Woodward and Colella", "inlet, outlet, wall, zmin, zmax"};
  }
  Label operator()(const BumpSpec&) const {
    return {"bump", "The channel [-1.5, 1.5] x [0, 0.8] m with the floor y = 0.0625 exp(-25 x^2)",
            "inlet, outlet, wall, upper, zmin, zmax"};
  }
  Label operator()(const NozzleSpec&) const {
    return {"nozzle", "The upper half of a slender nozzle with its throat at x = 0", "inlet, outlet, wall, axis, zmin, zmax"};
  }
  Label operator()(const ShockReflectionSpec&) const {
    return {"shock_reflection", "The box [0, 4] x [0, 1] m whose floor reflects an oblique shock",
            "inlet, outlet, wall, upper, zmin, zmax"};
  }
  Label operator()(const NacaSpec&) const {
    return {"naca", "An O-grid around a NACA 4-digit aerofoil with a closed trailing edge", "airfoil, farfield, zmin, zmax"};
  }
  Label operator()(const RinglebSpec&) const {
    return {"ringleb", "Ringleb's flow between two of its streamlines", "wall_inner, wall_outer, inlet, outlet, zmin, zmax"};
  }
  Label operator()(const CylinderSpec&) const {
    return {"cylinder", "The front half of a circular cylinder, up to an ellipse: a blunt body in supersonic flow",
            "cylinder, inflow, outflow, zmin, zmax"};
  }
};

template <class Variant>
struct DefaultsOf;
template <class... Specs>
struct DefaultsOf<std::variant<Specs...>> {
  static std::vector<GeneratorSpec> make() { return {GeneratorSpec(Specs{})...}; }
};

std::string listed(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

[[noreturn]] void unknown(const std::string& problem, std::string_view word, const std::vector<std::string>& known, Where where) {
  const std::string near = closest_match(word, known);
  throw InputError(problem, near.empty() ? "known: " + listed(known) : fmt::format("did you mean \"{}\"?", near),
                   std::move(where));
}

}  // namespace

Label label(const GeneratorSpec& spec) { return std::visit(Labels{}, spec); }

}  // namespace detail

const std::vector<GeneratorInfo>& generators() {
  static const std::vector<GeneratorInfo> list = [] {
    std::vector<GeneratorInfo> infos;
    for (GeneratorSpec& spec : detail::DefaultsOf<GeneratorSpec>::make()) {
      const detail::Label label = detail::label(spec);
      GeneratorInfo info{std::string(label.name), std::string(label.text), std::string(label.zones), {}};
      for (const detail::Field& field : detail::fields(spec)) info.parameters.push_back(detail::describe(field));
      infos.push_back(std::move(info));
    }
    return infos;
  }();
  return list;
}

GeneratorSpec generator_spec(std::string_view name, const GeneratorParameters& parameters) {
  std::vector<GeneratorSpec> specs = detail::DefaultsOf<GeneratorSpec>::make();
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return detail::label(spec).name == name; });
  if (found == specs.end()) {
    std::vector<std::string> known;
    for (const GeneratorSpec& spec : specs) known.emplace_back(detail::label(spec).name);
    detail::unknown(fmt::format("no generator is called \"{}\"", name), name, known, {});
  }
  const std::vector<detail::Field> fields = detail::fields(*found);
  for (const auto& [key, value] : parameters) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == key; });
    if (field == fields.end()) {
      std::vector<std::string> known;
      for (const detail::Field& f : fields) known.emplace_back(f.name);
      detail::unknown(fmt::format("generator \"{}\" has no such parameter", name), key, known, Where{.key = key});
    }
    detail::set(*field, value);
  }
  detail::check(fields);
  return *found;
}

MeshBlock generate(const Communicator& comm, std::string_view name, const GeneratorParameters& parameters, Team& team) {
  return generate(comm, generator_spec(name, parameters), team);
}

}  // namespace weft::mesh
