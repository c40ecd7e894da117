// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/iota.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

template <class F>
std::string text_of(F function) {
  return program_text({}, [&](const Arrays&) { return function(); });
}

Tensor values(const Iota& op) {
  Kernel kernel = kernel_of(op, {});
  const kernel::Literal& literal = std::get<kernel::Literal>(kernel);
  return viewed(literal.view, literal.data, op.shape);
}

TEST(iota, counts_along_its_dim) {
  EXPECT_EQ(values({DType::i32, {2, 3}, Dim{1}}),
            Tensor({2, 3}, std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(values({DType::i64, {2, 3}, Dim{0}}),
            Tensor({2, 3}, std::vector<std::int64_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(values({DType::f32, {3}, Dim{0}}), Tensor({3}, std::vector<float>{0, 1, 2}));
  EXPECT_EQ(values({DType::f64, {0}, Dim{0}}), Tensor({0}, DType::f64));
}

TEST(iota, counts_negative_dims_from_the_end) {
  EXPECT_EQ(text_of([] { return iota({2, 3}, DType::f32, -2); }),
            "program() {\n  %0: f32[2,3] = iota{dim=0}\n  return %0\n}\n");
}

TEST(iota, types_its_rules) { EXPECT_EQ(mistyped_rules(Iota::examples()), std::vector<std::string>{}); }

TEST(iota, rejects_a_dim_out_of_range_c1) {
  EXPECT_EQ(refusal_of([] { text_of([] { return iota({2, 3}, DType::f32, 2); }); }),
            "T006: iota: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
  EXPECT_EQ(refusal_of(Iota{DType::f32, {2, 3}, Dim{2}}, {}),
            "T006: dim 2 is out of range for the shape [2,3] (iota_c1)");
}

TEST(iota, rejects_bool) {
  EXPECT_EQ(refusal_of(Iota{DType::boolean, {2}, Dim{0}}, {}), "T007: bool does not count; use DType::i32");
}

TEST(arange, is_iota_of_one_dim) {
  EXPECT_EQ(text_of([] { return arange(4, DType::i32); }),
            "program() {\n  %0: i32[4] = iota{dim=0}\n  return %0\n}\n");
}

TEST(arange, rejects_a_negative_size) {
  EXPECT_EQ(refusal_of([] { text_of([] { return arange(-1, DType::i32); }); }),
            "T005: arange: -1 elements; a size is at least 0");
}

}  // namespace
}  // namespace tutti
