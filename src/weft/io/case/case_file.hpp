#pragma once
/// A case: a TOML text with the overrides of the command line, the same on every rank. CaseReader reads its keys.
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft::io {

namespace detail {
struct CaseValue;
}

/// Cheap to copy; immutable.
class CaseFile {
 public:
  /// Rank 0 reads the file; every rank parses the same text.
  /// @param overrides  "section.key=value", in the order of the command line; the value is TOML, and text where it is not. Those
  /// of
  ///   rank 0 count.
  /// @throws on every rank: IoError (cannot be read), InputError (not TOML, a key given twice, a bad override).
  /// @collective
  [[nodiscard]] static CaseFile read(const Communicator& comm, const std::filesystem::path& path,
                                     std::span<const std::string> overrides = {});
  /// A case from memory; `name` stands for the file in messages and for the place that relative paths start from.
  [[nodiscard]] static CaseFile from_text(std::string text, std::filesystem::path name = "case.toml",
                                          std::span<const std::string> overrides = {});

  /// As it was read, without overrides.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::vector<std::string>& overrides() const { return overrides_; }
  [[nodiscard]] const detail::CaseValue& root() const { return *root_; }

 private:
  std::string text_;
  std::filesystem::path path_;
  std::vector<std::string> overrides_;
  std::shared_ptr<const detail::CaseValue> root_;
};

}  // namespace weft::io
