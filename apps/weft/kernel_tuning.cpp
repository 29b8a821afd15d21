#include "kernel_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "weft/base/error.hpp"
#include "weft/io/text_file.hpp"
#include "weft/kernels/primitives/providers.hpp"

#include "kernel_space.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;
using kernels::Primitive;
using kernels::Provider;
using kernels::ProviderChoice;

/// Names of the enumerators, by value.
constexpr std::array kProviderNames{"automatic", "own", "library"};
constexpr std::array kPrimitiveNames{"sum", "segmented_sum", "scan", "sort_keys", "copy_if", "unique", "histogram"};
static_assert(kProviderNames.size() == static_cast<std::size_t>(Provider::library) + 1);
static_assert(kPrimitiveNames.size() == static_cast<std::size_t>(Primitive::histogram) + 1);

const char* name_of(Provider provider) { return kProviderNames.at(static_cast<std::size_t>(provider)); }
const char* name_of(Primitive primitive) { return kPrimitiveNames.at(static_cast<std::size_t>(primitive)); }

const KernelRow* find_row(const KernelResults& results, const TuningInput& input, double entries) {
  const auto found = std::find_if(results.rows.begin(), results.rows.end(), [&](const KernelRow& row) {
    return row.kernel == input.kernel && row.type == input.type && row.input == input.input && row.entries == entries;
  });
  return found == results.rows.end() ? nullptr : &*found;
}

/// The times of both providers on an input.
struct Compared {
  const TuningInput* input;
  double entries;
  KernelTimes own, library;

  [[nodiscard]] double of_library() const { return library.median / own.median; }
  [[nodiscard]] std::string name() const {
    std::string text(input->type);
    if (!input->input.empty()) text.append(", ").append(input->input);
    return entries == static_cast<double>(kMeasuredEntries[0]) ? text : fmt::format("{}, {:.0f} entries", text, entries);
  }
};

/// Returns the measurements for a row of the table, that which decides first.
std::vector<Compared> measurements_for(const ProviderChoice& choice, const KernelResults& results) {
  std::vector<Compared> compared;
  for (const std::int64_t n : kMeasuredEntries) {
    for (const TuningInput& input : kTuningSpace) {
      if (input.primitive != choice.primitive || input.bytes != choice.bytes) continue;
      const KernelRow* const row = find_row(results, input, static_cast<double>(n));
      const KernelTimes* const own = row == nullptr ? nullptr : row->find("own");
      const KernelTimes* const library = row == nullptr ? nullptr : row->find("library");
      if (own == nullptr || library == nullptr) {
        const std::string of = input.input.empty() ? "" : fmt::format(" ({})", input.input);
        throw IoError(fmt::format("{} of {} {}{} was not measured for both providers", input.kernel, n, input.type, of),
                      "build weft and the target bench_kernels_primitives again");
      }
      compared.push_back({.input = &input, .entries = static_cast<double>(n), .own = *own, .library = *library});
    }
  }
  return compared;
}

struct Decision {
  Provider provider;
  std::string reason;
};

Decision decide(const ProviderChoice& committed, const std::vector<Compared>& compared) {
  for (const FixedChoice& fixed : kFixedChoices) {
    if (fixed.primitive == committed.primitive && fixed.bytes == committed.bytes) return {fixed.provider, fixed.reason};
  }
  const Compared& first = compared.front();
  if (first.own.largest < first.library.least) return {Provider::own, "faster in all runs"};
  if (first.library.largest < first.own.least) return {Provider::library, "faster in all runs"};
  return {committed.provider, "the ranges of the times overlap, so that the committed provider stays"};
}

/// Returns "H100, weft bench kernels --tune, 0123abcd, 2026-11-28: 256 bins; 8192 bins 6.8".
std::string evidence_of(const TuningRun& run, const std::vector<Compared>& compared) {
  std::string text = fmt::format("{}, weft bench kernels --tune, {}, {}: {}", run.results.machine.at("gpu").get<std::string>(),
                                 run.commit, run.date, compared.front().name());
  for (std::size_t i = 1; i < compared.size(); ++i)
    text += fmt::format("; {} {:.2f}", compared[i].name(), compared[i].of_library());
  return text;
}

}  // namespace

TuningCache::TuningCache(fs::path file) : file_(std::move(file)) {
  const fs::path folder = fs::absolute(file_).parent_path();
  io::make_directories(folder);
  read();
  write();
}

void TuningCache::read() {
  std::error_code failed;
  if (fs::exists(file_, failed)) {
    const Json cache = Json::parse(io::read_text(file_), nullptr, /*allow_exceptions=*/false);
    const bool good = cache.is_object() && cache.value("command", Json()) == "bench kernels --tune" &&
                      cache.contains("entries") && cache["entries"].is_array();
    if (!good) {
      throw IoError("this is no cache of weft bench kernels --tune, or it is damaged",
                    "remove it, or choose another file with --cache", {.file = file_.string()});
    }
    entries_ = cache["entries"];
  }
}

