#include "weft/mesh/io/weft_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/hdf5/hdf5_tree.hpp"
#include "weft/io/hdf5/pending_file.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/input_checks.hpp"
#include "weft/mesh/io/read_cursor.hpp"
#include "weft/mesh/io/read_mesh.hpp"

namespace weft::mesh::detail {
namespace {

constexpr std::string_view kFormat = "weft mesh";
constexpr std::int64_t kVersion = 1;
const std::string kNodes = "nodes", kZoneNames = "zones/names", kZoneDims = "zones/dimensions", kPartCells = "parts/cells",
                  kPartNodes = "parts/nodes", kPartBoundary = "parts/boundary";

std::string checksum_name(const std::string& dataset) { return "Checksum of " + dataset; }

/// Checksum of numbers stored from position `first` on. The sum over ranks does not depend on the distribution.
template <class T>
std::uint64_t checksum(const Communicator& comm, std::int64_t first, std::span<const T> values, Team& team) {
  std::vector<std::uint64_t> sums(shares_of(team, std::ssize(values)));
  for_shares(team, std::ssize(values), [&](LoopShare share) {
    std::uint64_t sum = 0, place = static_cast<std::uint64_t>(first + share.begin);
    for (const T value : values.subspan(share.begin, share.end - share.begin)) {
      std::uint64_t bits = 0;
      if constexpr (std::is_floating_point_v<T>) {
        bits = std::bit_cast<std::uint64_t>(value);
      } else {
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
      }
      sum += mix_bits(++place * kGoldenRatioBits + bits);
    }
    sums[share.number] = sum;
  });
  return comm.sum(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}));
}

/// Number of scalars in a row.
template <class Scalar, class Row>
constexpr std::size_t kScalars = sizeof(Row) / sizeof(Scalar);  // NOLINT(bugprone-sizeof-expression): a row may be one scalar

template <class Scalar, class Row>
std::span<const Scalar> as_scalars(std::span<const Row> rows) {
  static_assert(std::is_trivially_copyable_v<Row> && sizeof(Row) % sizeof(Scalar) == 0);
  return {reinterpret_cast<const Scalar*>(rows.data()), rows.size() * kScalars<Scalar, Row>};
}

std::uint64_t header_checksum(int dim, const IdVector<ZoneId, Zone>& zones) {
  std::uint64_t sum = mix_bits(static_cast<std::uint64_t>(dim));
  for (const Zone& zone : zones) {
    sum = hash_text(zone.name, mix_bits(sum + static_cast<std::uint64_t>(zone.dim)));
  }
  return sum;
}

// ------------------------------------------------------------------------------------------------------------------- writing

class Writer {
 public:
  explicit Writer(io::Hdf5File& file) : file_(file) {}

  void header(const MeshBlock& block) {
    std::string names;
    std::vector<std::int32_t> dims;
    for (const Zone& zone : block.zones) {
      names += zone.name + "\n";
      if (file_.comm().is_root()) dims.push_back(zone.dim);
    }
    file_.write_attribute("/", "Format", kFormat);
    file_.write_attribute("/", "Version", kVersion);
    file_.write_attribute("/", "Dimension", std::int64_t{block.dim});
    file_.write_attribute("/", "Checksum", std::bit_cast<std::int64_t>(header_checksum(block.dim, block.zones)));
    file_.write_text(kZoneNames, names);
    file_.write_rows(kZoneDims, std::span<const std::int32_t>(dims));
  }

  /// Writes `values`, of kScalars<Scalar, T> scalars each.
  template <class Scalar, class List>
  void rows(const std::string& name, const List& values) {
    const std::span<const typename List::value_type> rows(values);
    file_.write_rows(name, rows);
    const std::span<const Scalar> scalars = as_scalars<Scalar>(rows);
    const std::int64_t first = file_.comm().exclusive_sum(static_cast<std::int64_t>(scalars.size()));
    const std::uint64_t sum = checksum(file_.comm(), first, scalars, kernels::calling_thread());
    file_.write_attribute("/", checksum_name(name), std::bit_cast<std::int64_t>(sum));
  }

  void elements(const std::string& group, const Elements& elements) {
    std::vector<std::uint8_t> types;
    types.reserve(elements.type.size());
    for (const CellType type : elements.type) types.push_back(static_cast<std::uint8_t>(shape(type).cgns));
    rows<std::uint8_t>(group + "/type", types);
    rows<std::int64_t>(group + "/nodes", elements.node);
    rows<std::int32_t>(group + "/zone", elements.zone);
    rows<std::int64_t>(group + "/id", elements.file_id);
  }

