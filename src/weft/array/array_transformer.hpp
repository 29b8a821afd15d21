#pragma once
/// ArrayTransformer and Exchange: copies from owned rows to ghost rows (pull) and reductions of ghost rows into owned rows
/// (push).
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/pair_ref.hpp"
#include "weft/array/reduce.hpp"
#include "weft/array/transport.hpp"
#include "weft/comm/traffic.hpp"
#include "weft/device/stream.hpp"

namespace weft {

namespace detail {
enum class Direction;
}

/// A repeatable exchange of a fixed list of arrays, set up once: one message per neighbour for all arrays together.
///
///     Exchange pull = ArrayTransformer{plan, {q, grad}}.pull();
///     pull.start(after(stream));
///     ...                        // may read owned rows; must neither write them nor access ghost rows
///     pull.finish(stream);       // work enqueued in `stream` afterwards reads the new ghost rows
///
/// Arrays whose device sides GPUs can all access (or are all in a mirror) are exchanged on the device by the mechanism
/// transport(), also those in managed and mapped memory, except by peer. Rows that are fresh only on the host are first copied to
/// the device; if all owned rows are fresh on the host as well, the received rows are copied back, for which the host waits.
/// (Rows must be fresh as a whole on one side.) Otherwise, with peer and nccl the host does not wait, and a Graph can capture
/// start() and finish(). `after` must also cover preceding reads of ghost rows: neighbours may write them afterwards.
///
/// While a push is in flight, owned rows must be neither read nor written and ghost rows must not be written; ghost rows keep
/// their values. ArrayTransformer creates exchanges; they are movable. The destructor of an exchange in flight (during an
/// exception) waits for no rank: the arrays may be used again, with undefined values in ghost rows (pull) or owned rows
/// (push).
class Exchange {
 public:
  /// A message of this rank.
  struct Message {
    Rank rank;  ///< the neighbour
    std::int64_t bytes;
  };
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  ~Exchange();

  /// Packs messages after `after` has completed, starts one message per neighbour and returns. Waits for no other rank.
  /// @throws ContractError if this exchange, or another exchange of any of its arrays, is in flight, or if an array was
  /// destroyed or resized (in all builds; nothing has been started then); CommError.
  /// @collective  on the plan's communicator: all ranks start exchanges in the same order.
  /// @cost no allocation.
  void start(const After& after);
  /// Makes `stream` wait for the exchange; for the host stream, returns after its completion.
  /// @throws ContractError if the exchange was not started; CommError.
  void finish(Stream& stream);
  /// Blocks the host until the exchange has completed; replaces finish(). @throws as finish().
  void wait();
  /// Calls start() and wait().
  void run(const After& after);
  /// Ends an exchange that is in flight because the capture of a Graph has failed after its start(): nothing of it was executed.
  /// Without effect on any other.
  void discard_capture() noexcept;
  /// Counts one more start, in sent() and in a recording of the program: that of a Graph which contains this exchange and was
  /// launched. The capture of a start counts none.
  void count_launch();
  /// Calls start() and wait() for arrays of the host, which no stream writes.
  /// @throws ContractError if transport() is one of devices (nothing has been started then); otherwise as above.
  void run();

  /// Ends the waits of the GPUs of this rank and of its neighbours for each other, for good, because this rank takes no further
  /// part in the exchange: with `peer`, kernels that wait, and those that are enqueued or launched later, end, and the rows that
  /// they would have received have undefined values. Without effect with other transports. Waits for no rank, and succeeds also
  /// if the GPU of this rank cannot be used any more.
  void stop() noexcept;
  /// Returns true if this rank or a neighbour has called stop(); with transports other than `peer` false. @cost a read of memory
  [[nodiscard]] bool stopped() const noexcept;

