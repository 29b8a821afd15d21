#pragma once
/// Contracts: what a caller must guarantee (WEFT_EXPECTS) and what our own code must guarantee (WEFT_ASSERT).
///
/// Checked where NDEBUG is off or WEFT_CONTRACTS is set (debug builds and tests). A broken contract throws ContractError:
/// a library never ends the process. Input that a user can get wrong is checked always, with weft::Error.
#include "weft/base/macros.hpp"

namespace weft {
/// @throws ContractError naming the expression and its place.
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
