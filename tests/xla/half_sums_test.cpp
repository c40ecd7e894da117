// SPDX-License-Identifier: Apache-2.0
// Law: every op that adds or multiplies many f16 or bf16 does so in f32 and rounds once, on XLA as on the
// local machine.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tests/support/example_programs.hpp"
#include "tests/support/full_sets.hpp"
#include "tests/support/halves.hpp"
#include "tests/support/op_bounds.hpp"
#include "tests/xla/on_xla.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/base/error.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using xla::RealXla;

constexpr std::int64_t times_as_long = 128;
constexpr DType halves[] = {DType::f16, DType::bf16};

// --- Long examples -----------------------------------------------------------------------------------------

/// A dim of an operand.
struct LongDim {
  std::size_t operand;
  Dim dim;
};

/// False for functions of single elements, and for moves.
bool may_fold(const Op& op, const Types& operands) {
  const Kernel kernel = op->kernel({example_mesh(), Storage::per_device, operands, op->infer(operands)});
  return !std::holds_alternative<kernel::Pointwise>(kernel) && !std::holds_alternative<kernel::View>(kernel);
}

/// True if the op takes these operands and gives floats, not too many to compare.
bool is_accepted(const Example& example) {
  try {
    const Program program = program_of({example});
    const Types results = program.types_of(program.outputs);
    return may_fold(example.op, program.types_of(program.equations[0].operands)) &&
           std::ranges::all_of(results, [](const Type& type) { return type.elements() <= 1 << 16; }) &&
           std::ranges::any_of(results, [](const Type& type) { return is_half(type.dtype()); });
  } catch (const Error&) {
    return false;
  }
}

/// True if what the devices hold is folded, or operands are given: then dims stay as they are.
bool is_tried_as_it_is(const Example& example) {
  const auto is_given = [](const ExampleOperand& operand) { return operand.given.has_value(); };
  return !example.op->communicates().empty() || std::ranges::any_of(example.operands, is_given);
}

/// The dims that are made long: one, or two of different operands that have one size.
std::vector<std::vector<LongDim>> choices(const Example& example) {
  std::vector<LongDim> each;
  for (std::size_t i = 0; i < example.operands.size(); ++i)
    for (int dim = 0; dim < example.operands[i].type.rank(); ++dim)
      if (example.operands[i].type.shape()[dim] > 1) each.push_back({i, Dim{dim}});
  if (is_tried_as_it_is(example)) return {{}};
  std::vector<std::vector<LongDim>> all;
  const auto size = [&](const LongDim& at) { return example.operands[at.operand].type.shape()[at.dim]; };
  for (const LongDim& x : each) {
    all.push_back({x});
    for (const LongDim& y : each)
      if (x.operand < y.operand && size(x) == size(y)) all.push_back({x, y});
  }
  return all;
}

/// Replaces every f16 and bf16 x of [0, 1).
Values with_halves(Values values, const std::function<double(DType, double)>& change) {
  for (Tensors& value : values)
    for (Tensor& tensor : value) {
      if (!is_half(tensor.dtype())) continue;
      Tensor other(tensor.shape(), tensor.dtype());
      for (std::int64_t i = 0; i < tensor.elements(); ++i)
        put_element(other, i, change(tensor.dtype(), tensor.at(i)));
      tensor = other;
    }
  return values;
}

/// True if some result folds many numbers: on 1.0625 alone it is far from them. Of devices there are eight.
bool folds_many(const Example& example) {
  const Program program = program_of({example});
  const Values inputs = with_halves(random_inputs({example}), [](DType, double) { return 1.0625; });
  const double far = is_tried_as_it_is(example) ? 1.5 : 6;
  for (const Tensors& value : run_on_machine(program, example_mesh(), inputs))
    for (const Tensor& tensor : value)
      for (std::int64_t i = 0; i < tensor.elements(); ++i)
        if (is_half(tensor.dtype()) && tensor.at(i) > far) return true;
  return false;
}

