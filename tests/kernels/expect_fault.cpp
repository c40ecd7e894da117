// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/expect_fault.hpp"

#include <gtest/gtest.h>

namespace tutti::kernels {

void expect_fault(const CheckReport& report, FaultKind kind, const std::vector<std::string_view>& parts) {
  if (!report.fault) {
    ADD_FAILURE() << "no fault; expected: " << name(kind) << "\n" << to_string(report);
    return;
  }
  EXPECT_EQ(name(report.fault->kind), name(kind)) << to_string(report);
  for (std::string_view part : parts)
    EXPECT_NE(report.fault->text.find(part), std::string::npos) << "missing: " << part << "\n"
                                                                << to_string(report);
}

void expect_no_fault(const CheckReport& report) { EXPECT_TRUE(report) << to_string(report); }

}  // namespace tutti::kernels