  void parts(const Parts& parts) {
    for (const auto& [name, sizes] :
         {std::pair(kPartCells, &parts.cells), {kPartNodes, &parts.nodes}, {kPartBoundary, &parts.boundary}})
      rows<std::int64_t>(name, file_.comm().is_root() ? *sizes : std::vector<std::int64_t>());
  }

 private:
  io::Hdf5File& file_;
};

// ------------------------------------------------------------------------------------------------------------------- reading

class Reader {
 public:
  Reader(const Communicator& comm, const std::string& path, Team& team)
      : comm_(comm), path_(path), team_(team), file_(io::Hdf5File::open(comm, path)) {}

  MeshBlock read() {
    MeshBlock block;
    block.source = path_;
    read_header(block);
    const std::int64_t nodes = rows_of(kNodes);
    if (file_.has(kPartCells)) block.parts = read_parts();
    const auto [first_node, node_share] = share(nodes, block.parts.nodes);
    block.first_node = GlobalNodeId(first_node);
    block.coords = rows<double, Vec3>(kNodes, first_node, node_share);
    block.cells = read_elements("cells", block.parts.cells, block.first_cell);
    GlobalCellId first_face;
    block.boundary = read_elements("boundary", block.parts.boundary, first_face);
    agreed(comm_, [&] { check_share(block, nodes, team_); });
    if (block.dim == 2) flatten(comm_, block);
    return block;
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& advice = kTruncated) const {
    throw IoError(problem, advice, Where{.file = path_});
  }

  void read_header(MeshBlock& block) const {
    if (const std::int64_t version = file_.read_integer_attribute("/", "Version"); version != kVersion) {
      fail(fmt::format("is a Weft mesh of format {}, and this program reads format {}", version, kVersion),
           "use the version of Weft that wrote it, or write the mesh again");
    }
    const std::int64_t dim = file_.read_integer_attribute("/", "Dimension");
    if (dim != 2 && dim != 3) fail(fmt::format("the mesh has {} dimensions; meshes of 2 and 3 dimensions are read", dim));
    block.dim = static_cast<int>(dim);
    const std::string names = file_.read_text(kZoneNames);
    const std::vector<std::int32_t> dims = file_.read_rows<std::int32_t>(kZoneDims, 0, rows_of(kZoneDims));
    std::size_t begin = 0;
    for (const std::int32_t zone_dim : dims) {
      const std::size_t end = names.find('\n', begin);
      if (end == std::string::npos) fail(fmt::format("{} has fewer lines than {} has numbers", kZoneNames, kZoneDims));
      const Zone zone{names.substr(begin, end - begin), zone_dim};
      if (std::find(block.zones.begin(), block.zones.end(), zone) != block.zones.end()) {
        throw MeshError("two zones have this name", "give each zone a name of its own, or join them",
                        Where{.file = path_, .zone = zone.name});
      }
      block.zones.push_back(zone);
      begin = end + 1;
    }
    if (begin != names.size()) fail(fmt::format("{} has more lines than {} has numbers", kZoneNames, kZoneDims));
    expect("Checksum", header_checksum(block.dim, block.zones), "dimension and zones");
  }

  /// Checks the checksums, which detect damage; files of other programs may lack them.
  void expect(const std::string& attribute, std::uint64_t sum, const std::string& what) const {
    if (!file_.has_attribute("/", attribute)) return;
    if (std::bit_cast<std::uint64_t>(file_.read_integer_attribute("/", attribute)) == sum) return;
    fail(fmt::format("{} are not those that were written (their checksum says so)", what));
  }

  [[nodiscard]] std::int64_t rows_of(const std::string& name) const {
    if (!file_.has(name)) fail(fmt::format("there is no {} in it", name));
    return file_.info(name).rows;
  }

  [[nodiscard]] Parts read_parts() const {
    Parts parts;
    const std::int64_t count = rows_of(kPartCells);
    for (const auto& [name, sizes, dataset] : {std::tuple(kPartCells, &parts.cells, std::string("cells/type")),
                                               {kPartNodes, &parts.nodes, kNodes},
                                               {kPartBoundary, &parts.boundary, std::string("boundary/type")}}) {
      if (rows_of(name) != count) fail(fmt::format("{} has {} entries for {} parts", name, rows_of(name), count));
      const auto read = rows<std::int64_t, std::int64_t>(name, 0, comm_.is_root() ? count : 0);
      sizes->assign(read.begin(), read.end());
      comm_.broadcast(*sizes);
      std::int64_t left = rows_of(dataset);
      for (const std::int64_t size : *sizes) {
        if (size < 0 || size > left) left = -1;
        if (left < 0) break;
        left -= size;
      }
      if (left != 0) fail(fmt::format("{} does not share out the {} rows of {}", name, rows_of(dataset), dataset));
    }
    return parts;
  }

