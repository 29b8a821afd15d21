// Reads Elements_t of a CGNS zone.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "weft/base/team_loops.hpp"
#include "weft/kernels/primitives/bucket_sort.hpp"
#include "weft/mesh/io/cgns_elements.hpp"

namespace weft::mesh::detail {
namespace {

constexpr std::int64_t kNode = 2, kMixed = 20, kPolygons = 22, kPolyhedra = 23, kLastType = 56;

struct Section {
  CgnsNode node;
  std::int64_t type = 0, first = 0, last = 0;
  [[nodiscard]] std::int64_t count() const { return last - first + 1; }
  [[nodiscard]] std::string what() const { return fmt::format("section \"{}\"", node.name); }
};

class SectionReader {
 public:
  SectionReader(CgnsFile& file, CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag, Team& team)
      : file_(file), zone_(zone), mesh_(mesh), cell_tag_(cell_tag), team_(team), cells_(team.size()), faces_(team.size()) {}

  void read() {
    const std::vector<Section> sections = list();
    for (const Section& section : sections) {
      zone_.section.push_back(section.node.name);
      if (section.type == kMixed) {
        read_mixed(section);
      } else if (section.type == kPolygons) {
        read_polygons(section);
      } else if (section.type != kPolyhedra && section.type != kNode) {
        read_plain(section);
      }
    }
    bool polyhedra = false;
    for (const Section& section : sections) {
      if (section.type != kPolyhedra) continue;
      polyhedra = true;
      read_polyhedra(section);
    }
    if (!polyhedra && mesh_.dim == 3) read_parents(sections);
    file_.place.set_element(-1);
  }

 private:
  /// Reads elements in the order of their numbers.
  std::vector<Section> list() {
    std::vector<Section> sections;
    for (const CgnsNode& node : file_.children(zone_.node, "Elements_t")) {
      const auto type = file_.integers(node), range = file_.integers(file_.need(node, "ElementRange"));
      Section section{node, type.empty() ? -1 : type[0], range.size() == 2 ? range[0] : 0, range.size() == 2 ? range[1] : -1};
      if (section.first < 1 || section.last < section.first) {
        file_.fail(fmt::format("{} has no proper ElementRange", section.what()),
                   "it must be two numbers, from 1 up: write the mesh again");
      }
      check_type(file_.place, section.type);
      sections.push_back(std::move(section));
    }
    std::stable_sort(sections.begin(), sections.end(), [](const Section& a, const Section& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < sections.size(); ++i) {
      if (sections[i].first > sections[i - 1].last) continue;
      file_.fail(fmt::format("{} and {} both have element {}", sections[i - 1].what(), sections[i].what(), sections[i].first),
                 "element numbers are unique in a zone: write the mesh again");
    }
    return sections;
  }

  static void check_type(const MeshCursor& place, std::int64_t type) {
    if (type == kNode || type == kMixed || type == kPolygons || type == kPolyhedra || cgns_element_type(type)) return;
    if (type > 3 && type <= kLastType)
      place.fail_at(-1, fmt::format("element type {} is of third or higher order", type),
                    "elements of first and second order are read: mesh again with order 1");
    place.fail_at(-1, fmt::format("unknown element type {}", type), kTruncated);
  }

  std::vector<std::int64_t> connectivity(const Section& section) const {
    return file_.integers(file_.need(section.node, "ElementConnectivity"));
  }

  /// Reads ElementStartOffset: from 0 to `end`, ascending. Empty if missing, as before CGNS 4.
  std::vector<std::int64_t> offsets(const Section& section, std::size_t end) const {
    const auto node = file_.child(section.node, "ElementStartOffset");
    if (!node) return {};
    std::vector<std::int64_t> offset = file_.integers(*node);
    if (static_cast<std::int64_t>(offset.size()) - 1 != section.count() || offset.front() != 0 ||
        offset.back() != static_cast<std::int64_t>(end) || !std::is_sorted(offset.begin(), offset.end())) {
      file_.fail(fmt::format("ElementStartOffset of {} does not fit its ElementConnectivity", section.what()), kTruncated);
    }
    return offset;
  }

  [[noreturn]] static void wrong_length(const MeshCursor& place, const Section& section, std::size_t length) {
    place.fail_at(-1,
                  fmt::format("{} announces {} elements, which do not fit the {} numbers of its ElementConnectivity",
                              section.what(), section.count(), length),
                  kTruncated);
  }

  /// Adds cells of one type with `each` nodes, numbered from `first`, on all threads.
  void add_cells(CellType type, std::size_t each, std::span<const std::int64_t> vertices, std::int64_t first) {
    const CellShape& form = shape(type);
    const auto cells = static_cast<std::int64_t>(vertices.size() / each);
    const RawMesh::Block block = mesh_.raw.append(type, cells, static_cast<std::int64_t>(each) - form.nodes, team_);
    for_shares(team_, cells, [&](LoopShare share) {
      MeshCursor place = file_.place;
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        place.set_element(first + i);
        block.enter(i, cgns_nodes(place, zone_, form, vertices.subspan(i * each, each)), cell_tag_, first + i, -1);
      }
    });
    file_.place.set_element(first + cells - 1);
  }

