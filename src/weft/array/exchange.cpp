#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "weft/array/array_transformer.hpp"
#include "weft/array/exchange_body.hpp"
#include "weft/array/pending_exchanges.hpp"
#include "weft/array/transport/choose_transport.hpp"
#include "weft/array/transport/transport_setup.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft {

namespace {

/// Returns the backend of the device side that all arrays have in common, for arrays in different kinds of memory that a GPU
/// accesses one of those whose sides share memory; host if there is none.
Backend common_backend(const std::vector<PairRef>& arrays, auto backend_of) {
  if (arrays.empty()) return Backend::host;
  Backend common = backend_of(arrays.front());
  for (const PairRef& array : arrays) {
    const Backend backend = backend_of(array);
    if (backend == common) continue;
    if (!is_cuda(backend) || !is_cuda(common)) return Backend::host;
    if (common == Backend::cuda) common = backend;
  }
  return common;
}

}  // namespace

Exchange::Body::Body(GhostPlan plan, std::vector<PairRef> arrays, detail::Direction direction, Reduce op, Transport transport)
    : plan_(std::move(plan)), arrays_(std::move(arrays)), direction_(direction), number_(plan_.number_exchange()) {
  Backend backend = common_backend(arrays_, [](const PairRef& array) { return array.backend_; });
  const char* why_host = "the arrays are not all on devices of one kind";
  for (const PairRef& array : arrays_) {
    for (const detail::Field& field : array.fields_) {
      if (op != Reduce::insert && field.reducers != nullptr) {
        if (field.reducers->element != detail::Element::other) continue;
        backend = Backend::host;
        why_host = "elements other than float, double, int32 and int64 are not reduced on a device";
      }
    }
  }
  std::vector<Transport> candidates = detail::choose_transports(plan_, backend, transport, why_host);
  const bool on_device = !detail::is_host_transport(candidates.front());  // all candidates are of the same side

  std::vector<detail::Field> fields;
  agreed(plan_.comm(), [&] {
    for (const PairRef& array : arrays_) {
      array.expect_unchanged();
      if (!on_device && !array.staging_.allocated(array.link_->array, Side::host)) {
        throw ContractError(
            fmt::format("an array without memory on the host ({}) cannot be exchanged by the host ({})", array.signature_,
                        backend == Backend::host ? why_host : "the requested transport is one of the host"),
            "exchange it by a transport between devices, or call to_host() before the exchange is created");
      }
      for (const detail::Field& field : array.staging_.fields(array.link_->array, on_device ? Side::device : Side::host)) {
        if (op == Reduce::insert || field.reducers != nullptr) fields.push_back(field);
      }
    }
  });
  for (const GhostPlan::Neighbour& n : plan_.neighbours()) {
    if (n.rank == plan_.comm().rank()) continue;
    const bool pulls = direction == detail::Direction::pull;
    const auto bytes_of = [&](const detail::RowSet& rows) {
      std::size_t bytes = 0;
      for (const detail::Field& field : fields) bytes += message_bytes(field, rows);
      return static_cast<std::int64_t>(bytes);
    };
    const detail::RowSet copied(n.send_rows), ghosts(n.ghosts);
    if (const auto bytes = bytes_of(pulls ? copied : ghosts); bytes > 0) each_start_.push_back({n.rank, bytes});
    if (const auto bytes = bytes_of(pulls ? ghosts : copied); bytes > 0) expected_.push_back({n.rank, bytes});
  }
  messages_ = detail::make_first(candidates, [&](Transport candidate) {
    return row_of(candidate).make(
        {.plan = plan_, .backend = backend, .fields = fields, .direction = direction, .op = op, .transport = candidate});
  });
  transport_ = candidates.front();
  if (transport_ == Transport::automatic) {
    const auto n = plan_.neighbours();
    const bool any = std::any_of(n.begin(), n.end(), [&](const auto& with) { return messages_->shares_memory_with(with.rank); });
    transport_ = plan_.comm().any(any) ? Transport::shared : Transport::host;
  }
}

void Exchange::Body::close() {
  agreed(plan_.comm(), [&] {
    if (in_flight_) throw ContractError("close() of an exchange in flight", "finish() or wait() for it first");
  });
  messages_->close();
}

Transport Exchange::Body::transport(Rank neighbour) const {
  if (transport_ != Transport::shared || messages_->shares_memory_with(neighbour)) return transport_;
  return Transport::host;
}

Exchange::Body::~Body() {
  if (!in_flight_) return;
  messages_->abandon();
  detail::retain_abandoned(std::move(messages_));
  for (const PairRef& array : arrays_) detail::abandon_pending(array.link_);
}

void Exchange::Body::add_to_recording() {
  if (session_ == Recorder::session()) return;
  session_ = Recorder::session();
  RecordedExchange shown{
      .name = direction_ == detail::Direction::pull ? "pull" : "push", .plan = plan_.serial(), .index = number_};
  for (const PairRef& array : arrays_) shown.name += (&array == arrays_.data() ? " " : ", ") + array.signature_;
  for (const Exchange::Message& message : each_start_) shown.sent.push_back({message.rank.value(), message.bytes});
  for (const Exchange::Message& message : expected_) shown.received.push_back({message.rank.value(), message.bytes});
  recorded_ = Recorder::add_exchange(std::move(shown));
}

