#pragma once
/// Starting and ending MPI.
#include <optional>
#include <string>

namespace weft {

/// Starts MPI on construction and ends it on destruction. One per process, made by main.
/// Where MPI was already started by someone else (mpi4py), it neither starts nor ends it.
/// @throws CommError if MPI refuses.
class MpiEnvironment {
 public:
  MpiEnvironment(int& argc, char**& argv);
  ~MpiEnvironment();
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;

  /// Whether MPI says that it takes addresses of a GPU's memory; nothing where it cannot be asked.
  [[nodiscard]] static std::optional<bool> cuda_aware();

  /// Whether ranks that wait for MPI let others run at once, as mpirun was told (mpi_yield_when_idle).
  [[nodiscard]] static bool yields_when_idle();

  /// Name of the machine that this process runs on.
  [[nodiscard]] static std::string machine();

  /// Returns whether every rank of the job calls this within `seconds` of this one: how main tells an error that all ranks agree
  /// on from the failure of one rank alone, for which the others would wait for ever. @pre an MpiEnvironment was made on every
  /// rank.
  [[nodiscard]] static bool everyone_arrives(double seconds);

  /// Ends every rank of the job with `code`. For main only, when one rank alone has failed.
  [[noreturn]] static void abort_job(int code);

 private:
  bool ours_ = false;
};

}  // namespace weft
