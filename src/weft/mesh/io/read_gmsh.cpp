#include <fmt/format.h>

#include "weft/mesh/io/read_gmsh_sections.hpp"
#include "weft/mesh/io/read_mesh.hpp"

namespace weft::mesh {
namespace {

constexpr detail::FormatAdvice kAdvice{
    .no_cells =
        "mesh the geometry in 2-D or 3-D (gmsh -2 or -3), and save its cells: give them a Physical Surface (2-D) or Volume (3-D)",
    .no_boundary =
        "physical groups are missing: in the .geo file add, for each part of the boundary, Physical Surface(\"wall\") = {...}; "
        "(3-D) or "
        "Physical Curve(\"wall\") = {...}; (2-D), and mesh again (MSH 2.2 with Mesh.SaveAll loses them)",
    .z_is_read = true};

class GmshReader {
 public:
  GmshReader(std::string_view bytes, const std::string& name, Team& team) : in_(bytes, name), team_(team) {}

  MeshBlock read() {
    while (in_.next_line()) {
      const std::int64_t at = in_.offset();
      const std::string_view line = in_.take_line();
      if (line.front() != '$') {
        in_.fail_at(
            at, "expected a section such as $Nodes",
            version_ == 0 ? "a Gmsh mesh begins with $MeshFormat" : "more lines follow than the count of the section above says");
      }
      section(line.substr(1), at);
    }
    finish();
    int dim = 3;
    while (dim > 0 && raw_.of_dim[dim].list.type.empty()) --dim;
    return assemble(in_, std::move(raw_), dim, kAdvice, team_);
  }

 private:
  void section(std::string_view name, std::int64_t at) {
    if (name == "MeshFormat") {
      once(version_ != 0, name, at);
      version_ = detail::read_gmsh_format(in_);
    } else if (name == "NOD" || name == "ELM") {
      in_.fail_at(at, "MSH version 1 is not read (2.2 and 4.1 are)",
                  "write it again: gmsh -save -format msh41 old.msh -o new.msh");
    } else if (version_ == 0 && name != "Comments") {
      in_.fail_at(at, fmt::format("${} before $MeshFormat", name), "a Gmsh mesh begins with $MeshFormat");
    } else if (name == "PhysicalNames") {
      once(has_names_, name, at);
      detail::read_gmsh_names(in_, raw_);
      has_names_ = true;
    } else if (name == "Entities" && version_ == 4) {
      once(has_entities_, name, at);
      detail::read_gmsh4_entities(in_, entities_);
      has_entities_ = true;
    } else if (name == "PartitionedEntities") {
      in_.fail_at(at, "the mesh has been partitioned by Gmsh", "save it whole: ranks share the mesh out themselves");
    } else if (name == "Nodes") {
      once(has_nodes_, name, at);
      version_ == 2 ? detail::read_gmsh2_nodes(in_, raw_, team_) : detail::read_gmsh4_nodes(in_, raw_, team_);
      has_nodes_ = true;
    } else if (name == "Elements") {
      once(has_elements_, name, at);
      version_ == 2 ? detail::read_gmsh2_elements(in_, raw_, team_) : detail::read_gmsh4_elements(in_, entities_, raw_, team_);
      has_elements_ = true;
    } else {
      return skip(name, at);
    }
    close(name);
  }

  void once(bool seen, std::string_view name, std::int64_t at) {
    if (seen)
      in_.fail_at(at, fmt::format("a second ${}", name), "one file holds one mesh: write the parts to files of their own");
  }

  /// Skips $Periodic, $NodeData, $Comments and other sections that are not needed.
  void skip(std::string_view name, std::int64_t at) {
    if (!in_.skip_behind(fmt::format("$End{}", name)))
      in_.fail_at(at, fmt::format("$End{} is missing", name), detail::kTruncated);
    in_.skip_line();
  }

  void close(std::string_view name) {
    if (!in_.next_line()) in_.fail(fmt::format("the file ends where $End{} is expected", name), detail::kTruncated);
    const std::int64_t at = in_.offset();
    const std::string_view line = in_.take_line();
    if (line == fmt::format("$End{}", name)) return;
    in_.fail_at(at, fmt::format("expected $End{}", name),
                line.front() == '$' ? "the line that closes the section is missing: add it"
                                    : "more records follow than the count at the section's start says: correct the count");
  }

  void finish() {
    if (version_ == 0) in_.fail("$MeshFormat is missing", "a Gmsh mesh begins with $MeshFormat");
    if (!has_nodes_) in_.fail("$Nodes is missing", detail::kTruncated);
    if (!has_elements_) in_.fail("$Elements is missing", detail::kTruncated);
    if (raw_.node_tag.empty()) in_.fail("$Nodes is empty", detail::kTruncated);
  }

  detail::MeshCursor in_;
  Team& team_;
  detail::RawMesh raw_;
  detail::GmshEntities entities_;
  int version_ = 0;
  bool has_names_ = false, has_entities_ = false, has_nodes_ = false, has_elements_ = false;
};

}  // namespace

bool detail::is_gmsh(std::string_view bytes) { return from_first_line(bytes).starts_with('$'); }

MeshBlock parse_gmsh(std::string_view bytes, const std::string& name, Team& team) { return GmshReader(bytes, name, team).read(); }

}  // namespace weft::mesh
