#include "weft/array/pending_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"

namespace weft::detail {
namespace {

struct PendingExchange {
  const void* data;
  std::shared_ptr<void> storage;
  bool abandoned;
};

// The list has a few elements, so that a linear search is fastest. Never destroyed: pairs may outlive other static objects.
std::vector<PendingExchange>& pending_exchanges() {
  static auto& list = *new std::vector<PendingExchange>;
  return list;
}

std::vector<PendingExchange>::iterator find(const void* data) {
  return std::find_if(pending_exchanges().begin(), pending_exchanges().end(),
                      [&](const PendingExchange& f) { return f.data == data && !f.abandoned; });
}

}  // namespace

void begin_pending(const void* data) {
  if (data == nullptr) return;  // an array without rows
  if (is_pending(data)) {
    throw ContractError("an array is in two exchanges at once", "finish() or wait() for the first before starting the second");
  }
  pending_exchanges().push_back({data, nullptr, false});
}

void end_pending(const void* data) noexcept {
  if (const auto at = find(data); at != pending_exchanges().end()) {
    std::swap(*at, pending_exchanges().back());
    pending_exchanges().pop_back();
  }
}

bool is_pending(const void* data) noexcept { return data != nullptr && find(data) != pending_exchanges().end(); }

bool must_be_retained(const void* data) noexcept {
  return data != nullptr && std::any_of(pending_exchanges().begin(), pending_exchanges().end(),
                                        [&](const PendingExchange& f) { return f.data == data; });
}

void retain_until_completed(const void* data, const std::shared_ptr<void>& storage) noexcept {
  for (PendingExchange& exchange : pending_exchanges()) {
    if (exchange.data == data) exchange.storage = storage;
  }
}

void abandon_pending(const void* data) noexcept {
  if (const auto at = find(data); at != pending_exchanges().end()) at->abandoned = true;
}

void expect_not_pending(const void* data, const char* what) {
  if (is_pending(data)) {
    throw ContractError(fmt::format("{} while an exchange of the array is in flight", what), "finish() or wait() first");
  }
}

}  // namespace weft::detail
