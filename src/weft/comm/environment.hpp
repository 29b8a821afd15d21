#pragma once
/// Starting and ending MPI.

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

  /// Ends every rank of the job with `code`. For main only, when one rank alone has failed.
  [[noreturn]] static void abort_job(int code);

 private:
  bool ours_ = false;
};

}  // namespace weft
