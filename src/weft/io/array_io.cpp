#include "weft/io/array_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "weft/base/id.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::io::detail {
namespace {

std::string describe(const std::string& element, bool ragged, std::int64_t width) {
  return ragged ? fmt::format("rows of up to {} {}", width, element) : fmt::format("rows of {} {}", width, element);
}

}  // namespace

void write_array_shape(Hdf5File& file, const std::string& name, const ArrayShape& shape, std::int32_t rows) {
  const std::int32_t width = file.comm().max(shape.width);
  agreed(file.comm(), [&] {
    if (!shape.ragged && shape.width != width) {
      throw ContractError(fmt::format("array {}: rows of {} here, of {} on another rank", name, shape.width, width));
    }
  });
  file.make_group(name);
  file.write_attribute(name, "Element", to_string(shape.element));
  file.write_attribute(name, "Shape", std::string_view(shape.ragged ? "ragged" : "fixed"));
  file.write_attribute(name, "Width", std::int64_t{width});
  const std::int64_t count = rows;
  file.write_rows(name + "/rows_of_rank", std::span<const std::int64_t>(&count, 1));
}

void write_row_starts(Hdf5File& file, const std::string& name, const std::vector<std::int64_t>& row_sizes) {
  std::vector<std::int64_t> starts(row_sizes.size());
  std::exclusive_scan(row_sizes.begin(), row_sizes.end(), starts.begin(), std::int64_t{0});
  const std::int64_t here = std::accumulate(row_sizes.begin(), row_sizes.end(), std::int64_t{0});
  const std::int64_t before = file.comm().exclusive_sum(here);
  for (std::int64_t& start : starts) start += before;
  file.write_rows(name + "/row_start", std::span<const std::int64_t>(starts));
}

ArrayPart read_array_shape(const Hdf5File& file, const std::string& name, const ArrayShape& wanted,
                           std::optional<std::int64_t> rows) {
  const Communicator& comm = file.comm();
  const Where where{.file = file.path().string()};
  if (!file.has(name) || !file.has_attribute(name, "Element")) throw IoError(fmt::format("has no array {}", name), {}, where);
  const std::string element = file.read_text_attribute(name, "Element");
  const bool ragged = file.read_text_attribute(name, "Shape") == "ragged";
  const std::int64_t width = file.read_integer_attribute(name, "Width");
  const std::int64_t writers = file.info(name + "/rows_of_rank").rows;
  const std::vector<std::int64_t> written = file.read_rows<std::int64_t>(name + "/rows_of_rank", 0, writers);

  std::int64_t total = 0;
  agreed(comm, [&] {
    bool in_range = true;
    for (const std::int64_t count : written) {
      in_range = in_range && count >= 0 && count <= std::numeric_limits<std::int64_t>::max() - total;
      if (in_range) total += count;
    }
    if (!in_range || width < 0 || width > std::numeric_limits<std::int32_t>::max()) {
      throw IoError(fmt::format("array {}: its width or its numbers of rows are out of range: it is damaged", name), {}, where);
    }
    const bool fits = wanted.width == 0 || (ragged ? width <= wanted.width : width == wanted.width);
    if (element != to_string(wanted.element) || ragged != wanted.ragged || !fits) {
      throw IoError(fmt::format("array {} has {}, not {}", name, describe(element, ragged, width),
                                describe(to_string(wanted.element), wanted.ragged, wanted.width)),
                    "read it into an array of its own type", where);
    }
  });

  const std::int64_t stored = ragged      ? file.info(name + "/row_start").rows
                              : width > 0 ? file.info(name + "/entries").rows
                                          : total;
  agreed(comm, [&] {
    if (stored == total) return;
    throw IoError(fmt::format("array {}: it has {} rows, and its writers say {}: it is damaged", name, stored, total), {}, where);
  });

  ArrayPart part;
  part.width = static_cast<std::int32_t>(width);
  const std::size_t me = comm.rank().value();
  const bool given = comm.any(rows.has_value());
  if (given) {
    part.rows = rows.value_or(0);
    part.first = comm.exclusive_sum(part.rows);
    const std::int64_t asked = comm.sum(part.rows);
    if (asked != total)
      throw IoError(fmt::format("array {} has {} rows, and the ranks ask for {}", name, total, asked), {}, where);
  } else if (writers == comm.size()) {
    part.first = std::accumulate(written.begin(), written.begin() + static_cast<std::ptrdiff_t>(me), std::int64_t{0});
    part.rows = written[me];
  } else {
    const auto share = [&](std::int64_t ranks) {  // floor(total * ranks / size) without overflow of the product
      return total / comm.size() * ranks + total % comm.size() * ranks / comm.size();
    };
    part.first = share(comm.rank().value());
    part.rows = share(comm.rank().value() + 1) - part.first;
  }
  agreed(comm, [&] { static_cast<void>(checked_local(part.rows, "rows of an array")); });
  return part;
}

std::vector<std::int64_t> read_row_starts(const Hdf5File& file, const std::string& name, const ArrayPart& part) {
  const std::int64_t total = file.info(name + "/row_start").rows;
  // The start of the next rank's rows is the end of this rank's rows; after the last row it is the number of entries.
  const bool last = part.first + part.rows >= total;
  std::vector<std::int64_t> starts =
      file.read_rows<std::int64_t>(name + "/row_start", part.first, std::max<std::int64_t>(0, part.rows + (last ? 0 : 1)));
  const std::int64_t entries = file.info(name + "/entries").rows;
  if (last) starts.push_back(entries);
  agreed(file.comm(), [&] {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (starts[i] < (i == 0 ? 0 : starts[i - 1]) || starts[i] > entries) {
        throw IoError(fmt::format("array {}: row {} starts where no entry is: it is damaged", name,
                                  part.first + static_cast<std::int64_t>(i)),
                      {}, Where{.file = file.path().string()});
      }
      if (i > 0 && starts[i] - starts[i - 1] > part.width) {
        throw IoError(fmt::format("array {}: row {} has {} entries, and no row may have more than {}: it is damaged", name,
                                  part.first + static_cast<std::int64_t>(i) - 1, starts[i] - starts[i - 1], part.width),
                      {}, Where{.file = file.path().string()});
      }
    }
  });
  return starts;
}

}  // namespace weft::io::detail
