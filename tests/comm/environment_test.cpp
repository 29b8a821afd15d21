#include "weft/comm/environment.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace weft::environment_test {
namespace {

TEST(MpiEnvironment, names_the_library_with_its_version) {
  const std::string library = MpiEnvironment::library();
  EXPECT_GT(library.size(), 1U) << library;
  EXPECT_EQ(library.find_first_of(",\n"), std::string::npos) << library;
  if (library.starts_with("Open MPI v")) {
    EXPECT_NE(std::isdigit(static_cast<unsigned char>(library[10])), 0) << library;
  }
}

}  // namespace
}  // namespace weft::environment_test
