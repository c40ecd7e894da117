// SPDX-License-Identifier: Apache-2.0
// Arguments that are handed over by std::move.
#include <gtest/gtest.h>

#include <set>

#include "tests/api/numbers.hpp"

namespace tutti {
namespace {

struct Params {
  Array w, b;
};

const Mesh& mesh() {
  static const Mesh square({{"data", 2}, {"model", 2}});
  return square;
}

// Momentum SGD on a sum of squares; w is split over "model", the rows of x over "data".
auto step(const Params& params, const Params& momentum, const Array& x) {
  auto loss = [&](const Params& p) {
    return pmean(reduce_sum(square(psum(matmul(x, p.w), "model") + p.b)), "data");
  };
  Params gradient = grad(loss)(params);
  Params velocity = tree_map([](Array m, Array g) { return 0.9f * m + g; }, momentum, gradient);
  return std::tuple{tree_map([](Array p, Array v) { return p - 0.01f * v; }, params, velocity), velocity};
}
auto sharded_step() {
  Specs split{P("model"), P()};
  return shard_map(step, {.mesh = mesh(), .in = {split, split, P("data", "model")}, .out = {split, split}});
}

Array floats(const Shape& shape, int kind) {
  Tensor tensor(shape, DType::f32);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutable_data<float>()[i] = 0.01F * static_cast<float>((i * 7 + kind * 5) % 23 - 11);
  return tensor;
}

struct Training {
  std::vector<Tensor> params;
  std::size_t buffers;  // that the parameters were in after the first step
};

enum class Handing { over, out };
Training train(Handing handing) {
  Params params{floats({8, 6}, 1), floats({6}, 2)}, momentum{floats({8, 6}, 3), floats({6}, 4)};
  Array x = floats({12, 8}, 5);
  auto compiled = open_local(mesh(), {.workers = 2}).compile(sharded_step(), params, momentum, x);
  std::set<const std::byte*> buffers;
  for (int i = 0; i < 6; ++i) {
    if (handing == Handing::over)
      std::tie(params, momentum) = compiled(std::move(params), std::move(momentum), x);
    else std::tie(params, momentum) = compiled(params, momentum, x);
    for (const Array& leaf : {params.w, params.b, momentum.w, momentum.b})
      buffers.insert(leaf.data()->buffer().base.get());
  }
  return {{params.w.tensor(), params.b.tensor(), momentum.w.tensor(), momentum.b.tensor()}, buffers.size()};
}

TEST(arguments_by_rvalue, are_updated_in_place_with_the_same_bits) {
  Training in_place = train(Handing::over), apart = train(Handing::out);
  EXPECT_EQ(in_place.params, apart.params);
  EXPECT_EQ(in_place.buffers, 4U);
  EXPECT_EQ(apart.buffers, 8U);
}

TEST(arguments_by_rvalue, are_empty_afterwards_and_copies_are_not) {
  auto twice = open_local(mesh()).compile([](Array x) { return x + x; }, floats({3}, 1));
  Array x = twice(floats({3}, 1)), copy = x;
  Array y = twice(std::move(x));
  EXPECT_EQ(x.data(), nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(copy.tensor(), twice(floats({3}, 1)).tensor());
  EXPECT_EQ(y.tensor(), twice(copy).tensor());
}

TEST(arguments_by_rvalue, may_be_some_of_them_in_any_tree) {
  using Tree = std::map<std::string, std::vector<Array>>;
  auto add = [](const Tree& a, const Tree& b) {
    return tree_map([](Array x, Array y) { return x + y; }, a, b);
  };
  Tree a{{"p", {floats({4}, 1), floats({2}, 2)}}, {"q", {floats({3}, 3)}}}, b = a;
  auto compiled = open_local(mesh()).compile(add, a, b);
  a = compiled(a, b);
  const std::byte* memory = a["q"][0].data()->buffer().base.get();
  a = compiled(std::move(a), b);
  EXPECT_EQ(a["q"][0].data()->buffer().base.get(), memory);
  auto found = a["p"][0].values<float>(), start = b["p"][0].values<float>();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found[i], start[i] + start[i] + start[i]);
}

// --- What somebody else holds is left alone ----------------------------------------------------------------

// Its result may lie over its argument.
auto doubled() {
  return shard_map([](Array x) { return x + x; }, {.mesh = mesh(), .in = P("data"), .out = P("data")});
}

Tensor sum_with_itself(const Tensor& x) {
  Tensor sum(x.shape(), DType::f32);
  for (std::int64_t i = 0; i < x.elements(); ++i)
    sum.mutable_data<float>()[i] =
        x.as<float>()[static_cast<std::size_t>(i)] + x.as<float>()[static_cast<std::size_t>(i)];
  return sum;
}

TEST(arguments_by_rvalue, that_the_caller_holds_a_second_time_are_left_alone) {
  Machine machine = open_local(mesh(), {.workers = 2});
  auto compiled = machine.compile(doubled(), floats({8}, 0)),
       other = machine.compile(doubled(), floats({8}, 0));
  std::vector<Array> held;
  for (int kind = 1; kind < 5; ++kind)
    held.push_back(compiled(floats({8}, kind)));  // it keeps the last two as well
  held.push_back(other(floats({8}, 5)));
  held.push_back(machine.compile(doubled(), floats({8}, 6))(floats({8}, 6)));  // by a program that is gone
  for (std::size_t i = 0; i < held.size(); ++i) {
    Tensor before = held[i].tensor(), expected = sum_with_itself(before);
    Array given = held[i];
    Array result = compiled(std::move(given));
    EXPECT_EQ(held[i].tensor(), before) << "array " << i << " by rvalue";
    EXPECT_EQ(result.tensor(), expected) << "array " << i << " by rvalue";
    EXPECT_EQ(compiled(held[i]).tensor(), expected) << "array " << i << " by lvalue";
    EXPECT_EQ(held[i].tensor(), before) << "array " << i << " by lvalue";
  }
}

TEST(arguments_by_rvalue, leave_alone_what_the_program_closes_over) {
  Machine machine = open_local(mesh(), {.workers = 2});
  Array weights = machine.compile(doubled(), floats({8}, 1))(floats({8}, 1));
  auto scaled = machine.compile(
      [weights = std::move(weights)](Array s) {
        auto scale = [](Array x, Array w) { return x * w; };
        return shard_map(scale, {.mesh = mesh(), .in = {P(), P("data")}, .out = P("data")})(s, weights);
      },
      floats({}, 2));
  Array s = floats({}, 2), first = scaled(s);
  Tensor once = first.tensor();
  EXPECT_EQ(scaled(std::move(s)).tensor(), once);
  EXPECT_EQ(first.tensor(), once);
}

}  // namespace
}  // namespace tutti
