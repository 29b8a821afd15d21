#pragma once
/// The event of a GPU behind weft::Event.
namespace weft::detail {

/// Borrows a cudaEvent_t from a pool of its GPU, and gives it back: making one takes longer than recording it.
struct EventState {
  EventState(int of_device, bool with_time);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  int device;
  bool timed;
  bool captured = false;
  void* handle;
};

}  // namespace weft::detail
