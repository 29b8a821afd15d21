#include "weft/mesh/io/write_sink.hpp"

namespace weft::mesh::detail {
namespace {

void write_count(MeshSink& out, const char* keyword, std::size_t count) {
  out.text(keyword);
  out.digits(count);
  out.end_line();
}

void write_element(MeshSink& out, const Elements& elements, std::int64_t i) {
  const CellType type = elements.type[i];
  const auto nodes = elements.nodes(i);
  out.number(shape(type).vtk);
  for (int k = 0; k < shape(type).nodes; ++k) out.number(nodes[vtk_position(type, k)].value());
}

}  // namespace

std::string format_su2(const MeshBlock& whole) {
  MeshSink out(false, std::endian::native);
  write_count(out, "NDIME= ", whole.dim);
  write_count(out, "NELEM= ", whole.cells.type.size());
  for (std::int64_t i = 0; i < whole.cells.size(); ++i) {
    write_element(out, whole.cells, i);
    out.number(i);
    out.end_line();
  }
  write_count(out, "NPOIN= ", whole.coords.size());
  for (std::size_t i = 0; i < whole.coords.size(); ++i) {
    const Vec3& x = whole.coords[i];
    out.numbers(x.x, x.y);
    if (whole.dim == 3) out.number(x.z);
    out.number(i);
    out.end_line();
  }
  IdVector<ZoneId, std::vector<std::int64_t>> members(whole.zones.size());
  for (std::int64_t i = 0; i < whole.boundary.size(); ++i) {
    members[whole.boundary.zone[i]].push_back(i);
  }
  const auto is_marker = [&](const Zone& zone) { return zone.dim == whole.dim - 1; };
  write_count(out, "NMARK= ", std::count_if(whole.zones.begin(), whole.zones.end(), is_marker));
  for (const ZoneId zone : members.ids()) {
    if (!is_marker(whole.zones[zone])) continue;
    out.text("MARKER_TAG= ");
    out.text(whole.zones[zone].name);
    out.end_line();
    write_count(out, "MARKER_ELEMS= ", members[zone].size());
    for (const std::int64_t i : members[zone]) {
      write_element(out, whole.boundary, i);
      out.end_line();
    }
  }
  return out.take();
}

}  // namespace weft::mesh::detail
