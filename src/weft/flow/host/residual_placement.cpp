// Placement of the arrays of a Residual in the memory of the NUMA nodes whose threads use them.
#include "weft/base/first_touch.hpp"
#include "weft/base/thread_binding.hpp"
#include "weft/flow/host/residual.hpp"

namespace weft::flow {

void Residual::place_rows(std::span<double> array, std::size_t width) {
  if (!ThreadBinding::spans_nodes()) return;
  team_.run([&](int thread) noexcept {
    for (const detail::Share::Cells& cells : {shares_[thread].inner, shares_[thread].border}) {
      touch_rows_anew(array, cells.first, cells.last, width);
    }
  });
}

void Residual::place_arrays() {
  if (!ThreadBinding::spans_nodes()) return;
  place_rows(values_.storage(), kVars);
  place_rows(gradients_.storage(), static_cast<std::size_t>(kVars * mesh_.dim));
  place_rows(residual_.storage(), kVars);
  const Discretization& d = discretization_;
  const auto dim = static_cast<std::size_t>(mesh_.dim);
  team_.run([&](int thread) noexcept {
    const detail::Share& share = shares_[thread];
    for (const detail::Share::Cells& cells : {share.inner, share.border}) {
      const std::size_t first = cells.first, last = cells.last;
      touch_rows_anew(d.centroid, first, last);
      touch_rows_anew(d.inverse_volume, first, last);
      touch_rows_anew(d.projected_area, first, last);
      const auto touch_entries = [&](std::span<const std::int32_t> offsets, const auto& array, std::size_t width) {
        if (offsets.size() > last) touch_rows_anew(array, offsets[first], offsets[last], width);
      };
      touch_entries(d.stencil_offset, d.stencil_row, 1);
      touch_entries(d.stencil_offset, geometry_.weights, dim);
      touch_entries(d.stencil_offset, geometry_.half_ways, dim);
      touch_entries(d.cell_face_offset, d.cell_face_row, 1);
      touch_entries(d.cell_face_offset, d.cell_face, 1);
      touch_entries(d.cell_face_offset, geometry_.to_faces, dim);
      touch_entries(d.cell_face_offset, state_slots_, 1);
    }
    if (share.blocks.empty()) return;
    const std::size_t first = share.blocks.front().faces.first, last = share.blocks.back().faces.last;
    touch_rows_anew(d.face_left, first, last);
    touch_rows_anew(d.face_right, first, last);
    touch_rows_anew(d.face_normal, first, last);
    touch_rows_anew(d.face_area, first, last);
    touch_rows_anew(mesh_.face_centroid, first, last);
  });
}

}  // namespace weft::flow
