#pragma once
/// Threads that cannot be started, as on a machine with too many.
#include <pthread.h>

#include <cstddef>
#include <system_error>
#include <thread>

namespace weft::test {

/// While an object exists, no thread of the process can be started: its stack would be larger than the address space.
class RefusedThreads {
 public:
  RefusedThreads() {
    constexpr std::size_t kTooLarge = std::size_t{1} << 60;
    pthread_attr_t huge;
    pthread_getattr_default_np(&before_);
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, kTooLarge);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~RefusedThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  RefusedThreads(const RefusedThreads&) = delete;
  RefusedThreads& operator=(const RefusedThreads&) = delete;

  /// Returns false where a thread starts nevertheless, because a sanitizer chooses its stack.
  [[nodiscard]] static bool possible() {
    const RefusedThreads refused;
    try {
      std::thread([] {}).join();
    } catch (const std::system_error&) {
      return true;
    }
    return false;
  }

 private:
  pthread_attr_t before_{};
};

}  // namespace weft::test
