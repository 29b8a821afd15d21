#include "weft/mesh/generate/generate_fields.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "weft/base/error.hpp"

namespace weft::mesh::detail {
namespace {

constexpr Range kAny{}, kPositive{.lower = 0, .positive = true}, kCount{.lower = 1, .upper = 1e6},
    kLayers{.lower = 0, .upper = 1e6};

constexpr std::size_t kMostFields = 16;

/// Appends the fields of each spec.
class Lister {
 public:
  explicit Lister(std::vector<Field>& to) : to_(to) {}

  void operator()(BoxSpec& s) {
    add("nx", &s.nx, "", kCount, "cells along x");
    add("ny", &s.ny, "", kCount, "cells along y");
    add("nz", &s.nz, "", kLayers, "cells along z; 0: a two-dimensional mesh");
    add("xmin", &s.xmin, "m", kAny, "lower end in x");
    add("xmax", &s.xmax, "m", kAny, "upper end in x; above xmin");
    add("ymin", &s.ymin, "m", kAny, "lower end in y");
    add("ymax", &s.ymax, "m", kAny, "upper end in y; above ymin");
    add("zmin", &s.zmin, "m", kAny, "lower end in z, in 3-D");
    add("zmax", &s.zmax, "m", kAny, "upper end in z, in 3-D; above zmin");
    elements(s);
    diagonal(s);
    disturbance(s);
  }
  void operator()(VortexBoxSpec& s) {
    add("n", &s.n, "", kCount, "cells along each side");
    add("size", &s.size, "m", kPositive, "length of each side");
    elements(s, true);
    diagonal(s);
    disturbance(s);
  }
  void operator()(CornerSpec& s) {
    add("nx", &s.nx, "", {.lower = 2, .upper = 1e6}, "cells along x; the corner is on the nearest node");
    add("ny", &s.ny, "", kCount, "cells along y");
    add("angle", &s.angle, "degrees", {.lower = 0, .upper = 60}, "by which the floor turns at x = 0");
    add("upstream", &s.upstream, "m", kPositive, "from the inlet to the corner, along x");
    add("downstream", &s.downstream, "m", kPositive, "from the corner to the outlet, along x");
    add("height", &s.height, "m", kPositive, "of the inlet; the ceiling is flat");
    corner_size(s);
    extruded(s);
  }
  void operator()(ForwardStepSpec& s) {
    add("h", &s.h, "m", kPositive, "size of uniform cells; divides length, height, step_x and step_height");
    add("length", &s.length, "m", kPositive, "of the channel");
    add("height", &s.height, "m", kPositive, "of the channel");
    add("step_x", &s.step_x, "m", kPositive, "where the step begins; below length");
    add("step_height", &s.step_height, "m", kPositive, "of the step; below height");
    corner_size(s);
    extruded(s);
  }
  void operator()(BumpSpec& s) { channel(s); }
  void operator()(NozzleSpec& s) {
    add("nx", &s.nx, "", {.lower = 2, .upper = 1e6}, "cells along x; the throat is on the nearest node");
    add("ny", &s.ny, "", kCount, "cells along y");
    add("inlet", &s.inlet, "m", kPositive, "height of the half at the inlet");
    add("throat", &s.throat, "m", kPositive, "height of the half at x = 0");
    add("exit", &s.exit, "m", kPositive, "height of the half at the exit, where there is a diverging part");
    add("converging", &s.converging, "m", kPositive, "from the inlet to the throat, along x");
    add("diverging", &s.diverging, "m", {.lower = 0}, "from the throat to the exit, along x; 0: the throat is the exit");
    extruded(s);
  }
  void operator()(ShockReflectionSpec& s) { channel(s); }
  void operator()(NacaSpec& s) {
    add("digits", &s.digits, "", kAny,
        "the aerofoil: camber and its place in percent and tenths of the chord, thickness in percent");
    add("around", &s.around, "", {.lower = 16, .upper = 1e5}, "cells around the aerofoil; even");
    add("radial", &s.radial, "", {.lower = 4, .upper = 1e5}, "cells from the aerofoil to the far field");
    add("chord", &s.chord, "m", kPositive, "length of the aerofoil");
    add("radius", &s.radius, "chords", {.lower = 2, .upper = 1e4}, "of the far field");
    add("wall_spacing", &s.wall_spacing, "chords", {.lower = 0, .upper = 0.1},
        "height of the first cell at mid-chord; 0: half its length");
    elements(s);
    layers(s);
  }
  void operator()(RinglebSpec& s) {
    add("nx", &s.nx, "", kCount, "cells along the streamlines");
    add("ny", &s.ny, "", kCount, "cells across");
    add("k_inner", &s.k_inner, "", {.lower = 0.01, .upper = 1.5}, "the faster streamline; above k_outer");
    add("k_outer", &s.k_outer, "", {.lower = 0.01, .upper = 1.5}, "the slower streamline; above q0");
    add("q0", &s.q0, "", {.lower = 0.01, .upper = 1.5}, "speed at inlet and outlet, in stagnation speeds of sound");
    extruded(s);
  }
  void operator()(CylinderSpec& s) {
    add("around", &s.around, "", {.lower = 4, .upper = 1e5}, "cells along the half circle");
    add("radial", &s.radial, "", {.lower = 4, .upper = 1e5}, "cells from the cylinder to the inflow");
    add("radius", &s.radius, "m", kPositive, "of the cylinder");
    add("front", &s.front, "radii", {.lower = 0.1, .upper = 1e4}, "from the cylinder to the inflow ahead of it");
    add("side", &s.side, "radii", {.lower = 0.1, .upper = 1e4}, "from the cylinder to the inflow at x = 0");
    extruded(s);
  }

