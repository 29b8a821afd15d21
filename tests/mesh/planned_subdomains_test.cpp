#include "weft/mesh/partition/planned_subdomains.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"

namespace weft::mesh::planned_subdomains_test {
namespace {

struct Source {
  std::string name;
  GeneratorParameters parameters;
  BuildOptions options;
};

BuildOptions faces_or_nodes(Neighbours ghosts) {
  BuildOptions options;
  options.stencil = ghosts;
  return options;
}

BuildOptions periodic(int dim, Neighbours ghosts) {
  BuildOptions options = faces_or_nodes(ghosts);
  options.periodic.push_back({"xmin", "xmax", {1, 0, 0}});
  options.periodic.push_back({"ymin", "ymax", {0, 1, 0}});
  if (dim == 3) options.periodic.push_back({"zmin", "zmax", {0, 0, 1}});
  return options;
}

std::vector<Source> sources() {
  std::vector<Source> list;
  for (const Neighbours ghosts : {Neighbours::face, Neighbours::node}) {
    list.push_back({"box", {{"nx", "21"}, {"ny", "13"}}, faces_or_nodes(ghosts)});
    list.push_back({"box", {{"nx", "12"}, {"ny", "9"}, {"elements", "triangles"}}, periodic(2, ghosts)});
    list.push_back({"box", {{"nx", "6"}, {"ny", "5"}, {"nz", "4"}, {"elements", "tetrahedra"}}, faces_or_nodes(ghosts)});
    list.push_back({"box", {{"nx", "5"}, {"ny", "5"}, {"nz", "5"}, {"elements", "hexahedra"}}, periodic(3, ghosts)});
    list.push_back({"box", {{"nx", "3"}, {"ny", "2"}}, faces_or_nodes(ghosts)});  // too few cells for METIS
  }
  return list;
}

Mesh built(const Communicator& comm, const Source& source) {
  return build(comm, generate(comm, source.name, source.parameters), source.options);
}

/// Returns the subdomain of this rank and its traffic.
PlannedSubdomain part_of(const Mesh& mesh) {
  PlannedSubdomain part{.cells = mesh.owned_cells, .ghosts = mesh.ghost_cells};
  for (const GhostPlan::Neighbour& n : mesh.plan.neighbours()) {
    if (n.rank == mesh.comm.rank() || n.send_rows.empty()) continue;
    part.rows_sent += static_cast<std::int64_t>(n.send_rows.size());
    ++part.messages;
  }
  return part;
}

TEST(PlannedSubdomains, EqualTheSubdomainsOfBuild) {
  const Communicator world = Communicator::world();
  for (const Source& source : sources()) {
    const Mesh real = built(world, source);
    const std::vector<PlannedSubdomain> parts = world.all_gather(part_of(real));
    EXPECT_EQ(planned_subdomains(real, world.size()), parts) << source.name << ", planned on all ranks";
    // Planned on one rank and on two.
    const Communicator alone = Communicator::self();
    EXPECT_EQ(planned_subdomains(built(alone, source), world.size()), parts) << source.name << ", planned on one rank";
    const Communicator half = world.split(world.rank().value() % 2);
    EXPECT_EQ(planned_subdomains(built(half, source), world.size()), parts) << source.name << ", planned on half of the ranks";
  }
}

TEST(PlannedSubdomains, DoNotDependOnTheNumberOfPlanningRanks) {
  const Communicator world = Communicator::world();
  for (const Source& source : sources()) {
    const Mesh here = built(world, source), alone = built(Communicator::self(), source);
    for (const int ranks : {1, 2, 5, 16, 100, 1000}) {
      const std::vector<PlannedSubdomain> parts = planned_subdomains(here, ranks);
      ASSERT_EQ(parts.size(), static_cast<std::size_t>(ranks));
      EXPECT_EQ(parts, planned_subdomains(alone, ranks)) << source.name << " over " << ranks;
      std::int64_t cells = 0;
      for (const PlannedSubdomain& part : parts) cells += part.cells;
      EXPECT_EQ(cells, here.global_cells);
    }
    EXPECT_EQ(planned_subdomains(here, 1).front().messages, 0);
    EXPECT_EQ(planned_subdomains(here, 1).front().rows_sent, 0);
  }
}

TEST(PlannedSubdomains, ZeroRanksThrow) {
  const Mesh mesh = built(Communicator::world(), sources().front());
  EXPECT_THROW((void)planned_subdomains(mesh, 0), InputError);
  EXPECT_THROW((void)planned_subdomains(mesh, -3), InputError);
}

}  // namespace
}  // namespace weft::mesh::planned_subdomains_test
