#pragma once
/// The signals that end a run with a checkpoint.
#include <csignal>

namespace weft::app {

/// Accepts them in this thread and in the processes and threads that it creates, also if the caller of this program blocks
/// them.
inline void unblock_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace weft::app
