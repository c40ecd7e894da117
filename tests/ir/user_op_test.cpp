// SPDX-License-Identifier: Apache-2.0
// A user's own op, in the user's own file: no line of the library knows it.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

/// 1 / x of f32, in one unit of any library's code.
struct Reciprocal {
  static constexpr std::string_view name = "reciprocal";
  static constexpr About about{"1 over x.", "reciprocal"};

  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const { return {operands[0].with(agreed_states(operands, mixing()))}; }
  Kernel kernel(const Layout& layout) const {
    std::int64_t n = layout.results()[0].elements();
    return kernel::Opaque{.nanoseconds = static_cast<double>(n),
                          .scratch_bytes = 0,
                          .run = [n](const kernel::Unit& unit) {
                            const auto* x = reinterpret_cast<const float*>(unit.operands[0]);
                            auto* y = reinterpret_cast<float*>(unit.results[0]);
                            for (std::int64_t i = 0; i < n; ++i) y[i] = 1 / x[i];
                          }};
  }
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const {
    Array y = apply_one(*this, operands);
    if (!tangents[0]) return {{y}, {std::nullopt}};
    return {{y}, {-y * y * *tangents[0]}};
  }
  static constexpr Refused transpose{"one over a sum is not the sum of one over its terms"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
    return elementwise_batch(*this, axis, operands);
  }
  static constexpr Refused lower{"it is this test's only"};
  static std::vector<Example> examples() { return {}; }
  bool operator==(const Reciprocal&) const = default;
};
static_assert(complete<Reciprocal>());

Array reciprocal(Operand x) {
  return front_end(Reciprocal::name, x.where(), [&] { return apply_one(Reciprocal{}, {as_array(x)}); });
}

Machine machine() { return open_local(Mesh({{"data", 2}}), {.workers = 1}); }
Array halves() { return Tensor({4}, std::vector<float>{1, 2, -4, 0.5}); }

std::vector<float> values(const Array& array) {
  Tensor tensor = array.tensor();
  return {tensor.as<float>().begin(), tensor.as<float>().end()};
}

TEST(user_op, runs) {
  auto program = machine().compile([](Array x) { return reciprocal(x); }, halves());
  EXPECT_EQ(values(program(halves())), (std::vector<float>{1, 0.5, -0.25, 2}));
}

TEST(user_op, runs_on_every_device) {
  auto inverse = shard_map([](Array x) { return psum(reciprocal(x), "data"); },
                           {.mesh = Mesh({{"data", 2}}), .in = P("data"), .out = P()});
  auto program = machine().compile(inverse, halves());
  EXPECT_EQ(values(program(halves())), (std::vector<float>{0.75, 2.5}));
}

TEST(user_op, is_differentiated) {
  auto derivative = grad([](Array x) { return reduce_sum(reciprocal(x) * x * x); });  // x
  auto program = machine().compile(derivative, halves());
  EXPECT_EQ(values(program(halves())), (std::vector<float>{1, 1, 1, 1}));
}

TEST(user_op, is_batched) {
  auto rows = vmap([](Array x) { return reciprocal(x) / 2; });
  auto program = machine().compile([&](Array x) { return reshape(rows(reshape(x, {2, 2})), {4}); }, halves());
  EXPECT_EQ(values(program(halves())), (std::vector<float>{0.5, 0.25, -0.125, 1}));
}

TEST(user_op, prints_under_its_name) {
  EXPECT_EQ(program_text({Type(DType::f32, {4})}, [](const Arrays& x) { return reciprocal(x[0]); }),
            "program(%0: f32[4]) {\n  %1: f32[4] = reciprocal %0\n  return %1\n}\n");
}

TEST(user_op, gets_the_implicit_casts_and_refusals_of_its_mixing) {
  expect_refused(on_devices([](Array x) {
                   return reciprocal(pcast(x, "data", unreduced));  // refused
                 }),
                 "T004 {file}:{line}: reciprocal: the operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(user_op, refuses_a_rule_with_its_reason) {
  Builder builder;
  Array x = builder.input(Type(DType::f32, {4}));
  EXPECT_EQ(refusal_of([&] { Op(Reciprocal{})->transpose({{std::nullopt, x.type()}}, {x}); }),
            "T010: transpose is refused: one over a sum is not the sum of one over its terms");
  EXPECT_EQ(Op(Reciprocal{})->refusal(Rule::lower), "it is this test's only");
  EXPECT_EQ(Op(Reciprocal{})->refusal(Rule::batch), "");
}

}  // namespace
}  // namespace tutti
