#pragma once
/// A case: TOML text with overrides of the command line, equal on all ranks. CaseReader reads its keys.
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

/// Immutable; copies are cheap.
class CaseFile {
 public:
  /// Reads the file on rank 0 and parses it on every rank.
  /// @param overrides  "section.key=value" in the order of the command line; the value is TOML, or text if it is not valid
  /// TOML. Behind the name of an option, "--threads threads=2", messages name that option instead of --set. The overrides of
  /// rank 0 apply.
  /// @throws on every rank: IoError (read error), InputError (invalid TOML, a duplicate key, an invalid override).
  /// @collective
  [[nodiscard]] static CaseFile read(const Communicator& comm, const std::filesystem::path& path,
                                     std::span<const std::string> overrides = {});
  /// Creates a case from memory; `name` is used in messages and as the base of relative paths.
  [[nodiscard]] static CaseFile from_text(std::string text, std::filesystem::path name = "case.toml",
                                          std::span<const std::string> overrides = {});

  /// Returns the original text, without overrides.
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
