#include "weft/array/flights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"

namespace weft::detail {
namespace {

struct Flight {
  const void* data;
  std::shared_ptr<void> storage;
  bool abandoned;
};

// A few arrays at a time: a list is searched faster than a table. Never destroyed: pairs may outlive other statics.
std::vector<Flight>& flights() {
  static auto& list = *new std::vector<Flight>;
  return list;
}

std::vector<Flight>::iterator find(const void* data) {
  return std::find_if(flights().begin(), flights().end(), [&](const Flight& f) { return f.data == data && !f.abandoned; });
}

}  // namespace

void begin_flight(const void* data) {
  if (data == nullptr) return;  // no rows at all
  if (in_flight(data)) {
    throw ContractError("an array is in two exchanges at once", "finish() or wait() for the first before starting the second");
  }
  flights().push_back({data, nullptr, false});
}

void end_flight(const void* data) noexcept {
  if (const auto at = find(data); at != flights().end()) {
    std::swap(*at, flights().back());
    flights().pop_back();
  }
}

bool in_flight(const void* data) noexcept { return data != nullptr && find(data) != flights().end(); }

bool needs_keeping(const void* data) noexcept {
  return data != nullptr && std::any_of(flights().begin(), flights().end(), [&](const Flight& f) { return f.data == data; });
}

void keep_until_landed(const void* data, const std::shared_ptr<void>& storage) noexcept {
  for (Flight& flight : flights()) {
    if (flight.data == data) flight.storage = storage;
  }
}

void abandon_flight(const void* data) noexcept {
  if (const auto at = find(data); at != flights().end()) at->abandoned = true;
}

void expect_landed(const void* data, const char* what) {
  if (in_flight(data)) {
    throw ContractError(fmt::format("{} while an exchange of the array is in flight", what), "finish() or wait() first");
  }
}

}  // namespace weft::detail
