// SPDX-License-Identifier: Apache-2.0
// Collectives in two halves: values and gradients as of the whole, and what is refused.
#include <gtest/gtest.h>

#include "tests/support/gradients.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh& mesh() { return example_mesh(); }
const Pairs around{{0, 1}, {1, 0}};

using Body = std::function<Array(const Array&)>;

/// A function of one global array, cut along `a`, whose result is a sum over all devices.
Array on_devices_of_a(const Body& body, const Array& x) {
  return shard_map([&](const Array& local) { return psum(reduce_sum(body(local)), Axes{mesh().axes()[0]}); },
                   {.mesh = mesh(), .in = {P("a")}, .out = {P()}})(x);
}
void expect_same(const Body& in_halves, const Body& whole) {
  const Array x = Tensor({4}, {1.5, -2.0, 0.25, 3.0});
  Machine machine = open_local(mesh());
  auto value = [&](const Body& body) {
    return machine.compile([&](const Array& y) { return on_devices_of_a(body, y); }, x)(x).tensor();
  };
  auto gradient = [&](const Body& body) {
    auto f = [&](const Array& y) { return on_devices_of_a(body, y); };
    return machine.compile(grad(f), x)(x).tensor();
  };
  auto lanes = [&](const Body& body) {
    auto f = [&](const Array& y) {
      return reduce_sum(vmap([&](const Array& lane) { return on_devices_of_a(body, y * lane); })(
          stack({y * 0 + 1, y * 0 + 2})));
    };
    return machine.compile(f, x)(x).tensor();
  };
  EXPECT_EQ(value(in_halves), value(whole));
  EXPECT_EQ(gradient(in_halves), gradient(whole));
  EXPECT_EQ(lanes(in_halves), lanes(whole));
}

TEST(futures, of_a_sum) {
  expect_same([](const Array& x) { return psum_start(x * x, "a").done() * x; },
              [](const Array& x) { return psum(x * x, "a") * x; });
}

TEST(futures, of_a_mean_divide_when_they_are_done) {
  expect_same([](const Array& x) { return pmean_start(x * x, "a").done() * x; },
              [](const Array& x) { return pmean(x * x, "a") * x; });
}

TEST(futures, of_a_maximum) {
  expect_same([](const Array& x) { return pmax_start(x, "a").done() * x; },
              [](const Array& x) { return pmax(x, "a") * x; });
}

TEST(futures, of_a_gather) {
  expect_same([](const Array& x) { return all_gather_start(x * x, "a", {.tiled = true}).done() * 2.0; },
              [](const Array& x) { return all_gather(x * x, "a", {.tiled = true}) * 2.0; });
}

TEST(futures, of_a_scattered_sum) {
  expect_same([](const Array& x) { return psum_scatter_start(x * x, "a").done(); },
              [](const Array& x) { return psum_scatter(x * x, "a"); });
}

TEST(futures, of_an_exchange) {
  expect_same([](const Array& x) { return all_to_all_start(x * x, "a").done() * x; },
              [](const Array& x) { return all_to_all(x * x, "a") * x; });
}

TEST(futures, of_a_permutation) {
  expect_same([](const Array& x) { return ppermute_start(x * x, "a", around).done() * x; },
              [](const Array& x) { return ppermute(x * x, "a", around) * x; });
}

TEST(futures, of_a_broadcast) {
  expect_same([](const Array& x) { return pbroadcast_start(x * x, "a", {.source = 1}).done() * x; },
              [](const Array& x) { return pbroadcast(x * x, "a", {.source = 1}) * x; });
}

TEST(futures, of_a_ragged_exchange) {
  auto slices = [] {
    Array one = ones({2}, DType::i32);
    return RaggedSlices{arange(2, DType::i32), one, one * axis_index("a")};
  };
  expect_same([&](const Array& x) { return ragged_all_to_all_start(x * x, x, slices(), "a").done() * x; },
              [&](const Array& x) { return ragged_all_to_all(x * x, x, slices(), "a") * x; });
}

TEST(futures, of_trees) {
  expect_same(
      [](const Array& x) {
        auto [a, b] = psum_start(std::pair{x, x * x}, "a").done();
        return a * b;
      },
      [](const Array& x) { return psum(x, "a") * psum(x * x, "a"); });
}

TEST(futures, pass_a_barrier) {
  expect_same(
      [](const Array& x) {
        auto [future, y] = optimization_barrier(std::pair{psum_start(x, "a"), x * 2.0});
        return future.done() * y;
      },
      [](const Array& x) { return psum(x, "a") * (x * 2.0); });
}

TEST(futures, are_received_as_they_were_sent) {
  expect_same(
      [](const Array& x) {
        auto token = psend(x * x, "a", around);
        return precv(token, x, "a", around);
      },
      [](const Array& x) { return ppermute(x * x, "a", around); });
}

// ---- refused

TEST(futures, are_refused_if_never_finished) {
  expect_refused(on_devices([](Array x) {
                   psum_start(x, "data");  // refused
                   return x;
                 }),
                 "T016 {file}:{line}: psum_start: this future is never finished; call .done() in the same "
                 "function");
}

TEST(futures, are_refused_if_finished_twice) {
  expect_refused(on_devices([](Array x) {
                   auto future = psum_start(x, "data");
                   Array once = future.done();
                   return once + future.done();  // refused
                 }),
                 "T016 {file}:{line}: ..");
}

TEST(futures, are_refused_inside_a_loop) {
  expect_refused(on_devices([](Array x) {
                   auto future = psum_start(x, "data");
                   return fori_loop(
                       0, 2, [&](const Array&, const Array& c) { return c + future.done(); },  // refused
                       x);
                 }),
                 "T016 {file}:{line}: ..");
}

}  // namespace
}  // namespace tutti
