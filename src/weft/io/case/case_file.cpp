#include "weft/io/case/case_file.hpp"

#include "weft/comm/agreement.hpp"
#include "weft/io/case/case_value.hpp"
#include "weft/io/text_file.hpp"

namespace weft::io {

CaseFile CaseFile::read(const Communicator& comm, const std::filesystem::path& path, std::span<const std::string> overrides) {
  std::string text = agreed(comm, [&] {
    if (!comm.is_root()) return std::string();
    return read_text(path);
  });
  comm.broadcast(text);
  std::vector<std::string> all(overrides.begin(), overrides.end());
  all.resize(comm.broadcast(static_cast<std::int64_t>(all.size())));
  for (std::string& assignment : all) comm.broadcast(assignment);
  std::string name = path.string();
  comm.broadcast(name);
  return from_text(std::move(text), name, all);
}

CaseFile CaseFile::from_text(std::string text, std::filesystem::path name, std::span<const std::string> overrides) {
  CaseFile file;
  file.text_ = std::move(text);
  file.path_ = std::move(name);
  file.overrides_.assign(overrides.begin(), overrides.end());
  detail::CaseValue root = detail::parse_toml(file.text_, file.path_.string());
  for (const std::string& assignment : overrides) detail::apply_override(root, assignment);
  file.root_ = std::make_shared<const detail::CaseValue>(std::move(root));
  return file;
}

}  // namespace weft::io
