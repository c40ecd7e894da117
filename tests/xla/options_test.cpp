// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/options.hpp"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", byte & 0xff);
  return text;
}

// Three plugins of XLA took these bytes: versions 0.81, 0.106 and 0.115.
TEST(compile_options, of_eight_replicas_are_24_bytes) {
  EXPECT_EQ(hex(compile_options(first(8))),
            "1a 16 20 08 28 01 4a 10 08 08 10 01 1a 0a 0a 08 00 01 02 03 04 05 06 07");
}

TEST(compile_options, of_one_device_name_it_all_the_same) {
  EXPECT_EQ(hex(compile_options(std::vector{0})), "1a 0f 20 01 28 01 4a 09 08 01 10 01 1a 03 0a 01 00");
}

TEST(compile_options, have_devices_in_the_order_of_replicas_and_of_any_number) {
  EXPECT_EQ(hex(compile_options(std::vector{2049, 3})),
            "1a 11 20 02 28 01 4a 0b 08 02 10 01 1a 05 0a 03 81 10 03");
}

TEST(compile_options, have_options_of_xla_by_name_each_with_its_type) {
  const std::string none = compile_options(first(1));
  const auto added = [&](const Override& override) {
    return hex(compile_options(first(1), {&override, 1}).substr(none.size()));
  };
  EXPECT_EQ(added({"ab", false}), "3a 08 0a 02 61 62 12 02 10 00");
  EXPECT_EQ(added({"ab", true}), "3a 08 0a 02 61 62 12 02 10 01");
  EXPECT_EQ(added({"ab", std::int64_t{300}}), "3a 09 0a 02 61 62 12 03 18 ac 02");
  EXPECT_EQ(added({"ab", std::int64_t{-1}}), "3a 11 0a 02 61 62 12 0b 18 ff ff ff ff ff ff ff ff ff 01");
  EXPECT_EQ(added({"ab", 1.0}), "3a 0f 0a 02 61 62 12 09 21 00 00 00 00 00 00 f0 3f");
  EXPECT_EQ(added({"ab", std::string("c")}), "3a 09 0a 02 61 62 12 03 0a 01 63");
}

TEST(compile_options, without_devices_would_end_the_process_and_are_refused) {
  expect_refusal([] { compile_options({}); }, Code::internal, {"compiled for no device"});
}

TEST(compile_options, with_a_device_twice_or_below_0_are_refused) {
  expect_refusal([] { compile_options(std::vector{1, 1}); }, Code::internal, {"device 1", "named twice"});
  expect_refusal([] { compile_options(std::vector{-1}); }, Code::internal, {"device -1", "negative"});
}

}  // namespace
}  // namespace tutti::xla
