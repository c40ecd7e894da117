// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tutti/base/error.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 2}, {"y", 2}, {"z", 2}, {"t", 2}, {"s", 2}});
const Type cube(DType::f32, {8, 8, 8});

Sharding read(std::string_view text) { return parse_spec(text).on(mesh, cube); }
std::string refused(std::string_view text) {
  try {
    parse_spec(text);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(parse_spec, reads_what_cpp_writes) {
  EXPECT_EQ(read("P()"), P().on(mesh, cube));
  EXPECT_EQ(read("P(x, none, y)"), P("x", none, "y").on(mesh, cube));
  EXPECT_EQ(read("P((y,x),none,z)+U(t)+R(s)"),
            P(SpecEntry{"y", "x"}, none, "z").unreduced({"t"}).reduced({"s"}).on(mesh, cube));
}

TEST(parse_spec, marks_the_place_of_a_missing_bracket) {
  EXPECT_EQ(refused("P(x, none"), "spec: there must be a ')' after the dims\n"
                                  "  P(x, none\n"
                                  "           ^");
}

TEST(parse_spec, marks_the_place_of_a_missing_axis) {
  EXPECT_EQ(refused("P(x, , y)"), "spec: there must be an axis, none, or several axes in brackets here\n"
                                  "  P(x, , y)\n"
                                  "       ^");
}

TEST(parse_spec, marks_what_follows_the_end) {
  EXPECT_EQ(refused("P(x) and"), "spec: there must be a '+' before U(..) or R(..)\n"
                                 "  P(x) and\n"
                                 "       ^");
}

TEST(parse_spec, refuses_a_letter_that_stands_twice) {
  EXPECT_EQ(refused("P(x)+U(y)+U(z)"), "spec: 'U' stands twice; name all its axes at once\n"
                                       "  P(x)+U(y)+U(z)\n"
                                       "            ^");
}

}  // namespace
}  // namespace tutti
