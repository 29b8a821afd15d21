#pragma once
/// ArrayTransformer and Exchange: ghost rows refreshed from their owners (pull), and ghost values brought back to them (push).
#include <memory>
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/pair_ref.hpp"
#include "weft/array/reduce.hpp"
#include "weft/array/transport.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/comm/traffic.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// One kind of exchange of certain arrays, set up once and run any number of times: one message per neighbour for all of them.
///
///     Exchange pull = ArrayTransformer{plan, {q, grad}}.pull();
///     pull.start(after(stream));
///     ...                        // may read owned rows, but neither write them nor touch ghost rows
///     pull.finish(stream);       // work put into `stream` from now on sees the ghosts
///
/// Arrays that all have their device side on GPUs (or all in a mirror) are exchanged there, in the way that transport() says:
/// rows of them that are fresh on the host alone are copied over first, and where all owned rows are fresh on the host as well,
/// what is received is copied back, which the host waits for. (Rows must be fresh as a whole on one side.) Otherwise, with peer
/// and nccl the host waits for nothing, and start() and finish() can be captured in a Graph. `after` covers reads of ghost rows,
/// too: neighbours may write them from then on.
///
/// While a push is in flight, owned rows may be neither read nor written and ghost rows not written; afterwards ghost rows keep
/// their values. Made by ArrayTransformer; movable. Destroyed in flight (an exception is passing), it waits for nobody: the
/// arrays may be used again, with undefined values in ghost rows (pull) or owned rows (push).
class Exchange {
 public:
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  ~Exchange();

  /// Packs what must be packed once `after` is done, starts one message per neighbour, and returns. Waits for no other rank.
  /// @throws ContractError if it is in flight, if any of its arrays is in flight in another exchange, or was destroyed or resized
  ///   (checked always; nothing was started then); CommError.
  /// @collective  on the plan's communicator: exchanges are started in the same order on every rank.
  /// @cost no allocation.
  void start(const After& after);
  /// Makes `stream` wait for the exchange. On the host stream: returns when it is complete.
  /// @throws ContractError if it was not started; CommError.
  void finish(Stream& stream);
  /// Blocks the host until the exchange is complete. Instead of finish(). @throws as finish().
  void wait();
  /// start() and wait().
  void run(const After& after);
  /// The same for arrays of the host, which no stream writes.
  /// @throws ContractError where transport() is one of devices (nothing was started then); else as above.
  void run();

  /// Ends the exchange on every rank: returns when no other rank has this rank's arrays mapped any more. Needed where `peer` is
  /// used and an array of a GPU is freed while the program goes on: CUDA does not allow memory to be freed that another process
  /// has mapped; and where `nccl` is used, whose communicator goes with the last exchange that is closed, if none was destroyed
  /// without. Destroying the exchange and then the array, as on other transports, is right only at the end of the program.
  /// @pre every Graph that holds the exchange has finished and is destroyed.
  /// @throws ContractError on every rank, if it is in flight on any; CommError. @collective  on the plan's communicator.
  void close();

  [[nodiscard]] bool in_flight() const;
  /// True once finish() will not block the host; lets messages progress meanwhile.
  /// @throws ContractError if it was not started; CommError.
  [[nodiscard]] bool arrived();
  /// How its messages travel; equal on every rank. shared: between ranks of one machine, by host between machines.
  [[nodiscard]] Transport transport() const;
  /// How they travel to and from one neighbour.
  [[nodiscard]] Transport transport(Rank neighbour) const;
  /// What was sent since it was made: at each start one message to each neighbour that holds copies of rows of this rank,
  /// whatever becomes of it on its way.
  [[nodiscard]] Traffic sent() const;

 private:
  friend class ArrayTransformer;
  struct Body;
  explicit Exchange(std::unique_ptr<Body> body);
  [[nodiscard]] Body& body() const;
  std::unique_ptr<Body> body_;
};

/// Says which arrays travel together. Makes Exchanges, and need not outlive them.
class ArrayTransformer {
 public:
  /// @param arrays  of any types, widths and layouts, all on `plan`; the same ones in the same order on every rank.
  /// @param transport  how messages are to travel. automatic: for arrays on GPUs peer, else nccl, cuda_aware or staged, the first
  ///   that every rank can use, which is tried when an exchange is made; for others shared with each neighbour on the same
  ///   machine, host with the rest. Where elements have no reduction on GPUs, a push travels by the host.
  /// @throws ContractError on every rank, if an array belongs to another plan, has the wrong number of rows or is listed twice;
  ///   CommError on every rank, if ranks disagree on the plan, on the arrays' signatures or on the lengths of CSR rows.
  /// @collective  on plan.comm()
  ArrayTransformer(GhostPlan plan, std::vector<PairRef> arrays, Transport transport = Transport::automatic);

  // Both: @throws LimitError if 32,000 exchanges live; InputError on every rank where the transport asked for cannot be used.

  /// Ghost rows become copies of their owners' rows. @collective
  [[nodiscard]] Exchange pull() const;
  /// Owned rows are combined with their ghost copies, in the order of the ranks that hold them whatever arrives first; row
  /// lengths of padded arrays follow with Reduce::insert and stay otherwise.
  /// @throws ContractError on every rank, if an element type does not know `op`. @collective
  [[nodiscard]] Exchange push(Reduce op) const;

  [[nodiscard]] const GhostPlan& plan() const { return plan_; }

 private:
  /// @throws CommError on every rank, unless ghost rows are as long as their owners' rows. @collective
  void expect_csr_rows_as_long_as_their_owners() const;
  [[nodiscard]] Exchange make(detail::Direction direction, Reduce op) const;

  GhostPlan plan_;
  std::vector<PairRef> arrays_;
  Transport transport_;
};

}  // namespace weft
