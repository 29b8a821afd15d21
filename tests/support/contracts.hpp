#pragma once
/// Tests of violated contracts, in builds that check contracts.
#include <gtest/gtest.h>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"

/// Checks that `statement` violates a contract: it throws ContractError if contracts are checked, and is not run if they are not.
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
