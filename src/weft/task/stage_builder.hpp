#pragma once
/// Dependencies between the nodes of a stage, derived from their accesses.
#include <span>
#include <string>
#include <vector>

#include "weft/task/schedule.hpp"

namespace weft::task {

/// Adds nodes in sequence and derives their dependencies: a node waits for the last ones that wrote what it accesses, and for
/// those that read what it writes. The two sides of an array are separate memories.
///
/// Example: four nodes and one part of one array on the host:
///     0 writes   1 reads   2 reads   3 writes        1 and 2 wait for 0, 3 waits for 0, 1 and 2
///     predecessors 0 1 1 3    first_successor 0 3 4 5 5    successors 1 2 3 | 3 | 3 |
class StageBuilder {
 public:
  explicit StageBuilder(std::span<const DataShape> data);

  /// Adds a node and returns its number. access() and exchange() are called for the node that was added last.
  int add(Node node);
  void access(int node, DataId data, Part part, bool write, Side side);
  /// Sets the text of accesses to subsets.
  void name_subsets(int node, std::string text);
  /// Orders a node after other exchanges of the array on either side: an array is in one exchange at a time.
  void exchange(int node, DataId data) { note(node, used_[data.index()].exchanges, true); }

  /// Returns the stage. The builder is empty afterwards.
  [[nodiscard]] Stage build();

 private:
  struct Use {
    int writer = -1;
    std::vector<int> readers;
  };
  struct DataUse {
    std::vector<Use> parts;  ///< for each single part the host side, the device side
    Use exchanges;
  };
  void note(int node, Use& use, bool write);

  Stage stage_;
  std::vector<std::vector<int>> waits_for_;  ///< by node
  std::vector<DataUse> used_;                ///< by data
};

}  // namespace weft::task
