#pragma once
/// Memory that is freed and soon asked for again.

namespace weft {

/// While one lives, this process keeps large arrays that are freed for those that come next, instead of giving them back to the
/// system, which hands out every page anew, one by one and zeroed: that takes as long as what programs do that make one large
/// array after the other. The last one that dies gives back what is free then, and leaves malloc with thresholds of 32 and 64 MB,
/// whatever they were before. They may nest; made and destroyed by one thread.
/// Nothing is done where the C library is not glibc.
class KeepFreedMemory {
 public:
  KeepFreedMemory() noexcept;
  ~KeepFreedMemory();
  KeepFreedMemory(const KeepFreedMemory&) = delete;
  KeepFreedMemory& operator=(const KeepFreedMemory&) = delete;
};

}  // namespace weft
