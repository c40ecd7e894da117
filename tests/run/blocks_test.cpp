// SPDX-License-Identifier: Apache-2.0
// Results of concatenate and pad are read block by block where elements are computed. In each plan the bits
// are those of the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/run/code/region_code.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh line({{"x", 3}});
constexpr std::int64_t rows = 24, columns = 100;  // of a device: two tiles, the second one is shorter

Program over_rows(DType dtype, const std::function<Array(const Array&)>& body) {
  return test_program(line, {{dtype, {rows * line.devices(), columns}, {line.axes()}}},
                      [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{line.axes()}});
}

Array cut(const Array& x, std::int64_t row, std::int64_t column, std::int64_t height = rows,
          std::int64_t width = columns) {
  return slice_in_dim(slice_in_dim(x, row, row + height, 1, 0), column, column + width, 1, 1);
}

/// The edge of the device before this one, or after it; zeros beyond the first and the last.
Array from_neighbour(const Array& edge, int shift) {
  Pairs pairs;
  for (int from = 0; from < line.devices(); ++from)
    if (const int to = from + shift; to >= 0 && to < line.devices()) pairs.emplace_back(from, to);
  return ppermute(edge, "x", pairs);
}

Array with_halo(const Array& x) {
  return concatenate({from_neighbour(slice_in_dim(x, -1, {}, 1, 0), 1), x,
                      from_neighbour(slice_in_dim(x, 0, 1, 1, 0), -1)},
                     0);
}

Array five_points(const Array& x) {
  const Array p = pad(x, 2, {{1, 1}, {1, 1}});
  return cut(p, 0, 1) + cut(p, 2, 1) + cut(p, 1, 0) + cut(p, 1, 2) - x * 4;
}

