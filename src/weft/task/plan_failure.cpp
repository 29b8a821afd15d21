// Ranks that take no further part in the exchanges of a plan, and waits that end when another rank does not.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/task/plan_body.hpp"

namespace weft::task {

/// Takes no further part in exchanges. The neighbours learn it from a message where their host waits for this rank, and from
/// Exchange::stopped() where their device does.
void Plan::Body::leave() {
  left_ = true;
  failed = true;
  std::ranges::for_each(exchanges, &Exchange::stop);  // first, for a message may throw
  if (notice_) notice_->send();
}

/// Leaves if another rank has ended the waits of the device, whose rows may be undefined from then on. To be called after each
/// wait for the device, before its results are used.
void Plan::Body::heed_stop() {
  if (!left_ && std::ranges::any_of(exchanges, &Exchange::stopped)) leave();
}

void Plan::Body::wait_for_device() {
  if (device) guarded("the work of the device", [&] { device->wait(); });
  heed_stop();
}

/// Waits for enqueued iterations, and for all work of `stream` unless it is null.
void Plan::Body::wait_for_sequence(Stream* stream) {
  const auto wait = [&] { device->wait_for_enqueued(stream); };
  guarded("the work of the device", wait);
  heed_stop();
  const bool ends = std::ranges::all_of(exchanges, [](const Exchange& of) { return row_of(of.transport()).ends_waits; });
  if (!left_ || !ends) return;
  try {  // it ends, because no kernel of the plan waits for another rank any more
    wait();
  } catch (const DeviceError&) {  // NOLINT(bugprone-empty-catch): it is known already
  }
}

bool Plan::Body::completed(const Node& node) {
  bool done = true;
  guarded(node.name, [&] { done = device->completed(number_of(node)); });
  if (done) heed_stop();
  return left_ || done;
}

/// Returns whether the messages of an exchange have arrived, or this rank takes no further part in them.
bool Plan::Body::has_arrived(const Node& node) {
  bool here = false;
  guarded(node.name, [&] {
    here = exchanges[node.index].arrived();
    constexpr int kBetween = 256;  // a test of messages costs more than one of an exchange
    if (!here && ++waits_ % kBetween == 0 && notice_->received()) leave();
  });
  if (here && node.side == Side::device) heed_stop();
  return left_ || here;
}

void Plan::Body::expect_usable() const {
  if (closed) throw ContractError("this plan was closed", "compile the graph again");
  if (broken || left_) throw ContractError("communication of this plan has failed before", "compile the graph again");
}

void Plan::Body::throw_error() {
  if (error) std::rethrow_exception(error);
  if (left_) throw CommError("a rank with which this one exchanges rows has failed", "see the error of that rank");
}

void Plan::Body::close() {
  broken = closed = true;
  sequence_ = false;
  std::exception_ptr problem;  // the first one, equal on all ranks, as each call below throws on all or none
  const auto attempt = [&](const auto& call) {
    try {
      call();
    } catch (...) {
      if (!problem) problem = std::current_exception();
    }
  };
  writer_.wait();
  attempt([&] {
    agreed(comm, [&] {
      if (device) device->wait_for_enqueued();
    });
  });
  first.forget_graphs();
  repeated.forget_graphs();
  std::vector<std::int32_t> in_flight;  // by exchange, on any rank: after a failure, never completed
  for (const Exchange& exchange : exchanges) in_flight.push_back(exchange.in_flight() ? 1 : 0);
  comm.max(std::span(in_flight));
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    if (in_flight[i] == 0) attempt([&] { exchanges[i].close(); });
  }
  exchanges.clear();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace weft::task
