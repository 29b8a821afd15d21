// A mesh that is read or generated is the same, bit by bit, on any number of threads; so is the first error of a damaged file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/write_mesh.hpp"

#include "thread_checks.hpp"

namespace weft::mesh::read_threads_test {
namespace {

using testing::box;
using testing::expect_same_bytes;
using testing::expect_same_on_threads;

std::string expect_same_parsed(const std::string& bytes) {
  return expect_same_on_threads([&](Team& team) { return parse_gmsh(bytes, "m.msh", team); });
}

TEST(ReadThreads, GiveTheSameGmshMesh) {
  for (const MeshFormat format : {MeshFormat::gmsh41, MeshFormat::gmsh41_binary, MeshFormat::gmsh22, MeshFormat::gmsh22_binary}) {
    for (const CellMix elements : {CellMix::hexahedra, CellMix::mixed}) {
      const MeshBlock block = box(elements);
      const std::string bytes = format_mesh(block, format, "m");
      EXPECT_EQ(expect_same_parsed(bytes), "");
      Team team(3);
      const MeshBlock read = parse_gmsh(bytes, "m.msh", team);
      expect_same_bytes(read.coords, block.coords, "coords");
      expect_same_bytes(read.cells.node, block.cells.node, "node");
      expect_same_bytes(read.cells.zone, block.cells.zone, "zone");
      expect_same_bytes(read.boundary.node, block.boundary.node, "node of boundary");
    }
  }
  EXPECT_EQ(expect_same_parsed(format_mesh(box(), MeshFormat::gmsh41_binary, "m", std::endian::big)), "");
}

/// Multiplies the node numbers of a text, for which both kinds of tables of numbers are used: dense and sparse.
std::string with_node_numbers_times(const std::string& text, std::int64_t factor) {
  std::string changed;
  std::size_t at = 0;
  const auto copy_to = [&](const std::string& mark) {
    const std::size_t end = text.find(mark, at) + mark.size();
    changed += text.substr(at, end - at);
    at = end;
  };
  const auto line = [&] {
    const std::size_t end = text.find('\n', at);
    std::string one = text.substr(at, end - at);
    at = end + 1;
    return one;
  };
  copy_to("$Nodes\n");
  const std::int64_t nodes = std::stoll(line());
  changed += std::to_string(nodes) + "\n";
  for (std::int64_t i = 0; i < nodes; ++i) {
    const std::string one = line();
    const std::size_t blank = one.find(' ');
    changed += std::to_string(factor * std::stoll(one.substr(0, blank))) + one.substr(blank) + "\n";
  }
  copy_to("$Elements\n");
  const std::int64_t elements = std::stoll(line());
  changed += std::to_string(elements) + "\n";
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::string one = line();
    std::size_t field = 0, from = 0;
    for (std::size_t blank = 0; from < one.size(); from = blank + 1, ++field) {
      blank = std::min(one.find(' ', from), one.size());
      const std::string number = one.substr(from, blank - from);
      changed += (field == 0 ? "" : " ") + (field < 5 ? number : std::to_string(factor * std::stoll(number)));
    }
    changed += "\n";
  }
  return changed + text.substr(at);
}

TEST(ReadThreads, FindSparseNodeNumbersAndDropUnusedNodes) {
  MeshBlock block = box();
  const MeshBlock plain = block;
  block.coords.insert(block.coords.begin() + 100, Vec3{0.5, 0.5, 0.5});  // in no cell
  for (Elements* const elements : {&block.cells, &block.boundary}) {
    for (GlobalNodeId& node : elements->node) {
      if (node.value() >= 100) node = GlobalNodeId(node.value() + 1);
    }
  }
  const std::string text = format_mesh(block, MeshFormat::gmsh22, "m");
  for (const std::int64_t factor : {1, 3, 1000}) {
    const std::string changed = with_node_numbers_times(text, factor);
    EXPECT_EQ(expect_same_parsed(changed), "");
    Team team(3);
    const MeshBlock read = parse_gmsh(changed, "m.msh", team);
    expect_same_bytes(read.coords, plain.coords, "coords");
    expect_same_bytes(read.cells.node, plain.cells.node, "node");
  }
  for (const std::int64_t factor : {1, 3, 1000}) {  // node 9000 has the number of node 8000
    std::string changed = with_node_numbers_times(text, factor);
    const std::string number = "\n" + std::to_string(9000 * factor) + " ";
    changed.replace(changed.find(number), number.size(), "\n" + std::to_string(8000 * factor) + " ");
    EXPECT_NE(expect_same_parsed(changed).find("is listed twice"), std::string::npos);
  }
}

TEST(ReadThreads, TurnTheSameCellsAndReportTheSameWarnings) {
  MeshBlock block = box();
  for (std::int64_t c = 0; c < block.cells.size(); c += 7) {
    const auto nodes = block.cells.node.begin() + block.cells.offset[c];
    std::swap_ranges(nodes, nodes + 4, nodes + 4);
  }
  const std::string bytes = format_mesh(block, MeshFormat::gmsh41_binary, "m");
  EXPECT_EQ(expect_same_parsed(bytes), "");
  EXPECT_EQ(parse_gmsh(bytes, "m.msh").notes.size(), 1U);
}

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

TEST(ReadThreads, ReportTheFirstDamagedRecord) {
  for (const MeshFormat format : {MeshFormat::gmsh41_binary, MeshFormat::gmsh22_binary}) {
    const std::string bytes = format_mesh(box(), format, "m");
    const std::size_t nodes_end = bytes.find("\n$EndNodes"), elements_end = bytes.find("\n$EndElements");
    std::string nan = bytes;
    for (const std::size_t record : {9000U, 4000U, 7000U}) {
      const std::size_t back = format == MeshFormat::gmsh41_binary ? 24 : 28;
      put(nan, nodes_end - record * back + (back - 24), std::nan(""));
    }
    EXPECT_NE(expect_same_parsed(nan).find("coordinate x is nan"), std::string::npos);

    std::string unknown = bytes;
    const bool of64 = format == MeshFormat::gmsh41_binary;
    for (const std::size_t element : {8000U, 2000U, 5000U}) {
      const std::size_t at = elements_end - element * (of64 ? 72 : 44) + (of64 ? 8 : 12);
      of64 ? put(unknown, at, std::int64_t{123'456}) : put(unknown, at, std::int32_t{123'456});
    }
    EXPECT_NE(expect_same_parsed(unknown).find("node 123456 does not exist"), std::string::npos);

    for (const double part : {0.1, 0.35, 0.5, 0.7, 0.9, 0.999}) {
      const auto size = static_cast<std::size_t>(part * static_cast<double>(bytes.size()));
      EXPECT_NE(expect_same_parsed(bytes.substr(0, size)), "") << part;
    }
    std::string inserted = bytes;
    inserted.insert(nodes_end - 3000, "xy");
    EXPECT_NE(expect_same_parsed(inserted), "");
  }
}

TEST(ReadThreads, GiveTheSameMeshOfAFile) {
  const Communicator comm = Communicator::world();
  const auto process = comm.broadcast(static_cast<std::int64_t>(::getpid()));
  const std::string folder = std::filesystem::temp_directory_path() / ("weft-threads-" + std::to_string(process));
  if (comm.is_root()) std::filesystem::create_directories(folder);
  comm.barrier();
  const BoxSpec spec{.nx = 21, .ny = 21, .nz = 21, .elements = CellMix::mixed};
  for (const auto& [name, format] : {std::pair("/m.h5", MeshFormat::weft), std::pair("/binary.msh", MeshFormat::gmsh41_binary),
                                     std::pair("/41.msh", MeshFormat::gmsh41), std::pair("/22.msh", MeshFormat::gmsh22),
                                     std::pair("/m.su2", MeshFormat::su2)}) {
    const std::string path = folder + name;
    write_mesh(comm, generate(comm, spec), path, format);
    EXPECT_EQ(expect_same_on_threads([&](Team& team) { return read_mesh(comm, path, team); }), "");
    comm.barrier();
    if (comm.is_root()) {  // damages a number
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(-20'000, std::ios::end);
      file.write("damaged!", 8);
    }
    comm.barrier();
    EXPECT_NE(expect_same_on_threads([&](Team& team) { return read_mesh(comm, path, team); }), "") << name;
  }
  comm.barrier();
  if (comm.is_root()) std::filesystem::remove_all(folder);
}

TEST(GenerateThreads, GiveTheSameMesh) {
  for (const CellMix elements :
       {CellMix::hexahedra, CellMix::tetrahedra, CellMix::mixed, CellMix::pyramids, CellMix::hex_prism}) {
    for (const Share share : {Share{}, Share{Rank(1), 3}}) {
      const BoxSpec spec{.nx = 17, .ny = 15, .nz = 13, .elements = elements, .warp = 0.02, .jitter = 0.1};
      EXPECT_EQ(expect_same_on_threads([&](Team& team) { return generate(share, spec, team); }), "");
    }
  }
  EXPECT_EQ(expect_same_on_threads([](Team& team) { return generate(Share{}, NacaSpec{.around = 128, .radial = 32}, team); }),
            "");
  EXPECT_EQ(expect_same_on_threads([](Team& team) { return generate(Share{}, ForwardStepSpec{.h = 0.02}, team); }), "");
  EXPECT_NE(expect_same_on_threads([](Team& team) { return generate(Share{}, BoxSpec{.nx = 9, .xmin = 1, .xmax = 0}, team); }),
            "");
}

}  // namespace
}  // namespace weft::mesh::read_threads_test
