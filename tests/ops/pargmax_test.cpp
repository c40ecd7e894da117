// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/pargmax.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
const Type x = Type(DType::f32, {2}).with({a, b}, varying);

Program traced_pargmax(const Type& type) {
  return trace({type}, [](const Arrays& in) { return Arrays{pargmax(in[0], Axes{a, b})}; }).program;
}

TEST(pargmax, is_a_position_that_all_devices_know) {
  Program program = traced_pargmax(x);
  EXPECT_EQ(program.type(program.outputs[0]), Type(DType::i32, {2}));
}

TEST(pargmax, has_no_derivative) {
  EXPECT_EQ(jvp(traced_pargmax(x), {true}).nonzero, std::vector<bool>{false});
}

TEST(pargmax, is_of_each_element) {
  Tensors values;
  for (int device = 0; device < 8; ++device) {
    int position = device / 2;
    values.push_back(
        Tensor(Shape{2}, std::vector<float>{static_cast<float>(position), position < 2 ? -0.0F : 0.0F}));
  }
  // -0 and 0 are equal: the first device has it.
  EXPECT_EQ(run_on_machine(traced_pargmax(x), example_mesh(), {values})[0][7],
            Tensor(Shape{2}, std::vector<std::int32_t>{3, 0}));
}

TEST(pargmax, of_bools_is_the_first_that_is_true) {
  Program program = trace({x.with(DType::boolean)}, [](const Arrays& in) {
                      return Arrays{pargmax(in[0], a), pargmin(in[0], a)};
                    }).program;
  Tensors values;
  for (int device = 0; device < 8; ++device)
    values.push_back(Tensor(Shape{2}, std::vector<bool>{device >= 4, true}));
  std::vector<Tensors> found = run_on_machine(program, example_mesh(), {values});
  EXPECT_EQ(found[0][0], Tensor(Shape{2}, std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(found[1][0], Tensor(Shape{2}, std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace tutti
