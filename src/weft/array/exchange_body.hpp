#pragma once
/// Implementation of Exchange: its arrays and their transport.
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/base/recorder.hpp"

namespace weft {

/// States: idle -> start() -> in flight -> finish() -> idle. The constructor allocates everything.
struct Exchange::Body {
  /// @collective
  Body(GhostPlan plan, std::vector<PairRef> arrays, detail::Direction direction, Reduce op, Transport transport);
  ~Body();
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  void start(const After& after);
  void finish(Stream& stream);
  [[nodiscard]] bool arrived();
  void discard_capture() noexcept;
  void count_launch();
  void stop() noexcept { messages_->stop(); }
  [[nodiscard]] bool stopped() const noexcept { return messages_->stopped(); }
  /// Implements Exchange::close(). @collective
  void close();
  [[nodiscard]] bool in_flight() const { return in_flight_; }
  [[nodiscard]] Transport transport() const { return transport_; }
  [[nodiscard]] Transport transport(Rank neighbour) const;
  [[nodiscard]] std::vector<Exchange::Message> missing();
  [[nodiscard]] const std::vector<Exchange::Message>& each_start() const { return each_start_; }
  [[nodiscard]] Traffic sent() const { return sent_; }

 private:
  [[nodiscard]] Side side() const { return row_of(transport_).of_host ? Side::host : Side::device; }
  [[nodiscard]] IdRange<LocalRow> reads() const;
  [[nodiscard]] IdRange<LocalRow> writes() const;
  void end_all_pending() noexcept;
  /// Adds this exchange to a recording that does not have it. @pre Recorder::on()
  void add_to_recording();
  /// Counts the messages of a start.
  void count_messages();
  /// Returns the event of a start or finish for a trace. @pre RecordedSpan::observed()
  [[nodiscard]] RecordedEvent event(RecordedEvent::Kind kind);

  GhostPlan plan_;
  std::vector<PairRef> arrays_;
  detail::Direction direction_;
  Transport transport_;
  std::unique_ptr<detail::TransportBody> messages_;
  std::vector<Exchange::Message> each_start_, expected_;
  Traffic sent_;
  bool in_flight_ = false;
  bool captured_ = false;      ///< the last start() was recorded by a Graph
  int number_;                 ///< GhostPlan::number_exchange()
  int recorded_ = -1;          ///< number in the recording `session_`
  std::int64_t session_ = -1;  ///< Recorder::session()
  std::int64_t round_ = 0;     ///< number of the last start in that recording
};

}  // namespace weft