  /// Calls read(elements, i) for i = 0 ... n - 1 on all threads, which adds element i to those of a thread, and then moves those
  /// of all threads behind the others, in rounds that fit into the caches of a core. The order of elements and the error, that of
  /// the lowest i, do not depend on the number of threads.
  template <class Read>
  void read_elements(std::int64_t n, const Read& read) {
    constexpr std::int64_t kRound = 1 << 13;  // elements per thread
    for (std::int64_t done = 0; done < n;) {
      const std::int64_t round = std::min(n - done, kRound * team_.size());
      for_shares(team_, round, [&](LoopShare share) {
        CgnsElements elements(file_.place, zone_, mesh_.dim, cell_tag_, cells_[share.number], faces_[share.number]);
        for (std::int64_t i = share.begin; i < share.end; ++i) read(elements, done + i);
      });
      mesh_.raw.take_elements(cells_, team_);
      zone_.faces.take(faces_, team_);
      done += round;
    }
  }

  void read_plain(const Section& section) {
    const auto [type, each] = *cgns_element_type(section.type);
    const std::vector<std::int64_t> vertices = connectivity(section);
    if (vertices.size() % each != 0 || static_cast<std::int64_t>(vertices.size() / each) != section.count())
      wrong_length(file_.place, section, vertices.size());
    if (shape(type).dim == mesh_.dim) return add_cells(type, each, vertices, section.first);
    read_elements(section.count(), [&](CgnsElements& elements, std::int64_t i) {
      elements.add(type, std::span(vertices).subspan(i * each, each), section.first + i);
    });
    file_.place.set_element(section.last);
  }

  /// The numbers of a section whose elements differ in size.
  struct Lists {
    std::vector<std::int64_t> numbers;
    std::vector<std::int64_t> start;  ///< position of the first number of each element, and the end of the last
    bool given = false;               ///< by ElementStartOffset

    [[nodiscard]] std::int64_t end() const { return std::ssize(numbers); }
  };

  /// Finds the elements by ElementStartOffset or, before CGNS 4, one after the other, where `start` ends with that of the first
  /// element that does not fit.
  /// @param more  more(number): how many numbers follow the first one of an element; negative: there is no such element.
  template <class More>
  Lists lists(const Section& section, const More& more) const {
    Lists all;
    all.numbers = connectivity(section);
    all.start = offsets(section, all.numbers.size());
    all.given = !all.start.empty();
    if (all.given) return all;
    all.start.reserve(std::min(section.count(), all.end()) + 1);
    all.start.push_back(0);
    while (std::ssize(all.start) <= section.count() && all.start.back() < all.end()) {
      const std::int64_t at = all.start.back(), follow = more(all.numbers[at]);
      if (follow < 0 || follow >= all.end() - at) break;
      all.start.push_back(at + 1 + follow);
    }
    return all;
  }

  /// Reads elements with a type each, with and without ElementStartOffset.
  void read_mixed(const Section& section) {
    const Lists all = lists(section, [](std::int64_t number) -> std::int64_t {
      const auto type = cgns_element_type(number);
      return type ? static_cast<std::int64_t>(type->nodes) : number == kNode ? 1 : -1;
    });
    const std::span<const std::int64_t> numbers = all.numbers;
    read_elements(std::min(section.count(), std::ssize(all.start)), [&](CgnsElements& elements, std::int64_t i) {
      MeshCursor& place = elements.place;
      const std::int64_t id = section.first + i;
      place.set_element(id);
      std::int64_t at = all.start[i];
      if (at == all.end()) wrong_length(place, section, numbers.size());
      const std::int64_t number = numbers[at++];
      check_type(place, number);
      const auto type = cgns_element_type(number);
      if (!type && number != kNode) place.fail_at(-1, fmt::format("element type {} in a MIXED section", number), kTruncated);
      const auto each = static_cast<std::int64_t>(type ? type->nodes : 1);
      if (each > all.end() - at) wrong_length(place, section, numbers.size());
      if (type) elements.add(type->shape, numbers.subspan(at, each), id);
      at += each;
      const bool last = id == section.last;
      if (!last) place.set_element(id + 1);  // the element that would begin at the wrong number
      if ((at == all.end()) != last) wrong_length(place, section, numbers.size());
      if (!last && at != all.start[i + 1])
        place.fail_at(-1, fmt::format("ElementStartOffset of {} does not fit its elements", section.what()), kTruncated);
    });
    file_.place.set_element(section.last);
  }

