#pragma once
/// The exchanges, reductions over ranks and copies between sides that the operations of an iteration need.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/task/operation.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// A copy between the two sides.
struct SideCopy {
  DataId data;
  Part part;
  Side to;
  std::string reason;
  int every = 1;  ///< made in one of so many iterations
};

/// An exchange of one or several arrays that is placed in front of operation `slot`.
struct PlacedExchange {
  ExchangeShape shape;
  int space;   ///< as in DataShape
  int slot;    ///< the earliest place at which all its arrays can be sent
  int latest;  ///< the operation before which it must have ended
  bool fixed;  ///< a pull depends on the slot
  std::string reason;
  std::vector<SideCopy> copies;  ///< that precede the start
};

/// A reduction of a number over the ranks that is placed in front of operation `slot`.
struct PlacedReduction {
  DataId data;
  Reduce op;
  int slot;
  std::string reason;
  std::vector<SideCopy> copies;  ///< that precede it
};

/// State of an array or a number at one place of the sequence of operations. A slot k is the place before operation k.
struct DataState {
  /// Producer of values that an earlier iteration or the program before has left.
  static constexpr int kBefore = -1;
  /// Producer of ghost rows that a pull has written.
  static constexpr int kPull = -2;
  /// Where the values of one part are.
  struct Location {
    std::uint8_t sides = 0;  ///< bits of the sides on which the values are; 0: nothing is known
    Side changed_on = Side::host;
    int producer = kBefore;  ///< the operation that changed them last
    std::string changed_by;
    int copied_every = 0;  ///< the other side has the values in one of so many iterations, until this one ends; 0: in none
  };

  bool fresh = false;             ///< the ghost rows have the values of their owners
  std::optional<Reduce> partial;  ///< contributions that have not been combined yet
  int first_slot = 0;             ///< earliest slot of an exchange: after the last change of sent rows and the last use of ghosts
  std::optional<std::size_t> push;  ///< the exchange that combined the last contributions
  std::string last_change;          ///< name of the task that changed sent rows last
  std::vector<Location> where;      ///< by single part
};

/// Returns states of which nothing is known.
[[nodiscard]] std::vector<DataState> unknown_states(std::span<const DataShape> data);

/// Communication and copies that the compiler inserts between the operations of one iteration.
class InsertedCommunication {
 public:
  /// @param states  by data: at the end of the iteration before, or unknown_states().
  InsertedCommunication(std::span<const DataShape> data, std::span<const TaskShape> tasks, std::span<const Operation> operations,
                        std::vector<DataState> states, int ranks);

  std::vector<PlacedExchange> exchanges;             ///< by slot; of one slot, pushes first
  std::vector<PlacedReduction> reductions;           ///< by slot
  std::vector<std::vector<Access>> neutral_before;   ///< by operation: reductions that begin there; or empty
  std::vector<std::vector<SideCopy>> copies_before;  ///< by operation
  std::vector<Residence> begin;                      ///< by data: where values are needed that nothing has changed before
  /// Returns the states at the end of the iteration.
  [[nodiscard]] const std::vector<DataState>& states() const { return states_; }

 private:
  [[nodiscard]] const DataShape& shape(DataId id) const { return data_[id.index()]; }
  [[nodiscard]] DataState& state(DataId id) { return states_[id.index()]; }
  [[nodiscard]] const std::string& task_of(int k) const { return tasks_[operations_[k].task].name; }
  [[nodiscard]] std::string reader(std::ptrdiff_t k) const;
  [[nodiscard]] bool has_ghosts(DataId id) const { return shape(id).is_array && overlap(shape(id).present, Part::ghost); }
  [[nodiscard]] Side side_of(int k) const { return operations_[k].side; }
  /// Combines what must be combined before an access, or begins a reduction.
  void complete(int k, const Access& access);
  /// Calls f(location, part, place of the part) for the single parts that exist.
  template <class F>
  void for_each_part(DataId id, Part part, const F& f);
  void set_location(DataId id, Part part, Side side, int producer, const std::string& by);
  /// Lists the copies that make parts fresh on `side`, in one of `every` iterations: one for all that have the same producer.
  [[nodiscard]] std::vector<SideCopy> copies_to(Side side, DataId id, Part part, const std::string& reader, int every = 1);
  /// Returns where a part is accessed first by a task of every iteration; nothing if none accesses it.
  [[nodiscard]] std::optional<Side> first_side(DataId id, Part part) const;
  /// Returns true if an operation of the iteration changes a part.
  [[nodiscard]] bool is_changed(DataId id, Part part) const;
  /// Places the copies that an access needs.
  void bring(int k, const Access& access);
  /// Places the pull that an access needs.
  void refresh(int k, const Access& access);
  /// Updates the state by an access of operation k.
  void after(int k, const Access& access);
  /// Combines open contributions before operation k.
  void combine(std::ptrdiff_t k, DataId id, const std::string& why);
  /// Adds an exchange that can start at `slot` and must have ended before operation `latest`; merges it with another if possible.
  /// Returns its number in exchanges.
  std::size_t place(ExchangeShape exchange, int slot, int latest, std::string reason);

  std::span<const DataShape> data_;
  std::span<const TaskShape> tasks_;
  std::span<const Operation> operations_;
  std::vector<DataState> states_;
  int ranks_;
};

}  // namespace weft::task
