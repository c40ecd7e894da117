// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/gather.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Dims none, d0{Dim{0}}, d1{Dim{1}}, d01{Dim{0}, Dim{1}};
const Type matrix(DType::f32, {5, 3}), indices(DType::i32, {4, 1});
const GatherDims rows{d1, d0, none, none, d0, Dim{1}};

std::string refusal(const GatherDims& dims, const WindowSizes& sizes, Type x = matrix, Type where = indices) {
  return refusal_of(Gather{dims, sizes}, {x, where});
}
Tensor places(const Shape& shape, const std::vector<std::int32_t>& values) { return Tensor(shape, values); }

TEST(gather, takes_rows_by_number) {
  EXPECT_EQ(computed(Gather{rows, {1, 3}}, {counted(DType::f32, {5, 3}), places({2, 1}, {3, 0})})[0],
            Tensor(Shape{2, 3}, std::vector<float>{10, 11, 12, 1, 2, 3}));
}

TEST(gather, takes_the_older_names_of_its_dims) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const GatherDims rows_by_older_names = WindowDims{d1, d0, {}, {}, d0, Dim{1}};
#pragma GCC diagnostic pop
  EXPECT_EQ(rows_by_older_names, rows);
}

TEST(gather, takes_whole_rows_in_one_run) {
  const Dims d12{Dim{1}, Dim{2}};
  const Windows whole = windows_of({d12, d0, none, none, d0, Dim{1}}, Type(DType::f32, {6, 2, 3}), indices,
                                   Type(DType::f32, {4, 2, 3}), {1, 2, 3});
  ASSERT_EQ(whole.window.size(), 1);
  EXPECT_EQ(whole.window[0].size, 6);
  const Windows part = windows_of({d12, d0, none, none, d0, Dim{1}}, Type(DType::f32, {6, 2, 3}), indices,
                                  Type(DType::f32, {4, 2, 2}), {1, 2, 2});
  EXPECT_EQ(part.window.size(), 2);
}

TEST(gather, takes_parts_of_rows) {
  const GatherDims corners{{Dim{1}, Dim{2}}, d0, none, none, d0, Dim{1}};
  EXPECT_EQ(computed(Gather{corners, {1, 2, 2}}, {counted(DType::f32, {2, 2, 3}), places({2, 1}, {1, 0})})[0],
            Tensor(Shape{2, 2, 2}, std::vector<float>{7, 8, 10, 11, 1, 2, 4, 5}));
}

TEST(gather, takes_whole_rows_whose_dims_lie_apart_in_the_result) {
  const GatherDims apart{{Dim{0}, Dim{2}}, d0, none, none, d0, Dim{1}};
  EXPECT_EQ(computed(Gather{apart, {1, 2, 3}}, {counted(DType::f32, {2, 2, 3}), places({2, 1}, {1, 0})})[0],
            Tensor(Shape{2, 2, 3}, std::vector<float>{7, 8, 9, 1, 2, 3, 10, 11, 12, 4, 5, 6}));
}

TEST(gather, brings_starts_inside) {
  EXPECT_EQ(computed(Gather{rows, {1, 3}}, {counted(DType::f32, {2, 3}), places({2, 1}, {-7, 9})})[0],
            counted(DType::f32, {2, 3}));
}

TEST(gather, takes_windows_at_vectors_of_starts) {
  Gather op{{{Dim{0}, Dim{2}}, none, none, none, {Dim{1}, Dim{0}}, Dim{0}}, {2, 1}};
  EXPECT_EQ(computed(op, {counted(DType::i32, {3, 3}), places({2, 2}, {2, 0, 1, 0})})[0],
            Tensor(Shape{2, 2, 1}, std::vector<std::int32_t>{6, 1, 9, 4}));
}

TEST(gather, goes_along_batching_dims) {
  Gather op{{none, d1, d0, d0, d1, Dim{1}}, {1, 1}};
  EXPECT_EQ(computed(op, {counted(DType::i32, {3, 4}), places({3}, {1, 0, 3})})[0], places({3}, {2, 5, 12}));
}

