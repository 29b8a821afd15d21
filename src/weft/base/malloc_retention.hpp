#pragma once
/// Reuse of freed memory within the process.

namespace weft {

/// Makes malloc retain freed memory for later allocations while an instance exists, instead of returning it to the system. This
/// avoids the page faults of fresh, zeroed pages, which dominate phases that allocate one large array after another.
///
/// The destructor of the last instance returns free memory to the system and sets the mmap and trim thresholds of malloc to 32
/// and 64 MB, whatever they were before. Instances may nest; all are created and destroyed by one thread. The class has no effect
/// with a C library other than glibc.
class RetainFreedMemory {
 public:
  RetainFreedMemory() noexcept;
  ~RetainFreedMemory();
  RetainFreedMemory(const RetainFreedMemory&) = delete;
  RetainFreedMemory& operator=(const RetainFreedMemory&) = delete;
};

}  // namespace weft
