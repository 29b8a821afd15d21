#pragma once
/// Recorder: what the threads of this process did when, in bounded memory.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// A region, a wait, or the execution of a node of a task graph.
struct RecordedEvent {
  enum class Kind : std::uint8_t {
    region,         ///< a TracedRegion
    wait,           ///< a Waiting, or a thread of a plan without work
    start,          ///< the start of an exchange of ghost rows
    finish,         ///< its end, with the wait for its messages
    task,           ///< a body of a plan
    communication,  ///< a node of a plan that starts or ends an exchange or reduces over ranks
    launch          ///< a node of a plan that enqueues work of a device
  };
  static constexpr int kNone = -1;

  const char* name = nullptr;       ///< a string literal, or Recorder::name()
  std::int64_t begin = 0, end = 0;  ///< ns of the steady clock
  std::int64_t round = 0;           ///< start, finish: how often this exchange was started before
  std::int64_t step = kNone;        ///< set by add(): steps since the start of the recording; kNone before the first
  Kind kind = Kind::region;
  std::int32_t thread = kNone;                                  ///< kNone: that of the caller, which add() sets
  std::int32_t peer = kNone;                                    ///< wait: the rank waited for, if it is for one
  std::int32_t exchange = kNone;                                ///< start, finish: number of Recorder::add_exchange()
  std::int32_t iteration = kNone, stage = kNone, node = kNone;  ///< nodes: as in task::Trace
};

/// A rank and the bytes of a message to or from it.
struct RecordedMessage {
  int rank = 0;
  std::int64_t bytes = 0;
};

/// An exchange of ghost rows, whose messages are the same at every start.
struct RecordedExchange {
  std::string name;
  std::int64_t plan = 0;  ///< GhostPlan::serial()
  int index = 0;          ///< among the exchanges of that plan; with it, the same on all ranks
  std::vector<RecordedMessage> sent{}, received{};
  std::int64_t starts = 0;  ///< since the start of the recording
};

/// The recording of this process. Each thread appends to memory of its own, without locks. Kept are the events before the first
/// step, those of the first N steps, and those of the last N steps, so that memory does not grow with the length of a run.
///
/// start(), stop(), exchanges() and events() are called by one thread while no other thread is in a region.
class Recorder {
 public:
  /// Begins a recording; that of before is forgotten. @param steps  N, at least 1. @pre not on()
  static void start(int steps);
  static void stop();
  [[nodiscard]] static bool on();
  /// Returns a number that differs between recordings.
  [[nodiscard]] static std::int64_t session();

  /// Begins a step. Called by one thread at a time.
  static void next_step();
  [[nodiscard]] static std::int64_t steps();

  /// Appends an event of this thread, or of the one that it names. Without effect if not on().
  static void add(RecordedEvent event) noexcept;
  /// Returns the present time, ns of the steady clock.
  [[nodiscard]] static std::int64_t now() noexcept;
  /// Returns the text as long as the process lives, for names that are not string literals. @cost a lock and a search.
  [[nodiscard]] static const char* name(std::string_view text);

  /// Registers an exchange and returns its number in this recording. @pre on()
  [[nodiscard]] static int add_exchange(RecordedExchange exchange);
  /// Counts a start of an exchange, and returns how often it was started before.
  static std::int64_t count_start(int exchange);

  [[nodiscard]] static const std::vector<RecordedExchange>& exchanges();
  /// Returns the kept events, in the order of their beginnings, an outer region before those in it.
  [[nodiscard]] static std::vector<RecordedEvent> events();
  /// Returns the number of events of kept steps that were not kept because a thread had too many.
  [[nodiscard]] static std::int64_t dropped();

  /// Sets the number of this thread in events; a new thread has 0. Team numbers its threads.
  static void set_thread(int number) noexcept;
};

/// Records an event from its construction to its destruction, also as an NVTX range: a TracedRegion that says more.
class RecordedSpan {
 public:
  /// @param event  without times. @pre observed()
  explicit RecordedSpan(const RecordedEvent& event) noexcept;
  ~RecordedSpan();
  RecordedSpan(const RecordedSpan&) = delete;
  RecordedSpan& operator=(const RecordedSpan&) = delete;

  /// Returns whether spans are recorded, or are NVTX ranges that a tool reads. @cost a load
  [[nodiscard]] static bool observed() noexcept;

 private:
  RecordedEvent event_;
};

}  // namespace weft
