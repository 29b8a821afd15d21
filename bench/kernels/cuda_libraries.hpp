#pragma once
// cuSPARSE and cuBLAS, with which the kernels for linear algebra are compared. Functions have overloads for float and double.
#include <cublas_v2.h>
#include <cusparse.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "weft/device/cuda.cuh"
#include "weft/device/stream.hpp"

namespace bench {

/// Throws std::runtime_error for a status of cuSPARSE or cuBLAS that is an error.
template <class Status>
void check_library(Status status, const char* call) {
  if (static_cast<int>(status) != 0)
    throw std::runtime_error(std::string(call) + " failed: " + std::to_string(static_cast<int>(status)));
}

/// The handles of the libraries, for one stream.
struct CudaLibraries {
  cusparseHandle_t sparse = nullptr;
  cusparseMatDescr_t general = nullptr;
  cublasHandle_t dense = nullptr;

  explicit CudaLibraries(weft::Stream& stream) {
    check_library(cusparseCreate(&sparse), "cusparseCreate");
    check_library(cusparseSetStream(sparse, weft::native(stream)), "cusparseSetStream");
    check_library(cusparseCreateMatDescr(&general), "cusparseCreateMatDescr");
    check_library(cublasCreate(&dense), "cublasCreate");
    check_library(cublasSetStream(dense, weft::native(stream)), "cublasSetStream");
  }
  CudaLibraries(const CudaLibraries&) = delete;
  CudaLibraries& operator=(const CudaLibraries&) = delete;
  ~CudaLibraries() {
    cusparseDestroyMatDescr(general);
    cusparseDestroy(sparse);
    cublasDestroy(dense);
  }
};

/// A matrix of `rows` block rows in compressed rows, with row-major blocks of `edge` rows.
template <class T>
struct BlockRows {
  int rows, blocks, edge;
  const T* values;
  const std::int32_t *offsets, *columns;
};

/// Computes y = A x.
template <class T>
void library_product(const CudaLibraries& libraries, const BlockRows<T>& a, const T* x, T* y) {
  constexpr auto kDirection = CUSPARSE_DIRECTION_ROW;
  constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const T one = 1, zero = 0;
  if constexpr (sizeof(T) == 8) {
    check_library(cusparseDbsrmv(libraries.sparse, kDirection, kPlain, a.rows, a.rows, a.blocks, &one, libraries.general,
                                 a.values, a.offsets, a.columns, a.edge, x, &zero, y),
                  "cusparseDbsrmv");
  } else {
    check_library(cusparseSbsrmv(libraries.sparse, kDirection, kPlain, a.rows, a.rows, a.blocks, &one, libraries.general,
                                 a.values, a.offsets, a.columns, a.edge, x, &zero, y),
                  "cusparseSbsrmv");
  }
}

/// Factorises matrices of n rows in place.
template <class T>
void library_factor(const CudaLibraries& libraries, int n, T* const* matrices, int* pivots, int* info, std::int64_t count) {
  if constexpr (sizeof(T) == 8) {
    check_library(cublasDgetrfBatched(libraries.dense, n, matrices, n, pivots, info, static_cast<int>(count)),
                  "cublasDgetrfBatched");
  } else {
    check_library(cublasSgetrfBatched(libraries.dense, n, matrices, n, pivots, info, static_cast<int>(count)),
                  "cublasSgetrfBatched");
  }
}

/// Solves for one right-hand side of each matrix, in place.
template <class T>
void library_solve(const CudaLibraries& libraries, int n, T* const* matrices, const int* pivots, T* const* vectors,
                   std::int64_t count) {
  int info = 0;
  if constexpr (sizeof(T) == 8) {
    check_library(
        cublasDgetrsBatched(libraries.dense, CUBLAS_OP_T, n, 1, matrices, n, pivots, vectors, n, &info, static_cast<int>(count)),
        "cublasDgetrsBatched");
  } else {
    check_library(
        cublasSgetrsBatched(libraries.dense, CUBLAS_OP_T, n, 1, matrices, n, pivots, vectors, n, &info, static_cast<int>(count)),
        "cublasSgetrsBatched");
  }
}

/// Computes C = A B + beta C for row-major matrices of n rows, as B^T A^T = C^T, because those of cuBLAS are column-major.
template <class T>
void library_products(const CudaLibraries& libraries, int n, const T* a, const T* b, T* c, std::int64_t count, T beta = 0) {
  const T one = 1;
  const auto square = std::int64_t{n} * n;
  if constexpr (sizeof(T) == 8) {
    check_library(cublasDgemmStridedBatched(libraries.dense, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, square, a, n, square,
                                            &beta, c, n, square, static_cast<int>(count)),
                  "cublasDgemmStridedBatched");
  } else {
    check_library(cublasSgemmStridedBatched(libraries.dense, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, square, a, n, square,
                                            &beta, c, n, square, static_cast<int>(count)),
                  "cublasSgemmStridedBatched");
  }
}

/// Copies blocks in slots to row-major blocks in compressed rows.
template <class View, class T>
struct ToBlockRows {
  View a;
  int edge;
  const std::int32_t* offsets;
  T* blocks;
  WEFT_HD void operator()(std::int32_t row) const {
    for (std::int32_t k = 0; k < a.pattern.sizes[row]; ++k) {
      for (int e = 0; e < edge * edge; ++e) {
        blocks[(std::int64_t{offsets[row]} + k) * edge * edge + e] = a(a.pattern.slot(row, k), e / edge, e % edge);
      }
    }
  }
};

/// Stores the addresses of parts of an array that are `apart` entries apart.
template <class T>
struct StoreAddress {
  T* first;
  std::int64_t apart;
  T** addresses;
  WEFT_HD void operator()(std::int64_t m) const { addresses[m] = first + m * apart; }
};

}  // namespace bench
