// SPDX-License-Identifier: Apache-2.0
// Properties of narrow dtypes in every op: sums of f16 and bf16 are rounded once, across devices too;
// integers wrap.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 4}, {"y", 2}});

Tensor halves(const std::vector<float>& values, DType dtype = DType::bf16) {
  Tensor wide(Shape{static_cast<std::int64_t>(values.size())}, values);
  return computed_by([dtype](const Arrays& x) { return convert(x[0], dtype); }, {wide});
}

/// On 8 devices, with `x` varying over both axes.
PerDevice on_devices(const PerDevice& x, const std::function<Array(const Array&)>& body) {
  Axes axes = mesh.axes();
  Program program = trace({Type(x[0].dtype(), x[0].shape()).with(axes, varying)}, [&](const Arrays& in) {
                      auto bound = Builder::current().bind(axes);
                      return Arrays{body(in[0])};
                    }).program;
  return run_on_machine(program, mesh, {x})[0];
}

// 256 + 1 is 256 in bf16, so are the six that follow; 263 is 264. In f16 so is 2048 + 1.
PerDevice large_and_ones(float large, DType dtype) {
  PerDevice values(8, halves({1, 1}, dtype));
  values[3] = halves({large, 1}, dtype);
  return values;
}

TEST(halves, sums_over_devices_are_rounded_once) {
  auto sum = [](const Array& x) { return psum(x, {"x", "y"}); };
  EXPECT_EQ(on_devices(large_and_ones(256, DType::bf16), sum), PerDevice(8, halves({264, 8})));
  EXPECT_EQ(on_devices(large_and_ones(2048, DType::f16), sum), PerDevice(8, halves({2056, 8}, DType::f16)));
}

TEST(halves, sums_over_devices_are_rounded_once_inside_of_fused_regions) {
  auto sum = [](const Array& x) { return psum(x * 2.0, {"x", "y"}) * 0.5; };
  EXPECT_EQ(on_devices(large_and_ones(256, DType::bf16), sum), PerDevice(8, halves({264, 8})));
}

TEST(halves, scattered_sums_are_rounded_once) {
  PerDevice values;
  auto scattered = [](const Array& x) { return all_gather(psum_scatter(psum(x, "x"), "y"), "y"); };
  EXPECT_EQ(on_devices(PerDevice(8, halves({1, 40})), scattered), PerDevice(8, halves({8, 320})));
  auto in_one = [](const Array& x) { return all_gather(psum_scatter(x, {"x", "y"}), {"x", "y"}); };
  values.assign(8, halves({1, 1, 1, 1, 1, 1, 1, 1}));
  values[5] = halves({256, 1, 1, 1, 1, 1, 1, 512});
  EXPECT_EQ(on_devices(values, in_one), PerDevice(8, halves({264, 8, 8, 8, 8, 8, 8, 520})));
}

TEST(halves, variances_are_taken_in_f32) {
  auto variance_of = [](const Tensor& row) {
    return computed_by([](const Arrays& x) { return reshape(variance(x[0]), {1}); }, {row});
  };
  EXPECT_EQ(variance_of(halves({1000, 1004})), halves({4}));
  std::vector<float> far(100);
  far[0] = 300;  // whose square is beyond f16: 300 * 300 * 99 / 10000 = 891
  EXPECT_EQ(variance_of(halves(far, DType::f16)), halves({891}, DType::f16));
}

TEST(halves, are_standardized_in_f32) {
  std::vector<float> far(100), expected(100, -0.1005038F);
  far[0] = 300, expected[0] = 9.949874F;  // (300 - 3) / sqrt(891), -3 / sqrt(891)
  auto standard = [](const Arrays& x) { return standardize(x[0]); };
  EXPECT_EQ(computed_by(standard, {halves(far, DType::f16)}), halves(expected, DType::f16));
}

