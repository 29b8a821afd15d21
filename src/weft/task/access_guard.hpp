#pragma once
/// AccessGuard: finds accesses of tasks to data that they do not state.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/device/stream.hpp"
#include "weft/task/access.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Guards all data of a graph, on both sides, while one task is executed.
///
/// Rows that the task may not read have the bytes of signalling NaNs meanwhile, whose payload is a number for the array, the
/// part, the subsets and the side. So a read of them is found in what the task writes, or by the exception flag of the processor
/// for invalid operands. A write is found because the bytes of rows that the task may not write change. Reads of integers are
/// found only where they are copied as a whole.
///
/// A device has only floating-point numbers poisoned, because kernels use integers as addresses. Operations of a GPU drop the
/// payload and set no flag; there, NaNs in what a task writes stand for the flag.
class AccessGuard {
 public:
  /// @param data  must outlive the guard.  @param device  the backend of their device sides; host: there are none.
  AccessGuard(std::vector<Datum>& data, Backend device);

  /// Saves and poisons what the task of a node does not state. @param rows  as Node::rows.
  /// @pre no work of the device is pending, also in the functions below.
  void begin(const TaskShape& task, Part rows);
  /// Restores what the task may not write. Returns the first change of it as text; empty if there is none.
  [[nodiscard]] std::string restore();
  /// Restores, and checks.
  /// @throws ContractError for the first access that the task does not state: it names the array and the part; the arrays that
  /// the task may write have undefined values then.
  void end();

 private:
  /// A single part of an array, a number or memory, on one side. One of these is guarded for each. Tags are their numbers.
  struct Piece {
    std::size_t data;
    Part part;
    Side side;
    std::vector<IdRange<LocalRow>> rows;  ///< rows of an array
    bool may_read = false, may_write = false;
    std::vector<std::byte> saved{}, poison{};
  };
  [[nodiscard]] std::string describe(const Piece& piece) const;
  void add_pieces(std::size_t data, Side side);
  /// The memory of a piece, or of one of its fields.
  struct Memory {
    std::byte* begin;
    std::size_t bytes;
    Side side;
  };
  template <class F>
  void with_host_copy(const Memory& memory, bool changes, const F& f);
  template <class F>
  void for_each_block(const Piece& piece, bool changes, const F& f);
  void find_poison(const Piece& piece);
  [[nodiscard]] bool has_nan(const Piece& piece);

  std::vector<Datum>& data_;
  std::vector<Piece> pieces_;
  Backend device_;
  Stream stream_;                     ///< stream of the device
  std::vector<std::byte> host_copy_;  ///< copy of memory of the device
  Side side_ = Side::host;            ///< that of the present task
};

}  // namespace weft::task