struct Case {
  const char* name;
  std::function<Array(const Array&)> body;
  DType dtype = DType::f32;
};
const Case cases[] = {
    {"five_points", five_points},
    {"five_points_of_f64", five_points, DType::f64},
    {"five_points_of_bf16", five_points, DType::bf16},
    {"five_points_of_i8", five_points, DType::i8},
    {"choices_by_bools",
     [](const Array& x) {
       const Array p = pad(x > 0, false, {{0, 1}, {0, 1}});
       return select(cut(p, 1, 0), cut(pad(x, 3, {{0, 1}, {0, 1}}), 1, 1), x);
     }},
    {"halos",
     [](const Array& x) {
       const Array all = with_halo(x);
       return slice_in_dim(all, 0, -2, 1, 0) + slice_in_dim(all, 2, {}, 1, 0) - x * 2;
     }},
    {"halos_with_corners",
     [](const Array& x) {
       const Array all = pad(with_halo(x), 1, {{0, 0}, {2, 2}});
       return cut(all, 0, 0) + cut(all, 2, 4) - cut(all, 0, 4) - cut(all, 2, 0) + cut(all, 1, 2);
     }},
    {"turned_round",
     [](const Array& x) {
       const Array around = concatenate({slice_in_dim(x, -3, {}, 1, 1), x, slice_in_dim(x, 0, 3, 1, 1)}, 1);
       return cut(around, 0, 0) - cut(around, 0, 6);
     }},
    {"all_of_a_pad", [](const Array& x) { return cut(pad(x, 1, {{2, 0}, {0, 5}}) * 2, 0, 0); }},
    {"negative_pads", [](const Array& x) { return pad(x, 5, {{-3, 3}, {4, -4}}) + x; }},
    {"pads_beyond_the_field",
     [](const Array& x) {
       const Array p = pad(x, -1, {{rows, rows}, {columns, 2 * columns}});
       return cut(p, 1, columns - 1) + cut(p, 2 * rows, 3 * columns) + cut(p, rows, columns + 7);
     }},
    {"pads_of_nothing", [](const Array& x) { return pad(x, 1, {{0, 0}, {0, 0}}) + x; }},
    {"pads_that_leave_nothing",
     [](const Array& x) { return pad(slice_in_dim(x, 0, 1, 1, 0), 7, {{-1, rows}, {0, 0}}) * x; }},
    {"interior_pads",
     [](const Array& x) { return cut(pad(x, 1, {{1, 1, 1}, {0, 0, 2}}), rows, columns) + x; }},
    {"every_second_one",
     [](const Array& x) { return slice_in_dim(pad(x, 4, {{0, rows}, {0, 0}}), 0, 2 * rows, 2, 0) + x; }},
    {"many_blocks",
     [](const Array& x) {
       Arrays parts;
       for (int i = 0; i < 20; ++i) parts.push_back(slice_in_dim(x, 5 * i, 5 * i + 5, 1, 1));
       std::ranges::reverse(parts);
       return concatenate(parts, 1) - x;
     }},
    {"three_dims",
     [](const Array& x) {
       const Array cube = reshape(x, {4, 6, columns}), p = pad(cube, 1, {{1, 1}, {1, 1}, {1, 1}});
       const auto part = [&](int i, int j, int k) {
         return slice_in_dim(slice_in_dim(slice_in_dim(p, i, i + 4, 1, 0), j, j + 6, 1, 1), k, k + columns, 1,
                             2);
       };
       return reshape(part(0, 1, 1) + part(2, 1, 1) + part(1, 0, 1) + part(1, 2, 1) + part(1, 1, 0) +
                          part(1, 1, 2) + part(0, 0, 0) - part(2, 2, 2),
                      {rows, columns});
     }},
    {"an_index_into_blocks",
     [](const Array& x) {
       const Array cube = pad(reshape(x, {rows, columns / 2, 2}), 3, {{0, 0}, {1, 0}, {0, 1}});
       const auto plane = [&](int k) { return squeeze(slice_in_dim(cube, k, k + 1, 1, 2), 2); };
       const Array y = plane(0) * 2 - plane(1) + plane(2);
       return concatenate({slice_in_dim(y, 0, columns / 2, 1, 1), slice_in_dim(y, 1, {}, 1, 1)}, 1);
     }},
    {"sums_of_rows",
     [](const Array& x) {
       const Array p = pad(x, 1, {{1, 0}, {0, 0}});
       const Array y = cut(p, 0, 0) * x;
       return y + expand_dims(reduce_max(y, 1), 1);
     }},
    {"sums_over_devices",
     [](const Array& x) { return psum(cut(pad(x, 1, {{1, 0}, {1, 0}}), 0, 0) - x, "x") + x; }},
    {"other_readers",
     [](const Array& x) {
       const Array p = pad(x, 1, {{1, 0}, {0, 1}}), y = cut(p, 0, 1);
       return y + rev(y, 1) + transpose(cumsum(transpose(y), 0)) - cumsum(cut(p, 1, 0), 1);
     }},
    {"trips_of_a_loop",
     [](const Array& x) {
       auto trip = [](const Array&, const Array& v) {
         const Array all = with_halo(v);
         const Array y = maximum(minimum(cut(all, 0, 0) - cut(all, 2, 0), 9.0), -9.0);
         return y + cut(pad(v, 1, {{0, 0}, {1, 0}}), 0, 0);
       };
       return fori_loop(0, 3, trip, x);
     }},
    {"what_the_region_made",
     [](const Array& x) {
       const Array y = x + 1;
       const Array p = pad(y, 0, {{1, 1}, {0, 0}});
       return cut(p, 0, 0) + cut(p, 2, 0) + y;
     }},
};

class blocks : public testing::TestWithParam<Case> {};
TEST_P(blocks, compute_what_the_kernels_do) {
  expect_all_plans_compute(over_rows(GetParam().dtype, GetParam().body), line);
}
INSTANTIATE_TEST_SUITE_P(of, blocks, testing::ValuesIn(cases),
                         [](const auto& instance) { return std::string(instance.param.name); });

constexpr std::int64_t long_rows = 5, long_columns = 6000;  // three tiles in a row: some lie in one block

void expect_long_rows_compute(const std::function<Array(const Array&)>& body) {
  expect_all_plans_compute(
      test_program(line, {{DType::f32, {long_rows * line.devices(), long_columns}, {line.axes()}}},
                   [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{line.axes()}}),
      line);
}

TEST(blocks_of_long_rows, are_those_of_their_row) {
  expect_long_rows_compute([](const Array& x) {
    const Array p = pad(x, 2, {{1, 1}, {1, 1}});
    return cut(p, 0, 0, long_rows, long_columns) - cut(p, 2, 2, long_rows, long_columns) +
           cut(p, 1, 0, long_rows, long_columns);
  });
}