fs::path TuningCache::default_file() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  constexpr const char* kFile = "kernel_tuning.json";
  if (cache != nullptr && *cache != 0) return fs::path(cache) / "weft" / kFile;
  if (home != nullptr && *home != 0) return fs::path(home) / ".cache" / "weft" / kFile;
  throw IoError("there is no folder for the cache (neither XDG_CACHE_HOME nor HOME is set)", "name a file with --cache");
}

bool TuningCache::is_of(const Json& entry, const TuningRun& run) const {
  const Json& machine = run.results.machine;
  return entry.at("machine").at("gpu") == machine.at("gpu") && entry.at("machine").at("cuda") == machine.at("cuda") &&
         entry.at("commit") == run.commit && entry.at("program") == run.program;
}

bool TuningCache::find(TuningRun& run) const {
  try {
    for (const Json& entry : entries_) {
      if (!is_of(entry, run)) continue;
      run.date = entry.at("date").get<std::string>();
      run.results = {.machine = entry.at("machine"), .rows = {}};
      for (const Json& row : entry.at("rows")) run.results.rows.push_back(kernel_row(row));
      (void)table_head(run.results.machine);
      (void)copy_rate(run.results.machine);
      (void)choose_providers(run);  // throws if an input is missing
      return true;
    }
    return false;
  } catch (const Json::exception&) {
  } catch (const IoError&) {
  }
  throw IoError("an entry of this cache of weft bench kernels --tune is damaged",
                "remove it, or choose another file with --cache", {.file = file_.string()});
}

void TuningCache::store(const TuningRun& run) {
  Json rows = Json::array();
  for (const KernelRow& row : run.results.rows) rows.push_back(to_json(row));
  read();  // other searches may have added entries meanwhile
  entries_.push_back({{"commit", run.commit},
                      {"program", run.program},
                      {"date", run.date},
                      {"machine", run.results.machine},
                      {"rows", std::move(rows)}});
  write();
}

void TuningCache::write() const {
  io::write_text(file_, Json{{"format", 1}, {"command", "bench kernels --tune"}, {"entries", entries_}}.dump(1) + '\n');
}

std::vector<KernelChoice> choose_providers(const TuningRun& run) {
  std::vector<KernelChoice> choices;
  for (const ProviderChoice& committed : kernels::kProviderChoices) {
    const std::vector<Compared> compared = measurements_for(committed, run.results);
    const Decision decision = decide(committed, compared);
    const std::string evidence = compared.empty() ? committed.evidence : evidence_of(run, compared);
    choices.push_back({.row = fmt::format("{{Primitive::{}, {}, Provider::{}, {:.3g}, {}}},", name_of(committed.primitive),
                                          committed.bytes, name_of(decision.provider),
                                          compared.empty() ? 0 : compared.front().of_library(), Json(evidence).dump()),
                       .primitive = name_of(committed.primitive),
                       .provider = name_of(decision.provider),
                       .committed = name_of(committed.provider),
                       .bytes = committed.bytes,
                       .reason = decision.reason,
                       .differs = decision.provider != committed.provider});
  }
  return choices;
}

std::string tile_choices(const KernelResults& results) {
  std::string text;
  for (const KernelRow& row : results.rows) {
    const KernelTimes* const own = row.find("own");
    if (row.kernel != "sort" || row.entries != static_cast<double>(kMeasuredEntries[0]) || own == nullptr) continue;
    const KernelTimes* fastest = own;
    for (const KernelTimes& times : row.times) {
      if (times.candidate != "library" && times.largest < fastest->least) fastest = &times;
    }
    const std::size_t tried = row.times.size() - (row.find("library") == nullptr ? 1 : 2);
    if (tried == 0) continue;
    text += fmt::format("tile sizes of the sort of {} keys: ", row.type);
    text += fastest == own
                ? fmt::format("those of KeySortTuning, than which no other ({} measured) is faster in all runs\n", tried)
                : fmt::format("{} takes {:.3f} of the time of those of KeySortTuning\n", fastest->candidate,
                              fastest->median / own->median);
  }
  return text;
}

std::string describe_choices(const std::vector<KernelChoice>& choices) {
  std::string text = "rows of kProviderChoices (kernels/primitives/providers.hpp) by these measurements:\n";
  std::size_t different = 0;
  for (const KernelChoice& choice : choices) {
    different += choice.differs ? 1 : 0;
    const std::string compared =
        choice.differs ? fmt::format("differs from the committed provider ({})", choice.committed) : "as committed";
    text += fmt::format("    {}\n        // {}: {}\n", choice.row, compared, choice.reason);
  }
  return text + fmt::format("{} of {} rows differ from the committed table\n", different, choices.size());
}

Json to_json(const KernelChoice& choice) {
  return {{"primitive", choice.primitive},
          {"entry_bytes", choice.bytes},
          {"provider", choice.provider},
          {"committed", choice.committed},
          {"differs", choice.differs},
          {"reason", choice.reason},
          {"row", choice.row}};
}

}  // namespace weft::app
