#pragma once
/// The check of a case before it is run: all its errors, and figures of the computation.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/io/case/case_file.hpp"
#include "weft/mesh/mesh_stats.hpp"

namespace weft::flow {

/// A gas state of a case and derived quantities. Units are SI if CaseCheck::si, otherwise those of the case.
struct StateFigures {
  std::string name;  ///< section of the case: "free_stream", "initial", "boundary.inlet"
  double density = 0, pressure = 0, temperature = 0;
  Vec3 velocity;
  double speed = 0, sound_speed = 0, mach = 0;
  double dynamic_pressure = 0;  ///< density speed^2 / 2
  double total_pressure = 0, total_temperature = 0;
};

/// A boundary zone and its condition.
struct ZoneFigures {
  std::string name;
  std::optional<BoundaryKind> kind;  ///< absent: no condition, or a prescribed state
  bool prescribed = false;           ///< the state outside is a function of place
  /// Returns the name of the condition, which may be kPrescribed; empty: no condition.
  [[nodiscard]] std::string_view condition() const {
    if (prescribed) return kPrescribed;
    return kind ? name_of(*kind) : std::string_view{};
  }
  std::string pattern;  ///< pattern of the section that defines the kind, if it is not of this zone alone
  std::int64_t faces = 0;
  double area = 0;  ///< m^2; in 2-D length times unit depth
  /// The gas outside that the condition gives: of a reservoir total pressure and temperature, of an outflow the static pressure,
  /// of a far field and a supersonic inflow static pressure and temperature.
  std::optional<double> total_pressure, total_temperature, pressure, temperature;
};

/// Time steps of a run.
struct StepFigures {
  bool local = false;                      ///< each cell has its own step, and `first` is that of the smallest
  double courant = 0;                      ///< Courant number of steps after the ramp
  double first = 0, later = 0;             ///< s, length of the first step, and of one after the ramp in the same state
  std::optional<std::int64_t> estimate;    ///< steps to the first criterion that can be estimated
  std::string criterion;                   ///< this criterion: "stop.steps", "stop.time", "stop.wall_time"
  std::vector<std::string> not_estimated;  ///< criteria that may end the run earlier: "stop.residual", "stop.force_change"
};

/// The cost of a run on this machine with these ranks, measured in a few steps.
struct CostFigures {
  double step_seconds = 0;
  std::optional<double> run_seconds;  ///< time of all steps, without output; only if their number can be estimated
  double memory_bytes = 0;            ///< memory of all ranks together, with mesh and solver
};

/// The result of check_case(); equal on every rank. Figures are present only if there are no errors.
struct CaseCheck {
  std::string file, title;
  std::vector<Error> errors;          ///< in the order of the lines of the case, then those without a line in it
  std::vector<std::string> warnings;  ///< one line each, in the form of an error
  bool without_gpu = false;           ///< a case for GPUs, checked on a machine that has none

  std::optional<mesh::MeshStats> mesh;   ///< absent if the mesh could not be built
  std::vector<ZoneFigures> zones;        ///< in the order of the mesh
  std::vector<mesh::Periodic> periodic;  ///< each with its translation

  bool si = false;  ///< the gas constant is that of a real gas in J/(kg K)
  double gamma = 0, gas_constant = 0;
  std::vector<StateFigures> states;
  double reference_length = 0;            ///< m, of the first force, otherwise of the walls; 0: none
  std::string reference_length_of;        ///< "forces.wing.length", "the walls"
  std::optional<double> convective_time;  ///< s, reference length over the speed of the free stream
  /// density speed length / viscosity of the free stream, of air by Sutherland's law, which determines the thickness of the
  /// boundary layers that inviscid flow neglects. Only for a case in SI whose gas is air.
  std::optional<double> reynolds;
  std::optional<StepFigures> steps;
  std::optional<CostFigures> cost;
};

/// Reads a case and its mesh, and finds all their errors, not only the first one of a run. If there are none, makes a few steps
/// (at least 3, and for at least 0.3 s) to measure their time. Writes nothing.
/// @throws CommError, DeviceError, LimitError; errors of the case, its mesh and its flow are in the result. Errors of the text of
///   the case as TOML are thrown by read_case_file().  @collective
[[nodiscard]] CaseCheck check_case(const Communicator& comm, const io::CaseFile& file);

/// Reads a case for a run.
/// @throws CaseErrors with all results of check_case() if keys of the case are wrong.  @collective
[[nodiscard]] Case read_good_case(const Communicator& comm, const io::CaseReader& reader);

/// Returns several lines for users, each with a newline: without errors and warnings. No communication.
[[nodiscard]] std::string describe(const CaseCheck& check);

}  // namespace weft::flow
