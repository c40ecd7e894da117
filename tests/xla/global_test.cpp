// SPDX-License-Identifier: Apache-2.0
// Programs of whole arrays on the machine of a plugin: shard_maps among other operations, and results of one
// call as arguments of the next call.
#include "tests/support/print.hpp"
#include "tests/support/shardings.hpp"
#include "tests/xla/same_numbers.hpp"

namespace tutti {
namespace {

using xla_global = xla::RealXla;

const Mesh& grid() {
  static const Mesh mesh({{"a", 4}, {"b", 2}});
  return mesh;
}

/// Twice x, in blocks.
Array doubled(const Array& x, const P& spec) {
  return shard_map([](const Array& part) { return part + part; },
                   {.mesh = grid(), .in = spec, .out = spec})(x);
}

TEST_F(xla_global, computes_on_wholes_between_two_shard_maps_that_lie_otherwise) {
  auto f = [](const Array& x, const Array& w) {
    const Array rows = doubled(x + 1, P("a"));
    const Array turned = matmul(transpose(rows), w);
    const Array columns = doubled(turned, P("b", "a"));
    return std::tuple{columns, reduce_sum(rows, 0), sort(columns, 0), columns - 1};
  };
  expect_same_bits(grid(), f, quarters({8, 4}), quarters({8, 8}, 2));
}

TEST_F(xla_global, computes_without_any_shard_map) {
  auto f = [](const Array& x) { return std::pair{cumsum(x, 0), reduce_max(x * x, 1)}; };
  expect_same_bits(grid(), f, quarters({6, 5}));
}

TEST_F(xla_global, has_results_that_are_arguments_or_the_same_twice) {
  auto f = [](const Array& x, const Array& y) { return std::tuple{y, x, x + y, x}; };
  expect_same_bits(grid(), f, quarters({3}), quarters({3}, 2));
  expect_same_bits(grid(), [](const Array& x) { return std::pair{doubled(x, P("a")), x}; }, quarters({4}));
}

TEST_F(xla_global, keeps_the_value_from_any_sharding_to_any_other) {
  const Mesh mesh({{"x", 2}, {"y", 2}});
  const Array x = quarters({4, 4}, 1, DType::i32);
  std::vector<P> specs;
  for (const Sharding& sharding : all_shardings(mesh, 2)) specs.push_back(parse_spec(to_string(sharding)));
  // One program for all pairs, because each program costs a compilation.
  auto all = [&](const Array& value) {
    Arrays results;
    for (const P& from : specs)
      for (const P& to : specs) {
        auto body = [=](const Array& part) { return reshard(part, from, to); };
        results.push_back(shard_map(body, {.mesh = mesh, .in = from, .out = to})(value));
      }
    return results;
  };
  expect_same_bits(mesh, all, x);
}

TEST_F(xla_global, resharded_outside_lies_as_it_was_told) {
  auto f = [](const Array& x) {
    const Array rows = reshard(x * 2, grid(), P("a"));
    return std::tuple{rows, reshard(rows + 1, grid(), P(none, SpecEntry{"b", "a"})),
                      reshard(rows, grid(), P())};
  };
  expect_same_bits(grid(), f, quarters({8, 8}));
  const Machine on = machine(grid());
  const Array x = on.place(quarters({8, 8}), P("a"));
  EXPECT_EQ(reshard(x, grid(), P("b")).tensor(), quarters({8, 8}).tensor());
}

// ---- from call to call

TEST_F(xla_global, hands_terms_from_call_to_call) {
  const P as_terms = P().unreduced({"a"});
  auto terms = shard_map([](const Array& x) { return pcast(reduce_sum(x, 0), "a", unreduced); },
                         {.mesh = grid(), .in = P("a"), .out = as_terms});
  auto more =
      shard_map([](const Array& t) { return t + t; }, {.mesh = grid(), .in = as_terms, .out = as_terms});
  auto summed = shard_map([](const Array& t) { return psum(t * 0.5F, "a"); },
                          {.mesh = grid(), .in = as_terms, .out = P()});
  const Array x = quarters({8, 3});
  Tensors totals;
  for (const Machine& on : {open_local(grid()), machine(grid())}) {
    const Array partial = on.compile(terms, x)(x);
    const Array twice = on.compile(more, partial)(partial);
    const Array sum = on.compile(summed, twice)(twice);
    EXPECT_EQ(twice.data()->sharding()->unreduced.size(), 1U);
    EXPECT_EQ(sum.tensor(), partial.tensor());
    // A program that takes the whole sums the terms first.
    const Array other = on.compile([](const Array& v) { return v + 1; }, twice)(twice);
    totals.insert(totals.end(),
                  {sum.tensor(), other.tensor(), twice.data()->shard(3), partial.data()->shard(5)});
  }
  EXPECT_EQ(Tensors(totals.begin(), totals.begin() + 4), Tensors(totals.begin() + 4, totals.end()));
}

TEST_F(xla_global, hands_reduced_values_and_their_terms_from_call_to_call) {
  const P once = P().reduced({"a"});
  auto loss = [&](const Array& w, const Array& x) {
    auto body = [](const Array& v, const Array& rows) { return psum(reduce_sum(rows * rows * v), "a"); };
    return shard_map(body, {.mesh = grid(), .in = {once, P("a")}, .out = P()})(w, x);
  };
  auto gathered =
      shard_map([](const Array& part) { return all_gather(part, "a", {.tiled = true, .to = reduced}); },
                {.mesh = grid(), .in = P("a"), .out = once});
  const Array x = quarters({8, 4}), parts = quarters({4}, 2);
  Tensors found;
  for (const Machine& on : {open_local(grid()), machine(grid())}) {
    const Array w = on.compile(gathered, parts)(parts);
    EXPECT_EQ(w.tensor(), parts.tensor());
    found.push_back(on.compile(loss, w, x)(w, x).tensor());
    found.push_back(on.compile(grad(loss), w, x)(w, x).tensor());
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[3]);
}

TEST_F(xla_global, keeps_arrays_on_the_devices_between_calls) {
  const Machine on = machine(grid());
  auto step = shard_map([](const Array& x) { return x + psum(x, "b"); },
                        {.mesh = grid(), .in = P("a", "b"), .out = P("a", "b")});
  Array x = on.place(quarters({4, 4}), P("a", "b")),
        y = open_local(grid()).place(quarters({4, 4}), P("a", "b"));
  const auto ours = open_local(grid()).compile(step, y), theirs = on.compile(step, x);
  for (int call = 0; call < 3; ++call) {
    x = theirs(x);
    y = ours(y);
    EXPECT_NE(x.data()->remote(), nullptr);
  }
  EXPECT_EQ(difference({y}, {x}, 0), "");
}

}  // namespace
}  // namespace tutti
