// SPDX-License-Identifier: Apache-2.0
// Slices of rows go to other devices. Each test says what every device holds before and after. More numbers:
// rows 48 to 52 of worked_examples_test.cpp.
#include "tutti/ops/moves/ragged_all_to_all.hpp"

#include "tests/ops/worked.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

/// The operands of each device, one row a device: numbers of slices, and rows of one element.
struct Exchange {
  Mesh mesh;
  Blocks operand, output, input_offsets, send_sizes, output_offsets, recv_sizes;  // recv_sizes: may be none
  Groups groups = {};
};
using Result = std::function<Array(const Array& operand, const Array& output, const RaggedSlices& slices)>;

Tensors of_each_device(const Blocks& blocks, DType dtype, const Mesh& mesh) {
  return tensors(blocks, Shape{std::ssize(blocks[0])}, dtype, mesh.devices());
}

/// The results of `body` on every device.
Tensors results(const Exchange& given, const Result& body) {
  std::vector<Tensors> inputs{of_each_device(given.operand, DType::f32, given.mesh),
                              of_each_device(given.output, DType::f32, given.mesh)};
  for (const Blocks* numbers :
       {&given.input_offsets, &given.send_sizes, &given.output_offsets, &given.recv_sizes})
    if (!numbers->empty()) inputs.push_back(of_each_device(*numbers, DType::i32, given.mesh));
  Types types;
  for (const Tensors& input : inputs)
    types.push_back(Type(input[0].dtype(), input[0].shape()).with(given.mesh.axes(), varying));
  Program program = trace(types, [&](const Arrays& x) {
                      auto bound = Builder::current().bind(given.mesh.axes());
                      RaggedSlices slices{x[2], x[3], x[4]};
                      if (x.size() > 5) slices.recv_sizes = x[5];
                      return Arrays{body(x[0], x[1], slices)};
                    }).program;
  return run_on_machine(program, given.mesh, inputs)[0];
}

Tensors exchanged(const Exchange& given) {
  return results(given, [&](const Array& operand, const Array& output, const RaggedSlices& slices) {
    return ragged_all_to_all(operand, output, slices, "x", {.groups = given.groups});
  });
}

/// The cotangents by the operand and by the output, one after the other.
Tensors cotangents(const Exchange& given, const Blocks& of_result) {
  return results(given, [&](const Array& operand, const Array& output, const RaggedSlices& slices) {
    auto f = [&](const Array& x, const Array& y) {
      return ragged_all_to_all(x, y, slices, "x", {.groups = given.groups});
    };
    Array ct = convert(own_row(of_result), DType::f32);
    auto [result, pull] = vjp(f, std::tuple{operand, output});
    auto [by_operand, by_output] = pull(ct);
    return concatenate({by_operand, by_output});
  });
}

Tensors floats(const Blocks& blocks) {
  return tensors(blocks, Shape{std::ssize(blocks[0])}, DType::f32, static_cast<int>(blocks.size()));
}

const Exchange of_two{x2,
                      {{1, 2, 2}, {3, 4, 0}},
                      {{0, 0, 0, 0}},
                      {{0, 1}},
                      {{1, 2}, {1, 1}},
                      {{0, 0}, {1, 2}},
                      {{1, 1}, {2, 1}}};

TEST(ragged_all_to_all, keeps_the_rows_of_the_output_that_nothing_lands_on) {
  Exchange given = of_two;
  given.output = {{5, 6, 7, 8}, {-1, -2, -3, -4}};
  EXPECT_EQ(exchanged(given), floats({{1, 3, 7, 8}, {2, 2, 4, -4}}));
}

TEST(ragged_all_to_all, finds_the_sizes_that_arrive_if_recv_sizes_is_left_out) {
  Exchange given = of_two;
  given.recv_sizes = {};
  EXPECT_EQ(exchanged(given), floats({{1, 3, 0, 0}, {2, 2, 4, 0}}));
}

TEST(ragged_all_to_all, sends_a_row_to_several_devices_and_adds_their_cotangents) {
  Exchange given{x2, {{1, 2}, {3, 4}}, {{0, 0, 0, 0}}, {{0, 0}, {0, 1}}, {{2, 2}, {1, 1}}, {{0, 0}, {2, 2}},
                 {}};
  EXPECT_EQ(exchanged(given), floats({{1, 2, 3, 0}, {1, 2, 4, 0}}));
  EXPECT_EQ(cotangents(given, {{1, 2, 3, 4}, {10, 20, 30, 40}}),
            floats({{11, 22, 0, 0, 0, 4}, {3, 30, 0, 0, 0, 40}}));
}

