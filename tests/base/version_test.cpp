// SPDX-License-Identifier: Apache-2.0
#include "tutti/version.hpp"

#include <fmt/format.h>

#include <gtest/gtest.h>

namespace tutti {
namespace {

TEST(version, is_one_in_numbers_and_as_text) {
  EXPECT_EQ(fmt::format("{}.{}.{}", version_major, version_minor, version_patch), version_text);
}

}  // namespace
}  // namespace tutti
