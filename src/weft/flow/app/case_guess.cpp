#include "weft/flow/app/case_guess.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "weft/base/counted.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/app/zone_hints.hpp"
#include "weft/io/case/toml_text.hpp"

namespace weft::flow {
namespace {

using detail::are_translated;
using detail::box_of;
using detail::Hint;
using detail::hint_of;
using detail::is_closed;
using detail::is_flat;
using detail::measure_zones;
using detail::similarity;

// ---------------------------------------------------------------------------------------------------------------------- guesses

class Guesser {
 public:
  explicit Guesser(const mesh::Mesh& mesh) : mesh_(mesh), shapes_(measure_zones(mesh)), box_(box_of(shapes_)) {
    for (const ZoneShape& shape : shapes_) {
      hints_.push_back(hint_of(shape.name));
      guesses_.push_back({shape, {}, "", ""});
    }
  }

  std::vector<ZoneGuess> guess() {
    pair_periodic();
    for (std::size_t z = 0; z < shapes_.size(); ++z) {
      if (is_open(z)) by_name(z);
    }
    for (std::size_t z = 0; z < shapes_.size(); ++z) {
      if (is_open(z)) by_geometry(z);
    }
    return std::move(guesses_);
  }

 private:
  [[nodiscard]] bool has(Hint hint) const { return std::find(hints_.begin(), hints_.end(), hint) != hints_.end(); }

  /// Returns whether nothing has been decided about a zone.
  [[nodiscard]] bool is_open(std::size_t z) const { return guesses_[z].partner.empty() && guesses_[z].why.empty(); }
  void set(std::size_t z, BoundaryKind kind, std::string why) {
    guesses_[z].kind = kind;
    guesses_[z].why = std::move(why);
  }
  /// Leaves the kind of a zone to the user.
  void leave(std::size_t z, std::string why) { guesses_[z].why = std::move(why); }

  void pair_periodic() {
    std::vector<std::size_t> named;
    for (std::size_t z = 0; z < shapes_.size(); ++z) {
      if (hints_[z] == Hint::periodic) named.push_back(z);
    }
    std::vector<std::vector<std::size_t>> partners(shapes_.size());
    for (std::size_t i = 0; i < named.size(); ++i) {
      for (std::size_t j = i + 1; j < named.size(); ++j) {
        if (!are_translated(mesh_, shapes_[named[i]], shapes_[named[j]])) continue;
        partners[named[i]].push_back(named[j]);
        partners[named[j]].push_back(named[i]);
      }
    }
    // The partner is the zone with the most similar name, if the converse holds.
    const auto best = [&](std::size_t z) -> std::ptrdiff_t {
      std::ptrdiff_t found = -1;
      std::size_t most = 0;
      bool several = false;
      for (const std::size_t other : partners[z]) {
        const std::size_t score = 1 + similarity(shapes_[z].name, shapes_[other].name);
        several = score == most || (score < most && several);
        if (score > most) found = static_cast<std::ptrdiff_t>(other);
        most = std::max(most, score);
      }
      return several ? -1 : found;
    };
    for (const std::size_t z : named) {
      const std::ptrdiff_t other = best(z);
      if (other >= 0 && best(other) == static_cast<std::ptrdiff_t>(z)) {
        guesses_[z].partner = shapes_[other].name;
      } else if (partners[z].empty()) {
        leave(z, "its name is that of a periodic zone, but it is no translation of another one");
      } else {
        leave(z,
              fmt::format("its name is that of a periodic zone, and {} are translations of it: write [[mesh.periodic]] by hand",
                          counted(static_cast<std::int64_t>(partners[z].size()), "zone")));
      }
    }
  }

  void by_name(std::size_t z) {
    switch (hints_[z]) {
      case Hint::wall:
        return set(z, BoundaryKind::slip_wall, "by its name; the gas slips along it");
      case Hint::symmetry:
      case Hint::axis:
        if (!is_flat(shapes_[z]))
          return set(z, BoundaryKind::slip_wall, "its name is that of a plane of symmetry, but it is not flat");
        if (hints_[z] == Hint::symmetry) return set(z, BoundaryKind::symmetry, "by its name, and it is flat");
        return set(z, BoundaryKind::symmetry, "by its name; of a body of revolution set mesh.axisymmetric = true");
      case Hint::far_field:
        return set(z, BoundaryKind::far_field, "by its name; prescribes the free stream and lets waves leave");
      case Hint::inlet:
        return set(z, BoundaryKind::far_field,
                   fmt::format("by its name an inlet: the free stream enters; of a duct: {}",
                               name_of(BoundaryKind::total_pressure_inflow)));
      case Hint::outlet:
        return set(z, BoundaryKind::static_pressure_outflow, "by its name an outlet; lets supersonic flow out as well");
      default:
        return;
    }
  }

