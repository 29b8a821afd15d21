#include "weft/io/vtk/vtu.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/xml_text.hpp"
#include "weft/io/replace_file.hpp"
#include "weft/io/sync.hpp"

namespace weft::io {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little, "the header of .vtu files names the byte order");

const char* name_of(VtuArray::Type type) {
  switch (type) {
    case VtuArray::Type::float32:
      return "Float32";
    case VtuArray::Type::float64:
      return "Float64";
    case VtuArray::Type::int64:
      break;
  }
  return "Int64";
}

std::uint64_t bytes_of(VtuArray::Type type) { return type == VtuArray::Type::float32 ? 4 : 8; }

}  // namespace

VtuWriter::VtuWriter(fs::path path, const VtuSizes& sizes, VtuArray::Type point_type, const std::vector<VtuArray>& cell_data,
                     double time, std::int64_t step)
    : path_(std::move(path)) {
  std::string header =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<UnstructuredGrid>\n<FieldData>\n";
  header += fmt::format(
      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:.17g}</DataArray>\n"
      "<DataArray type=\"Int64\" Name=\"Step\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n</FieldData>\n",
      time, step);
  header += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", sizes.points, sizes.cells);
  std::uint64_t offset = 0;
  const auto declare = [&](const char* type, const std::string& name, int components, std::uint64_t bytes) {
    header += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                          type, xml_text(name), components, offset);
    bytes_.push_back(bytes);
    offset += sizeof(std::uint64_t) + bytes;
  };
  const auto points = static_cast<std::uint64_t>(sizes.points), cells = static_cast<std::uint64_t>(sizes.cells);
  header += "<Points>\n";
  declare(name_of(point_type), "Points", 3, 3 * points * bytes_of(point_type));
  header += "</Points>\n<Cells>\n";
  declare("Int64", "connectivity", 1, 8 * static_cast<std::uint64_t>(sizes.connectivity));
  declare("Int64", "offsets", 1, 8 * cells);
  declare("UInt8", "types", 1, cells);
  header += "</Cells>\n<CellData>\n";
  for (const VtuArray& array : cell_data) {
    declare(name_of(array.type), array.name, array.components,
            cells * static_cast<std::uint64_t>(array.components) * bytes_of(array.type));
  }
  header += "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
  errno = 0;
  file_.open(part_name(path_), std::ios::binary | std::ios::trunc);
  if (!file_) {
    throw IoError(fmt::format("cannot write it: {}", std::strerror(errno)), "check the folder, its permissions and the disk",
                  Where{.file = path_.string()});
  }
  try {
    file_ << header;
    append_bytes({});  // skips empty arrays, which have only a size
  } catch (...) {
    remove_part();
    throw;
  }
}

VtuWriter::~VtuWriter() {
  if (!finished_) remove_part();
}

void VtuWriter::remove_part() {
  file_.close();
  std::error_code ignored;
  fs::remove(part_name(path_), ignored);
}

void VtuWriter::append_bytes(std::span<const std::byte> bytes) {
  const auto start_array = [&] {
    const std::uint64_t size = bytes_[array_];
    file_.write(reinterpret_cast<const char*>(&size), sizeof size);
  };
  if (!bytes.empty()) {
    WEFT_EXPECTS(array_ < bytes_.size() && bytes.size() <= bytes_[array_] - written_);
    if (written_ == 0) start_array();
    file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    written_ += bytes.size();
    if (written_ < bytes_[array_]) return expect_written();
    ++array_;
    written_ = 0;
  }
  for (; array_ < bytes_.size() && bytes_[array_] == 0; ++array_) start_array();
  expect_written();
}

void VtuWriter::expect_written() {
  if (file_) return;
  throw IoError(fmt::format("cannot write all of it: {}", std::strerror(errno)), "free disk space, or write to another disk",
                Where{.file = path_.string()});
}

void VtuWriter::finish() {
  WEFT_EXPECTS(array_ == bytes_.size());
  file_ << "\n</AppendedData>\n</VTKFile>\n";
  file_.close();
  expect_written();
  detail::sync_file(part_name(path_));
  std::error_code code;
  fs::rename(part_name(path_), path_, code);
  if (code)
    throw IoError(fmt::format("cannot rename {} to it: {}", part_name(path_).string(), code.message()), {},
                  Where{.file = path_.string()});
  finished_ = true;
  detail::sync_parent(path_);
}

void write_vtu(const fs::path& path, const VtkGrid& grid, std::span<const VtkField> cell_fields, double time, std::int64_t step) {
  std::vector<VtuArray> arrays;
  for (const VtkField& field : cell_fields) {
    arrays.push_back({field.name, field.values.index() == 0 ? VtuArray::Type::float64 : VtuArray::Type::int64, field.components});
  }
  VtuWriter file(
      path, {.points = std::ssize(grid.points), .cells = std::ssize(grid.types), .connectivity = std::ssize(grid.connectivity)},
      VtuArray::Type::float64, arrays, time, step);
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  file.append(grid.points);
  const std::vector<std::int64_t> connectivity(grid.connectivity.begin(), grid.connectivity.end());
  file.append(std::span<const std::int64_t>(connectivity));
  if (!grid.types.empty()) file.append(grid.offsets.subspan(1));
  file.append(grid.types);
  for (const VtkField& field : cell_fields) std::visit([&](const auto& values) { file.append(values); }, field.values);
  file.finish();
}

}  // namespace weft::io
