// I/O tasks of a plan: snapshots of their data, which a thread of its own writes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/snapshot.hpp"

namespace weft::task {

std::span<const std::byte> Snapshot::bytes_of(DataId id, std::size_t entry_bytes) const {
  const auto found = std::ranges::find(copies_, id, &Copy::id);
  if (found == copies_.end()) {
    throw ContractError("an I/O task asks for data that it does not state to read", "add reads() of them to the task");
  }
  if (found->row_bytes % entry_bytes != 0) {
    throw ContractError(fmt::format("rows of {} bytes are asked for as elements of {} bytes", found->row_bytes, entry_bytes),
                        "ask for the element type of the array");
  }
  return found->bytes;
}

/// Fills snapshots.
class SnapshotMaker {
 public:
  explicit SnapshotMaker(std::int64_t iteration) { made_->iteration_ = iteration; }

  void add(DataId id, double number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    made_->copies_.push_back({id, sizeof number, {bytes.begin(), bytes.end()}});
  }
  /// Copies rows of the host side of an array, one after the other.
  void add(DataId id, const PairRef& array, const std::vector<IdRange<LocalRow>>& ranges) {
    std::vector<detail::Field> fields = array.fields(Side::host);
    std::erase_if(fields, [](const detail::Field& field) { return field.reducers == nullptr; });
    Snapshot::Copy copy{.id = id, .row_bytes = 0};
    for (const detail::Field& field : fields) copy.row_bytes += field.row_bytes;
    for (const IdRange<LocalRow> rows : ranges) {
      for (const LocalRow row : rows) {
        for (const detail::Field& field : fields) {
          copy.bytes.insert(copy.bytes.end(), field.row(row), field.row(row) + field.bytes_of(row));
        }
      }
    }
    made_->copies_.push_back(std::move(copy));
  }
  [[nodiscard]] std::shared_ptr<const Snapshot> made() const { return made_; }

 private:
  std::shared_ptr<Snapshot> made_ = std::make_shared<Snapshot>();
};

/// Copies what an I/O task reads, if it is due in this iteration, and lets the writer execute its body.
void Plan::Body::take_snapshot(const Node& node) {
  const Task& task = tasks[node.index];
  if (iterations_ % task.shape.every != 0) return;
  SnapshotMaker maker(iterations_);
  const std::vector<Access>& accesses = task.shape.accesses;
  for (auto access = accesses.begin(); access != accesses.end(); ++access) {
    const auto same = [&](const Access& other) { return other.data == access->data; };
    if (std::ranges::any_of(accesses.begin(), access, same)) continue;
    const Datum& datum = data[access->data.index()];
    if (datum.array) {
      Part part = Part::none;
      for (const Access& other : accesses) part = part | (same(other) ? other.part : Part::none);
      maker.add(access->data, *datum.array, datum.rows.of(part));
    } else {
      maker.add(access->data, *datum.number);
    }
  }
  writer_.add([this, &task, snapshot = maker.made()] {
    try {
      task.writes(*snapshot);
    } catch (...) {
      record_error(in_context(fmt::format("task '{}'", task.shape.name)));
    }
  });
}

}  // namespace weft::task
