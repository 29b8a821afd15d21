#include "weft/flow/app/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "weft/base/counted.hpp"
#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/old_solution.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;

/// Returns the last field file of a results folder, or the file itself.  @throws InputError: the folder has none.
fs::path field_file(const fs::path& path, const Where& where) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return path;
  fs::path last;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kPrefix = "fields_";
    const bool of_a_step = name.starts_with(kPrefix) && std::isdigit(static_cast<unsigned char>(name[kPrefix.size()])) != 0;
    if (!of_a_step || entry.path().extension() != ".hdf") continue;
    const auto longer = std::pair(name.size(), name);
    if (last.empty() || longer > std::pair(last.filename().string().size(), last.filename().string())) last = entry.path();
  }
  if (last.empty()) {
    throw InputError(fmt::format("the folder {} holds no field file (fields_*.hdf)", path.string()),
                     "give the results folder of a run, or a field file", where);
  }
  return last;
}

/// Data of a field file about the case that wrote it.
struct OldCase {
  IdealGas gas;
  std::vector<std::string> scalars;
};

OldCase old_case(const io::VtkHdfReader& file) {
  const io::CaseReader reader(io::CaseFile::from_text(file.provenance(), file.path().string()));
  const io::Section gas = reader.root().section("gas", {});
  OldCase old{
      {.gamma = gas.number("gamma", {.default_value = 1.4}), .gas_constant = gas.number("gas_constant", {.default_value = 1})},
      {}};
  for (const io::Section& scalar : reader.root().named_sections("scalars", {})) old.scalars.push_back(scalar.name());
  return old;
}

void expect_same_gas(const io::VtkHdfReader& file, const Case& c) {
  const OldCase old = old_case(file);
  const Where where{.file = file.path().string()};
  if (old.gas.gamma != c.gas.gamma || old.gas.gas_constant != c.gas.gas_constant) {
    throw InputError(
        fmt::format("this solution is of a gas with gamma {:g} and gas constant {:g}, and the case has {:g} and {:g}",
                    old.gas.gamma, old.gas.gas_constant, c.gas.gamma, c.gas.gas_constant),
        "start from the results of a run with the same gas", where);
  }
  if (old.scalars.size() != c.scalars.size()) {
    throw InputError(fmt::format("this solution has {}, and the case {}", counted(std::ssize(old.scalars), "scalar"),
                                 counted(std::ssize(c.scalars), "scalar")),
                     "give the case the scalars of that run", where);
  }
  for (const ScalarChoice& scalar : c.scalars) {
    if (std::find(old.scalars.begin(), old.scalars.end(), scalar.name) != old.scalars.end()) continue;
    throw InputError(fmt::format("this solution has no scalar \"{}\"", scalar.name), "give the case the scalars of that run",
                     where);
  }
}

using Bits = std::array<std::uint64_t, 3>;
Bits bits_of(Vec3 x) {
  return {std::bit_cast<std::uint64_t>(x.x), std::bit_cast<std::uint64_t>(x.y), std::bit_cast<std::uint64_t>(x.z)};
}
struct HashBits {
  std::size_t operator()(const Bits& bits) const { return hash_with(hash_with(hash_with(0, bits[0]), bits[1]), bits[2]); }
};

/// Returns the parameters of the start, with the values of a function of the program in the cells of the mesh, or with a solution
/// interpolated to them, if one is requested.
InitialParams params_of(const mesh::Mesh& mesh, const Case& c, std::vector<double>& scalars, std::string& note) {
  InitialParams params = c.initial;
  const std::span<const Vec3> cells = std::span(mesh.cell_centroid).first(mesh.owned_cells);
  auto states = std::make_shared<std::unordered_map<Bits, Primitive, HashBits>>();
  if (params.kind == InitialKind::function && params.function) {
    std::vector<Primitive> values(cells.size());
    agreed(mesh.comm, [&] { params.function(cells, 0, values); });
    for (std::size_t i = 0; i < cells.size(); ++i) states->emplace(bits_of(cells[i]), values[i]);
    params.solution = [states](Vec3 x) { return states->at(bits_of(x)); };
    if (c.function_scalars) scalars = c.function_scalars();
  }
  if (params.kind != InitialKind::solution) return params;
  const Communicator& comm = mesh.comm;
  std::string name;
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    const fs::path path = field_file(params.solution_file, params.where);
    std::error_code failed;
    if (fs::exists(path, failed) && fs::equivalent(path.parent_path(), c.output.directory, failed)) {
      throw InputError("the run would write its results into the folder of the solution that it starts from",
                       "choose another output.directory", params.where);
    }
    name = path.string();
  });
  comm.broadcast(name);
  const io::VtkHdfReader file(comm, name);
  agreed(comm, [&] { expect_same_gas(file, c); });
  std::vector<std::string> names;
  for (const ScalarChoice& scalar : c.scalars) names.push_back(scalar.name);
  const detail::OldSolution old(comm, file, mesh.dim, names);
  const std::vector<detail::SolutionAnswer> answers = old.at(cells);
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Primitive w;
    for (int k = 0; k < Primitive::kVars; ++k) w[k] = answers[i].values[k];
    states->emplace(bits_of(cells[i]), w);
    for (std::size_t k = 0; k < names.size(); ++k) {
      scalars.push_back(answers[i].values[Primitive::kVars + k]);
    }
    outside += answers[i].outside ? 1 : 0;
  }
  params.solution = [states = std::move(states)](Vec3 x) { return states->at(bits_of(x)); };
  outside = comm.sum(outside);
  note = fmt::format("starting from {} (step {}, {})", name, file.step(), counted(file.cells(), "cell"));
  if (outside > 0) {
    note += fmt::format("; {} of {} outside its mesh: they have the values of its nearest cells", counted(outside, "cell"),
                        mesh.global_cells);
  }
  return params;
}

}  // namespace

Start::Start(const mesh::Mesh& mesh, const Case& flow_case) : mesh_(mesh), state_(params_of(mesh, flow_case, scalars_, note_)) {}

void Start::initialise(Solver& solver) const {
  solver.initialise_by_threads([this] { return state_.independent(); });
  if (mesh_.comm.max(scalars_.empty() ? 0 : 1) == 0) return;
  const std::span<const double> conserved = solver.conserved();
  const std::vector<double> kept(conserved.begin(), conserved.end());
  std::vector<double> amounts(solver.scalar_amounts().begin(), solver.scalar_amounts().end());
  const std::size_t count = solver.scalars().size();
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    if (!std::isnan(scalars_[i])) amounts[i] = scalars_[i] * kept[i / count * Solver::kVars];
  }
  solver.restore(kept, 0, 0, {}, amounts);
}

}  // namespace weft::flow
