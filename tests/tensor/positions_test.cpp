// SPDX-License-Identifier: Apache-2.0
// An element's bits depend on its operands alone: not on its place, the number of elements, alignment, how a
// scalar operand is read, or whether the result overwrites an operand. For every elementwise kernel on every
// instruction set.
#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti {
namespace {

/// One kernel, and how it reads its operands.
struct Row {
  std::string name;
  ElementwiseKernel kernel;
  DType result;
  std::vector<DType> operands;
  std::vector<Stride> steps;
};

constexpr Stride both_steps[] = {Stride::dense, Stride::scalar};
constexpr std::size_t elements = 75;  // two whole vectors of the widest kind, one more, and a tail of f32

std::string steps_text(const std::vector<Stride>& steps) {
  std::string text;
  for (Stride step : steps) text += step == Stride::dense ? 'd' : 's';
  return text;
}

void add_row(std::vector<Row>& rows, std::string_view fn, ElementwiseKernel kernel, DType result,
             std::vector<DType> operands, std::vector<Stride> steps) {
  const std::string name =
      std::string(fn) + " " + std::string(tutti::name(operands.back())) + " " + steps_text(steps);
  rows.push_back({name, kernel, result, std::move(operands), std::move(steps)});
}

void add_unary_and_convert(std::vector<Row>& rows, DType dtype) {
  for (int fn = 0; fn <= int(UnaryFn::sign); ++fn) try {
      add_row(rows, name(UnaryFn(fn)), unary_kernel(UnaryFn(fn), dtype), dtype, {dtype}, {Stride::dense});
    } catch (const Error&) {  // not defined: elementwise_test
    }
  for (DType to : arithmetic_dtypes())
    add_row(rows, "to " + std::string(name(to)), convert_kernel(dtype, to), to, {dtype}, {Stride::dense});
}

void add_binary_and_select(std::vector<Row>& rows, DType dtype, Stride a, Stride b) {
  for (int fn = 0; fn <= int(BinaryFn::logical_xor); ++fn) try {
      add_row(rows, name(BinaryFn(fn)), binary_kernel(BinaryFn(fn), dtype, a, b), dtype, {dtype, dtype},
              {a, b});
    } catch (const Error&) {
    }
  for (int direction = 0; direction <= int(CompareDirection::ge); ++direction) {
    const auto d = CompareDirection(direction);
    add_row(rows, name(d), compare_kernel(d, dtype, a, b), DType::boolean, {dtype, dtype}, {a, b});
  }
  for (Stride p : both_steps)
    add_row(rows, "select", select_kernel(dtype, p, a, b), dtype, {DType::boolean, dtype, dtype}, {p, a, b});
}

void add_clamp(std::vector<Row>& rows, DType dtype, Stride low, Stride x) {
  for (Stride high : both_steps)
    add_row(rows, "clamp", clamp_kernel(dtype, low, x, high), dtype, {dtype, dtype, dtype}, {low, x, high});
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (DType dtype : arithmetic_dtypes()) {
    add_unary_and_convert(rows, dtype);
    for (Stride a : both_steps)
      for (Stride b : both_steps) {
        add_binary_and_select(rows, dtype, a, b);
        if (dtype != DType::boolean) add_clamp(rows, dtype, a, b);
      }
  }
  return rows;
}

/// Bytes of `elements` values: edges first, then ordinary ones.
std::vector<std::byte> operand_bytes(DType dtype, std::uint64_t seed) {
  std::vector<std::byte> data;
  with_type(dtype, [&]<class T>(T) {
    auto values = spread_values<T>(elements, seed);
    const auto edges = edge_values<T>();
    for (std::size_t i = 0; i < edges.size(); ++i) values[(i * 3 + seed) % elements] = edges[i];
    data.assign(bytes(values), bytes(values) + values.size() * sizeof values[0]);
  });
  return data;
}

/// A row's operands, and its result one element at a time.
struct Prepared {
  explicit Prepared(const Row& row) : result(elements * bytes_per_element(row.result)) {
    for (std::size_t k = 0; k < row.operands.size(); ++k)
      operands.push_back(operand_bytes(row.operands[k], k + 1));
    for (std::size_t i = 0; i < elements; ++i) {
      const auto in = pointers(row, i);
      row.kernel(result.data() + i * bytes_per_element(row.result), in.data(), 1);
    }
  }
  std::array<const std::byte*, 3> pointers(const Row& row, std::size_t first) const {
    std::array<const std::byte*, 3> in{};
    for (std::size_t k = 0; k < operands.size(); ++k)
      in[k] = operands[k].data() +
              (row.steps[k] == Stride::scalar ? 0 : first * bytes_per_element(row.operands[k]));
    return in;
  }

