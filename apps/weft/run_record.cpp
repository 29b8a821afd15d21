#include "run_record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include "weft/base/team.hpp"
#include "weft/device/info.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/text_file.hpp"

#include "build_commit.hpp"
#include "json_output.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;
constexpr double kSaveInterval = 5;  // seconds
constexpr const char* kCalls = "calls";

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string line, word;
  while (std::getline(in, word, '\0')) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  }
  return {};
}

/// Returns the start time of this process, in ticks since the machine's: with the pid it distinguishes a run from a later
/// process.
std::string process_start() {
  std::ifstream in("/proc/self/stat");
  std::string line;
  std::getline(in, line);
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string word;
  for (int k = 0; k < 20; ++k) fields >> word;
  return word;
}

nlohmann::ordered_json describe_call() {
  utsname machine{};
  uname(&machine);
  std::error_code ignored;
  return {{"status", "running"},
          {"command", command_line()},
          {"directory", fs::current_path(ignored).string()},
          {"started", now()},
          {"version", WEFT_VERSION},
          {"commit", kCommit},
          {"build", WEFT_BUILD_TYPE},
          {"compiler", host_info().compiler},
          {"host", machine.nodename},
          {"system", fmt::format("{} {}", machine.sysname, machine.release)},
          {"architecture", machine.machine},
          {"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"pid", getpid()},
          {"process_start", process_start()}};
}

nlohmann::ordered_json describe_verdict(const flow::Verdict& verdict) {
  nlohmann::ordered_json criteria = nlohmann::ordered_json::array(), decades = nlohmann::ordered_json::object(),
                         drifts = nlohmann::ordered_json::array();
  for (const flow::Verdict::Criterion& each : verdict.criteria)
    criteria.push_back({{"key", each.key}, {"wanted", each.wanted}, {"reached", each.reached}, {"met", each.met}});
  for (const flow::Verdict::Decades& each : verdict.decades) decades[each.variable] = each.dropped;
  for (const flow::Verdict::ForceDrift& each : verdict.drifts) {
    drifts.push_back({{"name", each.force},
                      {"since_step", each.since_step},
                      {"drag", each.drag},
                      {"lift", each.lift},
                      {"settled", each.settled()}});
  }
  nlohmann::ordered_json record{{"good", verdict.good}, {"steady", verdict.steady}, {"headline", verdict.headline},
                                {"criteria", criteria}, {"decades", decades},       {"forces", drifts}};
  if (verdict.reference_lengths) record["reference_lengths"] = *verdict.reference_lengths;
  if (verdict.domain_lengths) record["domain_lengths"] = *verdict.domain_lengths;
  return record;
}

/// Returns each force at the end: N and N m, and coefficients if there is a free stream that moves.
nlohmann::ordered_json describe_forces(const std::vector<flow::ForceSpec>& specs, const flow::RunSummary& summary) {
  const auto list = [](Vec3 v) { return nlohmann::ordered_json{v.x, v.y, v.z}; };
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const flow::ForceSpec& spec : specs) {
    const flow::Forces& on = summary.forces.at(spec.name);
    nlohmann::ordered_json record{
        {"name", spec.name}, {"force", list(on.force)}, {"moment", list(on.moment)}, {"moment_centre", list(spec.moment_centre)}};
    if (spec.has_coefficients()) {
      record["cd"] = on.drag;
      record["cl"] = on.lift;
      record["cm"] = on.pitch;
      record["cm_sign"] = flow::kPitchSign;
    }
    all.push_back(record);
  }
  return all;
}

/// Returns the calls of the earlier runs; none if the file is missing or damaged.
nlohmann::ordered_json earlier_calls(const fs::path& file) {
  std::ifstream in(file);
  const nlohmann::ordered_json record = nlohmann::ordered_json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains(kCalls) || !record[kCalls].is_array()) return nlohmann::ordered_json::array();
  return record[kCalls];
}

}  // namespace

RunRecord::RunRecord(const Communicator& comm, const flow::Case& flow_case, bool resumes, flow::RunObserver& next)
    : comm_(comm),
      next_(next),
      forces_(flow_case.forces),
      threads_(flow::start_up_threads(comm, flow_case)),
      file_(flow_case.output.directory / flow::kRecordFile),
      resumes_(resumes) {
  const Communicator machine = comm.split_shared_memory();
  const std::int64_t machines = comm.sum(static_cast<std::int64_t>(machine.is_root() ? 1 : 0));
  if (!comm.is_root()) return;
  call_ = describe_call();
  call_["ranks"] = comm.size();
  call_["machines"] = machines;
  call_["first_step"] = 0;
}