RecordedEvent Exchange::Body::event(RecordedEvent::Kind kind) {
  const bool starts = kind == RecordedEvent::Kind::start;
  if (Recorder::on()) add_to_recording();
  if (Recorder::on() && starts) round_ = Recorder::count_start(recorded_);
  return {.name = starts ? "start exchange" : "finish exchange",
          .round = round_,
          .kind = kind,
          .exchange = Recorder::on() ? recorded_ : RecordedEvent::kNone};
}

void Exchange::Body::count_messages() {
  for (const Exchange::Message& message : each_start_) sent_ += {1, message.bytes};
}

void Exchange::Body::count_launch() {
  count_messages();
  if (!Recorder::on()) [[likely]]
    return;
  add_to_recording();
  (void)Recorder::count_start(recorded_);
}

void Exchange::Body::start(const After& after) {
  const bool captured = after.event().captured();
  std::optional<RecordedSpan> span;
  if (RecordedSpan::observed() && !captured) [[unlikely]]
    span.emplace(event(RecordedEvent::Kind::start));
  if (in_flight_) throw ContractError("start() of an exchange in flight", "finish() or wait() for it first");
  for (const PairRef& array : arrays_) array.expect_unchanged();
  std::size_t begun = 0;
  try {
    for (; begun < arrays_.size(); ++begun) detail::begin_pending(*arrays_[begun].link_);
    for (PairRef& array : arrays_) {
      array.both_sides_ = array.staging_.bring(array.link_->array, side(), after, reads(), writes());
      if (array.both_sides_ && captured) {
        throw ContractError(
            "a Graph captures the exchange of an array whose rows are fresh on the host as well (" + array.signature_ + ")",
            "write it on the device, so that no row must be copied back");
      }
    }
  } catch (...) {
    while (begun > 0) detail::end_pending(*arrays_[--begun].link_);
    throw;
  }
  in_flight_ = true;
  captured_ = captured;
  messages_->start(after);
  if (!captured_) count_messages();
}

bool Exchange::Body::arrived() {
  if (!in_flight_) throw ContractError("arrived() of an exchange that was not started", "start() it first");
  return messages_->arrived();
}

std::vector<Exchange::Message> Exchange::Body::missing() {
  if (!in_flight_) throw ContractError("missing() of an exchange that was not started", "start() it first");
  std::vector<Exchange::Message> list;
  for (const Rank rank : messages_->missing()) {
    const auto found = std::ranges::find(expected_, rank, &Exchange::Message::rank);
    list.push_back({rank, found == expected_.end() ? 0 : found->bytes});
  }
  return list;
}

void Exchange::Body::finish(Stream& stream) {
  std::optional<RecordedSpan> span;
  if (RecordedSpan::observed() && !captured_) [[unlikely]]
    span.emplace(event(RecordedEvent::Kind::finish));
  if (!in_flight_) throw ContractError("finish() of an exchange that was not started", "start() it first");
  messages_->finish(stream);
  for (const PairRef& array : arrays_) {
    if (array.link_->array == nullptr) continue;
    array.staging_.written(array.link_->array, side(), writes(), array.both_sides_, array.both_sides_ ? after(stream) : After());
  }
  end_all_pending();
}

void Exchange::Body::discard_capture() noexcept {
  if (in_flight_ && captured_) end_all_pending();
}

IdRange<LocalRow> Exchange::Body::reads() const {
  const bool pulls = direction_ == detail::Direction::pull;
  return {LocalRow(0), LocalRow(pulls ? plan_.owned_rows() : plan_.rows())};
}

IdRange<LocalRow> Exchange::Body::writes() const {
  const bool pulls = direction_ == detail::Direction::pull;
  return {LocalRow(pulls ? plan_.owned_rows() : 0), LocalRow(pulls ? plan_.rows() : plan_.owned_rows())};
}

void Exchange::Body::end_all_pending() noexcept {
  in_flight_ = false;
  for (const PairRef& array : arrays_) detail::end_pending(*array.link_);
}

Exchange::Exchange(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

Exchange::Body& Exchange::body() const {
  if (body_ == nullptr) throw ContractError("use of a moved-from or closed exchange");
  return *body_;
}

void Exchange::start(const After& after) { body().start(after); }
void Exchange::finish(Stream& stream) { body().finish(stream); }
void Exchange::wait() { body().finish(host_stream()); }

void Exchange::close() {
  body().close();
  body_.reset();
}

void Exchange::run(const After& after) {
  start(after);
  wait();
}
void Exchange::run() {
  if (!detail::is_host_transport(transport())) {
    throw ContractError("run() of an exchange between devices without a dependency",
                        "call run(after(stream)) for the stream that writes the arrays, or run(After()) if none does");
  }
  run(After());
}

void Exchange::discard_capture() noexcept {
  if (body_ != nullptr) body_->discard_capture();
}

void Exchange::count_launch() { body().count_launch(); }

void Exchange::stop() noexcept {
  if (body_ != nullptr) body_->stop();
}
bool Exchange::stopped() const noexcept { return body_ != nullptr && body_->stopped(); }

bool Exchange::in_flight() const { return body_ != nullptr && body_->in_flight(); }
bool Exchange::arrived() { return body().arrived(); }
std::vector<Exchange::Message> Exchange::missing() { return body().missing(); }
Transport Exchange::transport() const { return body().transport(); }
Transport Exchange::transport(Rank neighbour) const { return body().transport(neighbour); }
const std::vector<Exchange::Message>& Exchange::messages() const { return body().each_start(); }
Traffic Exchange::sent() const { return body().sent(); }

}  // namespace weft