TEST(gather, fills_windows_that_do_not_lie_inside) {
  auto filled = [](DType dtype) {
    return computed_by(
        [](const Arrays& x) {
          return gather(x[0], x[1], {{}, d0, {}, {}, d0, Dim{1}}, {1}, GatherMode::fill_or_drop);
        },
        {counted(dtype, {3}), places({3}, {2, -1, 3})});
  };
  EXPECT_EQ(filled(DType::i32), places({3}, {3, std::numeric_limits<std::int32_t>::min(),
                                             std::numeric_limits<std::int32_t>::min()}));
  EXPECT_TRUE(std::isnan(filled(DType::f64).at(1)));
  EXPECT_EQ(filled(DType::boolean), Tensor(Shape{3}, std::vector<bool>{true, true, true}));
}

TEST(gather, transposes_to_a_scatter_add_at_the_same_places) {
  EXPECT_EQ(program_text({indices, Type(DType::f32, {4, 3})},
                         [](const Arrays& x) {
                           return *Gather{rows, {1, 3}}.transpose({{std::nullopt, matrix}, {x[0], indices}},
                                                                  {x[1]})[0];
                         }),
            "program(%0: i32[4,1], %1: f32[4,3]) {\n"
            "  %2: i32[1] = constant{value=[4]}\n"
            "  %3: i32[4,1] = broadcast_in_dim{to=[4,1], dims=[1]} %2\n"
            "  %4: i32[] = constant{value=0}\n"
            "  %5: i32[4,1] = broadcast_in_dim{to=[4,1], dims=[]} %4\n"
            "  %6: i32[4,1] = clamp %5, %0, %3\n"
            "  %7: f32[5,3] = zero_tangent\n"
            "  %8: f32[5,3] = scatter_add{window=[1], collapsed=[0], batching=[], indices_batching=[], "
            "index_map=[0], "
            "index_vector=1} %7, %6, %1\n"
            "  return %8\n}\n");
}

TEST(gather, rejects_dims_that_do_not_make_up_the_array_c1) {
  EXPECT_EQ(
      refusal({d1, none, none, none, d0, Dim{1}}, {1, 3}),
      "T006: 1 window, 0 collapsed and 0 batching dims do not make up the 2 dims of f32[5,3] (gather_c1)");
}

TEST(gather, rejects_an_index_vector_out_of_range_c2) {
  EXPECT_EQ(
      refusal({d1, d0, none, none, d0, Dim{3}}, {1, 3}),
      "T006: index_vector 3 is out of range for i32[4,1]; it is one of its dims, or its rank (gather_c2)");
}

TEST(gather, rejects_indices_that_are_not_integers_c2) {
  EXPECT_EQ(refusal(rows, {1, 3}, matrix, Type(DType::f32, {4, 1})),
            "T007: the index is f32[4,1], not an integer (gather_c2); convert it: convert(x, DType::i32)");
}

TEST(gather, rejects_an_index_map_of_another_length_c3) {
  EXPECT_EQ(refusal({d1, d0, none, none, d01, Dim{1}}, {1, 3}),
            "T006: index_map [0, 1] names 2 dims, the index vectors of i32[4,1] have 1 component; name a "
            "dim for each "
            "(gather_c3)");
}

TEST(gather, rejects_window_dims_out_of_order_or_named_twice_c4) {
  EXPECT_EQ(refusal({{Dim{1}, Dim{0}}, none, none, none, d0, Dim{1}}, {1, 3}),
            "T006: window dims [1, 0] are not in ascending order (gather_c4); sort them");
  EXPECT_EQ(refusal({{Dim{1}, Dim{1}}, none, none, none, d0, Dim{1}}, {1, 3}),
            "T006: window dim 1 is named twice; name each dim once (gather_c4)");
}

