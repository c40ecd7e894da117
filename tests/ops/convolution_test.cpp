// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/convolution.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/windows/convolution.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const ConvolutionRoles roles{Dim{0}, Dim{1}, {Dim{2}}};
const ConvolutionNumbers numbers{roles, roles, roles};

Type f32(Shape shape) { return Type(DType::f32, std::move(shape)); }
const Type row = f32({2, 4, 5}), kernel = f32({6, 4, 3});

std::string refusal(const Convolution& op, const Type& x = row, const Type& of_kernel = kernel) {
  return refusal_of(op, {x, of_kernel});
}

Convolution with(const ConvolutionWindow& window) { return {numbers, {window}}; }

TEST(convolution, has_windows_as_many_as_fit) {
  EXPECT_EQ(with({}).infer({row, kernel})[0], f32({2, 6, 3}));
  EXPECT_EQ(with({.stride = 2, .low = 1, .high = 1}).infer({row, kernel})[0], f32({2, 6, 3}));
  EXPECT_EQ(with({.input_dilation = 2}).infer({row, kernel})[0], f32({2, 6, 7}));
  EXPECT_EQ(with({.kernel_dilation = 2}).infer({row, kernel})[0], f32({2, 6, 1}));
  EXPECT_EQ(with({.low = -3}).infer({row, kernel})[0], f32({2, 6, 0}));
}

TEST(convolution, of_unreduced_and_reduced_is_unreduced) {
  const Axis a = example_mesh().axes()[0];
  EXPECT_EQ(with({}).infer({row.with(a, unreduced), kernel.with(a, reduced)})[0],
            f32({2, 6, 3}).with(a, unreduced));
}

TEST(convolution, refuses_different_ranks_c1) {
  EXPECT_EQ(refusal(with({}), row, f32({6, 4})), "T006: f32[2,4,5] and f32[6,4] have different ranks "
                                                 "(convolution_c1); an image alone needs a dim of size 1 "
                                                 "for the batch: expand_dims(x, 0)");
}

TEST(convolution, refuses_windows_that_are_not_one_per_dim_c2) {
  EXPECT_EQ(refusal({numbers, {{}, {}}}),
            "T006: 2 windows for f32[2,4,5]; one per spatial dim (convolution_c2)");
}

TEST(convolution, refuses_numbers_below_1_c3_c6_c8) {
  EXPECT_EQ(refusal(with({.stride = 0})),
            "T005: the stride of spatial dim 0 is 0; it is at least 1 (convolution_c3)");
  EXPECT_EQ(refusal(with({.input_dilation = 0})),
            "T005: the dilation of the input of spatial dim 0 is 0; it is at least 1 (convolution_c6)");
  EXPECT_EQ(refusal(with({.kernel_dilation = -1})),
            "T005: the dilation of the kernel of spatial dim 0 is -1; it is at least 1 (convolution_c8)");
  EXPECT_EQ(refusal(with({.low = std::int64_t{1} << 60})),
            "T005: a window of spatial dim 0 has 1152921504606846976, which is beyond 2^58; make it smaller");
}

TEST(convolution, refuses_padding_and_dilation_that_cannot_be_counted) {
  constexpr std::int64_t far = std::int64_t{1} << 57;
  const std::string dim =
      "T005: spatial dim 0 of f32[2,4,5] or of the kernel f32[6,4,3] has more than 2^58 elements after "
      "padding and dilation; pad and dilate less";
  EXPECT_EQ(refusal(with({.input_dilation = far})), dim);
  EXPECT_EQ(refusal(with({.kernel_dilation = far})), dim);
  EXPECT_EQ(refusal(with({.low = far, .high = far})), dim);
  EXPECT_EQ(refusal(with({.stride = far, .low = far})),
            "T005: f32[2,4,5] has more than 2^58 elements after padding and dilation; pad and dilate less");
}

