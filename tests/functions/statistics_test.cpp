// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/statistics.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type logits(DType::f32, {8, 10}), labels(DType::i32, {8});

std::string refusal_of_trace(const Types& types, const std::function<Array(const Arrays&)>& function) {
  return refusal_of([&] { trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }); });
}

TEST(statistics, mean_divides_the_sum) {
  EXPECT_EQ(program_text({logits}, [](const Arrays& x) { return mean(x[0], 1); }),
            "program(%0: f32[8,10]) {\n"
            "  %1: f32[8] = reduce_sum{dims=[1]} %0\n"
            "  %2: f32[] = constant{value=10}\n"
            "  %3: f32[8] = broadcast_in_dim{to=[8], dims=[]} %2\n"
            "  %4: f32[8] = div %1, %3\n"
            "  return %4\n}\n");
}

TEST(statistics, mean_of_integers_is_f32) {
  EXPECT_EQ(program_text({labels}, [](const Arrays& x) { return mean(x[0]); }),
            "program(%0: i32[8]) {\n"
            "  %1: f32[8] = convert{to=f32} %0\n"
            "  %2: f32[] = reduce_sum{dims=[0]} %1\n"
            "  %3: f32[] = constant{value=8}\n"
            "  %4: f32[] = div %2, %3\n"
            "  return %4\n}\n");
}

TEST(statistics, mean_passes_an_unreduced_sum) {
  Axis a = example_mesh().axes()[0];
  TracedProgram traced =
      trace({logits.with(a, unreduced)}, [](const Arrays& x) { return Arrays{mean(x[0])}; });
  EXPECT_EQ(traced.program.type(traced.program.outputs[0]), Type(DType::f32, {}).with(a, unreduced));
}

TEST(statistics, standardize_takes_the_mean_away_once) {
  EXPECT_EQ(program_text({logits}, [](const Arrays& x) { return standardize(x[0], -1, 0.5); }),
            "program(%0: f32[8,10]) {\n"
            "  %1: f32[8] = reduce_sum{dims=[1]} %0\n"
            "  %2: f32[] = constant{value=10}\n"
            "  %3: f32[8] = broadcast_in_dim{to=[8], dims=[]} %2\n"
            "  %4: f32[8] = div %1, %3\n"
            "  %5: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %4\n"
            "  %6: f32[8,10] = sub %0, %5\n"
            "  %7: f32[8,10] = mul %6, %6\n"
            "  %8: f32[8] = reduce_sum{dims=[1]} %7\n"
            "  %9: f32[] = constant{value=10}\n"
            "  %10: f32[8] = broadcast_in_dim{to=[8], dims=[]} %9\n"
            "  %11: f32[8] = div %8, %10\n"
            "  %12: f32[] = constant{value=0.5}\n"
            "  %13: f32[8] = broadcast_in_dim{to=[8], dims=[]} %12\n"
            "  %14: f32[8] = add %11, %13\n"
            "  %15: f32[8] = rsqrt %14\n"
            "  %16: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %15\n"
            "  %17: f32[8,10] = mul %6, %16\n"
            "  return %17\n}\n");
}

TEST(statistics, standardize_of_integers_is_f32) {
  EXPECT_EQ(trace({labels}, [](const Arrays& x) { return Arrays{standardize(x[0])}; }).program.types.back(),
            Type(DType::f32, {8}));
}

TEST(statistics, standardize_refuses_complex_numbers) {
  EXPECT_EQ(refusal_of_trace({Type(DType::complex64, {8})},
                             [](const Arrays& x) { return standardize(x[0]); }),
            "T007: standardize: complex64[8] is complex; standardize its parts: standardize(real(x)), "
            "standardize(imag(x))");
}

}  // namespace
}  // namespace tutti