TEST(gather, rejects_a_window_dim_out_of_range_c5) {
  EXPECT_EQ(refusal({{Dim{2}}, d0, none, none, d0, Dim{1}}, {1, 3}),
            "T006: window dim 2 is out of range for windows of rank 2 (gather_c5)");
}

TEST(gather, rejects_a_dim_collapsed_and_batching_c6) {
  EXPECT_EQ(refusal({none, d0, d0, d0, d1, Dim{1}}, {1, 1}),
            "T006: dim 0 of f32[5,3] is named twice; name each dim once (gather_c6)");
}

TEST(gather, rejects_collapsed_dims_out_of_order_c7_or_range_c8) {
  EXPECT_EQ(refusal({none, {Dim{1}, Dim{0}}, none, none, d0, Dim{1}}, {1, 1}),
            "T006: collapsed dims [1, 0] are not in ascending order (gather_c7); sort them");
  EXPECT_EQ(refusal({d1, {Dim{2}}, none, none, d0, Dim{1}}, {1, 3}),
            "T006: dim 2 is out of range for f32[5,3], which has 2 dims, counted from 0 (gather_c8)");
}

TEST(gather, rejects_windows_wider_than_one_along_left_out_dims_c9_c12) {
  EXPECT_EQ(refusal(rows, {2, 3}), "T005: windows of 2 elements along dim 0 of f32[5,3], a collapsed dim; "
                                   "they have one there (gather_c9)");
  EXPECT_EQ(refusal({d1, none, d0, d0, d1, Dim{1}}, {2, 3}, Type(DType::f32, {4, 3})),
            "T005: windows of 2 elements along dim 0 of f32[4,3], a batching dim; they have one there "
            "(gather_c12)");
}

TEST(gather, rejects_batching_dims_out_of_order_c10_or_range_c11) {
  Type where(DType::i32, {5, 3});
  EXPECT_EQ(refusal({none, none, {Dim{1}, Dim{0}}, {Dim{1}, Dim{0}}, none, Dim{2}}, {1, 1}, matrix, where),
            "T006: batching dims [1, 0] are not in ascending order (gather_c10); sort them");
  EXPECT_EQ(refusal({d1, none, {Dim{2}}, d0, d0, Dim{1}}, {1, 3}),
            "T006: dim 2 is out of range for f32[5,3], which has 2 dims, counted from 0 (gather_c11)");
}

TEST(gather, rejects_indices_batching_twice_c13_out_of_range_c14_or_of_vectors_c15) {
  Type square(DType::f32, {4, 4});
  EXPECT_EQ(refusal({none, none, d01, {Dim{0}, Dim{0}}, none, Dim{1}}, {1, 1}, square,
                    Type(DType::i32, {4, 0})),
            "T006: dim 0 of i32[4,0] is named twice; name each dim once (gather_c13)");
  EXPECT_EQ(refusal({d1, none, d0, {Dim{2}}, d1, Dim{1}}, {1, 3}),
            "T006: dim 2 is out of range for i32[4,1], which has 2 dims, counted from 0 (gather_c14)");
  EXPECT_EQ(refusal({d1, none, d0, d1, d1, Dim{1}}, {1, 3}),
            "T006: dim 1 of i32[4,1] holds the index vectors, so it is no batching dim (gather_c15)");
}

TEST(gather, rejects_batching_dims_without_partner_c16_or_of_another_size_c17) {
  EXPECT_EQ(refusal({d1, none, d0, none, d1, Dim{1}}, {1, 3}),
            "T006: 1 batching dim of f32[5,3] and 0 of i32[4,1]; they go in pairs (gather_c16)");
  EXPECT_EQ(refusal({d1, none, d0, d0, d1, Dim{1}}, {1, 3}),
            "T005: dim 0 of f32[5,3] has size 5, its partner, dim 0 of i32[4,1], has 4; they must be equal "
            "(gather_c17)");
}

