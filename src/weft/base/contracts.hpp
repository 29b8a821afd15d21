#pragma once
/// Contracts: preconditions that a caller must meet (WEFT_EXPECTS) and invariants of the implementation (WEFT_ASSERT).
///
/// Contracts are checked where NDEBUG is not defined or WEFT_CONTRACTS is (debug builds and tests). A violation throws
/// ContractError, because a library never ends the process. User input is always checked, with weft::Error.
#include "weft/base/macros.hpp"

namespace weft {
/// Reports a violated contract. @throws ContractError naming the expression, the file and the line.
[[noreturn]] void contract_failed(const char* kind, const char* expression, const char* file, int line);
}  // namespace weft

#if defined(__CUDA_ARCH__)
#define WEFT_CONTRACT_CHECK(kind, cond) ((void)0)
#elif !defined(NDEBUG) || defined(WEFT_CONTRACTS)
#define WEFT_CONTRACT_CHECK(kind, cond) ((cond) ? (void)0 : ::weft::contract_failed(kind, #cond, __FILE__, __LINE__))
#else
#define WEFT_CONTRACT_CHECK(kind, cond) ((void)0)
#endif

#define WEFT_EXPECTS(cond) WEFT_CONTRACT_CHECK("precondition", cond)
#define WEFT_ASSERT(cond) WEFT_CONTRACT_CHECK("assertion", cond)
