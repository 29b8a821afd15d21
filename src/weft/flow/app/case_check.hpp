#pragma once
/// A case looked at before it is run: everything that is wrong with it, and the figures of what it would compute.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/io/case/case_file.hpp"
#include "weft/mesh/mesh_stats.hpp"

namespace weft::flow {

/// A gas state of a case and what follows from it. Units are SI where CaseCheck::si, else those of the case.
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
  std::string kind;     ///< "slip_wall", ..., "prescribed"; empty: it has none
  std::string pattern;  ///< of the section that gives the kind, where that is not of this zone alone
  std::int64_t faces = 0;
  double area = 0;  ///< m^2; in 2-D length times unit depth
};

/// Time steps of a run.
struct StepFigures {
  bool local = false;                      ///< each cell has its own step, and `first` is that of the smallest
  double courant = 0;                      ///< Courant number of steps behind the ramp
  double first = 0, later = 0;             ///< s, length of the first step, and of one behind the ramp in the same state
  std::optional<std::int64_t> estimate;    ///< steps to the first criterion that can be estimated
  std::string criterion;                   ///< that one: "stop.steps", "stop.time", "stop.wall_time"
  std::vector<std::string> not_estimated;  ///< criteria that may end the run sooner: "stop.residual", "stop.force_change"
};

/// What a run takes of this machine, on these ranks: measured by a few steps.
struct CostFigures {
  double step_seconds = 0;
  std::optional<double> run_seconds;  ///< of all steps, without output; where their number can be estimated
  double memory_bytes = 0;            ///< of all ranks together, mesh and solver in place
};

/// Everything that check_case() finds; equal on every rank. Figures are there only where there are no errors.
struct CaseCheck {
  std::string file, title;
  std::vector<Error> errors;          ///< in the order of the lines of the case, then those without a line in it
  std::vector<std::string> warnings;  ///< a line each, as an error's
  bool without_gpu = false;           ///< a case for GPUs, checked on a machine that has none

  std::optional<mesh::MeshStats> mesh;   ///< where the mesh could be built
  std::vector<ZoneFigures> zones;        ///< in the order of the mesh
  std::vector<mesh::Periodic> periodic;  ///< each with its translation

  bool si = false;  ///< the gas constant is that of a real gas in J/(kg K)
  double gamma = 0, gas_constant = 0;
  std::vector<StateFigures> states;
  double reference_length = 0;            ///< m, of the first force, else of the walls; 0: there is none
  std::string reference_length_of;        ///< "forces.wing.length", "the walls"
  std::optional<double> convective_time;  ///< s, reference length over the speed of the free stream
  /// density speed length / viscosity of the free stream, of air by Sutherland's law: how thin the boundary layers are that the
  /// inviscid flow leaves out. Only of a case in SI whose gas is air.
  std::optional<double> reynolds;
  std::optional<StepFigures> steps;
  std::optional<CostFigures> cost;
};

/// Reads a case and its mesh, and finds all that is wrong with them, not only what a run would find first. Where nothing is,
/// makes a few steps (at least 3, else for 0.3 s) to measure their time. Writes nothing.
/// @throws CommError, DeviceError, LimitError; errors of the case, its mesh and its flow are in the result. Errors of the text of
///   the case as TOML are thrown by CaseFile::read().  @collective
[[nodiscard]] CaseCheck check_case(const Communicator& comm, const io::CaseFile& file);

/// Reads a case that is to be run.
/// @throws CaseErrors with everything that check_case() finds, where keys of the case are wrong.  @collective
[[nodiscard]] Case read_good_case(const Communicator& comm, const io::CaseReader& reader);

/// Returns several lines for people, each ended by a newline: without errors and warnings. No communication.
[[nodiscard]] std::string describe(const CaseCheck& check);

}  // namespace weft::flow