  /// Returns whether the box of a zone is inside that of the mesh, at a distance in every direction.
  [[nodiscard]] bool is_inside(const ZoneShape& shape) const {
    for (int k = 0; k < mesh_.dim; ++k) {
      const double away = 1e-6 * (box_.second[k] - box_.first[k]);
      if (shape.low[k] - box_.first[k] < away || box_.second[k] - shape.high[k] < away) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_around(const ZoneShape& shape) const {
    const double near = 1e-6 * norm(box_.second - box_.first);
    return norm(shape.low - box_.first) <= near && norm(shape.high - box_.second) <= near;
  }

  void by_geometry(std::size_t z) {
    const ZoneShape& shape = shapes_[z];
    if (is_closed(shape) && is_inside(shape)) return set(z, BoundaryKind::slip_wall, "a closed surface inside the mesh");
    const bool body = std::any_of(guesses_.begin(), guesses_.end(), [&](const ZoneGuess& g) {
      return g.kind == BoundaryKind::slip_wall || (is_closed(g.shape) && is_inside(g.shape));
    });
    if (is_closed(shape) && is_around(shape) && body) return set(z, BoundaryKind::far_field, "the outer boundary, around a body");
    if (mesh_.dim == 3 && is_flat(shape) && shape.faces == mesh_.global_cells) {
      return set(z, BoundaryKind::symmetry, "a side of a single layer of cells: the flow is plane");
    }
    if (has(Hint::inlet) && has(Hint::outlet))
      return set(z, BoundaryKind::slip_wall, "a side of a channel that has inlet and outlet");
    leave(z, fmt::format("its name does not indicate its kind; {}", where(shape)));
  }

  /// Returns a description of a zone's position.
  [[nodiscard]] static std::string where(const ZoneShape& shape) {
    const std::string box = fmt::format("({:.4g}, {:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g})", shape.low.x, shape.low.y,
                                        shape.low.z, shape.high.x, shape.high.y, shape.high.z);
    if (is_closed(shape)) return "a closed surface from " + box;
    if (!is_flat(shape)) return "not flat, from " + box;
    for (int k = 0; k < 3; ++k) {
      if (std::abs(shape.normal[k]) > 1 - 1e-6) {
        constexpr std::array<char, 3> kAxes{'x', 'y', 'z'};
        return fmt::format("the plane {} = {:.6g}, the domain is {} it", kAxes[k], shape.low[k],
                           shape.normal[k] < 0 ? "above" : "below");
      }
    }
    return "flat, from " + box;
  }

  const mesh::Mesh& mesh_;
  std::vector<ZoneShape> shapes_;
  std::pair<Vec3, Vec3> box_;
  std::vector<Hint> hints_;
  std::vector<ZoneGuess> guesses_;
};

// ------------------------------------------------------------------------------------------------------------------- the text

std::string number(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// Returns a line with a comment, in the column of the comments of adjacent lines.
std::string with_comment(const std::string& line, const std::string& comment) {
  return fmt::format("{:27} # {}\n", line, comment);
}

/// Returns words as lines of a comment.
std::string commented(std::string_view words) {
  constexpr std::size_t kColumns = 110;
  std::string text = "#";
  std::size_t column = text.size();
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (column + 1 + word.size() > kColumns) text += "\n#", column = 1;
    text += " ", text += word;
    column += 1 + word.size();
  }
  return text + "\n";
}

/// Returns the path of the mesh relative to the folder of the case, unless it is absolute.
std::string mesh_path(const std::filesystem::path& mesh_file, const std::filesystem::path& case_file) {
  namespace fs = std::filesystem;
  if (mesh_file.is_absolute()) return mesh_file.string();
  const fs::path folder = fs::absolute(case_file).lexically_normal().parent_path();
  return fs::absolute(mesh_file).lexically_normal().lexically_relative(folder).string();
}

/// Returns forces on the walls, with reference values from the box around them; empty without walls.
std::string forces_text(const std::vector<ZoneGuess>& guesses, int dim, bool lift_along_z) {
  std::vector<ZoneShape> walls;
  std::string zones;
  for (const ZoneGuess& guess : guesses) {
    if (guess.kind != BoundaryKind::slip_wall) continue;
    walls.push_back(guess.shape);
    zones += (zones.empty() ? "" : ", ") + io::toml_text(guess.shape.name);
  }
  if (walls.empty()) return {};
  const auto [low, high] = box_of(walls);
  const Vec3 size = high - low;
  const double length = size.x > 0 ? size.x : norm(size);
  std::string box = fmt::format("{} x {}", number(size.x), number(size.y));
  double area = length;
  std::string what = "m^2 after scaling: that length times unit depth";
  if (dim == 3) {
    box += " x " + number(size.z);
    const double span = lift_along_z ? size.y : size.z, height = lift_along_z ? size.z : size.y;
    const bool lifting = height < 0.5 * std::max(span, length);
    area = lifting ? length * span : span * height;
    what = lifting ? "m^2 after scaling: of the box seen along the lift; give the planform area"
                   : "m^2 after scaling: of the box seen along x; give the frontal area";
    if (area <= 0) area = length * length;
  }
  const bool names_column = walls.size() == 1 && walls.front().name.find_first_of(",\"\r\n") == std::string::npos;
  const std::string name = names_column ? io::toml_key(walls.front().name) : "walls";
  std::string text = fmt::format(
      "# The box around {} is {}, in metres after scaling (mesh.scale), as are the lengths here.\n[forces.{}]\nzones = [{}]\n",
      walls.size() == 1 ? "this wall" : "these walls", box, name, zones);
  text += with_comment("area = " + number(area), what);
  text += with_comment("length = " + number(length), "m after scaling: extent along x");
  const Vec3 centre{low.x + 0.25 * length, 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
  text += with_comment(
      fmt::format("moment_centre = [{}, {}{}]", number(centre.x), number(centre.y), dim == 3 ? ", " + number(centre.z) : ""),
      "m after scaling: a quarter of the length behind the front");
  return text + "\n";
}

std::string zone_text(const mesh::Mesh& mesh, const std::vector<ZoneGuess>& guesses) {
  std::string text, pairs;
  for (std::size_t z = 0; z < guesses.size(); ++z) {
    const ZoneGuess& guess = guesses[z];
    if (guess.partner.empty()) {
      text += fmt::format("# {}, {} {}: {}.\n[boundary.{}]\nkind = {}\n", counted(guess.shape.faces, "face"),
                          mesh.dim == 2 ? "length" : "area", number(guess.shape.area), guess.why, io::toml_key(guess.shape.name),
                          io::toml_text(guess.kind ? name_of(*guess.kind) : kToChoose));
      if (guess.kind == BoundaryKind::static_pressure_outflow)
        text += with_comment("pressure = 1.0", "static pressure outside; here that of the free stream: change both");
      text += "\n";
      continue;
    }
    const auto other =
        std::find_if(guesses.begin(), guesses.end(), [&](const ZoneGuess& each) { return each.shape.name == guess.partner; });
    const Vec3 t = other->shape.low - guess.shape.low;
    if (dot(t, Vec3{1, 1, 1}) < 0 || (dot(t, Vec3{1, 1, 1}) == 0 && other->shape.name < guess.shape.name)) continue;
    pairs += fmt::format("# {} of each match; translation = [{:.9g}, {:.9g}, {:.9g}], which is found again.\n",
                         counted(guess.shape.faces, "face"), t.x + 0.0, t.y + 0.0, t.z + 0.0);
    pairs += fmt::format("[[mesh.periodic]]\nfrom = {}\nto = {}\n\n", io::toml_text(guess.shape.name),
                         io::toml_text(other->shape.name));
  }
  return pairs + text;
}

}  // namespace

std::vector<ZoneGuess> guess_zones(const mesh::Mesh& mesh) { return Guesser(mesh).guess(); }

GuessedCase guess_case(const mesh::Mesh& mesh, const std::filesystem::path& mesh_file, const std::filesystem::path& case_file,
                       double scale) {
  const std::vector<ZoneGuess> guesses = guess_zones(mesh);
  GuessedCase result;
  bool all_periodic = true, lift_along_z = false, along_z_is_known = false;
  std::vector<ZoneShape> walls;
  for (const ZoneGuess& guess : guesses) {
    if (guess.to_choose()) result.to_choose.push_back(guess.shape.name);
    all_periodic = all_periodic && !guess.partner.empty();
    if (guess.kind == BoundaryKind::slip_wall) walls.push_back(guess.shape);
    if (guess.kind != BoundaryKind::symmetry || mesh.dim == 2 || along_z_is_known) continue;
    along_z_is_known = true;  // the lift is in the plane of symmetry
    lift_along_z = std::abs(guess.shape.normal.y) > std::abs(guess.shape.normal.z);
  }
  if (mesh.dim == 3 && !along_z_is_known && !walls.empty()) {
    const auto [low, high] = box_of(walls);
    lift_along_z = high.y - low.y > 2 * (high.z - low.z);  // a wing whose span is along y
  }

  std::string& text = result.text;
  text = fmt::format("# A case for the mesh {}: {} in {}-D. The kinds of its zones are guesses: read what is said of each.\n",
                     mesh_file.filename().string(), counted(mesh.global_cells, "cell"), mesh.dim);
  text += fmt::format("title = {}\n\n[mesh]\nfile = {}\n", io::toml_text("Flow on " + mesh_file.filename().string()),
                      io::toml_text(mesh_path(mesh_file, case_file)));
  text +=
      "# Coordinates of the file are multiplied by scale, to metres. All else here is in metres after scaling: a change of "
      "scale\n";
  text += "# changes area, length and moment_centre of [forces], too. 0.001 where the file is in millimetres, for which\n";
  text += fmt::format("# weft new from_file --mesh {} --scale 0.001 writes all of them.\n", mesh_file.filename().string());
  text += fmt::format("scale = {}\n\n", number(scale));
  text +=
      "# The flow that comes from far away; yours is likely another. Here without units: the speed of sound is 1. For air in\n";
  text +=
      "# SI units add [gas] with gas_constant = 287.05, replace density by temperature = 288.15, and set pressure = 101325.0,\n";
  text += "# here and in every static_pressure_outflow.\n";
  text += "[free_stream]\ndensity = 1.4\npressure = 1.0\nmach = 0.5\n";
  text += with_comment("alpha = \"0 deg\"", fmt::format("angle of attack, from x towards {}", lift_along_z ? "z" : "y"));
  if (lift_along_z) text += "lift_axis = \"z\"\n";
  text += "\n";
  if (!all_periodic) {
    text += commented(fmt::format("Kinds: {}, {}. A pattern gives several zones one kind: [boundary.\"wall*\"].",
                                  fmt::join(names<BoundaryKind>(), ", "), kPrescribed));
    if (!result.to_choose.empty()) {
      text += fmt::format("# {} could not be guessed: replace {} by a kind.\n",
                          counted(static_cast<std::int64_t>(result.to_choose.size()), "kind"), kToChoose);
    }
    text += "\n";
  }
  text += zone_text(mesh, guesses);
  text += fmt::format("[numerics]\nflux = \"{}\"\nlimiter = \"{}\"\n", name_of(FluxKind::hllc_hlle),
                      name_of(LimiterKind::venkatakrishnan));
  if (!all_periodic) text += with_comment("local_time_step = true", "steady flow; leave it out for unsteady flow");
  text += "\n" + forces_text(guesses, mesh.dim, lift_along_z) + "[stop]\n";
  text += all_periodic ? "steps = 1000\n"
                       : "steps = 10000\n" + with_comment("residual = 1e-8", "of density, relative to its largest");
  if (!walls.empty())
    text += with_comment("force_change = 1e-4", "of Cd and Cl over force_window steps") + "force_window = 500\n";
  text += "\n";
  text += fmt::format("[output]\ndirectory = {}\n", io::toml_text("results/" + case_file.stem().string()));
  return result;
}

}  // namespace weft::flow
