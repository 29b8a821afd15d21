#include "weft/io/checkpoint.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "weft/base/contracts.hpp"
#include "weft/base/mix.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/rank_lists.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

namespace weft::io {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFormat = "weft checkpoint";
constexpr std::int64_t kVersion = 2;

std::string field_name(const std::string& field) { return "fields/" + field; }

// Location of a row: rank, and index among the rows of the rank.
struct Location {
  std::int32_t rank = -1, row = -1;
};

// The keys 0 ... keys - 1, distributed over the ranks.
struct Directory {
  std::int64_t keys, share;
  Directory(std::int64_t all_keys, int ranks) : keys(all_keys), share((all_keys + ranks - 1) / ranks) {}
  [[nodiscard]] Rank rank_of(std::int64_t key) const { return Rank(key / share); }
  [[nodiscard]] std::int64_t first(int rank) const { return std::min(keys, share * rank); }
  [[nodiscard]] bool has(std::int64_t key) const { return key >= 0 && key < keys; }
};

// Returns the checksum of all contents except fields.
std::uint64_t header_checksum(const CheckpointInfo& info) {
  std::uint64_t sum = info.mesh_fingerprint;
  for (const std::int64_t number : {info.step, info.global_cells, std::int64_t{info.ranks}})
    sum = mix_bits(sum + static_cast<std::uint64_t>(number));
  sum = mix_bits(sum + std::bit_cast<std::uint64_t>(info.time));
  sum = hash_text(info.case_text, sum);
  for (const auto& [name, value] : info.numbers) sum = mix_bits(hash_text(name, sum) + std::bit_cast<std::uint64_t>(value));
  return sum;
}

std::string checksum_name(const std::string& field) { return "Checksum of " + field; }

}  // namespace

std::uint64_t fingerprint(const Communicator& comm, std::span<const std::int64_t> keys, std::span<const double> values) {
  Team alone;
  return fingerprint(comm, keys, values, alone);
}

std::uint64_t fingerprint(const Communicator& comm, std::span<const std::int64_t> keys, std::span<const double> values,
                          Team& team) {
  WEFT_EXPECTS(keys.empty() ? values.empty() : values.size() % keys.size() == 0);
  const std::size_t width = keys.empty() ? 0 : values.size() / keys.size();
  std::vector<std::uint64_t> sums(shares_of(team, std::ssize(keys)));
  for_shares(team, std::ssize(keys), [&](LoopShare share) {
    std::uint64_t sum = 0;
    for (std::size_t i = share.begin; i < static_cast<std::size_t>(share.end); ++i) {
      std::uint64_t row = hash_with(0, static_cast<std::uint64_t>(keys[i]));
      for (std::size_t k = 0; k < width; ++k)
        row = mix_bits(row + std::bit_cast<std::uint64_t>(values[i * width + k] + 0.0));  // -0 counts as 0
      sum += row;
    }
    sums[share.number] = sum;
  });
  return comm.sum(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}));
}

void write_checkpoint(const Communicator& comm, const fs::path& path, const CheckpointInfo& info,
                      std::span<const std::int64_t> keys, std::span<const CheckpointField> fields, const fs::path& previous) {
  Team alone;
  begin_checkpoint(comm, path, info, keys, fields, {}, alone).finish(previous);
}

PendingFile begin_checkpoint(const Communicator& comm, const fs::path& path, const CheckpointInfo& info,
                             std::span<const std::int64_t> keys, std::span<const CheckpointField> fields,
                             const std::shared_ptr<const void>& owner, Team& team) {
  agreed(comm, [&] {
    for (const CheckpointField& field : fields) {
      if (field.width < 1 || field.values.size() != keys.size() * static_cast<std::size_t>(field.width)) {
        throw ContractError(fmt::format("checkpoint: field {} has {} values for {} rows of {}", field.name, field.values.size(),
                                        keys.size(), field.width));
      }
    }
  });
  const auto rows = static_cast<std::int64_t>(keys.size());
  if (comm.sum(rows) != info.global_cells) {
    throw ContractError(fmt::format("checkpoint: the ranks have {} rows for {} cells", comm.sum(rows), info.global_cells));
  }
  std::vector<std::uint64_t> sums;
  for (const CheckpointField& field : fields) sums.push_back(fingerprint(comm, keys, field.values, team));
  CheckpointInfo header = info;
  header.ranks = comm.size();
  const auto write = [&](Hdf5File& file) {
    file.write_attribute("/", "Format", kFormat);
    file.write_attribute("/", "Version", kVersion);
    file.write_attribute("/", "Step", info.step);
    file.write_attribute("/", "Time", info.time);
    file.write_attribute("/", "Ranks", std::int64_t{comm.size()});
    file.write_attribute("/", "Cells", info.global_cells);
    file.write_attribute("/", "Mesh", std::bit_cast<std::int64_t>(info.mesh_fingerprint));
    file.write_text("case", info.case_text);
    std::string names;
    std::vector<double> numbers;
    for (const auto& [name, value] : info.numbers) {
      names += name + "\n";
      if (comm.is_root()) numbers.push_back(value);
    }
    file.write_text("number_names", names);
    file.write_rows("numbers", std::span<const double>(numbers));
    file.write_rows("rows_of_rank", std::span<const std::int64_t>(&rows, 1));
    file.write_rows_on_close("key", keys, 1, owner);
    file.make_group("fields");
    for (const CheckpointField& field : fields) {
      file.write_rows_on_close(field_name(field.name), field.values, field.width, owner);
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      file.write_attribute("/", checksum_name(fields[i].name), std::bit_cast<std::int64_t>(sums[i]));
    }
    file.write_attribute("/", "Checksum", std::bit_cast<std::int64_t>(header_checksum(header)));
  };
  return {comm, path, write};
}

