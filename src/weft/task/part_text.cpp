#include "weft/task/part_text.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace weft::task {
namespace {

constexpr std::array kNames{std::pair(Part::owned, "owned"), std::pair(Part::inner, "inner"), std::pair(Part::border, "border"),
                            std::pair(Part::ghost, "ghost"), std::pair(Part::boundary, "boundary")};

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

[[nodiscard]] std::string name_of(Part part) {
  for (const auto& [named, name] : kNames) {
    if (named == part) return name;
  }
  return "";
}

[[nodiscard]] Part part_of(const DataShape& of, std::size_t single) {
  return single < kSingleParts.size() ? kSingleParts.at(single) : of.subset_parts[single - kSingleParts.size()];
}

[[nodiscard]] std::string subsets_of(const DataShape& of, std::size_t single) {
  std::string text;
  for (const SubsetShape& subset : of.subsets) {
    if (overlap(subset.rows, single_part(single))) append(text, "'" + subset.name + "'");
  }
  return text;
}

}  // namespace

std::string part_text(const DataShape& of, Part part) {
  std::string text;
  Part remaining = part;
  const auto add = [&](Part rows, const std::string& name) {
    if (rows == Part::none || !contains(part, rows) || !overlap(remaining, rows)) return;
    append(text, name);
    remaining = without(remaining, rows);
  };
  for (const auto& [named, name] : kNames) add(of.refined(named), name);
  for (const SubsetShape& subset : of.subsets) add(subset.rows, subset.name);
  for (std::size_t p = 0; p < of.parts(); ++p) {
    if (!overlap(remaining, single_part(p))) continue;
    const std::string subsets = subsets_of(of, p);
    append(text, name_of(part_of(of, p)) + (subsets.empty() ? " in no subset" : " in " + subsets));
  }
  return text;
}

std::string single_part_text(const DataShape& of, std::size_t single) {
  const std::string subsets = subsets_of(of, single);
  return fmt::format("{} rows of '{}'{}", name_of(part_of(of, single)), of.name, subsets.empty() ? "" : " in " + subsets);
}

std::string subset_text(std::span<const DataShape> data, const TaskShape& task) {
  constexpr std::array kModes{"reads", "writes", "reads and writes", "reduces"};
  std::string text;
  for (const Access& access : task.accesses) {
    if (!access.subset.valid()) continue;
    const DataShape& of = data[access.data.index()];
    const SubsetShape* const subset = of.find(access.subset);
    if (subset == nullptr) continue;
    const char* const mode = kModes.at(static_cast<std::size_t>(access.mode));
    append(text, access.outside
                     ? fmt::format("{} '{}' ({}) without '{}'", mode, of.name, part_text(DataShape{}, access.part), subset->name)
                     : fmt::format("{} '{}' of '{}'", mode, subset->name, of.name));
  }
  return text;
}

std::string subset_line(const DataShape& of, const SubsetShape& subset) {
  std::string parts;
  for (const Part part : kSingleParts) {
    if (overlap(of.refined(part), subset.rows)) append(parts, name_of(part));
  }
  const char* const effect = overlap(subset.rows, of.sent) ? "some rank sends such rows, so that a change makes ghost rows stale"
                                                           : "no rank sends such rows, so that a change leaves ghost rows fresh";
  return fmt::format("'{}' of '{}': {}", subset.name, of.name,
                     parts.empty() ? "no rank has rows in it" : fmt::format("{} rows; {}", parts, effect));
}

}  // namespace weft::task
