// Reads [mesh], and creates the weights of cells.
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/flow/app/case_parts.hpp"
#include "weft/flow/app/expression.hpp"
#include "weft/mesh/io/read_mesh.hpp"

namespace weft::flow {

using io::Section;

namespace {

std::string sentence(std::string words) {
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words + ".";
}

}  // namespace

namespace detail {

MeshChoice read_mesh_choice(const Section& s) {
  MeshChoice choice;
  if (const auto file = s.optional_path(
          "file", {.doc = "Mesh to read: " + mesh::readable_meshes() + ". A relative path starts at the folder of the case."})) {
    choice.file = *file;
    choice.where = s.where("file");
  }
  std::vector<std::string> names{"none"};
  for (const mesh::GeneratorInfo& info : mesh::generators()) names.push_back(info.name);
  choice.generator = s.variant(
      "generator", names, {.default_value = "none", .doc = "Mesh to generate instead; its parameters are keys of this section."},
      [&](const std::string& chosen) {
        for (const mesh::GeneratorInfo& info : mesh::generators()) {
          if (info.name != chosen) continue;
          for (const mesh::GeneratorParameter& p : info.parameters) {
            const auto value =
                s.optional_parameter(p.name, {.initial = p.initial, .unit = p.unit, .range = p.range, .doc = sentence(p.text)});
            if (!value) continue;
            choice.parameters[p.name] = *value;
            choice.where_parameter[p.name] = s.where(p.name);
          }
        }
      });
  choice.scale = s.number(
      "scale", {.default_value = 1, .min_exclusive = 0, .doc = "Coordinates are multiplied by it: 0.001 for a mesh in mm."});
  choice.where_scale = s.where("scale");
  choice.offset = s.vector3("offset", {.default_value = Vec3{}, .unit = "m", .doc = "Added to the coordinates after scaling."});
  choice.axisymmetric = s.boolean(
      "axisymmetric",
      {.default_value = false,
       .doc = "A 2-D mesh is the half of a meridian plane: y is the distance from the axis y = 0. Volumes, areas, forces "
              "and integrals are those of the whole turn: of a force the component along x, without lift and moment. The gas "
              "does not turn: velocities along z are 0."});
  choice.build.order = s.choice_of<mesh::CellOrdering>(
      "order", {.default_value = mesh::CellOrdering::hilbert, .doc = "Numbering of the cells of a rank, for memory locality."});
  choice.build.partition.partitioner = s.choice_of<mesh::Partitioner>(
      "partitioner", {.default_value = mesh::Partitioner::automatic, .doc = "Distributes the cells to the ranks."});
  const bool by_cost =
      s.choice("balance", {"cells", "cost"},
               {.default_value = "cells",
                .doc = "Quantity that is distributed equally to the ranks: cells, or their measured cost by type."}) == "cost";
  choice.build.partition.weight = cell_weight(
      by_cost,
      s.expression("weight", {.default_value = "1",
                              .doc = "Work of a cell as a formula of its place, \"1 + 3*(x<0)\", finite and above 0: a "
                                     "rank gets an equal share of the sum. With balance = cost it is a factor."}),
      s.where("weight"));
  for (const Section& pair : s.sections("periodic", {.doc = "Two boundary zones that are one."})) {
    std::string from = pair.text("from", {.doc = "First zone."}), to = pair.text("to", {.doc = "Second zone."});
    mesh::Periodic& added = choice.build.periodic.emplace_back(std::move(from), std::move(to));
    added.translation = pair.optional_vector3(
        "translation", {.unit = "m",
                        .doc = "From a point of the first zone to that of the second. Default: that from the box "
                               "around the first zone to the box around the second."});
    choice.where_periodic.push_back(pair.where("from"));
  }
  if (s.documenting()) return choice;
  const bool generated = choice.generator != "none";
  if (choice.file.empty() != generated) {
    s.fail(generated ? "generator" : "file", "a case needs one mesh: a file or a generator",
           "give exactly one of mesh.file and mesh.generator");
  }
  if (!generated) {
    choice.generator.clear();
    return choice;
  }
  try {
    (void)mesh::generator_spec(choice.generator, choice.parameters);
  } catch (const InputError& error) {
    s.fail(error.where().key, error.problem(), error.suggestion());
  }
  return choice;
}

}  // namespace detail

std::function<double(mesh::CellType, mesh::ZoneId, Vec3)> cell_weight(bool by_cost, const std::string& formula, Where where) {
  if (formula == "1") {
    if (!by_cost) return nullptr;
    return [](mesh::CellType type, mesh::ZoneId, Vec3) { return mesh::measured_cost(type); };
  }
  const auto factor = std::make_shared<const Expression>(formula, std::move(where), Expression::Variables::place);
  return [by_cost, factor](mesh::CellType type, mesh::ZoneId, Vec3 x) {
    const double work = (*factor)(x);
    if (!(work > 0 && std::isfinite(work)))
      throw InputError(fmt::format("\"{}\" is {:g} in the cell at ({:.6g}, {:.6g}, {:.6g})", factor->text(), work, x.x, x.y, x.z),
                       "weights of cells must be finite and above 0", factor->where());
    return by_cost ? work * mesh::measured_cost(type) : work;
  };
}

}  // namespace weft::flow