  /// Ends the exchange on every rank; returns when no other rank maps arrays of this rank. Required with `peer` before an
  /// array of a GPU is freed while the program continues, because CUDA does not allow an allocation to be freed that another
  /// process maps; and with `nccl`, whose communicator is destroyed with the last exchange that is closed, provided that none
  /// was destroyed without close(). With other transports, and at the end of the program, destroying the exchange and then
  /// the array is sufficient.
  /// @pre every Graph that contains the exchange has completed and is destroyed.
  /// @throws on every rank ContractError if the exchange is in flight on any, DeviceError if the work of a GPU has failed;
  /// CommError. @collective  on the plan's communicator.
  void close();

  [[nodiscard]] bool in_flight() const;
  /// Returns true if finish() will not block the host; drives the progress of messages.
  /// @throws ContractError if the exchange was not started; CommError.
  [[nodiscard]] bool arrived();
  /// Returns the neighbours whose rows have not arrived, or that have not taken those sent to them, with the bytes of their
  /// message; nothing where only a device knows. @throws ContractError if the exchange was not started.
  [[nodiscard]] std::vector<Message> missing();
  /// Returns the transport, which is equal on all ranks; shared means shared memory within a machine and host between
  /// machines.
  [[nodiscard]] Transport transport() const;
  /// Returns the transport between this rank and one neighbour.
  [[nodiscard]] Transport transport(Rank neighbour) const;
  /// Returns the message that each start sends to each neighbour with copies of rows of this rank, in the order of ranks; none
  /// where nothing is sent.
  [[nodiscard]] const std::vector<Message>& messages() const;
  /// Returns the traffic since construction: each start that is not captured, and each count_launch(), counts one message for
  /// each neighbour with copies of rows of this rank, independently of the transport.
  [[nodiscard]] Traffic sent() const;

 private:
  friend class ArrayTransformer;
  struct Body;
  explicit Exchange(std::unique_ptr<Body> body);
  [[nodiscard]] Body& body() const;
  std::unique_ptr<Body> body_;
};

/// A list of arrays that are exchanged together. Creates Exchanges and may be destroyed before them.
class ArrayTransformer {
 public:
  /// @param arrays  arrays of any types, widths and layouts on `plan`; the same ones in the same order on every rank.
  /// @param transport  mechanism of the messages. automatic: for arrays on GPUs the first of peer, nccl, cuda_aware and
  /// staged that every rank can use, determined when an exchange is created; for other arrays, shared with neighbours on the
  /// same machine and host with the others. If elements have no reduction on GPUs, the host exchanges a push.
  /// @throws ContractError on every rank if an array belongs to another plan, has a wrong number of rows or is listed twice;
  /// CommError on every rank if the ranks disagree on the plan, the signatures of the arrays or the lengths of CSR rows.
  /// @collective  on plan.comm()
  ArrayTransformer(GhostPlan plan, std::vector<PairRef> arrays, Transport transport = Transport::automatic);

  // Both functions: @throws LimitError if 32,000 exchanges exist; InputError on every rank if the requested transport cannot
  // be used.

  /// Creates an exchange that copies owned rows to their ghost rows on other ranks. @collective
  [[nodiscard]] Exchange pull() const;
  /// Creates an exchange that reduces ghost rows into their owned rows, in the order of the ranks of the ghost rows, not of
  /// arrival. The row sizes of padded arrays are copied with Reduce::insert and unchanged otherwise.
  /// @throws ContractError on every rank if an element type does not support `op`. @collective
  [[nodiscard]] Exchange push(Reduce op) const;

  [[nodiscard]] const GhostPlan& plan() const { return plan_; }

 private:
  /// Checks CSR arrays. @throws CommError on every rank unless ghost rows have the lengths of their owned rows. @collective
  void expect_csr_rows_as_long_as_their_owners() const;
  [[nodiscard]] Exchange make(detail::Direction direction, Reduce op) const;

  GhostPlan plan_;
  std::vector<PairRef> arrays_;
  Transport transport_;
};

}  // namespace weft
