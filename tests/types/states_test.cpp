// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tutti/base/inside.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/types/state.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"a", 2}, {"b", 3}, {"c", 2}});
const Axis a = mesh.axes()[0], b = mesh.axes()[1], c = mesh.axes()[2];

std::string text_of(const AxisStates& states) {
  std::string text;
  for (const auto& [axis, state] : states) text += std::string(axis.name) + ":" + letter(state) + " ";
  return text;
}

TEST(state, has_a_dual) {
  EXPECT_EQ(dual(invariant), invariant);
  EXPECT_EQ(dual(varying), varying);
  EXPECT_EQ(dual(unreduced), reduced);
  EXPECT_EQ(dual(reduced), unreduced);
}

TEST(state, says_whether_devices_store_values_of_their_own) {
  EXPECT_TRUE(is_stored_per_device(varying));
  EXPECT_TRUE(is_stored_per_device(unreduced));
  EXPECT_FALSE(is_stored_per_device(invariant));
  EXPECT_FALSE(is_stored_per_device(reduced));
}

TEST(state, has_a_letter_and_words) {
  EXPECT_EQ(std::string({letter(invariant), letter(varying), letter(unreduced), letter(reduced)}), "IVUR");
  EXPECT_EQ(in_words(invariant), "equal on all devices");
  EXPECT_EQ(in_words(varying), "different on each device");
  EXPECT_EQ(in_words(unreduced), "an unreduced sum");
  EXPECT_EQ(in_words(reduced), "equal on all devices, with a partial gradient");
}

TEST(axis_states, are_in_the_order_of_the_axes) {
  EXPECT_EQ(text_of({{c, varying}, {a, unreduced}, {b, reduced}}), "a:U b:R c:V ");
}

TEST(axis_states, are_invariant_where_nothing_is_said) {
  AxisStates states{{b, varying}};
  EXPECT_EQ(states.at(b), varying);
  EXPECT_EQ(states.at(a), invariant);
  EXPECT_TRUE(AxisStates().empty());
}

TEST(axis_states, forget_axes_that_become_invariant) {
  AxisStates states{{a, varying}, {b, reduced}};
  states.set(a, invariant);
  states.set(c, invariant);
  EXPECT_EQ(text_of(states), "b:R ");
  EXPECT_EQ(states, (AxisStates{{b, reduced}}));
}

TEST(axis_states, are_replaced) {
  AxisStates states{{a, varying}};
  states.set(a, unreduced);
  EXPECT_EQ(text_of(states), "a:U ");
  EXPECT_EQ(text_of(states.with(a, invariant)), "");
  EXPECT_EQ(text_of(states), "a:U ");
}

}  // namespace
}  // namespace tutti