TEST(convolution, refuses_groups_that_do_not_divide_c10_c11_c15_c16) {
  EXPECT_EQ(
      refusal({numbers, {{}}, 1, 3}),
      "T005: 2 of the batch do not split into 3 groups (convolution_c10); use another number of groups");
  EXPECT_EQ(refusal({numbers, {{}}, 3, 1}),
            "T005: 4 of the features of the input do not split into 3 groups (convolution_c11); use another "
            "number of groups");
  EXPECT_EQ(refusal({numbers, {{}}, 1, 2}, row, f32({5, 4, 3})),
            "T005: 5 of the output features do not split into 2 groups (convolution_c15); use another number "
            "of groups");
  EXPECT_EQ(refusal({numbers, {{}}, 2, 1}, row, f32({5, 2, 3})),
            "T005: 5 of the output features do not split into 2 groups (convolution_c16); use another number "
            "of groups");
}

TEST(convolution, refuses_dims_that_are_not_a_permutation_c12_to_c20) {
  const ConvolutionRoles more{Dim{0}, Dim{1}, {}}, twice{Dim{0}, Dim{0}, {Dim{2}}},
      far{Dim{0}, Dim{1}, {Dim{3}}};
  EXPECT_EQ(refusal({{more, roles, roles}, {{}}}),
            "T006: 0 spatial dims of the input for 1 window (convolution_c12)");
  EXPECT_EQ(refusal({{twice, roles, roles}, {{}}}),
            "T006: dim 0 of f32[2,4,5] is named twice; name each dim once (convolution_c13)");
  EXPECT_EQ(refusal({{roles, more, roles}, {{}}}),
            "T006: 0 spatial dims of the kernel for 1 window (convolution_c17)");
  EXPECT_EQ(refusal({{roles, far, roles}, {{}}}),
            "T006: dim 3 is out of range for f32[6,4,3], which has 3 dims, counted from 0 (convolution_c18)");
  EXPECT_EQ(refusal({{roles, roles, more}, {{}}}),
            "T006: 0 spatial dims of the result for 1 window (convolution_c19)");
  EXPECT_EQ(refusal({{roles, roles, twice}, {{}}}),
            "T006: dim 0 of f32[2,4,5] is named twice; name each dim once (convolution_c20)");
}

TEST(convolution, refuses_a_kernel_with_other_features_c14) {
  EXPECT_EQ(refusal(with({}), row, f32({6, 3, 3})),
            "T005: the kernel f32[6,3,3] has 3 input features in dim 1, f32[2,4,5] has 4 of them in 1 group "
            "(convolution_c14); features are the last dim unless .layout says otherwise: "
            "\"NCHW,OIHW->NCHW\"");
}

TEST(convolution, refuses_groups_below_1_and_both_kinds_c21_c22_c23) {
  EXPECT_EQ(refusal({numbers, {{}}, 0, 1}), "T005: 0 groups of features; at least 1 (convolution_c21)");
  EXPECT_EQ(refusal({numbers, {{}}, 1, 0}), "T005: 0 groups of the batch; at least 1 (convolution_c22)");
  EXPECT_EQ(refusal({numbers, {{}}, 2, 2}),
            "T005: 2 groups of features and 2 of the batch; one of them is 1 (convolution_c23)");
}

TEST(convolution, refuses_dtypes_that_differ_and_bool_c27) {
  EXPECT_EQ(refusal(with({}), row, kernel.with(DType::f64)),
            "T007: f32[2,4,5] and f64[6,4,3] have different dtypes (convolution_c27); convert one of them: "
            "convert(x, DType::f64)");
  EXPECT_EQ(refusal(with({}), row.with(DType::boolean), kernel.with(DType::boolean)),
            "T007: bool[2,4,5] is bool, which has no convolution; convert it: convert(x, DType::f32)");
}

TEST(convolution, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Convolution::examples()), std::vector<std::string>{});
}

TEST(convolution, reads_its_layout_with_features_last_if_none_is_given) {
  const Types types{f32({2, 8, 6, 3}), f32({3, 3, 3, 4})};
  EXPECT_EQ(program_text(types,
                         [](const Arrays& in) {
                           return convolution(in[0], in[1],
                                              {.strides = {2, 1}, .padding = WindowPadding::same});
                         }),
            "program(%0: f32[2,8,6,3], %1: f32[3,3,3,4]) {\n"
            "  %2: f32[2,4,6,4] = convolution{dims=N01C,01IO->N01C, strides=[2, 1], low=[0, 1], high=[1, 1], "
            "input_dilation=[1, 1], kernel_dilation=[1, 1], reversed=[0, 0], feature_groups=1, "
            "batch_groups=1} %0, %1\n"
            "  return %2\n}\n");
}