 private:
  void add(std::string_view name, Field::Value value, std::string_view unit, Range range, std::string_view text,
           bool flat = false) {
    to_.push_back({name, value, unit, range, text, flat});
  }
  template <class Spec>
  void elements(Spec& s, bool flat = false) {
    add("elements", &s.elements, "", kAny, "types of the cells", flat);
  }
  template <class Spec>
  void diagonal(Spec& s) {
    add("diagonal", &s.diagonal, "", kAny, "that splits quads in triangles and prisms");
  }
  template <class Spec>
  void disturbance(Spec& s) {
    add("warp", &s.warp, "", {.lower = -0.08, .upper = 0.08}, "smooth displacement of the nodes, as a fraction of the length");
    add("jitter", &s.jitter, "", {.lower = 0, .upper = 0.2},
        "random displacement of the inner nodes, in cell sizes; at most 0.1 in 3-D");
    add("seed", &s.seed, "", {.lower = 0, .upper = 1e9}, "of random displacements and diagonals");
  }
  template <class Spec>
  void corner_size(Spec& s) {
    add("corner_size", &s.corner_size, "m", {.lower = 0},
        "length of the cells at the corner, from which their lengths grow geometrically; 0: uniform cells");
  }
  template <class Spec>
  void layers(Spec& s) {
    add("layers", &s.layers, "", kLayers, "cells in z; 0: a two-dimensional mesh");
    add("depth", &s.depth, "m", kPositive, "in z, where there are layers");
  }
  template <class Spec>
  void extruded(Spec& s) {
    elements(s);
    diagonal(s);
    layers(s);
  }
  template <class Spec>
  void channel(Spec& s) {
    add("nx", &s.nx, "", kCount, "cells along x");
    add("ny", &s.ny, "", kCount, "cells along y");
    extruded(s);
  }