// The block of `left` is read after `twice` is known, which must not lie there.
TEST(blocks_of_long_rows, stay_until_their_last_reader) {
  expect_long_rows_compute([](const Array& x) {
    const Array left = cummax(x, 1);
    const Array s = concatenate({slice_in_dim(left, 0, 4000, 1, 1), slice_in_dim(x, 4000, {}, 1, 1)}, 1);
    const Array first = abs(s), twice = left * 2;
    return first + s * twice + cummax(twice, 1);
  });
}

// One block has most of each line, so chains read the lines in place and the rim from scratch (RegionRim).
// Tiles begin and end within a line.
constexpr std::int64_t wide_columns = 300;

Program over_wide_lines(DType dtype, const std::function<Array(const Array&)>& body) {
  return test_program(line, {{dtype, {rows * line.devices(), wide_columns}, {line.axes()}}},
                      [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{line.axes()}});
}

Array wide(const Array& x, std::int64_t row, std::int64_t column) {
  return cut(x, row, column, rows, wide_columns);
}

Array five_points_of_wide_lines(const Array& x) {
  const Array p = pad(x, 2, {{1, 1}, {1, 1}});
  return x + (wide(p, 0, 1) + wide(p, 2, 1) + (wide(p, 1, 0) + wide(p, 1, 2)) - 4 * x) * 2;
}

Array neighbours_in_row(const Array& x) {
  const Array first = slice_in_dim(x, 0, 1, 1, 1);
  const Array all = concatenate({first * 3, x, first - 1}, 1);
  return slice_in_dim(all, 0, -2, 1, 1) - slice_in_dim(all, 2, {}, 1, 1);
}

const Case wide_cases[] = {
    {"five_points", five_points_of_wide_lines},
    {"five_points_of_f64", five_points_of_wide_lines, DType::f64},
    {"five_points_of_bf16", five_points_of_wide_lines, DType::bf16},
    {"five_points_of_i32", five_points_of_wide_lines, DType::i32},
    {"neighbours_in_row", neighbours_in_row},
    {"one_function", [](const Array& x) { return wide(pad(x, 1, {{0, 0}, {1, 1}}), 0, 2) - x; }},
    {"rims_of_several_widths",
     [](const Array& x) {
       const Array p = pad(x, 1, {{0, 0}, {75, 75}});
       return wide(p, 0, 0) - wide(p, 0, 3) + wide(p, 0, 74) * (wide(p, 0, 76) - wide(p, 0, 150));
     }},
    {"rims_that_are_too_wide",
     [](const Array& x) {
       const Array p = pad(x, 1, {{0, 0}, {76, 0}});
       return wide(p, 0, 0) - x;
     }},
    {"corners",
     [](const Array& x) {
       const Array p = pad(x, 3, {{1, 1}, {2, 2}});
       return wide(p, 0, 0) - wide(p, 2, 4) * 2 + wide(p, 0, 4) - (wide(p, 2, 0) - x);
     }},
    {"turned_round",
     [](const Array& x) {
       const Array around = concatenate({slice_in_dim(x, -3, {}, 1, 1), x, slice_in_dim(x, 0, 3, 1, 1)}, 1);
       return wide(around, 0, 0) - wide(around, 0, 6);
     }},
    {"two_chains",
     [](const Array& x) {
       const Array left = wide(pad(x, 1, {{0, 0}, {1, 0}}), 0, 0), y = abs(left - x);
       return (left * 2 - y) * maximum(y, 3.0);
     }},
    {"readers_of_whole_tiles",
     [](const Array& x) {
       const Array left = wide(pad(x, 1, {{0, 0}, {1, 0}}), 0, 0);
       return abs(left) - left * 2;
     }},
    {"gates",
     [](const Array& x) {
       const Array y = neighbours_in_row(x) * 2, limit = full({}, 3, DType::f32);
       return where(y <= limit, limit, y) - x;
     }},
    {"sums_of_rows",
     [](const Array& x) {
       const Array y = neighbours_in_row(x);
       return y + expand_dims(reduce_max(y * x, 1), 1);
     }},
    {"lines_of_planes",
     [](const Array& x) {
       const Array cube = reshape(x, {4, 6, wide_columns}), p = pad(cube, 1, {{1, 1}, {1, 1}, {1, 1}});
       const auto part = [&](int i, int j, int k) {
         return slice_in_dim(slice_in_dim(slice_in_dim(p, i, i + 4, 1, 0), j, j + 6, 1, 1), k,
                             k + wide_columns, 1, 2);
       };
       return reshape(part(0, 1, 1) + part(2, 1, 1) + (part(1, 0, 1) + part(1, 2, 1)) +
                          (part(1, 1, 0) + part(1, 1, 2)) - 6 * cube,
                      {rows, wide_columns});
     }},
    {"a_wave_over_the_field_before",
     [](const Array& x) {
       auto trip = [](const Array&, const std::pair<Array, Array>& fields) {
         const auto& [before, now] = fields;
         const Array next = 2 * now - before + neighbours_in_row(now);
         return std::pair{now, maximum(minimum(next, 9.0), -9.0)};
       };
       return fori_loop(0, 5, trip, std::pair{x, x + 1}).second;
     }},
};