  /// Calls visit(elements, its numbers, element) for NGON_n and NFACE_n on all threads. Before CGNS 4, the numbers of each
  /// element are preceded by their count.
  template <class Visit>
  void each_list(const Section& section, const Visit& visit) {
    const Lists all = lists(section, [](std::int64_t count) { return count; });
    const std::int64_t before = all.given ? 0 : 1;
    read_elements(std::min(section.count(), std::ssize(all.start)), [&](CgnsElements& elements, std::int64_t i) {
      const std::int64_t id = section.first + i;
      elements.place.set_element(id);
      if (i + 1 == std::ssize(all.start)) wrong_length(elements.place, section, all.numbers.size());
      const std::int64_t first = all.start[i] + before;
      visit(elements, std::span(all.numbers).subspan(first, all.start[i + 1] - first), id);
      if (id == section.last && all.start[i + 1] != all.end()) wrong_length(elements.place, section, all.numbers.size());
    });
    file_.place.set_element(section.last);
  }

  void read_polygons(const Section& section) {
    each_list(section, [](CgnsElements& elements, std::span<const std::int64_t> vertices, std::int64_t id) {
      elements.add_polygon(vertices, id);
    });
  }

  void read_polyhedra(const Section& section) {
    if (mesh_.dim != 3)
      file_.fail(fmt::format("{} holds polyhedra in a 2-D mesh", section.what()), "check the cell dimension of CGNSBase_t");
    each_list(section, [](CgnsElements& elements, std::span<const std::int64_t> faces, std::int64_t id) {
      elements.add_polyhedron(faces, id);
    });
  }

  /// Creates the cells that are defined by faces only: for each face, the cell out of which it points, and the cell into
  /// which it points (0: none). Those of other sections have been read with them.
  void read_parents(const std::vector<Section>& sections) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sides;  // cell, signed face
    const auto add_side = [&](std::int64_t cell, std::int64_t face) {
      const auto after = std::upper_bound(sections.begin(), sections.end(), cell,
                                          [](std::int64_t id, const Section& section) { return id < section.first; });
      const bool known = after != sections.begin() && cell <= after[-1].last && after[-1].type != kPolygons;
      if (cell > 0 && known) {
        zone_.faces.use(zone_.faces.find(std::abs(face)));
      } else if (cell > 0) {
        sides.emplace_back(cell, face);
      }
    };
    for (const Section& section : sections) {
      const auto node = section.type == kPolygons ? file_.child(section.node, "ParentElements") : std::nullopt;
      if (!node) continue;
      const std::vector<std::int64_t> parents = file_.integers(*node);
      const std::size_t count = section.count();
      if (parents.size() != 2 * count)
        file_.fail(fmt::format("ParentElements of {} does not fit its elements", section.what()), kTruncated);
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t face = section.first + static_cast<std::int64_t>(i);
        add_side(parents[i], face);
        add_side(parents[count + i], -face);
      }
    }
    const auto cell_of = [](const std::pair<std::int64_t, std::int64_t>& side) { return static_cast<std::uint64_t>(side.first); };
    kernels::bucket_sort(sides, cell_of, std::less<>(), team_);
    std::vector<std::int64_t> start, faces(sides.size());  // positions of the first side of each cell, and the number of sides
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (i == 0 || sides[i].first != sides[i - 1].first) start.push_back(static_cast<std::int64_t>(i));
      faces[i] = sides[i].second;
    }
    const std::int64_t cells = std::ssize(start);
    start.push_back(std::ssize(sides));
    read_elements(cells, [&](CgnsElements& elements, std::int64_t i) {
      elements.add_polyhedron(std::span<const std::int64_t>(faces).subspan(start[i], start[i + 1] - start[i]),
                              sides[start[i]].first);
    });
  }

  CgnsFile& file_;
  CgnsZone& zone_;
  CgnsMesh& mesh_;
  std::int32_t cell_tag_;
  Team& team_;
  // Elements of a round, a list for each thread.
  std::vector<RawMesh> cells_;
  std::vector<CgnsFaces> faces_;
};

}  // namespace

void read_cgns_sections(CgnsFile& file, CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag, Team& team) {
  SectionReader(file, zone, mesh, cell_tag, team).read();
}

}  // namespace weft::mesh::detail
