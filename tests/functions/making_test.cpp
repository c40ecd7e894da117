// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/making.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"
#include "tutti/ops/convert.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3});

Tensor of_nothing(const std::function<Array()>& function) {
  return made({}, [&](const Arrays&) { return function(); });
}
Tensor floats(const Shape& shape, const std::vector<float>& values) { return {shape, values}; }

TEST(full_like, takes_shape_and_dtype) {
  EXPECT_EQ(made({counted_i32({2})}, [](const Arrays& x) { return full_like(x[0], 7); }),
            numbers({2}, {7, 7}));
  EXPECT_EQ(made({counted_i32({2})}, [](const Arrays& x) { return full_like(x[0], 0.5, DType::f32); }),
            floats({2}, {0.5F, 0.5F}));
  EXPECT_EQ(made({counted_i32({2, 2}), counted_i32({2})},
                 [](const Arrays& x) { return full_like(x[0], x[1]); }),
            numbers({2, 2}, {1, 2, 1, 2}));
  EXPECT_EQ(made({counted_i32({0, 2})}, [](const Arrays& x) { return full_like(x[0], 7); }),
            numbers({0, 2}, {}));
}

TEST(full_like, is_equal_on_all_devices) {
  Axis a = example_mesh().axes()[0];
  Program program =
      trace({row.with(a, varying)}, [](const Arrays& x) { return Arrays{full_like(x[0], 2)}; }).program;
  EXPECT_EQ(program.type(program.outputs[0]), row);
}

TEST(full_like, refuses_what_does_not_fit) {
  EXPECT_EQ(
      refused({Type(DType::i32, {3})}, [](const Arrays& x) { return full_like(x[0], 0.5); }).substr(0, 15),
      "T008: full_like");
  EXPECT_EQ(refused({row, Type(DType::f32, {2})}, [](const Arrays& x) { return full_like(x[0], x[1]); })
                .substr(0, 16),
            "T005: full_like:");
}

TEST(linspace, goes_from_start_to_stop) {
  EXPECT_EQ(of_nothing([] { return linspace(0, 1, 5, DType::f32); }),
            floats({5}, {0, 0.25F, 0.5F, 0.75F, 1}));
  EXPECT_EQ(of_nothing([] { return linspace(0, 1, 4, DType::f32, {.endpoint = false}); }),
            floats({4}, {0, 0.25F, 0.5F, 0.75F}));
  EXPECT_EQ(of_nothing([] { return linspace(5, 1, 3, DType::f32); }), floats({3}, {5, 3, 1}));
}

TEST(linspace, ends_at_stop_exactly) {
  Tensor x = of_nothing([] { return linspace(0.1, 0.7, 8, DType::f64); });
  EXPECT_EQ(x.at(0), 0.1);
  EXPECT_EQ(x.at(7), 0.7);
}

TEST(linspace, of_few_values) {
  EXPECT_EQ(of_nothing([] { return linspace(3, 9, 1, DType::f32); }), floats({1}, {3}));
  EXPECT_EQ(of_nothing([] { return linspace(3, 9, 1, DType::f32, {.endpoint = false}); }), floats({1}, {3}));
  EXPECT_EQ(of_nothing([] { return linspace(3, 9, 0, DType::i32); }), numbers({0}, {}));
  EXPECT_EQ(of_nothing([] { return linspace(3, 9, 2, DType::f32); }), floats({2}, {3, 9}));
}

TEST(linspace, of_integers_rounds_down) {
  EXPECT_EQ(of_nothing([] { return linspace(0, 10, 4, DType::i32); }), numbers({4}, {0, 3, 6, 10}));
  EXPECT_EQ(of_nothing([] { return linspace(-3, 0.5, 3, DType::i32); }), numbers({3}, {-3, -2, 0}));
}

TEST(linspace, meets_whole_numbers) {
  const Tensor integers = of_nothing([] { return linspace(0, 99, 100, DType::i32); });
  const Tensor reals = of_nothing([] { return linspace(0, 99, 100, DType::f32); });
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(integers.at(i), i);
    EXPECT_EQ(reals.at(i), i);
  }
  const Tensor far = of_nothing([] { return linspace(0, 16777217, 2, DType::i32); });
  EXPECT_EQ(far.at(1), 16777217);
}

TEST(linspace, refuses_a_bound_that_the_dtype_cannot_hold) {
  EXPECT_EQ(refused({}, [](const Arrays&) { return linspace(0, 1e6, 3, DType::f16); }).substr(0, 14),
            "T008: linspace");
}