struct CheckpointReader::State {
  Hdf5File file;
  CheckpointInfo info{};
  std::int64_t first = 0, rows = 0;               ///< the rows of the file that this rank reads
  std::vector<std::int64_t> stored{};             ///< keys of these rows
  std::vector<RankValues<std::int32_t>> given{};  ///< requested rows of this range by rank
  std::vector<std::int32_t> chosen{};             ///< for each row selected by this rank, the rank that reads it
  bool ready = false;

  /// Sets first and rows. @throws IoError: the counts of rows are damaged. @collective
  void take_share(const Where& where);
};

CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;
CheckpointReader& CheckpointReader::operator=(CheckpointReader&&) noexcept = default;
CheckpointReader::~CheckpointReader() = default;

CheckpointReader::CheckpointReader(const Communicator& comm, const fs::path& path)
    : state_(std::make_unique<State>(State{Hdf5File::open(comm, path)})) {
  const Hdf5File& file = state_->file;
  const Where where{.file = path.string()};
  if (!file.has_attribute("/", "Format") || file.read_text_attribute("/", "Format") != kFormat) {
    throw IoError("is not a checkpoint of Weft", "name a checkpoint file", where);
  }
  if (const std::int64_t version = file.read_integer_attribute("/", "Version"); version != kVersion) {
    throw IoError(fmt::format("is a checkpoint of format {}, and this program reads format {}", version, kVersion),
                  "use the version of Weft that wrote it", where);
  }
  CheckpointInfo& info = state_->info;
  info.step = file.read_integer_attribute("/", "Step");
  info.time = file.read_real_attribute("/", "Time");
  info.ranks = static_cast<int>(file.read_integer_attribute("/", "Ranks"));
  info.global_cells = file.read_integer_attribute("/", "Cells");
  info.mesh_fingerprint = std::bit_cast<std::uint64_t>(file.read_integer_attribute("/", "Mesh"));
  info.case_text = file.read_text("case");
  const std::string names = file.read_text("number_names");
  const std::vector<double> numbers = file.read_rows<double>("numbers", 0, file.info("numbers").rows);
  std::size_t begin = 0;
  for (const double value : numbers) {
    const std::size_t end = names.find('\n', begin);
    if (end == std::string::npos) throw IoError("has numbers without names: it is damaged", {}, where);
    info.numbers.emplace_back(names.substr(begin, end - begin), value);
    begin = end + 1;
  }
  if (header_checksum(info) != std::bit_cast<std::uint64_t>(file.read_integer_attribute("/", "Checksum"))) {
    throw IoError("is damaged: what it says of the run is not what was written", {}, where);
  }
  if (file.info("key").rows != info.global_cells) {
    throw IoError(fmt::format("has {} rows for {} cells: it is damaged", file.info("key").rows, info.global_cells), {}, where);
  }
}

const CheckpointInfo& CheckpointReader::info() const { return state_->info; }

double CheckpointReader::number(const std::string& name) const {
  for (const auto& [known, value] : state_->info.numbers) {
    if (known == name) return value;
  }
  throw IoError(fmt::format("has no number called {}", name), "it was written by another kind of run",
                Where{.file = state_->file.path().string()});
}

void CheckpointReader::expect_mesh(std::int64_t global_cells, std::uint64_t mesh_fingerprint) const {
  const CheckpointInfo& info = state_->info;
  const Where where{.file = state_->file.path().string()};
  if (info.global_cells != global_cells) {
    throw IoError(fmt::format("belongs to a mesh of {} cells, and this one has {}", info.global_cells, global_cells),
                  "use the mesh with which it was written", where);
  }
  if (info.mesh_fingerprint != mesh_fingerprint) {
    throw IoError(fmt::format("belongs to another mesh of {} cells", global_cells), "use the mesh with which it was written",
                  where);
  }
}

