#pragma once
// A static graph of tasks on oneTBB's flow graph, if the build has oneTBB.
#include <functional>
#include <vector>

#ifdef WEFT_HAS_TBB
#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <deque>
#include <memory>
#endif

namespace bench {

#ifdef WEFT_HAS_TBB
inline constexpr bool kHasTbb = true;

class TbbFlowGraph {
 public:
  TbbFlowGraph(const std::vector<std::vector<int>>& predecessors, int threads, const std::function<void()>& body)
      : arena_(threads) {
    arena_.execute([&] {
      graph_ = std::make_unique<tbb::flow::graph>();
      for (const std::vector<int>& of_node : predecessors) {
        nodes_.emplace_back(*graph_, [body](const tbb::flow::continue_msg& message) {
          body();
          return message;
        });
        for (const int p : of_node) tbb::flow::make_edge(nodes_[static_cast<std::size_t>(p)], nodes_.back());
        if (of_node.empty()) first_.push_back(&nodes_.back());
      }
    });
  }
  void run() {
    arena_.execute([&] {
      for (Node* node : first_) node->try_put(tbb::flow::continue_msg());
      graph_->wait_for_all();
    });
  }

 private:
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  tbb::task_arena arena_;
  std::unique_ptr<tbb::flow::graph> graph_;
  std::deque<Node> nodes_;
  std::vector<Node*> first_;
};
#else
inline constexpr bool kHasTbb = false;

class TbbFlowGraph {
 public:
  TbbFlowGraph(const std::vector<std::vector<int>>& /*predecessors*/, int /*threads*/, const std::function<void()>& /*body*/) {}
  void run() {}
};
#endif

}  // namespace bench