TEST(linspace, of_halves_is_rounded_once) {
  Tensor x = of_nothing([] { return convert(linspace(0, 512, 513, DType::bf16), DType::f32); });
  EXPECT_EQ(x.at(255), 255);
  EXPECT_EQ(x.at(512), 512);
}

TEST(linspace, of_arrays_has_a_new_dim) {
  const Tensor start = floats({2}, {0, 10}), stop = floats({}, {20});
  auto spaced = [](const LinspaceOptions& options) {
    return [options](const Arrays& x) { return linspace(x[0], x[1], 3, DType::f32, options); };
  };
  EXPECT_EQ(made({start, stop}, spaced({})), floats({3, 2}, {0, 10, 10, 15, 20, 20}));
  EXPECT_EQ(made({start, stop}, spaced({.dim = -1})), floats({2, 3}, {0, 10, 20, 10, 15, 20}));
  EXPECT_EQ(made({start, stop}, spaced({.dim = 1})), floats({2, 3}, {0, 10, 20, 10, 15, 20}));
}

TEST(linspace, refuses_sizes_and_dims_that_are_none) {
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return linspace(0, x[0], -1, DType::f32); }),
            "T005: linspace: -1 values; a size is at least 0");
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return linspace(0, x[0], 4, DType::f32, {.dim = 2}); }),
            "T006: linspace: dim 2 is out of range for f32[4,3], which has dims -2 to 1");
  EXPECT_EQ(refused({row, Type(DType::f32, {2})},
                    [](const Arrays& x) { return linspace(x[0], x[1], 4, DType::f32); })
                .substr(0, 52),
            "T005: linspace: shapes [3] and [2] do not broadcast:");
}

TEST(logspace, is_a_power_of_linspace) {
  EXPECT_EQ(of_nothing([] { return logspace(0, 3, 4, DType::i32, {.base = 2}); }),
            numbers({4}, {1, 2, 4, 8}));
  Tensor x = of_nothing([] { return logspace(0, 2, 3, DType::f64); });
  EXPECT_EQ(x, Tensor(Shape{3}, {1., 10., 100.}));
  EXPECT_EQ(of_nothing([] { return logspace(0, 2, 2, DType::f32, {.endpoint = false}); }),
            floats({2}, {1, 10}));
  EXPECT_EQ(refused({}, [](const Arrays&) { return logspace(0, 3, -4, DType::f32); }),
            "T005: logspace: -4 values; a size is at least 0");
}

TEST(meshgrid, repeats_each_along_the_others) {
  const Tensor x = counted_i32({3}), y = numbers({2}, {10, 20});
  auto grid = [&](const MeshgridOptions& options) {
    return all_made({x, y}, [&](const Arrays& a) { return meshgrid(a, options); });
  };
  EXPECT_EQ(grid({}),
            (Tensors{numbers({2, 3}, {1, 2, 3, 1, 2, 3}), numbers({2, 3}, {10, 10, 10, 20, 20, 20})}));
  EXPECT_EQ(grid({.indexing = Indexing::ij}),
            (Tensors{numbers({3, 2}, {1, 1, 2, 2, 3, 3}), numbers({3, 2}, {10, 20, 10, 20, 10, 20})}));
  EXPECT_EQ(grid({.sparse = true}), (Tensors{numbers({1, 3}, {1, 2, 3}), numbers({2, 1}, {10, 20})}));
}

TEST(meshgrid, of_one_of_none_of_scalars_and_of_three) {
  const Tensor x = counted_i32({3});
  EXPECT_EQ(all_made({x}, [](const Arrays& a) { return meshgrid(a); }), Tensors{x});
  EXPECT_EQ(all_made({x, counted_i32({})}, [](const Arrays& a) { return meshgrid(a); }),
            (Tensors{numbers({1, 3}, {1, 2, 3}), numbers({1, 3}, {1, 1, 1})}));
  EXPECT_EQ(all_made({x},
                     [](const Arrays& a) {
                       Arrays none = meshgrid({});
                       EXPECT_TRUE(none.empty());
                       return a;
                     }),
            Tensors{x});
  Tensors three =
      all_made({x, counted_i32({2}), counted_i32({1})}, [](const Arrays& a) { return meshgrid(a); });
  EXPECT_EQ(three[2].shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(three[1], numbers({2, 3, 1}, {1, 1, 1, 2, 2, 2}));
}

TEST(meshgrid, refuses_matrices) {
  EXPECT_EQ(refused({Type(DType::f32, {2, 3})}, [](const Arrays& x) { return meshgrid({x[0], x[0]})[0]; }),
            "T005: meshgrid: f32[2,3] has 2 dims; each array is a vector: reshape(x, {-1})");
}

}  // namespace
}  // namespace tutti
