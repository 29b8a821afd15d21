#pragma once
/// Comparison of meshes and errors on different numbers of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/team.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh_block.hpp"

#include "support/sanitized.hpp"

namespace weft::mesh::testing {

/// Returns numbers of threads to compare with one thread.
inline std::vector<int> numbers_of_threads() { return full_or_sanitized(std::vector{2, 3, 5, 8}, std::vector{3}); }

template <class List>
void expect_same_bytes(const List& a, const List& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0) << what;
}

inline void expect_same_bits(const Elements& a, const Elements& b) {
  expect_same_bytes(a.type, b.type, "type");
  expect_same_bytes(a.offset, b.offset, "offset");
  expect_same_bytes(a.node, b.node, "node");
  expect_same_bytes(a.zone, b.zone, "zone");
  expect_same_bytes(a.file_id, b.file_id, "file_id");
}

inline void expect_same_bits(const MeshBlock& a, const MeshBlock& b) {
  EXPECT_EQ(a.dim, b.dim);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.zones, b.zones);
  EXPECT_EQ(a.first_node, b.first_node);
  EXPECT_EQ(a.first_cell, b.first_cell);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.warnings, b.warnings);
  expect_same_bytes(a.coords, b.coords, "coords");
  expect_same_bits(a.cells, b.cells);
  expect_same_bits(a.boundary, b.boundary);
}

/// Returns the mesh, or the text of the error, on this number of threads.
template <class Read>
std::pair<MeshBlock, std::string> outcome(int threads, const Read& read) {
  Team team(threads);
  try {
    return {read(team), {}};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

/// Expects that read(team) has the same result or error on any number of threads, and returns the error.
template <class Read>
std::string expect_same_on_threads(const Read& read) {
  const auto [alone, error] = outcome(1, read);
  for (const int threads : numbers_of_threads()) {
    const auto [mesh, other] = outcome(threads, read);
    EXPECT_EQ(error, other) << threads;
    expect_same_bits(alone, mesh);
  }
  return error;
}

/// Returns a box of 9261 lattice cells with two volume zones, so that its longest blocks in a file are divided.
inline MeshBlock box(CellMix elements = CellMix::hexahedra) {
  MeshBlock block = generate(Share{}, BoxSpec{.nx = 21, .ny = 21, .nz = 21, .elements = elements, .jitter = 0.1});
  const ZoneId fluid = block.zones.push_back({"fluid", 3});
  for (std::size_t c = 0; c < block.cells.zone.size(); ++c) block.cells.zone[c] = c < 300 ? ZoneId::invalid() : fluid;
  return block;
}

}  // namespace weft::mesh::testing
