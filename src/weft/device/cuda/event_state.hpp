#pragma once
/// The shared state of weft::Event for an event of a GPU.
namespace weft::detail {

/// Holds a cudaEvent_t from a pool per GPU, because creating an event takes longer than recording it.
struct EventState {
  EventState(int gpu, bool with_time);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  int device;
  bool timed;
  bool captured = false;
  void* handle;
};

}  // namespace weft::detail
