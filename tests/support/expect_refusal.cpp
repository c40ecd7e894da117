// SPDX-License-Identifier: Apache-2.0
#include "tests/support/expect_refusal.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {

void expect_refusal(const std::function<void()>& program, Code code,
                    std::initializer_list<std::string_view> parts) {
  const std::string text = refusal(program);
  EXPECT_EQ(text.substr(0, 4), info(code).label) << text;
  for (std::string_view part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

}  // namespace tutti
