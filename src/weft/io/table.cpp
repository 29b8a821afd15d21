#include "weft/io/table.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>

#include "weft/base/contracts.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/text_file.hpp"

namespace weft::io {
namespace fs = std::filesystem;
namespace {

std::string header_of(const std::vector<std::string>& columns) {
  std::string header;
  for (const std::string& column : columns) {
    WEFT_EXPECTS(!column.empty() && column.find_first_of(",\"\r\n") == std::string::npos);
    header += (header.empty() ? "" : ",") + column;
  }
  return header;
}

// Returns the header and the complete rows up to `last` of an earlier file.
std::string kept_rows(const fs::path& path, const std::string& header, double last) {
  const std::string old = read_text(path);
  const auto where = [&](std::int64_t line) { return Where{.file = path.string(), .line = line}; };
  std::string kept;
  std::int64_t line = 0;
  for (std::size_t begin = 0, end = 0; (end = old.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string row = old.substr(begin, end - begin);
    if (++line == 1) {
      if (row != header) {
        throw IoError(fmt::format("has the columns {}, and this run writes {}", row, header),
                      "use the same outputs, or move the file away", where(1));
      }
    } else {
      double first = 0;
      if (std::from_chars(row.data(), row.data() + row.size(), first).ec != std::errc{}) {
        throw IoError(fmt::format("\"{}\" does not start with a number", row), "repair the file, or move it away", where(line));
      }
      if (first > last) break;
    }
    kept += row;
    kept += '\n';
  }
  return kept.empty() ? header + "\n" : kept;
}

}  // namespace

Table Table::create(const Communicator& comm, const fs::path& path, std::vector<std::string> columns) {
  return begin(comm, path, std::move(columns), nullptr);
}

Table Table::resume(const Communicator& comm, const fs::path& path, std::vector<std::string> columns, double last) {
  return begin(comm, path, std::move(columns), &last);
}

void Table::expect_resumable(const Communicator& comm, const fs::path& path, const std::vector<std::string>& columns) {
  agreed(comm, [&] {
    if (comm.is_root() && fs::exists(path)) (void)kept_rows(path, header_of(columns), std::numeric_limits<double>::infinity());
  });
}

std::vector<std::vector<double>> read_table(const Communicator& comm, const fs::path& path) {
  std::string text;
  agreed(comm, [&] {
    if (comm.is_root()) text = read_text(path);
  });
  comm.broadcast(text);
  std::vector<std::vector<double>> rows;
  std::size_t begin = text.find('\n');
  for (std::int64_t line = 2; begin != std::string::npos; ++line) {
    const std::size_t end = text.find('\n', ++begin);
    if (end == std::string::npos) break;  // an incomplete last row
    const char* const stop = text.data() + end;
    rows.emplace_back();
    for (const char* at = text.data() + begin; at < stop; ++at) {
      const auto [next, problem] = std::from_chars(at, stop, rows.back().emplace_back());
      if (problem != std::errc{} || (next != stop && *next != ',')) {
        throw IoError("a value is not a number", "repair the file, or move it away", Where{.file = path.string(), .line = line});
      }
      at = next;
    }
    begin = end;
  }
  return rows;
}

Table Table::begin(const Communicator& comm, const fs::path& path, std::vector<std::string> columns, const double* last) {
  Table table(path, std::move(columns));
  agreed(comm, [&] {
    const std::string header = header_of(table.columns_);
    if (!comm.is_root()) return;
    write_text(path, last != nullptr && fs::exists(path) ? kept_rows(path, header, *last) : header + "\n");
    table.file_.open(path, std::ios::binary | std::ios::app);
    if (!table.file_) throw IoError("cannot add rows to it", "check its permissions", Where{.file = path.string()});
  });
  return table;
}

void Table::add(std::span<const double> values) {
  WEFT_EXPECTS(values.size() == columns_.size());
  if (!file_.is_open()) return;
  std::string row;
  for (const double value : values) row += fmt::format("{}{:.17g}", row.empty() ? "" : ",", value);
  row += '\n';
  errno = 0;
  file_.write(row.data(), static_cast<std::streamsize>(row.size()));
  file_.flush();
  if (!file_) {
    throw IoError(fmt::format("cannot write a row: {}", std::strerror(errno)), "free disk space, then continue with --resume",
                  Where{.file = path_.string()});
  }
}

}  // namespace weft::io
