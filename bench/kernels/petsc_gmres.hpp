#pragma once
/// GMRES of PETSc for a block-sparse matrix on one rank; without PETSc a substitute that reports its absence.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#if defined(WEFT_HAS_PETSC)
#include <petscksp.h>
#endif

namespace bench {

#if defined(WEFT_HAS_PETSC)

inline constexpr bool kHasPetsc = true;
/// The largest number of entries of a matrix, which PETSc counts as PetscInt.
inline constexpr std::int64_t kMostPetscEntries = std::numeric_limits<PetscInt>::max();

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

/// GMRES with classical Gram-Schmidt and reorthogonalisation, preconditioned from the right by the diagonal blocks.
class PetscGmres {
 public:
  PetscGmres(int block, std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns,
             std::span<const double> blocks, int restart) {
    const auto rows = static_cast<PetscInt>(offsets.size() - 1);
    std::vector<PetscInt> sizes;
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
      sizes.push_back(static_cast<PetscInt>(offsets[row + 1] - offsets[row]));
    petsc_check(MatCreateSeqBAIJ(PETSC_COMM_SELF, block, rows * block, rows * block, 0, sizes.data(), &matrix_));
    for (PetscInt row = 0; row < rows; ++row) {
      for (auto k = offsets[static_cast<std::size_t>(row)]; k < offsets[static_cast<std::size_t>(row) + 1]; ++k) {
        const PetscInt column = columns[static_cast<std::size_t>(k)];
        petsc_check(MatSetValuesBlocked(matrix_, 1, &row, 1, &column, blocks.data() + k * block * block, INSERT_VALUES));
      }
    }
    petsc_check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    petsc_check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
    petsc_check(KSPCreate(PETSC_COMM_SELF, &solver_));
    petsc_check(KSPSetOperators(solver_, matrix_, matrix_));
    petsc_check(KSPSetType(solver_, KSPGMRES));
    petsc_check(KSPGMRESSetRestart(solver_, restart));
    petsc_check(KSPGMRESSetCGSRefinementType(solver_, KSP_GMRES_CGS_REFINE_ALWAYS));
    petsc_check(KSPSetPCSide(solver_, PC_RIGHT));
    PC preconditioner = nullptr;
    petsc_check(KSPGetPC(solver_, &preconditioner));
    petsc_check(PCSetType(preconditioner, PCPBJACOBI));
    petsc_check(KSPSetUp(solver_));
  }
  ~PetscGmres() {
    petsc_check(KSPDestroy(&solver_));
    petsc_check(MatDestroy(&matrix_));
  }
  PetscGmres(const PetscGmres&) = delete;
  PetscGmres& operator=(const PetscGmres&) = delete;

  /// Computes `iterations` iterations from 0 on and returns the norm of the residual.
  double run(std::span<const double> b, std::span<double> x, int iterations) {
    Vec right = nullptr, solution = nullptr;
    const auto n = static_cast<PetscInt>(b.size());
    petsc_check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, b.data(), &right));
    petsc_check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, x.data(), &solution));
    petsc_check(KSPSetTolerances(solver_, 1e-300, 1e-300, PETSC_DEFAULT, iterations));
    petsc_check(KSPSolve(solver_, right, solution));
    double norm = 0;
    petsc_check(KSPGetResidualNorm(solver_, &norm));
    petsc_check(VecDestroy(&right));
    petsc_check(VecDestroy(&solution));
    return norm;
  }

 private:
  Mat matrix_ = nullptr;
  KSP solver_ = nullptr;
};

#else

inline constexpr bool kHasPetsc = false;
inline constexpr std::int64_t kMostPetscEntries = std::numeric_limits<std::int64_t>::max();

class PetscSession {};

class PetscGmres {
 public:
  PetscGmres(int, std::span<const std::int64_t>, std::span<const std::int32_t>, std::span<const double>, int) {}
  double run(std::span<const double>, std::span<double>, int) { return 0; }
};

#endif

}  // namespace bench
