// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/error.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

const Where line_7{"model.cpp", 7};

std::string text_of(const Error& error) { return error.what(); }

TEST(error, says_place_message_and_notes) {
  Error error(Code::shape, {"model.cpp", 7, 3}, "add: too long", {"left is f32[4]", "right is f32[5]"});
  EXPECT_STREQ(error.what(), "model.cpp:7:3: add: too long\n  left is f32[4]\n  right is f32[5]");
  EXPECT_EQ(error.code(), Code::shape);
  EXPECT_EQ(error.message(), "add: too long");
  EXPECT_EQ(error.notes().size(), 2U);
}

TEST(error, without_a_place_begins_with_the_message) {
  EXPECT_STREQ(Error(Code::shape, {}, "too long").what(), "too long");
}

TEST(error, gets_the_place_and_the_name_that_it_lacks) {
  EXPECT_EQ(text_of(Error(Code::shape, {}, "too long").at(line_7, "add")), "model.cpp:7: add: too long");
}

TEST(error, keeps_its_first_place_and_name) {
  Error error = Error(Code::shape, {}, "too long").at(line_7, "add").at({"other.cpp", 1}, "shard_map");
  EXPECT_STREQ(error.what(), "model.cpp:7: add: too long");
}

TEST(error, gets_place_and_name_one_after_the_other) {
  EXPECT_EQ(text_of(Error(Code::shape, {}, "too long").at({}, "add").at(line_7, "shard_map")),
            "model.cpp:7: add: too long");
  EXPECT_EQ(text_of(Error(Code::shape, {}, "too long").at(line_7).at({}, "add")),
            "model.cpp:7: add: too long");
}

TEST(error, keeps_code_and_notes_when_it_is_placed) {
  Error error = Error(Code::dtype, {}, "no", {"a note"}).at(line_7, "add");
  EXPECT_EQ(error.code(), Code::dtype);
  EXPECT_EQ(error.notes(), std::vector<std::string>{"a note"});
}

TEST(require, throws_what_its_format_says) {
  try {
    require(false, Code::dim, "dim {} of {}", 3, "f32[2]");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::dim);
    EXPECT_STREQ(error.what(), "dim 3 of f32[2]");
  }
  EXPECT_NO_THROW(require(true, Code::dim, "never"));
}

template <class... A>
std::string message_of(internal::FormatString<sizeof...(A)> format, const A&... values) {
  try {
    internal::throw_formatted(Code::dim, format.text(), {values...});
  } catch (const Error& error) {
    return error.message();
  }
}

TEST(require, puts_values_at_their_places) {
  EXPECT_EQ(message_of("{1} before {0}, {1}", 1, 'b'), "b before 1, b");
  EXPECT_EQ(message_of("{{{}}} and }}{{", true), "{true} and }{");
  EXPECT_EQ(message_of("{} {} {}", -1, std::uint64_t(-1), 0.5F), "-1 18446744073709551615 0.5");
  const char* none = nullptr;
  EXPECT_EQ(message_of("{} {} {}", none, std::string("text"), "literal"), "(null) text literal");
}

TEST(ensure, throws_our_own_bugs) {
  try {
    ensure(false, "{} results", 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::internal);
  }
}

TEST(codes, are_listed_in_the_order_of_their_enumeration) {
  int index = 0;
  for (const CodeInfo& row : all_codes()) EXPECT_EQ(static_cast<int>(row.code), index++) << row.label;
  for (const CodeInfo& row : all_codes()) EXPECT_EQ(&info(row.code), &row);
  EXPECT_EQ(info(Code::internal).label, all_codes().back().label);
}

TEST(codes, have_labels_and_names_of_their_own) {
  std::set<std::string_view> labels, names;
  for (const CodeInfo& row : all_codes()) {
    EXPECT_TRUE(labels.insert(row.label).second) << row.label;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_GT(row.exit_status, 0);
  }
}

TEST(codes, of_one_family_share_a_letter) {
  for (const CodeInfo& row : all_codes())
    EXPECT_NE(std::string_view("TSRI").find(row.label[0]), std::string_view::npos);
}

TEST(where, prints_what_it_knows) {
  EXPECT_EQ(to_string(Where{"model.cpp", 7, 0}), "model.cpp:7");
  EXPECT_EQ(to_string(Where{"model.cpp", 7, 3}), "model.cpp:7:3");
  EXPECT_EQ(to_string(Where{}), "");
}

TEST(where, is_the_line_of_the_caller) {
  Where here = Where::here();
  EXPECT_EQ(to_string(here), "tests/base/error_test.cpp:" + std::to_string(__LINE__ - 1));
}

TEST(where, keeps_names_as_long_as_the_process) {
  std::string name = "axis";
  const char* kept = intern_name(name);
  name = "other";
  EXPECT_STREQ(kept, "axis");
  EXPECT_EQ(kept, intern_name("axis"));
}

}  // namespace
}  // namespace tutti
