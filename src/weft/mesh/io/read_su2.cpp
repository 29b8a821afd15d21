// Reads SU2's native mesh format: https://su2code.github.io/docs_v7/Mesh-File/
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/read_raw.hpp"
#include "weft/mesh/io/read_records.hpp"

namespace weft::mesh {
namespace {

using detail::MeshCursor;

constexpr detail::FormatAdvice kAdvice{
    .no_cells = "NELEM= and the element lines after it are missing",
    .no_boundary = "add a marker for each part of the boundary (NMARK=, MARKER_TAG=, MARKER_ELEMS=)",
    .z_is_read = false};
constexpr std::array<std::string_view, 7> kKeywords{"NDIME", "NELEM", "NPOIN", "NMARK", "MARKER_TAG", "MARKER_ELEMS", "NZONE"};
constexpr char kComment = '%';                      // begins lines that are ignored
constexpr std::string_view kHalo = "SEND_RECEIVE";  // marker of meshes that SU2 has partitioned

class Su2Reader {
 public:
  Su2Reader(std::string_view bytes, const std::string& name, Team& team) : in_(bytes, name), team_(team) {}

  MeshBlock read() {
    while (next_content(in_)) {
      const std::int64_t at = in_.offset();
      const std::string_view line = in_.rest_of_line();
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) {
        if (!skipping_)
          in_.fail("expected a keyword such as NELEM=", "more lines follow than the count above says, or a keyword is missing");
        in_.skip_line();
        continue;
      }
      std::string_view key = line.substr(0, equals);
      key = key.substr(0, key.find_last_not_of(" \t") + 1);
      if (!in_.skip_behind("=")) return {};
      keyword(key, at);
    }
    return finish();
  }

 private:
  static bool next_content(MeshCursor& in) {
    while (in.next_line()) {
      if (in.peek() != kComment) return true;
      in.skip_line();
    }
    return false;
  }

  void keyword(std::string_view key, std::int64_t at) {
    skipping_ = false;
    if (key == "NDIME") {
      read_dimension(at);
    } else if (key == "NELEM") {
      read_cells(at);
    } else if (key == "NPOIN") {
      read_nodes(at);
    } else if (key == "NMARK") {
      once(has_markers_, "NMARK=", at);
      markers_ = in_.count("number of markers", kMarkerBytes);
      in_.skip_line();
    } else if (key == "MARKER_TAG") {
      begin_marker(at);
    } else if (key == "MARKER_ELEMS") {
      read_marker();
    } else if (key == "NZONE") {
      if (in_.integer("number of zones") != 1)
        in_.fail_at(at, "the file holds several meshes (NZONE)", "write one file per zone");
      in_.skip_line();
    } else if (key == "IZONE") {
      in_.skip_line();
    } else {
      skip_unknown(key, at);
    }
  }

  void once(bool& seen, const char* what, std::int64_t at) {
    if (seen) in_.fail_at(at, fmt::format("a second {}", what), "one file holds one mesh: write the zones to files of their own");
    seen = true;
  }

  void need_dimension(std::int64_t at) {
    if (dim_ == 0) in_.fail_at(at, "NDIME= is missing", "the file must begin with NDIME= 2 or NDIME= 3");
  }

  void read_dimension(std::int64_t at) {
    if (dim_ != 0) in_.fail_at(at, "a second NDIME=", "one file holds one mesh: write the zones to files of their own");
    const auto dim = in_.integer("number of dimensions");
    if (dim != 2 && dim != 3) in_.fail_at(at, fmt::format("NDIME= {}", dim), "meshes of 2 and 3 dimensions are read");
    dim_ = static_cast<int>(dim);
    in_.skip_line();
  }

  /// Moves to the line of the record. `section` is the section with `count` records.
  static void begin_record(MeshCursor& in, const char* section, std::int64_t i, std::int64_t count) {
    in.set_element(-1);
    const bool there = next_content(in);
    if (there && !(in.peek() >= 'A' && in.rest_of_line().find('=') != std::string_view::npos)) return;
    in.fail(fmt::format("{} {} announces {} lines, but {} follow", section, count, count, i),
            there ? "correct the count" : detail::kTruncated);
  }

  void read_cells(std::int64_t at) {
    need_dimension(at);
    once(has_cells_, "NELEM=", at);
    const std::int64_t cells = in_.count("number of elements", kElementBytes);
    in_.skip_line();
    read_elements("NELEM=", cells, dim_, 0);
  }

  void read_elements(const char* section, std::int64_t count, int dim, std::int32_t group) {
    each_element(in_, team_, count, kComment, raw_, [&](MeshCursor& in, std::int64_t i, detail::RawMesh& into) {
      begin_record(in, section, i, count);
      read_element(in, into, i, dim, group);
    });
    in_.set_element(-1);
  }

  void read_element(MeshCursor& in, detail::RawMesh& into, std::int64_t id, int dim, std::int32_t group) const {
    const std::int64_t at = in.offset();
    in.set_element(id);
    const auto vtk = in.integer("element type");
    const auto type = vtk_type(vtk);
    if (!type) bad_type(in, vtk, at);
    const CellShape& form = shape(*type);
    if (form.dim != dim) {
      in.fail_at(at, fmt::format("a {} cannot be {} of a {}-D mesh", form.name, group == 0 ? "a cell" : "on the boundary", dim_),
                 "check NDIME= and the element's type");
    }
    std::array<GlobalNodeId, kMaxCellNodes> nodes;
    for (int k = 0; k < form.nodes; ++k) nodes[vtk_position(*type, k)] = GlobalNodeId(in.integer("node"));
    into.add(*type, std::span(nodes).first(form.nodes), group, id, at);
    in.skip_line();
  }

