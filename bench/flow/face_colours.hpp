#pragma once
/// A colouring of the faces of a mesh.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "weft/mesh/mesh.hpp"

namespace {

namespace mesh = weft::mesh;

/// Greedy colouring of faces: the faces by colour, and the first of each colour.
struct Colours {
  std::vector<std::int32_t> faces, begin;
  explicit Colours(const mesh::Mesh& m) : faces(m.face_area.size()) {
    std::vector<std::uint64_t> taken(m.cells(), 0);  // by colour; a cell has few faces
    std::vector<int> colour(faces.size());
    for (const mesh::LocalFaceId f : m.face_left.ids()) {
      const std::size_t l = m.face_left[f].index(), r = m.face_right[f].index();
      const int free = std::countr_one(taken[l] | taken[r]);
      colour[f.index()] = free;
      taken[l] |= std::uint64_t{1} << free;
      if (m.face_right[f].value() < m.owned_cells) taken[r] |= std::uint64_t{1} << free;
    }
    std::iota(faces.begin(), faces.end(), 0);
    const auto of = [&](std::int32_t f) { return colour[f]; };
    std::stable_sort(faces.begin(), faces.end(), [&](std::int32_t a, std::int32_t b) { return of(a) < of(b); });
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (i == 0 || of(faces[i]) != of(faces[i - 1])) begin.push_back(static_cast<std::int32_t>(i));
    }
    begin.push_back(m.faces());
    std::vector<int> last(m.owned_cells, -1);
    for (const std::int32_t f : faces) {
      for (const auto row : {m.face_left[mesh::LocalFaceId(f)], m.face_right[mesh::LocalFaceId(f)]}) {
        if (row.value() < m.owned_cells && std::exchange(last[row.index()], of(f)) == of(f)) {
          throw std::logic_error("two faces of a colour share a cell");  // a loop on the host would not reveal it
        }
      }
    }
  }
};

}  // namespace