TEST(convolution, refuses_layouts_that_do_not_fit) {
  const auto with_layout = [](const std::string& layout) {
    return refusal_of([&] {
      program_text({f32({2, 8, 6, 3}), f32({3, 3, 3, 4})},
                   [&](const Arrays& in) { return convolution(in[0], in[1], {.layout = layout}); });
    });
  };
  const std::string cure = "; for two spatial dims it is \"NHWC,HWIO->NHWC\"";
  EXPECT_EQ(with_layout("NHWC"),
            "T005: convolution: the layout \"NHWC\" of f32[2,8,6,3]: it is not three words" + cure);
  EXPECT_EQ(with_layout("NHWC,HWIO->NWC"),
            "T005: convolution: the layout \"NHWC,HWIO->NWC\" of f32[2,8,6,3]: "
            "'NWC' has not one letter per dim" +
                cure);
  EXPECT_EQ(with_layout("NHWC,HWIO->NHHC"),
            "T005: convolution: the layout \"NHWC,HWIO->NHHC\" of f32[2,8,6,3]: "
            "'NHHC' has the letter H not once" +
                cure);
}

TEST(convolution, refuses_lists_that_are_not_one_number_per_dim_c2_c5_c7) {
  const auto with_options = [](const ConvolutionOptions& options) {
    return refusal_of([&] {
      program_text({f32({2, 8, 6, 3}), f32({3, 3, 3, 4})},
                   [&](const Arrays& in) { return convolution(in[0], in[1], options); });
    });
  };
  EXPECT_EQ(with_options({.strides = {2}}),
            "T006: convolution: 1 number of strides for 2 spatial dims (convolution_c2)");
  EXPECT_EQ(with_options({.input_dilation = {1, 1, 1}}),
            "T006: convolution: 3 numbers of dilations of the input for 2 spatial dims (convolution_c5)");
  EXPECT_EQ(with_options({.kernel_dilation = {0, 1}}),
            "T005: convolution: dilations of the kernel are [0, 1]; each is at least 1 (convolution_c7)");
}

TEST(convolve, multiplies_polynomials) {
  const Tensor a({3}, {1.f, 2.f, 3.f}), v({2}, {1.f, -1.f});
  const Machine machine = open_local(Mesh({{"x", 1}}));
  const auto run = [&](ConvolveMode mode) {
    return machine.compile([=](const Array& x, const Array& y) { return convolve(x, y, mode); }, a, v)(a, v)
        .tensor();
  };
  EXPECT_EQ(run(ConvolveMode::full), Tensor({4}, {1.f, 1.f, 1.f, -3.f}));
  EXPECT_EQ(run(ConvolveMode::same), Tensor({3}, {1.f, 1.f, 1.f}));
  EXPECT_EQ(run(ConvolveMode::valid), Tensor({2}, {1.f, 1.f}));
}

TEST(conv_transpose, spreads_the_kernel) {
  const Tensor x({1, 2, 1}, {1.f, 10.f}), k({3, 1, 1}, {1.f, 2.f, 3.f});
  const Machine machine = open_local(Mesh({{"x", 1}}));
  const auto run = [&](const ConvTransposeOptions& options) {
    return machine
        .compile([=](const Array& a, const Array& b) { return conv_transpose(a, b, options); }, x, k)(x, k)
        .tensor();
  };
  // The kernel is not reversed: at each place of the result it sees one or two elements.
  EXPECT_EQ(run({.strides = {2}, .padding = WindowPadding::valid}),
            Tensor({1, 5, 1}, {3.f, 2.f, 31.f, 20.f, 10.f}));
  EXPECT_EQ(run({.strides = {2}, .padding = WindowPadding::valid, .transpose_kernel = true}),
            Tensor({1, 5, 1}, {1.f, 2.f, 13.f, 20.f, 30.f}));
  EXPECT_EQ(run({.strides = {2}, .padding = WindowPadding::same}), Tensor({1, 4, 1}, {3.f, 2.f, 31.f, 20.f}));
}

}  // namespace
}  // namespace tutti
