#pragma once
/// A CGNS file in HDF5 as a tree of nodes: a node is a group with the attributes `name`, `label` and `type`, and its data are
/// the dataset ` data`. https://cgns.github.io/CGNS_docs_current/hdf5/index.html
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/io/hdf5/hdf5_tree.hpp"
#include "weft/mesh/io/read_cursor.hpp"

namespace weft::mesh::detail {

struct CgnsNode {
  std::string path, name, label;
};

/// All functions throw MeshError (or IoError if HDF5 fails) with the zone and element of `place`.
class CgnsFile {
 public:
  explicit CgnsFile(const std::string& path);

  MeshCursor place;  ///< for messages only

  [[nodiscard]] CgnsNode root() const { return {"", "", ""}; }
  /// Returns the children with a label in the order of the file. Follows links within the file.
  [[nodiscard]] std::vector<CgnsNode> children(const CgnsNode& node, std::string_view label) const;
  [[nodiscard]] std::optional<CgnsNode> child(const CgnsNode& node, const std::string& name) const;
  /// Returns the child. @throws MeshError if it is missing.
  [[nodiscard]] CgnsNode need(const CgnsNode& node, const std::string& name) const;

  [[nodiscard]] bool has_data(const CgnsNode& node) const { return tree_.has(node.path, " data"); }
  [[nodiscard]] std::vector<std::int64_t> integers(const CgnsNode& node) const;
  [[nodiscard]] std::vector<double> reals(const CgnsNode& node) const;
  /// Returns text without trailing blanks.
  [[nodiscard]] std::string text(const CgnsNode& node) const;
  /// Returns the text of a child; `otherwise` if it is missing.
  [[nodiscard]] std::string text_of(const CgnsNode& node, const std::string& name, std::string_view otherwise) const;

  [[noreturn]] void fail(std::string problem, std::string suggestion) const {
    place.fail_at(-1, std::move(problem), std::move(suggestion));
  }

 private:
  [[nodiscard]] CgnsNode node_at(const std::string& parent, const std::string& name) const;
  [[nodiscard]] std::string data_of(const CgnsNode& node) const;

  io::Hdf5Tree tree_;
};

}  // namespace weft::mesh::detail