void CheckpointReader::State::take_share(const Where& where) {
  const int ranks = file.comm().size(), me = file.comm().rank().value();
  // Each rank reads the rows that it wrote; with another number of ranks, an even share.
  const std::int64_t cells = info.global_cells;
  first = cells * me / ranks;
  rows = cells * (me + 1) / ranks - first;
  if (info.ranks == ranks) {
    const std::vector<std::int64_t> counts = file.read_rows<std::int64_t>("rows_of_rank", 0, ranks);
    // Every rank reads all numbers, so that all ranks detect the same errors.
    std::int64_t left = cells;
    for (const std::int64_t of_rank : counts) {
      if (of_rank < 0 || of_rank > left) {
        left = -1;
        break;
      }
      left -= of_rank;
    }
    if (left != 0)
      throw IoError(fmt::format("has rows of {} ranks that are not {} cells: it is damaged", ranks, cells), {}, where);
    first = std::accumulate(counts.begin(), counts.begin() + me, std::int64_t{0});
    rows = counts[me];
  }
}

void CheckpointReader::choose_rows(std::span<const std::int64_t> keys) {
  State& state = *state_;
  const Communicator& comm = state.file.comm();
  const int ranks = comm.size(), me = comm.rank().value();
  const Where where{.file = state.file.path().string()};

  state.take_share(where);
  state.stored = state.file.read_rows<std::int64_t>("key", state.first, state.rows);
  const std::vector<std::int64_t>& stored = state.stored;

  // Each rank sends the keys that it reads to the ranks of the directory ...
  const Directory directory(state.info.global_cells, ranks);
  RankLists<std::int64_t> published, requested;
  RankLists<std::int32_t> published_rows;
  agreed(comm, [&] {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (!directory.has(stored[i])) throw IoError(fmt::format("has a row for cell {}: it is damaged", stored[i]), {}, where);
      published[directory.rank_of(stored[i])].push_back(stored[i]);
      published_rows[directory.rank_of(stored[i])].push_back(static_cast<std::int32_t>(i));
    }
    for (const std::int64_t key : keys) {
      if (!directory.has(key))
        throw IoError(fmt::format("has no row for cell {}", key), "use the mesh with which it was written", where);
      requested[directory.rank_of(key)].push_back(key);
    }
  });
  const auto announced = comm.all_to_all(std::move(published).by_rank());
  const auto announced_rows = comm.all_to_all(std::move(published_rows).by_rank());
  const std::int64_t base = directory.first(me);
  std::vector<Location> location(directory.first(me + 1) - base);
  agreed(comm, [&] {
    for (std::size_t n = 0; n < announced.size(); ++n) {
      const auto& [rank, published_keys] = announced[n];
      for (std::size_t i = 0; i < published_keys.size(); ++i) {
        Location& at = location[published_keys[i] - base];
        if (at.rank >= 0) throw IoError(fmt::format("has two rows for cell {}: it is damaged", published_keys[i]), {}, where);
        at = {rank.value(), announced_rows[n].values[i]};
      }
    }
    for (std::size_t i = 0; i < location.size(); ++i) {
      if (location[i].rank < 0) {
        throw IoError(fmt::format("has no row for cell {}: it is damaged", base + static_cast<std::int64_t>(i)), {}, where);
      }
    }
  });

  // ... which reply to requests with the locations of the rows ...
  std::vector<RankValues<Location>> answers;
  for (const auto& [rank, requested_keys] : comm.all_to_all(std::move(requested).by_rank())) {
    std::vector<Location>& list = answers.emplace_back(RankValues<Location>{rank, {}}).values;
    for (const std::int64_t key : requested_keys) list.push_back(location[key - base]);
  }
  RankReader<Location> found(comm.all_to_all(answers));

  // ... and the rows are requested from the ranks that read them.
  RankLists<std::int32_t> wanted;
  state.chosen.clear();
  for (const std::int64_t key : keys) {
    const Location at = found.next(directory.rank_of(key));
    state.chosen.push_back(at.rank);
    wanted[Rank(at.rank)].push_back(at.row);
  }
  state.given = comm.all_to_all(std::move(wanted).by_rank());
  state.ready = true;
}

std::vector<double> CheckpointReader::read(const std::string& field, int width) const {
  WEFT_EXPECTS(state_->ready);
  const State& state = *state_;
  const std::size_t columns = width;
  const std::vector<double> part = state.file.read_rows<double>(field_name(field), state.first, state.rows, width);
  const auto written = std::bit_cast<std::uint64_t>(state.file.read_integer_attribute("/", checksum_name(field)));
  if (fingerprint(state.file.comm(), state.stored, part) != written) {
    throw IoError(fmt::format("is damaged: the values of {} are not those that were written", field), {},
                  Where{.file = state.file.path().string()});
  }
  std::vector<RankValues<double>> sent;
  for (const auto& [rank, rows] : state.given) {
    std::vector<double>& list = sent.emplace_back(RankValues<double>{rank, {}}).values;
    for (const std::int32_t row : rows) {
      const auto begin = part.begin() + static_cast<std::ptrdiff_t>(row) * width;
      list.insert(list.end(), begin, begin + width);
    }
  }
  RankReader<double> received(state.file.comm().all_to_all(sent));
  std::vector<double> values;
  values.reserve(state.chosen.size() * columns);
  for (const std::int32_t rank : state.chosen) {
    const auto row = received.next(Rank(rank), columns);
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

bool CheckpointReader::has(const std::string& field) const { return state_->file.has(field_name(field)); }

}  // namespace weft::io
