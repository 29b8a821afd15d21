#pragma once
// Cases for tests of whole runs, and a fixture that runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "weft/flow/app/run.hpp"

#include "flow/solver_support.hpp"
#include "io/support/scratch.hpp"

namespace weft::flow::test {

inline constexpr const char* kWedge = R"toml(
[mesh]
generator = "wedge"
nx = 12
ny = 8
[free_stream]
density = 1.4
pressure = 1.0
mach = 2.0
[boundary.inlet]
kind = "supersonic_inflow"
[boundary.outlet]
kind = "supersonic_outflow"
[boundary.upper]
kind = "supersonic_outflow"
[boundary.wall]
kind = "slip_wall"
[forces.wall]
zones = "wall"
[output]
history_steps = 1
[stop]
steps = 12
)toml";

struct Told : RunObserver {
  void advanced(const Progress& progress) override { last = progress; }
  void wrote(const std::filesystem::path& file) override { files.push_back(file.filename().string()); }
  void changed(const std::vector<io::CaseChange>& those) override { changes = those; }
  Progress last;
  std::vector<std::string> files;
  std::vector<io::CaseChange> changes;
};

class WholeRun : public ::testing::Test {
 protected:
  [[nodiscard]] Case wedge(const io::CaseReader& reader) const {
    Case c = read_case(reader);
    c.output.directory = scratch / "results";
    return c;
  }
  RunSummary run_wedge(
      const std::vector<std::string>& overrides, Existing existing = Existing::refuse,
      const std::function<bool()>& stop = [] { return false; }) {
    const io::CaseReader reader(io::CaseFile::from_text(kWedge, "case.toml", overrides));
    const Case c = wedge(reader);  // before the effective case, which holds the keys that were read
    return run(comm, c, reader.effective_toml(), existing, told, stop);
  }

  const Communicator comm = Communicator::world();
  const io::Scratch scratch{comm};
  Told told;
};

inline constexpr const char* kAirfoil = R"toml(
[mesh]
generator = "naca"
around = 32
radial = 8
radius = 3.0
[free_stream]
density = 1.4
pressure = 1.0
mach = 0.5
alpha = 3
[boundary.airfoil]
kind = "slip_wall"
[boundary.farfield]
kind = "far_field"
vortex_correction = "airfoil"
vortex_steps = 4
[forces.airfoil]
zones = "airfoil"
moment_centre = [0.25, 0]
[output]
history_steps = 3
[stop]
steps = 12
)toml";

/// Interrupted between two updates of the circulation, and at one.

}  // namespace weft::flow::test