/// CI tries eight; TUTTI_TEST_FULL all.
std::vector<Example> some_of(const std::vector<Example>& all) {
  constexpr std::size_t most = 8;
  if (tries_full_sets() || all.size() <= most) return all;
  std::vector<Example> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

/// Examples of a row that the op accepts with every float of this dtype and with long dims, and that fold
/// many.
std::vector<Example> long_examples(const std::vector<Example>& examples, DType dtype) {
  std::vector<Example> found;
  std::set<std::string> seen;
  for (const Example& given : examples) {
    Example narrow = given;
    for (ExampleOperand& operand : narrow.operands)
      if (is_float(operand.type.dtype()) && !operand.given) operand.type = operand.type.with(dtype);
    for (const std::vector<LongDim>& choice : choices(narrow)) {
      Example example = narrow;
      for (const auto& [operand, dim] : choice)
        example.operands[operand].type = example.operands[operand].type.scaled(dim, times_as_long);
      std::string text = to_string(example.op);
      for (const ExampleOperand& operand : example.operands) text += " " + to_string(operand.type);
      if (is_accepted(example) && seen.insert(text).second && folds_many(example)) found.push_back(example);
    }
  }
  return some_of(found);
}

// --- The law -----------------------------------------------------------------------------------------------

/// Both sides round once, so they are at most one unit in the last place apart. Sums and products of fewer
/// than 2^13 terms in f32 have an error of at most 2^13 / 2^24 each. XLA's CPUs read f32 below 2^-126 as
/// zero.
Bounds of_one_rounding(const Values& results) {
  return [&results](std::size_t k, std::size_t d, std::int64_t i) {
    const Tensor& value = results[k][d];
    if (!is_half(value.dtype())) return 0.0;
    return (epsilon(value.dtype()) + 2 * 0x1p-11) * std::abs(value.at(i)) + 0x1p-126;
  };
}

/// How XLA differs: on ones, whose sum is exact; on ones among numbers of half an epsilon, which a sum in the
/// half dtype loses; on numbers near 1, whose product it loses.
std::string difference_on_halves(const std::vector<Example>& given, DType dtype) {
  if (given.empty()) return "";
  std::vector<Example> examples = given;
  for (Example& example : examples)
    for (ExampleOperand& operand : example.operands)
      if (is_half(operand.type.dtype()) && !operand.given) operand.low = 0, operand.high = 1;
  const Program program = program_of(examples);
  const xla::OnXla theirs(RealXla::client(), program, example_mesh());
  const Values drawn = random_inputs(examples);
  const std::function<double(DType, double)> changes[] = {[](DType, double) { return 1.0; },
                                                          [](DType half, double x) {
                                                            return x < 0.1 ? 1.0 : epsilon(half) / 2;
                                                          },
                                                          [](DType, double x) { return 1 + (x - 0.5) / 16; }};
  std::string differences;
  for (const auto& change : changes) {
    const Values inputs = with_halves(drawn, change);
    const Values ours = run_on_machine(program, example_mesh(), inputs);
    const std::string found = difference(program, ours, theirs.run(inputs), of_one_rounding(ours));
    if (!found.empty()) differences += fmt::format("{}: {}\n", name(dtype), found);
  }
  return differences;
}

/// The examples of an op that fold many f16, and many bf16.
struct RowOfHalves {
  std::string name;
  std::vector<Example> f16, bf16;
};

bool moves(const OpRow& row) {
  static const std::vector<OpRow> rows = rows_that_move();
  return std::ranges::any_of(rows, [&](const OpRow& moving) { return moving.name == row.name; });
}

RowOfHalves in_halves(const OpRow& row) {
  return {row.name, long_examples(row.examples, DType::f16), long_examples(row.examples, DType::bf16)};
}

/// The ops with an example that may fold. Each start of the program makes this list, so nothing is evaluated.
/// tests/xla/ops_test.cpp compares moves to the bit.
std::vector<OpRow> rows_that_may_fold() {
  const auto some_may_fold = [](const OpRow& row) {
    return std::ranges::any_of(row.examples, [](const Example& example) {
      return may_fold(example.op, types_of(example.operands));
    });
  };
  std::vector<OpRow> rows;
  for (const OpRow& row : lowered_ops())
    if (!moves(row) && some_may_fold(row)) rows.push_back(row);
  return rows;
}

std::string name_of_row(const testing::TestParamInfo<OpRow>& row) { return row.param.name; }

class xla_half_sums : public RealXla, public testing::WithParamInterface<OpRow> {};

TEST_P(xla_half_sums, are_rounded_once) {
  const RowOfHalves row = in_halves(GetParam());
  EXPECT_EQ(difference_on_halves(row.f16, DType::f16), "");
  EXPECT_EQ(difference_on_halves(row.bf16, DType::bf16), "");
}
INSTANTIATE_TEST_SUITE_P(all, xla_half_sums, testing::ValuesIn(rows_that_may_fold()), name_of_row);

// The examples of scatter_multiply have unique indices: tests/lower/half_sums_test.cpp reads its text.
TEST(xla_half_sums_of, every_op_that_adds_are_long) {
  std::set<std::string> names;
  for (const OpRow& row : rows_that_may_fold())
    if (const RowOfHalves halves = in_halves(row); !halves.f16.empty() && !halves.bf16.empty())
      names.insert(halves.name);
  for (const char* name : {"all_reduce", "cumlogsumexp", "cumprod", "cumsum", "dot_general",
                           "ragged_all_to_all", "reduce_prod", "reduce_scatter", "reduce_sum", "scatter_add"})
    EXPECT_TRUE(names.contains(name)) << name;
}

/// A planted defect: a sum that is lowered to additions in the dtype of its terms.
struct AddsInTheHalfType : Reduce {
  Lowered lower(Emitter& emitter, const Lowered& operands) const {
    const Type x = emitter.operand_types()[0].with(AxisStates{});
    const auto body = [&](const Arrays& all) {
      const auto add = [](const Array& sum, const Array& term) {
        return std::pair{sum + term, std::tuple{}};
      };
      return Arrays{scan(add, zeros({}, x.dtype()), all[0]).first};
    };
    return emitter.lower(trace({x}, body).program, operands);
  }
  bool operator==(const AddsInTheHalfType&) const = default;
};

using planted_half_sums = RealXla;

TEST_F(planted_half_sums, are_seen_where_an_op_rounds_every_sum) {
  const AddsInTheHalfType op{{ReduceKind::sum, {Dim{0}}}};
  for (const DType dtype : halves) {
    const std::vector<Example> examples = long_examples({{op, {Type(DType::f32, {7})}}}, dtype);
    EXPECT_FALSE(examples.empty());
    EXPECT_NE(difference_on_halves(examples, dtype), "") << name(dtype);
  }
}

// --- Functions that add ------------------------------------------------------------------------------------

using xla_half_functions = RealXla;

/// Sums of 4,096 ones; the gradient of a row that is looked up 2,000 times; 1 + 4,096 / 4,096 by sums and by
/// means.
auto sums_of(DType dtype) {
  return [dtype] {
    const Array one = ones({4096}, dtype), at = zeros({4096}, DType::i32), rows = ones({2000}, DType::i32);
    const Array parts = concatenate({ones({1}, dtype), full({4096}, 1. / 4096, dtype)});
    const auto looked_up = [&](const Array& table) {
      return reduce_sum(convert(take(table, rows, 0), DType::f32));
    };
    const Arrays found{segment_sum(one, at, 1),
                       bincount(at, 1, {.weights = one}),
                       grad(looked_up)(zeros({3}, dtype)),
                       zeros({1}, dtype).at(at).add(one),
                       reduce_sum(one),
                       cumsum(one)[-1],
                       reduce_sum(parts),
                       cumsum(parts)[-1],
                       mean(one),
                       reduce_sum(convert(ones({2048}, DType::boolean), dtype))};
    return tree_map([](const Array& x) { return convert(x, DType::f32); }, found);
  };
}

TEST_F(xla_half_functions, have_the_sums_of_f32) {
  const std::vector<std::vector<float>> expected{{4096}, {4096}, {0, 2000, 0}, {4096}, {4096},
                                                 {4096}, {2},    {2},          {1},    {2048}};
  for (const DType dtype : halves)
    for (const Machine& on : {machine(Mesh()), open_local(Mesh())}) {
      const Arrays found = on.compile(sums_of(dtype))();
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(found[k].values<float>(), expected[k])
            << name(dtype) << " " << k << " " << on.description();
    }
}

// 60,000 is a number of f16. XLA divides by multiplying with 1/100, and joins that product with the
// subtraction in one of two places only: x minus the mean was 0 in the variance and 0.0013 in the result.
TEST_F(xla_half_functions, normalize_equal_numbers_to_zero) {
  for (const DType dtype : halves)
    for (const std::int64_t n : {100, 101, 1000})
      for (const Machine& on : {machine(Mesh()), open_local(Mesh())}) {
        const auto normalized = on.compile([=] {
          const Array x = full({3, n}, 60000, dtype);
          return std::tuple{convert(layer_norm(x), DType::f32), convert(standardize(x), DType::f32)};
        });
        const auto [by_layer, by_all] = normalized();
        EXPECT_EQ(by_layer.template values<float>(), std::vector<float>(static_cast<std::size_t>(3 * n), 0))
            << name(dtype) << n << on.description();
        EXPECT_EQ(by_all.template values<float>(), by_layer.template values<float>());
      }
}

}  // namespace
}  // namespace tutti
