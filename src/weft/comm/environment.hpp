#pragma once
/// Start and end of MPI, and properties of the MPI library.
#include <optional>
#include <string>

namespace weft {

/// Starts MPI on construction and ends it on destruction. main creates the only instance of a process. If MPI has already
/// been started, for example by mpi4py, the class neither starts nor ends it.
/// @throws CommError if MPI fails to start.
class MpiEnvironment {
 public:
  /// The threads that call MPI: the one that starts it, or any, several at a time.
  enum class Threads { one, several };
  MpiEnvironment(int& argc, char**& argv, Threads threads = Threads::one);
  ~MpiEnvironment();
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;

  /// Returns true if MPI accepts addresses of GPU memory; nullopt if MPI provides no query.
  [[nodiscard]] static std::optional<bool> cuda_aware();

  /// Returns name and version of the MPI library, such as "Open MPI v4.1.4". Also without an environment.
  [[nodiscard]] static std::string library();

  /// Returns true if ranks that wait for MPI yield their core at once (Open MPI's mpi_yield_when_idle).
  [[nodiscard]] static bool yields_when_idle();

  /// Returns the name of the machine on which this process runs.
  [[nodiscard]] static std::string machine();

  /// Returns whether this process may call MPI: MPI has been started and not ended, and the process is not a fork of the one that
  /// created the latest instance.
  [[nodiscard]] static bool usable();

  /// Returns true if every rank of the job calls this function within `seconds` of this rank. main distinguishes by it an
  /// error on which all ranks agree from the failure of one rank, for which the others would wait forever.
  /// @pre an MpiEnvironment was created on every rank.
  [[nodiscard]] static bool all_ranks_arrive(double seconds);

  /// Ends all ranks of the job with `code`. Only main calls it, when a single rank has failed.
  [[noreturn]] static void abort_job(int code);

 private:
  bool owner_ = false;  ///< started MPI
};

}  // namespace weft
