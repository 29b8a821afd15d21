#include "weft/kernels/primitives/providers.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace weft::kernels::providers_test {
namespace {

TEST(Providers, a_call_may_request_one_and_otherwise_the_table_selects) {
  static_assert(detail::provider(Provider::library, Primitive::scan, 4) == Provider::library);
  static_assert(detail::provider(Provider::automatic, Primitive::sort_keys, 8) == Provider::own);
  static_assert(detail::provider(Provider::automatic, Primitive::sort_keys, 2) == Provider::library);
}

TEST(Providers, every_row_names_a_provider_and_its_evidence) {
  for (const ProviderChoice& row : kProviderChoices) {
    EXPECT_NE(row.provider, Provider::automatic);
    EXPECT_FALSE(std::string_view(row.evidence).empty());
    EXPECT_GE(row.of_library, 0);
    for (const ProviderChoice& other : kProviderChoices) {
      EXPECT_TRUE(&row == &other || row.primitive != other.primitive || row.bytes != other.bytes) << row.evidence;
    }
  }
}

}  // namespace
}  // namespace weft::kernels::providers_test
