#include "weft/base/thread_binding.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "weft/base/contracts.hpp"

namespace weft {
namespace {

struct BindingState {
  std::vector<int> before;                ///< affinity mask before the first binding; empty: there was none
  std::vector<int> share;                 ///< hardware threads of the rank; empty: no binding
  std::vector<std::vector<int>> threads;  ///< hardware threads of each thread of a team
  bool spans_nodes = false;
};

std::mutex g_mutex;
BindingState g_binding;

}  // namespace

bool ThreadBinding::bind(std::span<const Core> share, int threads, bool to_nodes) {
  WEFT_EXPECTS(threads >= 1 && std::ssize(share) >= threads);
  const std::scoped_lock lock(g_mutex);
  std::vector<std::vector<int>> by_thread;
  bool spans_nodes = false;
  for (int t = 0; t < threads; ++t) {
    const Core& core = share[static_cast<std::size_t>(std::ssize(share) * t / threads)];
    spans_nodes |= core.node != share.front().node;
    std::vector<Core> own{core};
    if (to_nodes) {
      own.clear();
      std::ranges::copy_if(share, std::back_inserter(own), [&](const Core& other) { return other.node == core.node; });
    }
    by_thread.push_back(cpus_of(own));
  }
  std::vector<int> before = affinity();
  if (!set_affinity(by_thread.front())) return false;
  if (g_binding.before.empty()) g_binding.before = std::move(before);
  g_binding.share = cpus_of(share);
  g_binding.threads = std::move(by_thread);
  g_binding.spans_nodes = spans_nodes;
  return true;
}

void ThreadBinding::release() {
  const std::scoped_lock lock(g_mutex);
  if (g_binding.before.empty()) return;
  set_affinity(g_binding.before);
  g_binding = {};
}

void ThreadBinding::apply(int thread) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (g_binding.share.empty()) return;
  set_affinity(thread < static_cast<int>(g_binding.threads.size()) ? g_binding.threads[thread] : g_binding.share);
}

void ThreadBinding::apply_to_helper() noexcept {
  const std::scoped_lock lock(g_mutex);
  if (!g_binding.share.empty()) set_affinity(g_binding.share);
}

std::vector<int> ThreadBinding::unbound() {
  const std::scoped_lock lock(g_mutex);
  return g_binding.before.empty() ? affinity() : g_binding.before;
}

int ThreadBinding::cores() {
  const std::scoped_lock lock(g_mutex);
  return static_cast<int>(g_binding.share.size());
}

bool ThreadBinding::spans_nodes() {
  const std::scoped_lock lock(g_mutex);
  return g_binding.spans_nodes;
}

std::string ThreadBinding::text() {
  const std::scoped_lock lock(g_mutex);
  std::string text;
  for (const std::vector<int>& cpus : g_binding.threads) text += (text.empty() ? "" : " ") + number_ranges(cpus);
  return text;
}

}  // namespace weft