  std::vector<std::vector<std::byte>> operands;
  std::vector<std::byte> result;
};

class elementwise_kernels_of : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(all, elementwise_kernels_of, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

TEST_P(elementwise_kernels_of, give_the_same_bits_wherever_an_element_stands) {
  const UseInstructionSet use(GetParam());
  for (const Row& row : all_rows()) {
    const Prepared prepared(row);
    const std::size_t size = bytes_per_element(row.result);
    for (std::size_t first : {0, 1, 7})
      for (std::size_t n = 0; first + n <= elements; ++n) {
        std::vector<std::byte> out((n + 2) * size, std::byte{0x5a});
        const auto in = prepared.pointers(row, first);
        row.kernel(out.data() + size, in.data(), std::int64_t(n));
        ASSERT_EQ(0, std::memcmp(out.data() + size, prepared.result.data() + first * size, n * size))
            << row.name << ", elements " << first << " to " << first + n;
        for (std::size_t i = 0; i < size; ++i)
          ASSERT_TRUE(out[i] == std::byte{0x5a} && out[(n + 1) * size + i] == std::byte{0x5a})
              << row.name << " writes beyond its " << n << " elements";
      }
  }
}

TEST_P(elementwise_kernels_of, may_write_over_a_dense_operand) {
  const UseInstructionSet use(GetParam());
  for (const Row& row : all_rows()) {
    const Prepared prepared(row);
    for (std::size_t k = 0; k < row.operands.size(); ++k) {
      if (row.steps[k] != Stride::dense ||
          bytes_per_element(row.operands[k]) != bytes_per_element(row.result))
        continue;
      std::vector<std::byte> both = prepared.operands[k];
      auto in = prepared.pointers(row, 0);
      in[k] = both.data();
      row.kernel(both.data(), in.data(), elements);
      EXPECT_EQ(both, prepared.result) << row.name << " over operand " << k;
    }
  }
}

/// The row's result with its scalars taken from element `place`, and `dense`'s with them repeated.
void check_scalars(const Row& row, const Row& dense, const Prepared& prepared, std::size_t place) {
  std::vector<std::vector<std::byte>> repeated = prepared.operands;
  std::array<const std::byte*, 3> scalars{}, all{};
  for (std::size_t k = 0; k < repeated.size(); ++k) {
    const std::size_t size = bytes_per_element(row.operands[k]);
    scalars[k] = prepared.operands[k].data();
    if (row.steps[k] == Stride::scalar) {
      scalars[k] += place * size;
      for (std::size_t i = 0; i < elements; ++i) std::memcpy(repeated[k].data() + i * size, scalars[k], size);
    }
    all[k] = repeated[k].data();
  }
  std::vector<std::byte> found(prepared.result.size()), want(prepared.result.size());
  row.kernel(found.data(), scalars.data(), elements);
  dense.kernel(want.data(), all.data(), elements);
  EXPECT_EQ(found, want) << row.name << ", scalar " << place;
}

TEST_P(elementwise_kernels_of, read_a_scalar_as_its_repetition) {
  const UseInstructionSet use(GetParam());
  const std::vector<Row> rows = all_rows();
  for (const Row& row : rows) {
    if (row.steps.size() < 2 || row.steps == std::vector(row.steps.size(), Stride::dense)) continue;
    const std::string dense_name =
        row.name.substr(0, row.name.rfind(' ') + 1) + std::string(row.steps.size(), 'd');
    const auto dense = std::ranges::find_if(rows, [&](const Row& other) {
      return other.name == dense_name && other.operands == row.operands;
    });
    ASSERT_NE(dense, rows.end()) << dense_name;
    const Prepared prepared(row);
    for (std::size_t place = 0; place < elements; ++place) check_scalars(row, *dense, prepared, place);
  }
}

TEST_P(elementwise_kernels_of, give_for_a_gate_the_bits_of_comparison_and_selection) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : {DType::f32, DType::f64})
    for (CompareDirection direction :
         {CompareDirection::lt, CompareDirection::le, CompareDirection::gt, CompareDirection::ge})
      for (double limit : {0.0, -0.0, 1.5, std::nan("")}) {
        const auto x = operand_bytes(dtype, 1), otherwise = operand_bytes(dtype, 2);
        const Tensor at = Tensor::scalar_of(dtype, limit);
        std::vector<std::byte> once(x.size()), chosen(elements), twice(x.size());
        const std::byte* const in[] = {x.data(), at.data(), otherwise.data()};
        gate_kernel(direction, dtype)(once.data(), in, elements);
        compare_kernel(direction, dtype, Stride::dense, Stride::scalar)(chosen.data(), in, elements);
        const std::byte* const then[] = {chosen.data(), at.data(), otherwise.data()};
        select_kernel(dtype, Stride::dense, Stride::scalar, Stride::dense)(twice.data(), then, elements);
        EXPECT_EQ(once, twice) << name(direction) << ' ' << limit;
      }
}

TEST(gate_kernel, is_null_where_there_is_none) {
  EXPECT_EQ(nullptr, gate_kernel(CompareDirection::eq, DType::f32));
  EXPECT_EQ(nullptr, gate_kernel(CompareDirection::le, DType::i32));
  EXPECT_EQ(nullptr, gate_kernel(CompareDirection::le, DType::bf16));
}

}  // namespace
}  // namespace tutti
