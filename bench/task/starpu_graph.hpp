#pragma once
// The tasks of a graph on StarPU, if the build has it. StarPU executes a task once, so that each run submits all tasks again.
#include <functional>
#include <vector>

#ifdef WEFT_HAS_STARPU
#include <starpu.h>

#include <cstdio>
#include <cstdlib>
#endif

namespace bench {

#ifdef WEFT_HAS_STARPU
inline constexpr bool kHasStarPu = true;

/// StarPU on a number of worker threads, while the object exists; the calling thread only submits.
class StarPuGraph {
 public:
  StarPuGraph(const std::vector<std::vector<int>>& predecessors, int threads, const std::function<void()>& body)
      : predecessors_(predecessors), body_(body), tasks_(predecessors.size()) {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = threads;
    conf.ncuda = 0;
    conf.nopencl = 0;
    if (starpu_init(&conf) != 0) {
      std::fprintf(stderr, "StarPU does not start on %d workers\n", threads);
      std::exit(1);
    }
    starpu_codelet_init(&codelet_);
    codelet_.cpu_funcs[0] = [](void** /*buffers*/, void* argument) { (*static_cast<std::function<void()>*>(argument))(); };
    codelet_.nbuffers = 0;
  }
  StarPuGraph(const StarPuGraph&) = delete;
  StarPuGraph& operator=(const StarPuGraph&) = delete;
  ~StarPuGraph() { starpu_shutdown(); }

  void run() {
    for (starpu_task*& task : tasks_) {
      task = starpu_task_create();
      task->cl = &codelet_;
      task->cl_arg = &body_;
    }
    std::vector<starpu_task*> before;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      before.clear();
      for (const int p : predecessors_[i]) before.push_back(tasks_[static_cast<std::size_t>(p)]);
      if (!before.empty()) starpu_task_declare_deps_array(tasks_[i], static_cast<unsigned>(before.size()), before.data());
    }
    for (starpu_task* const task : tasks_) {
      if (starpu_task_submit(task) != 0) {
        std::fprintf(stderr, "StarPU accepts no task\n");
        std::exit(1);
      }
    }
    starpu_task_wait_for_all();
  }

 private:
  const std::vector<std::vector<int>>& predecessors_;
  std::function<void()> body_;
  std::vector<starpu_task*> tasks_;
  starpu_codelet codelet_{};
};
#else
inline constexpr bool kHasStarPu = false;

class StarPuGraph {
 public:
  StarPuGraph(const std::vector<std::vector<int>>& /*predecessors*/, int /*threads*/, const std::function<void()>& /*body*/) {}
  void run() {}
};
#endif

}  // namespace bench
