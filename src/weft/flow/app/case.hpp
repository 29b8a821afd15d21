#pragma once
/// A flow case as its file describes it: every choice of a run, read and checked before a mesh is loaded.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/array/transport.hpp"
#include "weft/base/thread_binding.hpp"
#include "weft/device/space.hpp"
#include "weft/flow/app/initial.hpp"
#include "weft/flow/app/monitors.hpp"
#include "weft/flow/app/output_fields.hpp"
#include "weft/flow/app/sampling.hpp"
#include "weft/flow/app/scalar_case.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/scheme/numerics.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The source of the mesh: a file, or a generator with its parameters.
struct MeshChoice {
  std::filesystem::path file;  ///< empty: generated
  Where where;                 ///< place of the file's name in the case, for messages
  std::string generator;
  mesh::GeneratorParameters parameters;
  std::map<std::string, Where> where_parameter;  ///< places in the case, for messages
  std::vector<Where> where_periodic;             ///< place of each pair of build.periodic in the case, for messages
  double scale = 1;                              ///< factor of the coordinates,
  Where where_scale{.key = "mesh.scale"};        ///< place in the case, for messages
  Vec3 offset{};                                 ///< translation after scaling, m
  bool axisymmetric = false;
  mesh::BuildOptions build;
};

/// The force whose lift determines the circulation of the vortex in a far field.
struct VortexChoice {
  std::string force;        ///< name of a ForceSpec of the case; the vortex is at its moment centre
  std::int64_t steps = 20;  ///< between two updates
  Where where;              ///< place in the case, for messages
};

/// Name of the condition that is not a BoundaryKind: a state as a function of place.
inline constexpr std::string_view kPrescribed = "prescribed";

/// A boundary zone of the mesh, or a pattern of the names of several (zone_conditions.hpp), and its condition.
struct ZoneCondition {
  std::string zone;
  BoundaryParams params;
  std::optional<InitialParams> prescribed;  ///< kind = kPrescribed: the state outside each face
  std::optional<VortexChoice> vortex;       ///< only for a far field
  std::vector<ExpressionText> scalars;      ///< scalars in the gas that enters, in the order of the case's; empty: none enters
  Where where, where_direction;             ///< places of the kind and of the direction of an inflow in the case, for messages
  Where where_pressure;                     ///< place of `total_pressure` or of the `pressure` of an outflow, for messages
};

/// A velocity of the case with a component along z, which only a 3-D flow should have.
struct VelocityAlongZ {
  std::string text;  ///< for messages: "(0, 0, 10)", or a formula in quotes
  Where where;       ///< place in the case
};

/// Criteria that end a run; the first that is satisfied.
struct StopCriteria {
  std::optional<double> time;  ///< s
  std::optional<std::int64_t> steps;
  std::optional<double> wall_time;  ///< s
  std::optional<double> residual;   ///< residual of density, relative to the largest since the start
  /// Largest change of any coefficient over `force_window` steps; the forces must have settled, too (are_settled()).
  std::optional<double> force_change;
  std::int64_t force_window = 200;
};

struct OutputChoice {
  std::filesystem::path directory;
  std::optional<double> field_interval;     ///< s of flow time between field files
  std::optional<std::int64_t> field_steps;  ///< steps between field files
  std::int64_t history_steps = 10;          ///< steps between rows of the histories
  std::optional<std::int64_t> checkpoint_steps;
  double checkpoint_seconds = 600;  ///< wall-clock time; 0: none by time
  bool single_precision = false;    ///< precision of field files
  std::vector<FieldKind> fields{FieldKind::density, FieldKind::velocity, FieldKind::pressure, FieldKind::mach};
  Where where_fields{};  ///< place in the case, for messages
};

struct ProbeChoice {
  std::string name;
  Vec3 at;
  Where where;  ///< place in the case, for messages
};

/// The largest number of threads of a rank.
inline constexpr int kMostThreads = 1024;

/// Returns true if the gas constant is that of a real gas in J/(kg K), 24 (UF6) to 4124 (H2), so that all figures of the case are
/// in SI units; that of a case without units is about 1.
[[nodiscard]] constexpr bool is_in_si_units(const IdealGas& gas) { return gas.gas_constant >= 10; }

struct Case {
  std::string file, title;
  MeshChoice mesh;
  IdealGas gas;
  std::optional<Primitive> free_stream;
  InitialParams initial;
  std::vector<ScalarChoice> scalars;
  std::vector<ZoneCondition> boundary;
  Numerics numerics;
  std::optional<Where> where_reference_length;  ///< place of numerics.reference_length, if it is written in the case
  Backend device = Backend::host;
  Transport transport = Transport::automatic;  ///< transport of ghosts
  int threads = 1;                             ///< threads of each rank, on the host
  Bind bind = Bind::automatic;                 ///< binding of these threads to cores
  StopCriteria stop;
  OutputChoice output;
  std::vector<ForceSpec> forces;
  std::vector<ProbeChoice> probes;
  std::vector<MonitorSpec> monitors;
  std::vector<LineChoice> lines;
  std::vector<SectionChoice> sections;
  bool integrals = false;                ///< write the totals of the conserved variables
  bool exact_errors = false;             ///< compare the result with the exact solution of `initial`
  Vec3 acceleration{};                   ///< acceleration of the body force, m/s^2
  bool manufactured_source = false;      ///< add the source term of `initial`, a manufactured solution
  bool function_source = false;          ///< add `source_function`
  SourceTerm::Function source_function;  ///< set by a program, as InitialParams::function of `initial` and of boundaries
  /// Returns the scalars of the last InitialParams::function, cells x scalars; for NaN and an empty list those of [scalars] hold.
  std::function<std::vector<double>()> function_scalars;
  std::function<std::optional<InputError>()> take_error;  ///< SolverOptions::take_error of these functions
  std::vector<VelocityAlongZ> along_z{};                  ///< velocities that are written in the case and have a z component
  std::vector<std::string> warnings{};                    ///< doubtful choices: "problem; what to do", for users

  /// Returns the source term of the solver. @throws InputError: a source that is a function, without the function.
  [[nodiscard]] SourceTerm source() const;
  [[nodiscard]] FieldReference field_reference() const { return {gas, free_stream}; }
};

/// Returns the function of `mesh.balance` and `mesh.weight` for PartitionOptions::weight; null if all cells are equal. It throws
/// InputError, with `where`, for a cell whose weight is not finite or not above 0. @throws InputError as Expression.
[[nodiscard]] std::function<double(mesh::CellType, mesh::ZoneId zone, Vec3 middle)> cell_weight(bool by_cost,
                                                                                                const std::string& formula,
                                                                                                Where where);

/// Reads a file as io::CaseFile::read() does. @throws also InputError for a mesh, which says how to write a case for it.
/// @collective
[[nodiscard]] io::CaseFile read_case_file(const Communicator& comm, const std::filesystem::path& path,
                                          std::span<const std::string> overrides = {});

/// Reads every key of a case. @throws InputError with file, line, column and key. No communication. If the reader collects
/// errors, it throws none, and the result serves to find more errors: states that could not be read are those of a moving gas,
/// and zones whose condition could not be read have some condition.
[[nodiscard]] Case read_case(const io::CaseReader& reader);

/// Returns the reference of every key, as Markdown, generated from read_case().
[[nodiscard]] std::string case_reference();

}  // namespace weft::flow