  [[noreturn]] static void bad_type(const MeshCursor& in, std::int64_t vtk, std::int64_t at) {
    constexpr std::int64_t kFirstQuadratic = 21, kLastLagrange = 81;
    if (vtk >= kFirstQuadratic && vtk <= kLastLagrange) {
      in.fail_at(at, fmt::format("element type {} is of second or higher order", vtk),
                 "elements of first order are read: mesh again with order 1");
    }
    in.fail_at(at, fmt::format("unknown element type {}", vtk),
               "types are 3 line, 5 triangle, 9 quad, 10 tetrahedron, 12 hexahedron, 13 prism, 14 pyramid");
  }

  void read_nodes(std::int64_t at) {
    need_dimension(at);
    once(has_nodes_, "NPOIN=", at);
    const std::int64_t nodes = in_.count("number of nodes", kNodeBytes);
    in_.skip_line();
    raw_.append_coords(nodes, team_);
    each_record(in_, team_, nodes, 0, kComment, [&](MeshCursor& in, std::int64_t i) {
      begin_record(in, "NPOIN=", i, nodes);
      Vec3 x;
      x.x = in.coordinate("coordinate x");
      x.y = in.coordinate("coordinate y");
      if (dim_ == 3) x.z = in.coordinate("coordinate z");
      raw_.coords[i] = x;
      in.skip_line();
    });
  }

  void begin_marker(std::int64_t at) {
    need_dimension(at);
    if (pending_marker_)
      in_.fail_at(at, "the marker before has no MARKER_ELEMS=", "each MARKER_TAG= is followed by MARKER_ELEMS=");
    const std::string_view line = in_.take_line();
    std::string_view tag = line.substr(0, line.find('%'));
    tag = tag.substr(0, tag.find_last_not_of(" \t") + 1);
    ++markers_read_;
    pending_marker_ = true;
    halo_ = tag == kHalo;
    if (!halo_) raw_.groups.push_back({dim_ - 1, static_cast<std::int32_t>(raw_.groups.size()) + 1, std::string(tag), at});
  }

  void read_marker() {
    if (!pending_marker_) in_.fail("MARKER_ELEMS= without MARKER_TAG=", "name the marker in the line before");
    pending_marker_ = false;
    if (halo_) {
      skipping_ = true;
      in_.skip_line();
      return;
    }
    in_.set_zone(raw_.groups.back().name);
    const std::int64_t faces = in_.count("number of marker elements", kElementBytes);
    in_.skip_line();
    read_elements("MARKER_ELEMS=", faces, dim_ - 1, raw_.groups.back().tag);
    in_.set_zone({});
  }

  /// Sections without mesh data (NPERIODIC, FFD_NBOX, ...) are skipped with their lines; a probable misspelling is an error.
  void skip_unknown(std::string_view key, std::int64_t at) {
    constexpr std::size_t kSlip = 2;
    for (const std::string_view known : kKeywords) {
      if (key.size() <= known.size() + kSlip && edit_distance(key, known) <= kSlip) {
        in_.fail_at(at, fmt::format("unknown keyword {}=", key), fmt::format("did you mean {}=?", known));
      }
    }
    skipping_ = true;
    in_.skip_line();
  }

  MeshBlock finish() {
    need_dimension(in_.offset());
    if (!has_nodes_) in_.fail("NPOIN= is missing", detail::kTruncated);
    if (!has_cells_) in_.fail("NELEM= is missing", detail::kTruncated);
    if (pending_marker_) in_.fail("the last marker has no MARKER_ELEMS=", detail::kTruncated);
    if (has_markers_ && markers_ != markers_read_) {
      in_.fail(fmt::format("NMARK= {}, but the number of markers is {}", markers_, markers_read_),
               markers_ > markers_read_ ? detail::kTruncated : "correct NMARK=");
    }
    return assemble(in_, std::move(raw_), dim_, kAdvice, team_);
  }

  // Minimum size of a record with its line end in bytes.
  static constexpr std::int64_t kElementBytes = 6, kNodeBytes = 4, kMarkerBytes = 13;

  MeshCursor in_;
  Team& team_;
  detail::RawMesh raw_;
  int dim_ = 0;
  bool has_cells_ = false, has_nodes_ = false, has_markers_ = false;
  std::int64_t markers_ = 0, markers_read_ = 0;
  bool pending_marker_ = false;  // MARKER_ELEMS= is expected
  bool halo_ = false;
  bool skipping_ = false;  // lines without a keyword belong to a skipped section
};

}  // namespace

bool detail::is_su2(std::string_view bytes) {
  const std::string_view text = from_first_line(bytes), line = text.substr(0, text.find('\n'));
  const std::string_view key = line.substr(0, line.find('='));
  return key.size() < line.size() && key.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_ \t") == std::string_view::npos;
}

MeshBlock parse_su2(std::string_view bytes, const std::string& name, Team& team) { return Su2Reader(bytes, name, team).read(); }

}  // namespace weft::mesh