TEST(ragged_all_to_all, keeps_the_cotangents_of_rows_where_an_empty_slice_starts) {
  Exchange given{x2, {{1, 2}, {3, 4}}, {{7, 8, 9}}, {{0, 0}}, {{0, 0}, {2, 0}}, {{0, 0}, {0, 0}}, {}};
  EXPECT_EQ(exchanged(given), floats({{3, 4, 9}, {7, 8, 9}}));
  EXPECT_EQ(cotangents(given, {{1, 2, 3}, {4, 5, 6}}), floats({{0, 0, 0, 0, 3}, {1, 2, 4, 5, 6}}));
}

TEST(ragged_all_to_all, packs_what_arrives_by_sender_and_then_slice) {
  Exchange given{x2,
                 {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}},
                 {{0, 0, 0, 0, 0, 0}},
                 {{0, 1, 3, 3}},
                 {{1, 2, 0, 3}, {2, 0, 1, 1}},
                 {{0, 0, 0, 0}},
                 {}};
  Tensors packed = results(given, [](const Array& operand, const Array& output, RaggedSlices slices) {
    slices.output_offsets = packed_offsets(slices.send_sizes, "x");
    return ragged_all_to_all(operand, output, slices, "x");
  });
  EXPECT_EQ(packed, floats({{1, 2, 3, 7, 8, 0}, {4, 5, 6, 10, 10, 0}}));
}

/// The text of the Error that running throws, without its place.
std::string error_of(const Exchange& given) {
  try {
    exchanged(given);
  } catch (const Error& error) {
    return std::string(error.label()) + ": " + error.message();
  }
  return "accepted";
}

TEST(ragged_all_to_all, refuses_slices_that_leave_the_operand) {
  Exchange given = of_two;
  given.input_offsets = {{0, 1}, {0, 3}};
  EXPECT_EQ(error_of(given), "R005: ragged_all_to_all: slice 0 of device 1 for x=1 is 1 row from row 3 on, "
                             "the operand has 3 rows; it "
                             "must lie inside");
}

TEST(ragged_all_to_all, refuses_slices_that_leave_the_output) {
  Exchange given = of_two;
  given.output_offsets = {{0, 3}, {1, 2}};
  EXPECT_EQ(
      error_of(given),
      "R005: ragged_all_to_all: slice 0 of device 0 for x=1 lands as 2 rows from row 3 on, the output has 4 "
      "rows; it must lie inside");
}

TEST(ragged_all_to_all, refuses_slices_that_land_on_each_other) {
  Exchange given = of_two;
  given.output_offsets = {{0, 0}, {0, 2}};
  EXPECT_EQ(error_of(given),
            "R005: ragged_all_to_all: slice 0 of device 0 for x=0 (1 row from row 0 on) and slice 0 of "
            "device 1 for "
            "x=0 (1 row from row 0 on) overlap where they land; packed_offsets gives offsets without gaps");
}

TEST(ragged_all_to_all, refuses_sizes_that_the_receiver_does_not_expect) {
  Exchange given = of_two;
  given.recv_sizes = {{1, 1}, {1, 1}};
  EXPECT_EQ(error_of(given), "R005: ragged_all_to_all: slice 0 of device 0 for x=1 has 2 rows, recv_sizes "
                             "says 1; they must be equal, "
                             "or leave recv_sizes out");
}

TEST(ragged_all_to_all, refuses_sizes_below_zero) {
  Exchange given = of_two;
  given.send_sizes = {{-1, 2}, {1, 1}};
  given.recv_sizes = {};
  EXPECT_EQ(error_of(given),
            "R005: ragged_all_to_all: slice 0 of device 0 for x=0 has -1 rows; sizes are at least 0");
}

TEST(ragged_all_to_all, refuses_wrong_slices_in_groups) {
  Exchange given{.mesh = x4,
                 .operand = {{1, 2}},
                 .output = {{0, 0}},
                 .input_offsets = {{0, 0}, {0, 0}, {0, 0}, {0, 2}},
                 .send_sizes = {{1, 1}},
                 .output_offsets = {{0, 0}, {1, 1}, {1, 1}, {0, 0}},
                 .recv_sizes = {},
                 .groups = {{0, 2}, {3, 1}}};
  EXPECT_EQ(error_of(given), "R005: ragged_all_to_all: slice 0 of device 3 for x=1 is 1 row from row 2 on, "
                             "the operand has 2 rows; it must lie inside");
}

TEST(ragged_all_to_all, names_the_line_of_a_call_that_fails) {
  auto f = [](const Array& rows, const Array& sizes) {
    Array zero = zeros({1}, DType::i32);
    return ragged_all_to_all(rows, zeros({2}, DType::f32), {zero, sizes, zero}, "x");  // refused
  };
  auto whole = shard_map(f, {.mesh = line(1), .in = {P("x"), P("x")}, .out = {P("x")}});
  Array rows = Tensor({3}, {1.0F, 2.0F, 3.0F});
  auto compiled = open_local(line(1)).compile(whole, rows, abstract({1}, DType::i32));
  expect_refused([&] { compiled(rows, Array(Tensor({1}, {3}))); },
                 "R005 {file}:{line}: ragged_all_to_all: slice 0 of device 0 for x=0 lands as 3 rows from "
                 "row 0 on, the output has 2 rows; it must lie inside");
}

