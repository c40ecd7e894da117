// SPDX-License-Identifier: Apache-2.0
// Collectives in futures, derivatives, lanes and control flow, on the machine of a plugin. Numbers are
// quarters, whose sums and products are exact, so all bits are equal.
#include "tests/xla/same_numbers.hpp"

namespace tutti {
namespace {

using xla_transforms = xla::RealXla;
using xla_control = xla::RealXla;

const Mesh& grid() {
  static const Mesh mesh({{"a", 4}, {"b", 2}});
  return mesh;
}
const P blocks("a", "b");
const Pairs ring{{0, 1}, {1, 2}, {2, 3}, {3, 0}};

/// Compares a function of one device's block of f64[8, 6]. `out`: the specs of its results.
template <class F>
void expect_same(const F& body, const Specs& out) {
  expect_same_bits(grid(), shard_map(body, {.mesh = grid(), .in = blocks, .out = out}),
                   quarters({8, 6}, 1, DType::f64));
}

TEST_F(xla_transforms, start_collectives_and_finish_them_later) {
  expect_same(
      [](const Array& x) {
        auto sum = psum_start(x, {"a", "b"});
        auto turned = ppermute_start(x, "a", ring);
        auto all = all_gather_start(x, "b", {.tiled = true});
        auto part = psum_scatter_start(all.done(), "b", {.dim = 0, .tiled = true});
        const Array between = x * x;
        return std::tuple{sum.done(), turned.done() + between, part.done(),
                          all_to_all_start(between, "b", {.split = 0, .concat = 0, .tiled = true}).done()};
      },
      {P(), blocks, blocks, blocks});
}

// The sum of squares, and of the squares of all sums.
Array curved(const Array& x) {
  auto body = [](const Array& part) {
    const Array sums = psum(part, "a");
    return psum(reduce_sum(part * part), {"a", "b"}) + psum(reduce_sum(sums * sums), "b");
  };
  return shard_map(body, {.mesh = grid(), .in = blocks, .out = P()})(x);
}

TEST_F(xla_transforms, differentiate_through_collectives_both_ways) {
  auto f = [](const Array& x, const Array& t) {
    auto along = jvp(curved, std::tuple{x}, std::tuple{t});
    auto hessian = jvp(grad(curved), std::tuple{x}, std::tuple{t}).second;
    return std::tuple{along.first, along.second, grad(curved)(x), hessian};
  };
  expect_same_bits(grid(), f, quarters({8, 6}, 1, DType::f64), quarters({8, 6}, 2, DType::f64));
}

TEST_F(xla_transforms, use_rules_of_ones_own_and_compute_again) {
  auto local = [](const Array& part) { return reduce_sum(part * part); };
  auto ahead = [=](const Array& part) { return std::pair{local(part), psum(part, "a")}; };
  auto backward = [](const Array& sums, const Array& cotangent) {
    return std::tuple{pcast(10 * sums, "a", varying) * cotangent};
  };
  auto own = [=](const Array& x) {
    auto body = [=](const Array& part) { return psum(custom_vjp(local, ahead, backward)(part), {"a", "b"}); };
    return shard_map(body, {.mesh = grid(), .in = blocks, .out = P()})(x);
  };
  auto again = [](const Array& x) { return remat(curved)(x); };
  auto f = [=](const Array& x) { return std::tuple{own(x), grad(own)(x), grad(again)(x)}; };
  expect_same_bits(grid(), f, quarters({8, 6}, 1, DType::f64));
}

TEST_F(xla_transforms, map_collectives_over_lanes) {
  auto of_row = [](const Array& row) {
    return std::tuple{psum(row, "row"), psum(row, {"row", "a"}),
                      all_gather(row, {"row", "b"}, {.tiled = true}), ppermute(row, "a", ring)};
  };
  expect_same([=](const Array& rows) { return vmap(of_row, {.axis = "row"})(rows); },
              {blocks, blocks, blocks, blocks});
  expect_same_bits(grid(), vmap(curved, {.in = {2}}), quarters({8, 6, 3}, 1, DType::f64));
}

// ---- predicates are equal on all devices that communicate in a branch or loop

TEST_F(xla_control, branches_by_what_all_devices_agree_on) {
  expect_same(
      [](const Array& x) {
        const Array sum = psum(reduce_sum(x), {"a", "b"});
        auto yes = [](const Array& v) { return v + psum(v, "a"); };
        auto no = [](const Array& v) { return ppermute(v, "a", ring); };
        const Array last = switch_(convert(sum, DType::i32), std::tuple{yes, no, yes}, x);
        return std::tuple{cond(sum > 0.0, yes, no, x), cond(sum > 0.0, no, yes, x), last};
      },
      {blocks, blocks, blocks});
}

TEST_F(xla_control, loops_until_all_devices_agree) {
  using Carry = std::pair<Array, Array>;
  expect_same(
      [](const Array& x) {
        auto goes_on = [](const Carry& c) { return psum(reduce_sum(c.first * c.first), {"a", "b"}) < 1e6; };
        auto trip = [](const Carry& c) {
          return Carry{c.first * 2.0 + ppermute(c.first, "a", ring), c.second + 1};
        };
        auto [last, trips] = while_loop(goes_on, trip, Carry{x, constant(0)});
        return std::tuple{last, trips};
      },
      {blocks, P()});
}

TEST_F(xla_control, scans_with_collectives_in_every_trip) {
  expect_same(
      [](const Array& x) {
        auto trip = [](const Array& carry, const Array& row) {
          const Array sum = psum(row, "a");
          return std::pair{ppermute(carry, "a", ring) + row, sum * 0.5 + carry};
        };
        auto [last, all] = scan(trip, index_in_dim(x, 0), x);
        auto grown = fori_loop(0, 3, [](const Array&, const Array& v) { return v + pmax(v, "a"); }, x);
        return std::tuple{expand_dims(last, 0), all, grown};
      },
      {blocks, blocks, blocks});
}

// Without a collective inside, devices may take different paths.
TEST_F(xla_control, lets_each_device_go_its_way_without_collectives) {
  using Carry = std::pair<Array, Array>;
  expect_same(
      [](const Array& x) {
        const Array position = axis_index({"a", "b"});
        auto goes_on = [&](const Carry& c) { return c.second < position; };
        auto trip = [](const Carry& c) { return Carry{c.first + c.first * 0.5, c.second + 1}; };
        const Array start = pcast(constant(0), {"a", "b"}, varying);
        const Array last = while_loop(goes_on, trip, Carry{x, start}).first;
        auto one = [](const Array& v) { return v + 1.0; };
        auto two = [](const Array& v) { return v * v; };
        auto three = [](const Array& v) { return -v; };
        return std::pair{last, switch_(position, std::tuple{one, two, three}, x)};
      },
      {blocks, blocks});
}

}  // namespace
}  // namespace tutti
