#pragma once
/// The exchange with star forests of PETSc; without PETSc a substitute that reports its absence.
#include <memory>
#include <vector>

#include "weft/array/ghost_plan.hpp"

#if defined(WEFT_HAS_PETSC)
#include <petscsf.h>
#endif

namespace bench {

#if defined(WEFT_HAS_PETSC)

inline constexpr bool kHasPetsc = true;

inline void petsc_check(PetscErrorCode code) {
  if (code != 0) PETSCABORT(PETSC_COMM_SELF, code);
}

/// Starts and ends PETSc.
class PetscSession {
 public:
  PetscSession() { petsc_check(PetscInitializeNoArguments()); }
  ~PetscSession() { petsc_check(PetscFinalize()); }
  PetscSession(const PetscSession&) = delete;
  PetscSession& operator=(const PetscSession&) = delete;
};

/// Pulls of arrays with `width` doubles per row, owned rows before ghost rows.
class PetscPull {
 public:
  /// Creates the star forest. @collective
  PetscPull(const weft::GhostPlan& plan, std::vector<double*> arrays, int width)
      : arrays_(std::move(arrays)), ghosts_at_(static_cast<std::size_t>(plan.owned_rows()) * static_cast<std::size_t>(width)) {
    std::vector<PetscSFNode> owners;
    for (std::int32_t i = plan.owned_rows(); i < plan.rows(); ++i) {
      const auto [rank, row] = plan.offsets().find(plan.global(weft::LocalRow(i)));
      owners.push_back({rank.value(), row.value()});
    }
    petsc_check(PetscSFCreate(plan.comm().handle(), &forest_));
    petsc_check(PetscSFSetFromOptions(forest_));
    petsc_check(PetscSFSetGraph(forest_, plan.owned_rows(), static_cast<PetscInt>(owners.size()), nullptr, PETSC_COPY_VALUES,
                                owners.data(), PETSC_COPY_VALUES));
    petsc_check(PetscSFSetUp(forest_));
    MPI_Type_contiguous(width, MPI_DOUBLE, &row_);
    MPI_Type_commit(&row_);
  }
  ~PetscPull() {
    MPI_Type_free(&row_);
    petsc_check(PetscSFDestroy(&forest_));
  }
  PetscPull(const PetscPull&) = delete;
  PetscPull& operator=(const PetscPull&) = delete;

  void run() {
    for (double* a : arrays_) petsc_check(PetscSFBcastBegin(forest_, row_, a, a + ghosts_at_, MPI_REPLACE));
    for (double* a : arrays_) petsc_check(PetscSFBcastEnd(forest_, row_, a, a + ghosts_at_, MPI_REPLACE));
  }

 private:
  PetscSF forest_ = nullptr;
  MPI_Datatype row_ = MPI_DATATYPE_NULL;
  std::vector<double*> arrays_;
  std::size_t ghosts_at_;
};

#else

inline constexpr bool kHasPetsc = false;

struct PetscSession {
  PetscSession() {}
};

struct PetscPull {
  PetscPull(const weft::GhostPlan& /*plan*/, const std::vector<double*>& /*arrays*/, int /*width*/) {}
  void run() {}
};

#endif

}  // namespace bench
