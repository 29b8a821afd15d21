#include <array>
#include <cmath>
#include <map>

#include "weft/mesh/io/read_gmsh_sections.hpp"
#include "weft/mesh/io/write_sink.hpp"

namespace weft::mesh::detail {
namespace {

// Boundary elements first, then cells, numbered from 1.

/// Returns the physical and entity tag of a zone, which counts from 1; 0 if invalid.
std::int32_t tag_of(ZoneId zone) { return zone.value() + 1; }

void write_header(MeshSink& out, const char* version, const IdVector<ZoneId, Zone>& zones) {
  out.text("$MeshFormat\n");
  out.text(version);
  out.text(out.binary() ? " 1 8\n" : " 0 8\n");
  if (out.binary()) {
    out.number(std::int32_t{1});
    out.text("\n");
  }
  out.text("$EndMeshFormat\n");
  if (zones.empty()) return;
  out.text("$PhysicalNames\n");
  out.digits(zones.size());
  out.end_line();
  for (const ZoneId i : zones.ids()) {
    out.digits(zones[i].dim);
    out.text(" ");
    out.digits(tag_of(i));
    out.text(" \"");
    out.text(zones[i].name);
    out.text("\"\n");
  }
  out.text("$EndPhysicalNames\n");
}

void end_section(MeshSink& out, const char* name) {
  if (out.binary()) out.text("\n");
  out.text(name);
  out.text("\n");
}

/// Calls visit(begin, end) for each contiguous range of elements of one type and zone.
template <class Visit>
void for_each_run(const Elements& elements, Visit&& visit) {
  for (std::int64_t begin = 0, end = 0; begin < elements.size(); begin = end) {
    while (end < elements.size() && elements.type[end] == elements.type[begin] && elements.zone[end] == elements.zone[begin]) {
      ++end;
    }
    visit(begin, end);
  }
}

void write_gmsh2_elements(MeshSink& out, const Elements& elements, std::int32_t& next_id) {
  for_each_run(elements, [&](std::int64_t begin, std::int64_t end) {
    const CellType type = elements.type[begin];
    const std::int32_t group = tag_of(elements.zone[begin]);
    const std::int32_t number = gmsh_number(type), tags = 2;
    if (out.binary()) out.numbers(number, static_cast<std::int32_t>(end - begin), tags);
    for (std::int64_t i = begin; i < end; ++i) {
      out.number(next_id++);
      if (!out.binary()) out.numbers(number, tags);
      out.numbers(group, std::max(group, 1));
      for (const GlobalNodeId node : elements.nodes(i)) out.number(static_cast<std::int32_t>(node.value() + 1));
      out.end_record();
    }
  });
}

struct EntityBox {
  Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  void include(const Vec3& x) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
};

/// Returns the entity tag of an element; cells without zone are in an additional entity after the zones.
std::int32_t entity_of(ZoneId zone, std::size_t zones) {
  return zone.valid() ? tag_of(zone) : static_cast<std::int32_t>(zones) + 1;
}

/// Entities by tag, with their bounding boxes.
std::map<std::int32_t, EntityBox> entities_of(const MeshBlock& whole, const Elements& elements) {
  std::map<std::int32_t, EntityBox> boxes;
  for (std::int64_t i = 0; i < elements.size(); ++i) {
    EntityBox& box = boxes[entity_of(elements.zone[i], whole.zones.size())];
    for (const GlobalNodeId node : elements.nodes(i)) box.include(whole.coords[node.index()]);
  }
  return boxes;
}

void write_entities(MeshSink& out, const std::map<std::int32_t, EntityBox>& boxes, std::size_t zones) {
  for (const auto& [tag, box] : boxes) {
    out.number(tag);
    out.coords(box.low);
    out.coords(box.high);
    const bool grouped = std::cmp_less_equal(tag, zones);
    out.number(std::uint64_t{grouped ? 1U : 0U});
    if (grouped) out.number(tag);
    out.number(std::uint64_t{0});  // bounding entities
    out.end_record();
  }
}

std::uint64_t runs_of(const Elements& elements) {
  std::uint64_t runs = 0;
  for_each_run(elements, [&](std::int64_t, std::int64_t) { ++runs; });
  return runs;
}

void write_gmsh4_elements(MeshSink& out, const Elements& elements, int dim, std::size_t zones, std::uint64_t& next_id) {
  for_each_run(elements, [&](std::int64_t begin, std::int64_t end) {
    const std::int32_t entity = entity_of(elements.zone[begin], zones);
    out.numbers(std::int32_t{dim}, entity, std::int32_t{gmsh_number(elements.type[begin])},
                static_cast<std::uint64_t>(end - begin));
    out.end_record();
    for (std::int64_t i = begin; i < end; ++i) {
      out.number(next_id++);
      for (const GlobalNodeId node : elements.nodes(i)) out.number(static_cast<std::uint64_t>(node.value() + 1));
      out.end_record();
    }
  });
}

}  // namespace

std::string format_gmsh2(const MeshBlock& whole, bool binary, std::endian order) {
  MeshSink out(binary, order);
  write_header(out, "2.2", whole.zones);
  out.text("$Nodes\n");
  out.digits(whole.coords.size());
  out.end_line();
  for (std::size_t i = 0; i < whole.coords.size(); ++i) {
    out.number(static_cast<std::int32_t>(i + 1));
    out.coords(whole.coords[i]);
    out.end_record();
  }
  end_section(out, "$EndNodes");
  out.text("$Elements\n");
  out.digits(whole.boundary.size() + whole.cells.size());
  out.end_line();
  std::int32_t next_id = 1;
  write_gmsh2_elements(out, whole.boundary, next_id);
  write_gmsh2_elements(out, whole.cells, next_id);
  end_section(out, "$EndElements");
  return out.take();
}

std::string format_gmsh4(const MeshBlock& whole, bool binary, std::endian order) {
  MeshSink out(binary, order);
  write_header(out, "4.1", whole.zones);
  const auto boundary = entities_of(whole, whole.boundary), cells = entities_of(whole, whole.cells);
  std::array<std::uint64_t, 4> counts{};
  counts[whole.dim - 1] = boundary.size();
  counts[whole.dim] = cells.size();
  out.text("$Entities\n");
  out.numbers(counts[0], counts[1], counts[2], counts[3]);
  out.end_record();
  write_entities(out, boundary, whole.zones.size());
  write_entities(out, cells, whole.zones.size());
  end_section(out, "$EndEntities");

  const std::uint64_t nodes = whole.coords.size();
  out.text("$Nodes\n");
  out.numbers(std::uint64_t{1}, nodes, std::uint64_t{1}, nodes);
  out.end_record();
  out.numbers(std::int32_t{whole.dim}, cells.empty() ? 1 : cells.begin()->first, std::int32_t{0}, nodes);
  out.end_record();
  for (std::uint64_t i = 1; i <= nodes; ++i) {
    out.number(i);
    out.end_record();
  }
  for (const Vec3& x : whole.coords) {
    out.coords(x);
    out.end_record();
  }
  end_section(out, "$EndNodes");

  const auto elements = static_cast<std::uint64_t>(whole.boundary.size() + whole.cells.size());
  out.text("$Elements\n");
  out.numbers(runs_of(whole.boundary) + runs_of(whole.cells), elements, std::uint64_t{1}, elements);
  out.end_record();
  std::uint64_t next_id = 1;
  write_gmsh4_elements(out, whole.boundary, whole.dim - 1, whole.zones.size(), next_id);
  write_gmsh4_elements(out, whole.cells, whole.dim, whole.zones.size(), next_id);
  end_section(out, "$EndElements");
  return out.take();
}

}  // namespace weft::mesh::detail