  std::vector<Field>& to_;
};

std::string range_text(const Field& field) {
  if (std::holds_alternative<CellMix*>(field.value)) return one_of(cell_mixes(field.flat));
  if (std::holds_alternative<Diagonal*>(field.value)) return one_of(names<Diagonal>());
  if (std::holds_alternative<std::string*>(field.value)) return "four digits";
  if (field.range.positive) return "> 0";
  if (std::isinf(field.range.lower)) return "any";
  if (std::holds_alternative<std::int64_t*>(field.value))
    return fmt::format("{:.0f} to {:.0f}", field.range.lower, field.range.upper);
  return fmt::format("{} to {}", field.range.lower, field.range.upper);
}

std::string value_text(const Field& field) {
  struct {
    std::string operator()(const std::int64_t* v) const { return fmt::format("{}", *v); }
    std::string operator()(const double* v) const { return fmt::format("{}", *v); }
    std::string operator()(const std::string* v) const { return *v; }
    std::string operator()(const CellMix* v) const { return std::string(name_of(*v)); }
    std::string operator()(const Diagonal* v) const { return std::string(name_of(*v)); }
  } text;
  return std::visit(text, field.value);
}

[[noreturn]] void refuse(const Field& field, const std::string& what) {
  throw InputError(what, fmt::format("choose {}", range_text(field)), Where{.key = std::string(field.name)});
}

std::string shown(const GeneratorValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

/// Converts all of `text` to a number.
template <class Number>
bool read(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Kind>
void set_word(const Field& field, Kind& to, const GeneratorValue& value) {
  const std::string word = shown(value);
  for (const auto& row : registry_of(Kind{}).rows) {
    if (row.name == word) {
      to = row.value;
      return;
    }
  }
  const std::string near = closest_match(word, names<Kind>());
  if (near.empty()) refuse(field, fmt::format("\"{}\" is unknown", word));
  throw InputError(fmt::format("\"{}\" is unknown", word), fmt::format("did you mean \"{}\"? Choose {}", near, range_text(field)),
                   Where{.key = std::string(field.name)});
}

struct Setter {
  const Field& field;
  const GeneratorValue& value;

  void operator()(std::int64_t* to) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      *to = *whole;
      return;
    }
    constexpr double kMost = 9007199254740992;  // whole numbers up to here are exact
    if (const auto* real = std::get_if<double>(&value);
        real != nullptr && std::abs(*real) <= kMost && std::trunc(*real) == *real) {
      *to = static_cast<std::int64_t>(*real);
      return;
    }
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || !read(*text, *to)) refuse(field, fmt::format("{} is not a whole number", shown(value)));
  }
  void operator()(double* to) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      *to = static_cast<double>(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      *to = *real;
    } else if (!read(std::get<std::string>(value), *to)) {
      refuse(field, fmt::format("\"{}\" is not a number", shown(value)));
    }
  }
  void operator()(std::string* to) const {
    if (!std::holds_alternative<std::string>(value)) {
      throw InputError(fmt::format("{} is a number, not text", shown(value)), "put it in quotes: leading zeros count",
                       Where{.key = std::string(field.name)});
    }
    *to = std::get<std::string>(value);
  }
  void operator()(CellMix* to) const { set_word(field, *to, value); }
  void operator()(Diagonal* to) const { set_word(field, *to, value); }
};

}  // namespace

std::vector<Field> fields(GeneratorSpec& spec) {
  std::vector<Field> list;
  list.reserve(kMostFields);
  std::visit([lister = Lister(list)](auto& s) mutable { lister(s); }, spec);
  return list;
}

void check(const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    double value = 0;
    if (const auto* whole = std::get_if<std::int64_t*>(&field.value)) {
      value = static_cast<double>(**whole);
    } else if (const auto* real = std::get_if<double*>(&field.value)) {
      value = **real;
    } else if (const auto* mix = std::get_if<CellMix*>(&field.value)) {
      if (field.flat && !row_of(**mix).flat) {
        refuse(field, fmt::format("\"{}\" is three-dimensional, this mesh is two-dimensional", value_text(field)));
      }
      continue;
    } else {
      continue;
    }
    const Range& range = field.range;
    if (!std::isfinite(value) || value < range.lower || value > range.upper || (range.positive && value <= 0)) {
      refuse(field, fmt::format("{} is out of range", value_text(field)));
    }
  }
}

void set(const Field& field, const GeneratorValue& value) { std::visit(Setter{field, value}, field.value); }

GeneratorParameter describe(const Field& field) {
  return {std::string(field.name), std::string(field.unit), value_text(field), range_text(field), std::string(field.text)};
}

}  // namespace weft::mesh::detail

namespace weft::mesh {

std::vector<std::string_view> cell_mixes(bool flat) {
  std::vector<std::string_view> names;
  for (const CellMixRow& row : kCellMixes.rows) {
    if (row.flat || !flat) names.push_back(row.name);
  }
  return names;
}

}  // namespace weft::mesh