void RunRecord::starting(std::string_view phase, double seconds) { next_.starting(phase, seconds); }

void RunRecord::mesh_ready(const mesh::Mesh& mesh, double seconds) {
  Team team(threads_);
  const mesh::MeshStats stats = mesh::measure(mesh, team);
  if (comm_.is_root()) {
    mesh_ = to_json(stats);
    call_["seconds"]["mesh"] = seconds;
  }
  next_.mesh_ready(mesh, seconds);
}

void RunRecord::warned(const std::string& text) { next_.warned(text); }

void RunRecord::solver_ready(const flow::Solver& solver) {
  if (comm_.is_root()) {
    call_["device"] = solver.on_gpu() ? "cuda" : "host";
    if (!solver.on_gpu()) call_["threads"] = solver.threads();
    if (solver.on_gpu()) {
      const CudaInfo cuda = cuda_info();
      if (!cuda.devices.empty()) call_["gpu"] = cuda.devices.front().name;
    }
    if (!solver.transport().empty()) call_["transport"] = solver.transport();
    call_["seconds"]["ready"] = wall_.seconds();
  }
  next_.solver_ready(solver);
}

void RunRecord::resumed(const fs::path& checkpoint, std::int64_t step, double time, const std::string& instead_of) {
  if (comm_.is_root()) {
    call_["first_step"] = step;
    call_["first_time"] = time;
  }
  next_.resumed(checkpoint, step, time, instead_of);
}

void RunRecord::changed(const std::vector<io::CaseChange>& changes) {
  if (comm_.is_root()) {
    for (const io::CaseChange& change : changes)
      call_["changes"].push_back({{"key", change.key}, {"before", change.before}, {"now", change.now}});
  }
  next_.changed(changes);
}

void RunRecord::began() {
  if (comm_.is_root()) save(io::Durable::no);
  next_.began();
}

void RunRecord::advanced(const flow::Progress& progress) {
  if (comm_.is_root()) {
    call_["step"] = progress.step;
    call_["time"] = progress.time;
    call_["fraction"] = progress.fraction;
    call_["cell_residuals_per_second"] = progress.cell_residuals_per_second;
    call_["seconds"]["stepping"] = progress.stepping_seconds;
    if (since_saved_.seconds() > kSaveInterval) save(io::Durable::no);
  }
  next_.advanced(progress);
}

void RunRecord::wrote(const fs::path& file) {
  if (comm_.is_root()) save(io::Durable::no);
  next_.wrote(file);
}

void RunRecord::ended(const flow::RunSummary& summary) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const std::int64_t mine = static_cast<std::int64_t>(used.ru_maxrss) * 1024, most = comm_.max(mine), all = comm_.sum(mine);
  if (!comm_.is_root()) return next_.ended(summary);
  const bool stopped = summary.reason == flow::StopReason::interrupted || summary.reason == flow::StopReason::wall_time;
  call_["status"] = stopped ? "stopped" : "finished";
  call_["reason"] = flow::describe(summary.reason);
  call_["step"] = summary.steps;
  call_["time"] = summary.time;
  call_["verdict"] = describe_verdict(summary.verdict);
  if (!forces_.empty()) call_["forces"] = describe_forces(forces_, summary);
  call_["memory_bytes"] = {{"largest_rank", most}, {"all_ranks", all}};
  save();
  next_.ended(summary);
}

void RunRecord::failed(const std::string& message) {
  if (!comm_.is_root() || !begun_) return;  // a run that did not begin does not change existing results
  call_["status"] = "failed";
  call_["reason"] = message;
  save();
}

void RunRecord::save(io::Durable durable) {
  if (!begun_ && resumes_) earlier_ = earlier_calls(file_);
  begun_ = true;
  since_saved_.restart();
  call_["updated"] = now();
  call_["seconds"]["wall"] = wall_.seconds();
  nlohmann::ordered_json calls = earlier_;
  calls.push_back(call_);
  const nlohmann::ordered_json record{{"format", 1}, {"mesh", mesh_}, {kCalls, calls}};
  try {
    io::write_text(file_, record.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n', durable);
  } catch (const IoError&) {  // a run continues without its record
  }
}

}  // namespace weft::app
