#pragma once
/// AccessGuard: finds accesses of tasks to data that they do not state.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/task/access.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Guards all data of a graph while one task is executed.
///
/// Rows that the task may not read have the bytes of signalling NaNs meanwhile, whose payload is the number of the array and the
/// part. So a read of them is found in what the task writes, or by the exception flag of the processor for invalid operands. A
/// write is found because the bytes of rows that the task may not write change. Reads of integers are found only where they are
/// copied as a whole.
class AccessGuard {
 public:
  /// @param data  must outlive the guard.
  explicit AccessGuard(std::vector<Datum>& data);

  /// Saves and poisons what the task of a node does not state. @param rows  as Node::rows.
  void begin(const TaskShape& task, Part rows);
  /// Restores what the task may not write. Returns the first change of it as text; empty if there is none.
  [[nodiscard]] std::string restore();
  /// Restores, and checks.
  /// @throws ContractError for the first access that the task does not state: it names the array and the part; the arrays that
  /// the task may write have undefined values then.
  void end();

 private:
  /// A part of an array, or a number. One of these is guarded for each.
  struct Piece {
    std::size_t data;
    Part part;
    std::int32_t first, last;  ///< rows
    bool may_read = false, may_write = false;
    std::vector<std::byte> saved{}, poison{};
  };
  [[nodiscard]] std::string describe(const Piece& piece) const;
  template <class F>
  void for_each_block(const Piece& piece, const F& f);
  void find_poison(const Piece& piece);

  std::vector<Datum>& data_;
  std::vector<Piece> pieces_;
};

}  // namespace weft::task
