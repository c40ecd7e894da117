// SPDX-License-Identifier: Apache-2.0
// Uses of a future that are taken or refused, and programs with several equal futures.
#include <gtest/gtest.h>

#include "tests/control/on_devices_of_a.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

/// The words of an error that name no line.
std::string said(const std::function<Array(Array)>& body) {
  try {
    on_devices(body)();
    return "accepted";
  } catch (const Error& error) {
    return std::string(error.label()) + " " + error.message();
  }
}
constexpr std::string_view only_done =
    "T016 only .done() and optimization_barrier take a future; call .done() first, and use the array";

TEST(futures, are_taken_by_no_elementwise_op) {
  EXPECT_EQ(said([](Array x) { return psum_start(x, "data").leaves()[0].pending + 1; }), only_done);
}

TEST(futures, are_taken_by_no_conversion) {
  EXPECT_EQ(said([](Array x) { return convert(psum_start(x, "data").leaves()[0].pending, DType::f64); }),
            only_done);
}

TEST(futures, are_taken_by_no_reduction) {
  EXPECT_EQ(said([](Array x) { return x * reduce_sum(psum_start(x, "data").leaves()[0].pending); }),
            only_done);
}

TEST(futures, are_taken_by_no_function_of_their_leaves) {
  EXPECT_EQ(said([](Array x) {
              auto future = psum_start(x, "data");
              future.tie();
              std::get<0>(future.tie())[0].pending = std::get<0>(future.tie())[0].pending * 2.0;
              return future.done();
            }),
            only_done);
}

constexpr std::string_view not_in =
    "a future from outside cannot be used in this function; call .done() where it was started, and use the "
    "array";

TEST(futures, are_no_arguments_of_a_vmap) {
  EXPECT_EQ(said([](Array x) {
              return vmap([](Future<Array> f) { return f.done(); })(psum_start(x, "data"));
            }),
            "T016 vmap: " + std::string(not_in));
}

TEST(futures, are_no_arguments_of_a_gradient) {
  EXPECT_EQ(said([](Array x) {
              auto f = [](Array y, Future<Array> future) { return reduce_sum(y * future.done()); };
              return grad(f)(x, psum_start(x, "data"));
            }),
            "T016 grad: " + std::string(not_in));
}

TEST(futures, are_received_as_a_tree_of_the_same_structure) {
  EXPECT_EQ(said([](Array x) {
              auto token = psend(std::pair{x, x * x}, "data", {{0, 1}});
              return precv(token, std::vector<Array>{x, x}, "data", {{0, 1}}).first;
            }).substr(0, 11),
            "T012 precv:");
}

// ---- several equal futures

Tensor gradient_of(const Body& body) {
  const Array x = Tensor({4}, {1.5, -2.0, 0.25, 3.0});
  auto f = [&](const Array& y) { return on_devices_of_a(body, y); };
  return open_local(mesh()).compile(grad(f), x)(x).tensor();
}

TEST(futures, that_are_alike_stay_two_in_a_gradient) {
  Tensor found = gradient_of([](const Array& x) {
    auto f = ppermute_start(x, "a", around), g = ppermute_start(x, "a", around);
    auto [h, y] = optimization_barrier(std::pair{f, x});
    return h.done() * g.done() * y;
  });
  EXPECT_EQ(found, gradient_of([](const Array& x) {
              return ppermute(x, "a", around) * ppermute(x, "a", around) * x;
            }));
}

/// The gradients of lanes, by a pullback that was made outside of them.
Tensor pulled_back_in_lanes(const Body& body) {
  const Array x = Tensor({4}, {1.5, -2.0, 0.25, 3.0});
  auto f = [&](const Array& y) {
    auto local = [&](const Array& z) {
      auto [value, pull] = vjp([&](const Array& a) { return body(a); }, std::tuple{z});
      auto back = [&pull = pull](const Array& ct) { return std::get<0>(pull(ct)); };
      return vmap(back)(stack(Arrays{value, value * 2.0}));
    };
    return shard_map(local, {.mesh = mesh(), .in = {P("a")}, .out = {P(none, "a")}})(y);
  };
  return open_local(mesh()).compile(f, x)(x).tensor();
}
RaggedSlices swapped() {
  Array one = full({2}, 1, DType::i32);
  return {arange(2, DType::i32), one, one * axis_index("a")};
}

TEST(futures, of_a_ragged_exchange_are_pulled_back_in_lanes) {
  EXPECT_EQ(pulled_back_in_lanes(
                [](const Array& x) { return ragged_all_to_all_start(x, x * x, swapped(), "a").done(); }),
            pulled_back_in_lanes([](const Array& x) { return ragged_all_to_all(x, x * x, swapped(), "a"); }));
}

TEST(futures, of_a_permutation_are_pulled_back_in_lanes) {
  EXPECT_EQ(pulled_back_in_lanes([](const Array& x) { return ppermute_start(x * x, "a", around).done(); }),
            pulled_back_in_lanes([](const Array& x) { return ppermute(x * x, "a", around); }));
}

}  // namespace
}  // namespace tutti
