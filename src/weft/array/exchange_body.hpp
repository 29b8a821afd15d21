#pragma once
/// Implementation of Exchange: its arrays and their transport.
#include <memory>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/transport/transport.hpp"

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
  /// Implements Exchange::close(). @collective
  void close();
  [[nodiscard]] bool in_flight() const { return in_flight_; }
  [[nodiscard]] Transport transport() const { return transport_; }
  [[nodiscard]] Transport transport(Rank neighbour) const;
  [[nodiscard]] Traffic sent() const { return sent_; }

 private:
  [[nodiscard]] Side side() const {
    return transport_ == Transport::host || transport_ == Transport::shared ? Side::host : Side::device;
  }
  [[nodiscard]] IdRange<LocalRow> reads() const;
  [[nodiscard]] IdRange<LocalRow> writes() const;
  void end_all_pending() noexcept;

  GhostPlan plan_;
  std::vector<PairRef> arrays_;
  detail::Direction direction_;
  Transport transport_;
  std::unique_ptr<detail::TransportBody> messages_;
  Traffic each_start_, sent_;
  bool in_flight_ = false;
};

}  // namespace weft
