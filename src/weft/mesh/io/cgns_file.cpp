#include "weft/mesh/io/cgns_file.hpp"

#include <fmt/format.h>

namespace weft::mesh::detail {

using Kind = io::Hdf5Tree::Kind;

CgnsFile::CgnsFile(const std::string& path) : place({}, path), tree_(path) {}

CgnsNode CgnsFile::node_at(const std::string& parent, const std::string& name) const {
  std::string path = parent + "/" + name;
  constexpr int kMostLinks = 16;
  for (int links = 0; tree_.text_attribute(path, "type") == "LK"; ++links) {
    const std::string file = tree_.external_file(path, " link");
    if (!file.empty()) {
      fail(fmt::format("node {}/{} lies in another file ({})", parent, name, file),
           fmt::format("join the files: cgnsconvert -f -h -l {} joined.cgns", place.file()));
    }
    path += "/ link";
    if (links == kMostLinks || !tree_.has(path.substr(0, path.size() - 6), " link"))
      fail(fmt::format("node {}/{} is a link that leads nowhere", parent, name), kTruncated);
  }
  return {path, name, tree_.text_attribute(path, "label")};
}

std::vector<CgnsNode> CgnsFile::children(const CgnsNode& node, std::string_view label) const {
  std::vector<CgnsNode> found;
  for (const std::string& name : tree_.groups(node.path.empty() ? "/" : node.path)) {
    CgnsNode child = node_at(node.path, name);
    if (child.label == label) found.push_back(std::move(child));
  }
  return found;
}

std::optional<CgnsNode> CgnsFile::child(const CgnsNode& node, const std::string& name) const {
  if (!tree_.has(node.path, name)) return std::nullopt;
  return node_at(node.path, name);
}

CgnsNode CgnsFile::need(const CgnsNode& node, const std::string& name) const {
  auto found = child(node, name);
  if (!found) fail(fmt::format("{} \"{}\" has no {}", node.label, node.name, name), kTruncated);
  return *std::move(found);
}

std::string CgnsFile::data_of(const CgnsNode& node) const {
  if (!has_data(node)) fail(fmt::format("{} \"{}\" has no data", node.label, node.name), kTruncated);
  return node.path + "/ data";
}

std::vector<std::int64_t> CgnsFile::integers(const CgnsNode& node) const {
  const std::string data = data_of(node);
  if (tree_.kind(data) != Kind::integer) fail(fmt::format("{} \"{}\" holds no integers", node.label, node.name), kTruncated);
  return tree_.integers(data);
}

std::vector<double> CgnsFile::reals(const CgnsNode& node) const {
  const std::string data = data_of(node);
  if (tree_.kind(data) != Kind::real) fail(fmt::format("{} \"{}\" holds no real numbers", node.label, node.name), kTruncated);
  return tree_.reals(data);
}

std::string CgnsFile::text(const CgnsNode& node) const {
  const std::string data = data_of(node);
  if (tree_.kind(data) != Kind::text) fail(fmt::format("{} \"{}\" holds no text", node.label, node.name), kTruncated);
  std::string text = tree_.text(data);
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::string CgnsFile::text_of(const CgnsNode& node, const std::string& name, std::string_view otherwise) const {
  const auto found = child(node, name);
  return found ? text(*found) : std::string(otherwise);
}

}  // namespace weft::mesh::detail