  /// Returns first element and size of this rank's share: its part if there is one for each rank, otherwise an even share.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> share(std::int64_t all, const std::vector<std::int64_t>& part_sizes) const {
    if (std::ssize(part_sizes) == comm_.size()) {
      const auto mine = part_sizes.begin() + comm_.rank().value();
      return {std::accumulate(part_sizes.begin(), mine, std::int64_t{0}), *mine};
    }
    const std::int64_t first = even_start(all, comm_.rank().value(), comm_.size());
    return {first, even_start(all, comm_.rank().value() + 1, comm_.size()) - first};
  }

  template <class Scalar, class T>
  [[nodiscard]] TeamVector<T> rows(const std::string& name, std::int64_t first, std::int64_t count) const {
    TeamVector<T> values = file_.read_rows<T>(name, first, count, 1, team_);
    const std::span<const Scalar> scalars = as_scalars<Scalar>(std::span<const T>(values));
    expect(checksum_name(name), checksum(comm_, first * static_cast<std::int64_t>(kScalars<Scalar, T>), scalars, team_), name);
    return values;
  }

  [[nodiscard]] Elements read_elements(const std::string& group, const std::vector<std::int64_t>& part_sizes,
                                       GlobalCellId& first_of_share) const {
    const std::int64_t all = rows_of(group + "/type");
    for (const char* field : {"/zone", "/id"}) {
      if (const std::int64_t others = rows_of(group + field); others != all)
        fail(fmt::format("{}{} has {} entries for {} elements", group, field, others, all));
    }
    const auto [first, count] = share(all, part_sizes);
    first_of_share = GlobalCellId(first);
    Elements mine;
    mine.file_id = rows<std::int64_t, std::int64_t>(group + "/id", first, count);
    mine.zone = rows<std::int32_t, ZoneId>(group + "/zone", first, count);
    const auto types = rows<std::uint8_t, std::uint8_t>(group + "/type", first, count);
    resize_by_team(team_, mine.type, types.size());
    resize_by_team(team_, mine.offset, types.size() + 1);
    agreed(comm_, [&] {
      for_indices(team_, std::ssize(types), [&](std::int64_t i) {
        const auto type = cgns_type(types[i]);
        if (!type) {
          throw MeshError(fmt::format("unknown element type {} in {}/type", types[i], group),
                          "types are those of CGNS: see the guide", Where{.file = path_, .element = mine.file_id[i]});
        }
        mine.type[i] = *type;
        mine.offset[i + 1] = shape(*type).nodes;
      });
    });
    kernels::sum_up(mine.offset, team_);
    const std::int64_t entries = mine.offset.back(), first_entry = comm_.exclusive_sum(entries), wanted = comm_.sum(entries);
    if (const std::int64_t found = rows_of(group + "/nodes"); found != wanted)
      fail(fmt::format("{}/nodes has {} entries, and the elements' types ask for {}", group, found, wanted));
    mine.node = rows<std::int64_t, GlobalNodeId>(group + "/nodes", first_entry, entries);
    return mine;
  }

  const Communicator& comm_;
  const std::string& path_;
  Team& team_;
  io::Hdf5File file_;
};

}  // namespace

bool is_weft(const std::string& path) {
  const io::Hdf5Tree tree(path);
  if (tree.text_attribute("/", "Format") == kFormat) return true;
  if (tree.text_attribute("/", "Format") == "weft checkpoint")
    throw IoError("this is a checkpoint of a run, not a mesh", "name the mesh that the run was made on", Where{.file = path});
  if (tree.has("/", "VTKHDF"))
    throw IoError("these are results (VTKHDF), not a mesh", "name the mesh that the run was made on", Where{.file = path});
  return false;
}

void write_weft_file(const Communicator& comm, const MeshBlock& block, const std::string& path) {
  for (const Zone& zone : block.zones) {
    if (zone.name.empty() || zone.name.find_first_of(std::string_view("\n\0", 2)) != std::string::npos)
      throw IoError("the format cannot hold this zone name", "rename the zone", Where{.file = path, .zone = zone.name});
  }
  io::write_whole_hdf5(comm, path, [&](io::Hdf5File& file) {
    Writer writer(file);
    writer.header(block);
    writer.rows<double>(kNodes, block.coords);
    writer.elements("cells", block.cells);
    writer.elements("boundary", block.boundary);
    if (block.parts.count() > 0) writer.parts(block.parts);
  });
}

MeshBlock read_weft_file(const Communicator& comm, const std::string& path, Team& team) {
  return Reader(comm, path, team).read();
}

}  // namespace weft::mesh::detail