class blocks_of_wide_lines : public testing::TestWithParam<Case> {};
TEST_P(blocks_of_wide_lines, compute_what_the_kernels_do) {
  expect_all_plans_compute(over_wide_lines(GetParam().dtype, GetParam().body), line);
}
INSTANTIATE_TEST_SUITE_P(of, blocks_of_wide_lines, testing::ValuesIn(wide_cases),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// The operands that chains of a program's only region read at a rim.
std::size_t rimmed_operands(const std::function<Array(const Array&)>& body) {
  const Plan plan(localised(over_wide_lines(DType::f32, body), line).program, line,
                  {.least_assembled_bytes = 0});
  EXPECT_EQ(plan.steps().list.size(), 1U);
  const RegionCode code = make_region_code(plan.graph(), plan.steps(), StepId{0}, {0});
  std::size_t count = 0;
  for (const std::vector<RimmedOperand>& rims : code.rims) count += rims.size();
  return count;
}

TEST(blocks_of_a_region, are_read_in_place_but_for_the_rim) {
  EXPECT_EQ(rimmed_operands(five_points_of_wide_lines), 2U);
  EXPECT_EQ(rimmed_operands([](const Array& x) {
              const Array p = pad(x, 1, {{0, 0}, {1, 1}});
              return abs(wide(p, 0, 0) - wide(p, 0, 2));
            }),
            2U);
  EXPECT_EQ(rimmed_operands([](const Array& x) { return abs(wide(pad(x, 1, {{0, 0}, {1, 0}}), 0, 0)); }), 0U);
  EXPECT_EQ(rimmed_operands([](const Array& x) { return x - wide(pad(x, 1, {{0, 0}, {76, 0}}), 0, 0); }), 0U);
}

Plan planned(const std::function<Array(const Array&)>& body, std::int64_t least_assembled_bytes = 0) {
  return Plan(localised(over_rows(DType::f32, body), line).program, line,
              {.least_assembled_bytes = least_assembled_bytes});
}

std::vector<Step::Kind> kinds(const Plan& plan) {
  std::vector<Step::Kind> kinds;
  for (const Step& step : plan.steps().list) kinds.push_back(step.kind);
  return kinds;
}

using Kind = Step::Kind;

TEST(blocks_of_a_plan, are_not_copied) {
  EXPECT_EQ(kinds(planned(five_points)), std::vector{Kind::region});
  EXPECT_EQ(kinds(planned([](const Array& x) {
              const Array all = with_halo(x);
              return slice_in_dim(all, 0, -2, 1, 0) + slice_in_dim(all, 2, {}, 1, 0);
            })),
            (std::vector{Kind::copy, Kind::copy, Kind::region}));  // the halos
}

TEST(blocks_of_a_plan, are_copied_for_readers_of_the_whole) {
  EXPECT_EQ(kinds(planned([](const Array& x) {
              return cumsum(slice_in_dim(pad(x, 1, {{0, 1}, {0, 0}}), 1, {}, 1, 0), 1);
            })),
            (std::vector{Kind::opaque, Kind::opaque}));
}

TEST(blocks_of_a_plan, are_copied_where_the_value_is_small) {
  EXPECT_EQ(kinds(planned(five_points, 1 << 20)), (std::vector{Kind::opaque, Kind::region}));
}

TEST(blocks_of_a_plan, are_read_in_place_where_one_is_all_that_is_cut_out) {
  EXPECT_EQ(kinds(planned([](const Array& x) { return cut(pad(x, 1, {{1, 1}, {1, 1}}), 1, 1) * 2; })),
            std::vector{Kind::region});
}

}  // namespace
}  // namespace tutti
