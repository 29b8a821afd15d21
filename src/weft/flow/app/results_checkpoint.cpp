// Checkpoints in the results folder of a run.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/checkpoint.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/flow/app/results_folder.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using detail::kCheckpointFile;
using detail::kPreviousCheckpointFile;

}  // namespace

void Results::start_checkpoint(const Solver& solver, double largest_residual, double residual) {
  WEFT_EXPECTS(!checkpoint_);
  const std::unique_ptr<Team> team = make_team();
  checkpoint_.emplace(Writing{begin_checkpoint(solver, effective_, largest_residual, residual, folder_ / kCheckpointFile, *team),
                              solver.steps()});
  checkpoint_->file.start();
}

bool Results::checkpoint_needs_fields() const { return checkpoint_ && fields_ && fields_->step <= checkpoint_->step; }

bool Results::checkpoint_is_written() const {
  return checkpoint_ && checkpoint_->file.is_written() && (!checkpoint_needs_fields() || fields_are_written());
}

std::optional<fs::path> Results::finish_checkpoint() {
  if (!checkpoint_) return {};
  WEFT_EXPECTS(!checkpoint_needs_fields());
  io::PendingFile file = std::move(std::exchange(checkpoint_, std::nullopt)->file);
  file.finish(std::exchange(newest_is_damaged_, false) ? fs::path() : folder_ / kPreviousCheckpointFile);
  return file.path();
}

Resumed Results::read_checkpoint(const mesh::Mesh& mesh) {
  const fs::path newest = folder_ / kCheckpointFile, previous = folder_ / kPreviousCheckpointFile;
  const bool has_previous = comm_.broadcast(comm_.is_root() && fs::exists(previous));
  agreed(comm_, [&] {
    if (comm_.is_root() && !has_previous && !fs::exists(newest)) {
      throw InputError("this run left no checkpoint to go on from", "give --overwrite to start it again",
                       {.file = newest.string()});
    }
  });
  try {
    return flow::read_checkpoint(mesh, case_, newest);
  } catch (const IoError& error) {
    std::optional<Resumed> resumed;
    try {
      if (has_previous) resumed = flow::read_checkpoint(mesh, case_, previous);
    } catch (const IoError&) {  // the error of the newest one is reported
    }
    if (!resumed) {
      if (!error.suggestion().empty()) throw;
      throw IoError(error.problem(),
                    fmt::format("{}: give --overwrite to start it again",
                                has_previous ? fmt::format("the one before it, {}, is damaged, too", previous.string())
                                             : "there is no other checkpoint of this run"),
                    error.where());
    }
    resumed->instead_of = error.what();
    newest_is_damaged_ = true;
    return *resumed;
  }
}

Resumed Results::read_checkpoint_of(const fs::path& folder, const mesh::Mesh& mesh) const {
  return flow::read_checkpoint(mesh, case_, folder / kCheckpointFile);
}

}  // namespace weft::flow