TEST(gather, rejects_an_index_map_with_a_dim_twice_c18_or_out_of_range_c19) {
  EXPECT_EQ(refusal({d1, d0, none, none, {Dim{0}, Dim{0}}, Dim{1}}, {1, 3}, matrix, Type(DType::i32, {4, 2})),
            "T006: dim 0 of f32[5,3] is named twice; name each dim once (gather_c18)");
  EXPECT_EQ(refusal({d1, d0, none, none, {Dim{2}}, Dim{1}}, {1, 3}),
            "T006: dim 2 is out of range for f32[5,3], which has 2 dims, counted from 0 (gather_c19)");
}

TEST(gather, rejects_sizes_of_another_number_c20_or_too_large_c21) {
  EXPECT_EQ(refusal(rows, {1}),
            "T006: sizes [1] for f32[5,3], which has 2 dims; give a window size for each (gather_c20)");
  EXPECT_EQ(
      refusal(rows, {1, 4}),
      "T005: windows of 4 elements along dim 1 of f32[5,3], which has 3; they cannot be larger (gather_c21)");
}

TEST(gather, rejects_to_take_from_nothing_c21) {
  EXPECT_EQ(refusal({d1, d0, none, none, d0, Dim{1}}, {0, 3}, Type(DType::f32, {0, 3})),
            "T005: f32[0,3] has no elements to take (gather_c21)");
}

TEST(take, replaces_a_dim_by_those_of_the_indices) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return take(x[0], x[1], 1); },
                        {counted(DType::f32, {2, 3}), places({2, 2}, {0, 2, 1, 9})}),
            Tensor(Shape{2, 2, 2}, std::vector<float>{1, 3, 2, 3, 4, 6, 5, 6}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return take(x[0], 1, 0); }, {counted(DType::f32, {2, 3})}),
            Tensor(Shape{3}, std::vector<float>{4, 5, 6}));
}

TEST(take, counts_from_the_end_where_it_fills) {
  Tensor y = computed_by([](const Arrays& x) { return take(x[0], x[1], 0, GatherMode::fill_or_drop); },
                         {counted(DType::f32, {3}), places({3}, {-1, -3, -4})});
  EXPECT_EQ(y.at(0), 3);
  EXPECT_EQ(y.at(1), 1);
  EXPECT_TRUE(std::isnan(y.at(2)));
}

TEST(take, counts_from_the_end) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return take(x[0], x[1], 0); },
                        {counted(DType::f32, {3}), places({5}, {-1, -3, -4, 2, 9})}),
            Tensor(Shape{5}, std::vector<float>{3, 1, 1, 3, 3}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return take(x[0], -1, 0); }, {counted(DType::f32, {3})}),
            Tensor::scalar(3.F));
}

TEST(take_along_axis, counts_from_the_end) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return take_along_axis(x[0], x[1], -1); },
                        {counted(DType::f32, {2, 3}), places({2, 2}, {-1, -3, -2, -9})}),
            Tensor(Shape{2, 2}, std::vector<float>{3, 1, 5, 4}));
}

TEST(take, of_nothing_takes_nothing) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return take(x[0], x[1], 0); },
                        {Tensor({0, 2}, DType::f32), Tensor({0}, DType::i32)}),
            Tensor({0, 2}, DType::f32));
}

TEST(take_along_axis, takes_one_element_for_each_index) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return take_along_axis(x[0], x[1], -1); },
                        {counted(DType::f32, {2, 3}), places({2, 2}, {2, 0, 1, 1})}),
            Tensor(Shape{2, 2}, std::vector<float>{3, 1, 5, 5}));
}

TEST(take_along_axis, rejects_indices_that_differ_in_another_dim) {
  EXPECT_EQ(
      refusal_of([] {
        program_text({matrix, indices}, [](const Arrays& x) { return take_along_axis(x[0], x[1], 1); });
      }),
      "T005: take_along_axis: f32[5,3] and i32[4,1] differ in another dim than 1; only that one may differ");
}

TEST(gather, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Gather::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
