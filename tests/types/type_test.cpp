// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/type.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/tracing.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});
const Axis data = mesh.axes()[0], model = mesh.axes()[1];

TEST(type, is_interned) {
  Type x(DType::f32, {8, 4}, {{data, varying}}), y = Type(DType::f32, {8, 4}).with(data, varying);
  EXPECT_EQ(x, y);
  EXPECT_EQ(&x.shape(), &y.shape());
  EXPECT_EQ(sizeof(Type), sizeof(void*));
}

TEST(type, differs_by_dtype_shape_and_states) {
  Type x(DType::f32, {8, 4}, {{data, varying}});
  EXPECT_NE(x, x.with(DType::f64));
  EXPECT_NE(x, x.with(Shape{4, 8}));
  EXPECT_NE(x, x.with(data, reduced));
  EXPECT_NE(x, x.with(model, varying));
}

TEST(type, does_not_store_invariant_axes) {
  EXPECT_EQ(Type(DType::f32, {}, {{data, invariant}}), Type(DType::f32, {}));
  EXPECT_EQ(Type(DType::f32, {}, {{data, varying}}).with(data, invariant), Type(DType::f32, {}));
}

TEST(type, is_interned_by_several_threads_at_once) {
  auto make = [](std::vector<const Shape*>& shapes) {
    for (std::int64_t n = 1; n <= 200; ++n) shapes.push_back(&Type(DType::i64, {n, 77}).shape());
  };
  std::vector<const Shape*> here, there;
  std::thread thread([&] { make(there); });
  make(here);
  thread.join();
  EXPECT_EQ(here, there);
}

TEST(type, prints_dtype_shape_and_states_in_mesh_order) {
  EXPECT_EQ(to_string(Type(DType::f32, {8, 4}, {{model, unreduced}, {data, varying}})),
            "f32[8,4]{V:data, U:model}");
  EXPECT_EQ(to_string(Type(DType::i32, {}, {{data, reduced}})), "i32[]{R:data}");
  EXPECT_EQ(to_string(Type(DType::boolean, {0})), "bool[0]");
}

TEST(type, counts_elements_and_bytes_of_one_device) {
  EXPECT_EQ(Type(DType::f64, {3, 5}, {{data, varying}}).elements(), 15);
  EXPECT_EQ(Type(DType::f64, {3, 5}).bytes(), 120);
  EXPECT_EQ(Type(DType::f64, {}).bytes(), 8);
  EXPECT_EQ(Type(DType::f64, {3, 0}).bytes(), 0);
}

TEST(type, is_changed_by_value) {
  Type x(DType::f32, {8, 4}, {{data, varying}});
  EXPECT_EQ(to_string(x.scaled(Dim{1}, 3)), "f32[8,12]{V:data}");
  EXPECT_EQ(to_string(x.inserted(Dim{2}, 5)), "f32[8,4,5]{V:data}");
  EXPECT_EQ(to_string(x.erased(Dim{0})), "f32[4]{V:data}");
  EXPECT_EQ(to_string(x.with({data, model}, reduced)), "f32[8,4]{R:data, R:model}");
  EXPECT_EQ(to_string(x), "f32[8,4]{V:data}");
}

TEST(type, has_a_dual_that_exchanges_unreduced_and_reduced) {
  Axis batch = fresh_axis("batch", 3);
  Type x(DType::f32, {2}, {{data, unreduced}, {model, reduced}, {batch, varying}});
  EXPECT_EQ(to_string(dual(x)), "f32[2]{R:data, U:model, V:batch}");
  EXPECT_EQ(dual(dual(x)), x);
}

TEST(type, of_floats_has_a_tangent) {
  for (DType dtype : all_dtypes())
    EXPECT_EQ(tangent(Type(dtype, {2})).has_value(), is_inexact(dtype)) << name(dtype);
  EXPECT_EQ(tangent(Type(DType::f32, {2}, {{data, unreduced}})), Type(DType::f32, {2}, {{data, unreduced}}));
}

TEST(type, rejects_a_negative_size) {
  EXPECT_EQ(refusal_of([] { Type(DType::f32, {2, -1}); }),
            "T005: shape [2,-1] has a negative size; sizes are 0 or more");
}

TEST(type, rejects_more_elements_than_can_be_counted) {
  constexpr std::int64_t large = std::int64_t{1} << 40, small = std::int64_t{1} << 18;
  EXPECT_EQ(refusal_of([] { Type(DType::f32, {large, large}); }),
            "T005: shape [1099511627776,1099511627776] has more than 2^58 elements; make its sizes smaller");
  EXPECT_EQ(refusal_of([] { Type(DType::f64, {0, std::numeric_limits<std::int64_t>::max()}); }),
            "T005: shape [0,9223372036854775807] has more than 2^58 elements; make its sizes smaller");
  EXPECT_EQ(refusal_of([] { Type(DType::f64, {small, large}); }), "accepted");
  EXPECT_EQ(refusal_of([] { Type(DType::f64, {small, large + 1}); }),
            "T005: shape [262144,1099511627777] has more than 2^58 elements; make its sizes smaller");
}

}  // namespace
}  // namespace tutti
