// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/sharding.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 4}, {"y", 2}});
const Axis x = mesh.axes()[0], y = mesh.axes()[1];

TEST(sharding, gives_each_device_a_part) {
  Type whole(DType::f32, {8, 6});
  EXPECT_EQ(to_string(local_type(whole, {mesh, {{x}, {}}, {}, {}})), "f32[2,6]{V:x}");
  EXPECT_EQ(to_string(local_type(whole, {mesh, {{y, x}, {}}, {}, {}})), "f32[1,6]{V:x, V:y}");
  EXPECT_EQ(to_string(local_type(whole, {mesh, {{}, {y}}, {x}, {}})), "f32[8,3]{U:x, V:y}");
  EXPECT_EQ(to_string(local_type(whole, {mesh, {{}, {}}, {}, {x, y}})), "f32[8,6]{R:x, R:y}");
}

TEST(sharding, of_parts_gives_the_whole_back) {
  Type whole(DType::f32, {8, 6});
  for (const Sharding& sharding : {Sharding{mesh, {{x}, {y}}, {}, {}}, Sharding{mesh, {{}, {y}}, {x}, {}},
                                   Sharding{mesh, {{x, y}, {}}, {}, {}}, Sharding{mesh, {{}, {}}, {y}, {x}}})
    EXPECT_EQ(global_type(local_type(whole, sharding), sharding), whole) << to_string(sharding);
}

TEST(sharding, leaves_the_states_of_other_axes) {
  Axis lanes = fresh_axis("lanes", 3);
  Type whole(DType::f32, {4}, {{lanes, varying}});
  EXPECT_EQ(to_string(local_type(whole, {mesh, {{x}}, {}, {}})), "f32[1]{V:x, V:lanes}");
}

TEST(sharding, has_a_dual) {
  Sharding sharding{mesh, {{x}}, {y}, {}};
  EXPECT_EQ(dual(sharding), (Sharding{mesh, {{x}}, {}, {y}}));
  EXPECT_EQ(dual(dual(sharding)), sharding);
}

TEST(sharding, prints_like_the_spec) {
  EXPECT_EQ(to_string(Sharding{mesh, {{x}, {}}, {}, {}}), "P(x)");
  EXPECT_EQ(to_string(Sharding{mesh, {{x, y}}, {}, {}}), "P((x, y))");
  EXPECT_EQ(to_string(Sharding{mesh, {}, {x}, {y}}), "P()+U(x)+R(y)");
}

TEST(sharding, rejects_what_does_not_split) {
  EXPECT_EQ(refusal_of([] { local_type(Type(DType::f32, {6}), {mesh, {{x}}, {}, {}}); }),
            "T005: dim 0 of f32[6] does not split over the 4 devices of 'x'; pad it or use another dim");
}

TEST(sharding, rejects_an_axis_named_twice) {
  EXPECT_EQ(refusal_of([] { local_type(Type(DType::f32, {8}), {mesh, {{x}}, {x}, {}}); }),
            "T013: P(x)+U(x) names axis 'x' twice; name it once");
}

TEST(sharding, rejects_another_rank) {
  EXPECT_EQ(refusal_of([] { local_type(Type(DType::f32, {8}), {mesh, {{x}, {}}, {}, {}}); }),
            "T013: P(x) is for 2 dims, but f32[8] has 1; name one axis, several, or none for each dim");
}

}  // namespace
}  // namespace tutti