TEST(halves, sums_within_a_device_are_rounded_once) {
  Tensor row = halves({1, 1, 1, 256, 1, 1, 1, 1});
  auto of_row = [&](const std::function<Array(const Array&)>& f) {
    return computed_by([&](const Arrays& x) { return f(x[0]); }, {row});
  };
  EXPECT_EQ(of_row([](const Array& x) { return reduce_sum(reshape(x, {8, 1}), 0); }), halves({264}));
  EXPECT_EQ(of_row([](const Array& x) { return reduce_sum(reshape(x, {1, 8}), 1); }), halves({264}));
  EXPECT_EQ(of_row([](const Array& x) { return reshape(matmul(x, ones_like(x)), {1}); }), halves({264}));
  EXPECT_EQ(of_row([](const Array& x) { return cumsum(x, 0); }), halves({1, 2, 3, 260, 260, 260, 262, 264}));
  EXPECT_EQ(of_row([](const Array& x) { return reshape(mean(x), {1}); }), halves({33}));
}

TEST(halves, scatter_add_is_rounded_once) {
  Tensor base = halves({256, 1}), updates = halves({1, 1, 1, 1, 1, 1, 1});
  Tensor indices(Shape{7}, std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 0});
  const GatherDims elements{{}, {Dim{0}}, {}, {}, {Dim{0}}, Dim{1}};
  auto added = [&](const Arrays& x) { return scatter_add(x[0], x[1], x[2], elements); };
  EXPECT_EQ(computed_by(added, {base, indices, updates}), halves({264, 1}));
}

TEST(integers, wrap_in_sums_over_devices) {
  PerDevice values(8, Tensor(Shape{2}, std::vector<std::uint8_t>{40, 1}));
  EXPECT_EQ(on_devices(values, [](const Array& x) { return psum(x, {"x", "y"}); }),
            PerDevice(8, Tensor(Shape{2}, std::vector<std::uint8_t>{64, 8})));
}

TEST(integers, of_any_width_have_a_mean_of_f32) {
  PerDevice values(8, Tensor(Shape{1}, std::vector<std::int8_t>{100}));
  EXPECT_EQ(on_devices(values, [](const Array& x) { return pmean(x, {"x", "y"}); }),
            PerDevice(8, Tensor(Shape{1}, std::vector<float>{100})));
}

TEST(integers, that_are_unsigned_compare_as_such) {
  Tensor x(Shape{3}, std::vector<std::uint32_t>{0, 0x80000000U, 0xFFFFFFFFU});
  EXPECT_EQ(computed_by([](const Arrays& a) { return a[0] > 1; }, {x}),
            Tensor(Shape{3}, std::vector<bool>{false, true, true}));
  EXPECT_EQ(computed_by([](const Arrays& a) { return reduce_max(reshape(a[0], {1, 3}), 1); }, {x}),
            Tensor(Shape{1}, std::vector<std::uint32_t>{0xFFFFFFFFU}));
  EXPECT_EQ(computed_by([](const Arrays& a) { return one_hot(a[0], 1, DType::i32); },
                        {Tensor(Shape{1}, std::vector<std::uint8_t>{0})}),
            Tensor(Shape{1, 1}, std::vector<std::int32_t>{1}));
}

TEST(integers, of_64_bits_stand_beside_numbers_as_large) {
  Tensor x(Shape{1}, std::vector<std::uint64_t>{1});
  EXPECT_EQ(computed_by(
                [](const Arrays& a) { return a[0] + (std::numeric_limits<std::uint64_t>::max() - 1); }, {x}),
            Tensor(Shape{1}, std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()}));
}

TEST(one_hot, of_narrow_labels_counts_further_than_they_do) {
  Tensor label(Shape{1}, std::vector<std::uint8_t>{5});
  Tensor found =
      computed_by([](const Arrays& x) { return reduce_sum(one_hot(x[0], 300, DType::i32)); }, {label});
  EXPECT_EQ(found.at(0), 1);
}

}  // namespace
}  // namespace tutti
