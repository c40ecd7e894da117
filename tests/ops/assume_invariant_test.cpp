// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/assume_invariant.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/api/derivatives.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1], c = example_mesh().axes()[2];
const Type x = Type(DType::f32, {}).with({a, b}, varying);

TEST(assume_invariant, takes_varying_values_for_equal_ones) {
  EXPECT_EQ((AssumeInvariant{{a}}.infer({x})[0]), Type(DType::f32, {}).with(b, varying));
}

TEST(assume_invariant, refuses_sums) {
  EXPECT_EQ(refusal_of(AssumeInvariant{{a}}, {x.with(a, unreduced)}),
            "T004: f32[]{U:a, V:b} is an unreduced sum over 'a'; only of varying values can it be assumed "
            "that they "
            "are equal; a sum is made equal by psum");
}

TEST(assume_invariant, leaves_alone_what_is_equal) {
  EXPECT_EQ(program_text({x}, [](const Arrays& in) { return assume_invariant(in[0], Axes{c}); }),
            "program(%0: f32[]{V:a, V:b}) {\n  return %0\n}\n");
  EXPECT_EQ(program_text({x.with(b, reduced)},
                         [](const Arrays& in) { return assume_invariant(in[0], Axes{b, a}); }),
            "program(%0: f32[]{V:a, R:b}) {\n"
            "  %1: f32[]{V:a} = cast{axes='b', from=R, to=I} %0\n"
            "  %2: f32[] = assume_invariant{axes='a'} %1\n"
            "  return %2\n}\n");
}

TEST(assume_invariant, keeps_the_first_devices_value) {
  Program program =
      trace({x}, [](const Arrays& in) { return Arrays{assume_invariant(in[0], Axes{a, b})}; }).program;
  Tensors values;
  for (int device = 0; device < 8; ++device)
    values.push_back(Tensor::scalar(static_cast<float>(1 + device / 2)));
  for (Storage storage : {Storage::by_type, Storage::per_device})
    EXPECT_EQ(run_on_machine(program, example_mesh(), {values}, {.plan = {.storage = storage}})[0],
              Tensors(8, Tensor::scalar(1.0F)));
}

TEST(assume_invariant, is_checked_where_that_is_asked_for) {
  auto run = [](float last, Storage storage) {
    Program program = trace({x.with(b, invariant)}, [](const Arrays& in) {
                        return Arrays{assume_invariant(in[0], Axes{a})};
                      }).program;
    Tensors values(8, Tensor::scalar(1.0F));
    for (std::size_t device = 4; device < 8; ++device) values[device] = Tensor::scalar(last);
    return refusal_of([&] {
      run_on_machine(program, example_mesh(), {values},
                     {.plan = {.storage = storage, .check_assumptions = true}});
    });
  };
  for (Storage storage : {Storage::by_type, Storage::per_device}) {
    EXPECT_EQ(run(1.0F, storage), "accepted");
    EXPECT_EQ(run(2.0F, storage), "T004: assume_invariant: device 1 of 2 holds another value than the first, "
                                  "but they are assumed to be "
                                  "equal");
  }
}

// The devices' cotangents sum to that of the one value, as if it had been cast to varying before.
TEST(assume_invariant, keeps_the_cotangent_on_the_first_device) {
  Type w(DType::f32, {});
  Program program = trace({w}, [](const Arrays& in) {
                      auto cubed = [](const Array& y) {
                        return assume_invariant(pcast(y, Axes{a}, varying), Axes{a}) * y * y;
                      };
                      return Arrays{grad(cubed)(in[0])};
                    }).program;
  EXPECT_EQ(run_on_machine(program, example_mesh(), {Tensors(8, Tensor::scalar(2.0F))})[0][5],
            Tensor::scalar(12.0F));
}

TEST(assume_invariant, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(AssumeInvariant::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
