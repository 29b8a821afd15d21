// The operations and bytes of the tasks of Residual.
#include "weft/flow/host/residual.hpp"

namespace weft::flow {

using task::OperationCount;

detail::HostCounts Residual::counts() const {
  return {scheme_.numerics(), mesh_.dim, discretization_.stabilized, !scheme_.scalars().empty()};
}

detail::KernelSize Residual::size_of(const detail::Indices& cells, double faces) const {
  const Discretization& d = discretization_;
  detail::KernelSize size{.cells = static_cast<double>(cells.count), .faces = faces};
  for (std::int32_t i = 0; i < cells.count; ++i) {
    const std::int32_t c = cells[i];
    size.stencil += d.stencil_offset[c + 1] - d.stencil_offset[c];
    size.sides += d.cell_face_offset[c + 1] - d.cell_face_offset[c];
  }
  return size;
}

OperationCount Residual::count_of_gradients(GradientTask task) const {
  const std::vector<std::int32_t>& offset = discretization_.boundary_extrapolation.offset;
  OperationCount count;
  for (const detail::Share& share : shares_) {
    const detail::Share::Cells& cells = task == GradientTask::border ? share.border : share.inner;
    each_boundary(cells, [&](mesh::BoundaryZoneId z, mesh::FaceRange faces) {
      if (scheme_.boundary()[z].prescribed || faces.empty()) return;
      const std::int32_t first = faces.first().value() - discretization_.first_boundary_face,
                         last = faces.last().value() - discretization_.first_boundary_face;
      count += detail::HostCounts::boundary_rows(last - first, offset[last] - offset[first]);
    });
    const detail::Indices computed = task == GradientTask::shared ? detail::Indices::listed(share.shared)
                                                                  : detail::Indices::contiguous(cells.first, cells.last);
    count += counts().gradients(size_of(computed, 0), true);
  }
  return count;
}

OperationCount Residual::count_of_blocks(bool second_half) const {
  OperationCount count;
  for (const detail::Share& share : shares_) {
    const std::size_t middle = share.middle();
    for (std::size_t b = second_half ? middle : 0; b < (second_half ? share.blocks.size() : middle); ++b) {
      const detail::Share::Block& block = share.blocks[b];
      const detail::Indices cells = share.not_shared(block.cells.first, block.cells.last);
      count += counts().blocks(size_of(cells, block.faces.last - block.faces.first));
    }
  }
  return count;
}

OperationCount Residual::count_of_remaining_fluxes() const {
  OperationCount count;
  for (const detail::Share& share : shares_) {
    count += counts().fluxes(static_cast<double>(share.deferred.size()));
    for (const detail::Share::Cells& cells : {share.inner, share.border}) {
      each_boundary(cells, [&](mesh::BoundaryZoneId /*zone*/, mesh::FaceRange faces) {
        count += counts().boundary_fluxes(static_cast<double>(faces.size()));
      });
    }
  }
  return count;
}

OperationCount Residual::count_of_interfaces() const {
  OperationCount count;
  for (const detail::Share& share : shares_) {
    count += counts().fluxes(static_cast<double>(faces_of(share.border, mesh_.interface_faces).size()));
  }
  return count;
}

}  // namespace weft::flow
