#pragma once
/// Expecting a broken contract, in builds that check contracts.
#include <gtest/gtest.h>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"

/// `statement` breaks a contract: it throws ContractError where contracts are checked, and is not run where they are not.
#if !defined(NDEBUG) || defined(WEFT_CONTRACTS)
#define EXPECT_BREACH(statement) EXPECT_THROW(statement, ::weft::ContractError)
#else
#define EXPECT_BREACH(statement) \
  do {                           \
    if (false) {                 \
      statement;                 \
    }                            \
  } while (false)
#endif