// Slices of one device are wrong, the other's are right.
TEST(ragged_all_to_all, can_be_called_again_after_an_error_of_one_device) {
  auto f = [](const Array& rows, const Array& sizes) {
    Array zero = zeros({2}, DType::i32);
    return ragged_all_to_all(rows, zeros({4}, DType::f32), {zero, sizes, packed_offsets(sizes, "x")}, "x");
  };
  auto whole = shard_map(f, {.mesh = x2, .in = {P("x"), P("x")}, .out = {P("x")}});
  Array rows = Tensor({4}, {1.0F, 2.0F, 3.0F, 4.0F});
  auto compiled = open_local(x2, {.workers = 2}).compile(whole, rows, abstract({4}, DType::i32));
  for (int round = 0; round < 3; ++round) {
    EXPECT_THROW(compiled(rows, Array(Tensor({4}, {1, 1, 1, 3}))), Error);
    EXPECT_EQ(compiled(rows, Array(Tensor({4}, {1, 2, 2, 0}))).values<float>(),
              (std::vector<float>{1, 3, 4, 0, 1, 2, 0, 0}));
  }
  EXPECT_EQ(rows.values<float>(), (std::vector<float>{1, 2, 3, 4}));
}

// ---- refused when traced

/// ragged_all_to_all over data=4 with `wrong` in the place of one of the four arrays.
std::function<void()> traced_with(int number, const Array& wrong) {
  return on_devices([=](Array x) {
    std::vector<Array> arrays(4, zeros({4}, DType::i32));
    arrays[static_cast<std::size_t>(number)] = wrong;
    return ragged_all_to_all(x, x, {arrays[0], arrays[1], arrays[2], arrays[3]}, "data");  // refused
  });
}
const std::array<std::string, 4> names_of_arrays{"input_offsets", "send_sizes", "output_offsets",
                                                 "recv_sizes"};
Array zeros_of(DType dtype, const Shape& shape) { return Tensor(shape, dtype); }

TEST(ragged_all_to_all, refuses_indices_that_are_no_integers) {
  for (int i = 0; i < 4; ++i)
    expect_refused(traced_with(i, zeros_of(DType::f32, {4})),
                   "T007 {file}:{line}: ragged_all_to_all: " + names_of_arrays[static_cast<std::size_t>(i)] +
                       " is f32[4], not of i32 or i64; convert it: convert(x, DType::i32)");
}

TEST(ragged_all_to_all, refuses_indices_of_two_dims) {
  for (int i = 0; i < 4; ++i)
    expect_refused(traced_with(i, zeros_of(DType::i32, {4, 1})),
                   "T005 {file}:{line}: ragged_all_to_all: " + names_of_arrays[static_cast<std::size_t>(i)] +
                       " is i32[4,1]; it must have one dim, with a number for each slice");
}

TEST(ragged_all_to_all, refuses_no_indices) {
  for (int i = 0; i < 4; ++i)
    expect_refused(traced_with(i, zeros_of(DType::i32, {0})),
                   "T005 {file}:{line}: ragged_all_to_all: " + names_of_arrays[static_cast<std::size_t>(i)] +
                       " is i32[0]; there must be a slice for each device at least");
}

TEST(ragged_all_to_all, refuses_indices_of_two_dtypes) {
  for (int i = 1; i < 4; ++i)
    expect_refused(traced_with(i, zeros_of(DType::i64, {4})),
                   "T007 {file}:{line}: ragged_all_to_all: " + names_of_arrays[static_cast<std::size_t>(i)] +
                       " is i64[4], input_offsets i32[4]; all four must have one dtype: convert one of them");
}

TEST(ragged_all_to_all, refuses_scalars) {
  expect_refused(
      on_devices([](Array x) {
        Array none = zeros({4}, DType::i32);
        return ragged_all_to_all(reduce_sum(x), x, {none, none, none}, "data");  // refused
      }),
      "T005 {file}:{line}: ragged_all_to_all: the operand is f32[]{V:data}, the output f32[2]{V:data}; "
      "both need rows");
}

TEST(packed_offsets, refuses_sizes_that_are_none_for_each_device) {
  auto packed = [](const Array& sizes) {
    return on_devices([=](Array) {
      return packed_offsets(sizes, "data");  // refused
    });
  };
  expect_refused(packed(zeros_of(DType::i32, {6})),
                 "T005 {file}:{line}: packed_offsets: 6 slices do not split over the 4 devices of 'data'; "
                 "give the same number for each device, and sizes of 0 where there is nothing to send");
  expect_refused(packed(zeros_of(DType::f32, {4})),
                 "T007 {file}:{line}: packed_offsets: send_sizes is f32[4], not of i32 or i64; convert it: "
                 "convert(x, DType::i32)");
}

}  // namespace
}  // namespace tutti
