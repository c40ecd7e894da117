// SPDX-License-Identifier: Apache-2.0
// Section A of the list: wrong types or numbers.
#include <fmt/core.h>

#include "tests/holes/hole.hpp"

namespace tutti {
namespace {

// How a shard_map over x=4 refuses f32[1]{V:x} that is said to be equal.
constexpr std::string_view differs =
    "T004 {file}:{line}: shard_map: result: f32[1]{V:x} is different on each device along 'x', but the "
    "out-spec P() "
    "says equal on all devices. Name 'x' in the out-spec, or make the devices equal, for example with "
    "psum(x, \"x\") if they are terms of a sum, or pmean(x, \"x\")";

Array maximum_in_pairs(const Array& x) { return pmax(x, "x", {.groups = pairs_in_order}); }

TEST(h001, maximum_in_groups_is_not_equal_on_all_devices) {
  expect_blocks(x4, {}, scalars({0, 1, 2, 3}), maximum_in_pairs, {}, scalars({1, 1, 3, 3}));
  expect_refused(traced([](Array x) {
                   return shard_map(maximum_in_pairs, {.mesh = x4, .in = P("x"), .out = P()})(x);  // refused
                 }),
                 differs);
}

Array doubled_on_the_first(const Array& x) {
  auto twice = [](Array y) { return 2 * y; };
  auto thrice = [](Array y) { return 3 * y; };
  return cond(equal(axis_index("x"), 0), twice, thrice, x);
}

TEST(h002, cond_by_a_varying_predicate_varies) {
  expect_from_equal(x2, {}, {2}, doubled_on_the_first, {}, scalars({4, 6}));
  expect_refused(traced([](Array x) {
                   auto body = [](Array y) { return doubled_on_the_first(slice_in_dim(y, 0, 1)); };
                   return shard_map(body, {.mesh = x4, .in = P(), .out = P()})(x);  // refused
                 }),
                 differs);
}

TEST(h002, gradient_of_an_equal_operand_is_that_of_both_branches) {
  expect_from_equal(x2, {}, {2}, [](const Array& x) { return grad(doubled_on_the_first)(x); }, {}, {{5}});
}

// 2^n of the start on device n.
Array doubled_by_position(const Array& x) {
  using Pair = std::pair<Array, Array>;
  auto goes_on = [](Pair p) { return p.first < axis_index("x"); };
  auto trip = [](Pair p) { return Pair{p.first + 1, 2 * p.second}; };
  return while_loop(goes_on, trip, Pair{zeros({}, DType::i32), x}).second;
}

TEST(h003, while_by_a_varying_test_varies) {
  expect_from_equal(x4, {}, {3}, doubled_by_position, {}, scalars({3, 6, 12, 24}));
  expect_refused(traced([](Array x) {
                   auto body = [](Array y) { return doubled_by_position(slice_in_dim(y, 0, 1)); };
                   return shard_map(body, {.mesh = x4, .in = P(), .out = P()})(x);  // refused
                 }),
                 differs);
}

TEST(h006, linear_functions_keep_a_pending_sum) {
  auto running = [](const Array& x) { return cumsum(terms(x)); };
  auto turned = [](const Array& x) { return rev(terms(x)); };
  EXPECT_EQ(type_of(x2, running), "f32[2]{U:x}");
  EXPECT_EQ(type_of(x2, turned), "f32[2]{U:x}");
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, [&](const Array& x) { return psum(running(x), "x"); }, {2},
                {{4, 10}});
  expect_blocks(x2, {2}, {{1, 2}, {3, 4}}, [&](const Array& x) { return psum(turned(x), "x"); }, {2},
                {{6, 4}});
}

TEST(h006, other_functions_refuse_one) {
  std::vector<Body> others{[](const Array& x) { return exp(terms(x)); },
                           [](const Array& x) { return argmax(terms(x)); },
                           [](const Array& x) { return sort(terms(x)); },
                           [](const Array& x) { return clamp(0, terms(x), 1); },
                           [](const Array& x) { return bitcast_convert(terms(x), DType::i32); },
                           [](const Array& x) { return reduce_min(terms(x)); },
                           [](const Array& x) { return equal(terms(x), 0); }};
  for (const Body& body : others)
    EXPECT_NE(refusal([&] { type_of(x2, body); })
                  .find(
                      "is an unreduced sum over 'x' (f32[2]{U:x}), which only linear functions take. Reduce "
                      "first: psum("),
              std::string::npos);
}

TEST(h007, gradient_of_a_gather_is_not_divided) {
  auto gathered = [](Array x) { return all_gather(x, "x", {.tiled = true, .to = invariant}); };
  auto loss = [&](Array x) {
    return reduce_sum(shard_map(gathered, {.mesh = x4, .in = P("x"), .out = P()})(x));
  };
  EXPECT_EQ(of_whole(
                x4, [&](Array x) { return grad(loss)(x); }, {8}, numbers(8)),
            Tensor({8}, std::vector<float>(8, 1)));
}

TEST(h011, permutation_over_lanes_and_devices_is_of_both) {
  auto lane = [](const Array& x) { return ppermute(x, {"lane", "x"}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); };
  expect_blocks(x2, {2}, {{0, 2}, {1, 3}}, [&](const Array& x) { return vmap(lane, {.axis = "lane"})(x); },
                {2}, {{3, 1}, {0, 2}});
}

TEST(h012, constants_are_summed_in_their_own_group) {
  Groups uneven{{0, 1}, {2, 3, 4, 5, 6, 7}};
  Blocks eight = scalars({0, 1, 2, 3, 4, 5, 6, 7});
  auto twos = [&](const Array&) { return psum(full({}, 2, DType::f32), "x", {.groups = uneven}); };
  expect_blocks(x8, {}, eight, twos, {}, scalars({4, 4, 12}));
  expect_blocks(
      x8, {}, eight, [&](const Array& x) { return pmean(x, "x", {.groups = uneven}); }, {},
      scalars({0.5, 0.5, 4.5}));
}

TEST(h013, vmap_outside_does_not_capture_collectives_inside) {
  auto sum = [](Array x) { return psum(x, "x"); };
  auto mapped = shard_map(sum, {.mesh = x4, .in = P("x"), .out = P()});
  expect_refused(
      traced([&](Array x) {
        auto same_name = shard_map(sum, {.mesh = x4, .in = P("x"), .out = P()});  // refused
        return vmap(same_name, {.axis = "x"})(broadcast_to(x, {2, 4}));
      }),
      "T002 {file}:{line}: shard_map: axis 'x' is bound here already by an enclosing shard_map or vmap; "
      "leave it out of .axes, or give the other one another name");
  EXPECT_EQ(of_whole(x4, vmap(mapped), {2, 4}, numbers(8)), Tensor({2, 1}, std::vector<float>{6, 22}));
}

TEST(h014, gather_to_reduced_casts_all_its_axes) {
  auto loss = [](const Array& y) { return reduce_sum(all_gather(y, {"x", "y"}, {.to = reduced})); };
  auto equal_along_y = [](const Array& x) { return pmax(x, "y"); };
  EXPECT_EQ(type_of(x2y2, [&](const Array& x) { return loss(equal_along_y(x)); }), "f32[]{R:x, R:y}");
  EXPECT_EQ(type_of(x2y2, [&](const Array& x) { return grad(loss)(equal_along_y(x)); }), "f32[2]{V:x}");
  expect_blocks(x2y2, {}, scalars({5, 5, 7, 7}), [&](const Array& x) { return grad(loss)(equal_along_y(x)); },
                {}, {{2}});
}

TEST(h015, some_of_three_axes_of_a_dim_are_gathered_in_their_order) {
  auto gathered = [](std::initializer_list<const char*> axes, const P& out) {
    auto body = [names = AxisNames(axes)](Array x) {
      return all_gather(x, names, {.tiled = true, .to = invariant});
    };
    P in(SpecEntry{"x", "y", "z"});
    return of_whole(x2y2z2, shard_map(body, {.mesh = x2y2z2, .in = in, .out = out}), {8}, numbers(8));
  };
  EXPECT_EQ(gathered({"y", "z"}, P("x")), Tensor({8}, numbers(8)));
  EXPECT_EQ(gathered({"x", "z"}, P("y")), Tensor({8}, std::vector<float>{0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(h016, groups_that_miss_a_device_are_refused_by_every_collective) {
  Groups half{{0, 1}};
  std::vector<std::pair<std::string, Body>> all{
      {"psum", [&](const Array& x) { return psum(x, "x", {.groups = half}); }},
      {"pmean", [&](const Array& x) { return pmean(x, "x", {.groups = half}); }},
      {"pmax", [&](const Array& x) { return pmax(x, "x", {.groups = half}); }},
      {"pmin", [&](const Array& x) { return pmin(x, "x", {.groups = half}); }},
      {"all_gather", [&](const Array& x) { return all_gather(x, "x", {.groups = half}); }},
      {"psum_scatter", [&](const Array& x) { return psum_scatter(x, "x", {.groups = half}); }},
      {"all_to_all", [&](const Array& x) { return all_to_all(x, "x", {.groups = half}); }},
      {"pswapaxes", [&](const Array& x) { return pswapaxes(x, "x", 0, half); }},
      {"ragged_all_to_all",
       [&](const Array& x) {
         Array none_sent = zeros({4}, DType::i32);
         return ragged_all_to_all(x, x, {none_sent, none_sent, none_sent}, "x", {.groups = half});
       }},
      {"packed_offsets",
       [&](const Array&) { return packed_offsets(zeros({4}, DType::i32), "x", {.groups = half}); }},
      {"psum_start", [&](const Array& x) { return psum_start(x, "x", {.groups = half}).done(); }},
      {"all_gather_start", [&](const Array& x) { return all_gather_start(x, "x", {.groups = half}).done(); }},
  };
  for (const auto& [name, body] : all)
    EXPECT_NE(refusal([&, &with = body] { type_of(x4, with); })
                  .find(name +
                        ": groups [[0, 1]] leave out device 2 along 'x'; name each device once, if need "
                        "be in a group of its own"),
              std::string::npos)
        << name;
}

TEST(h100, maximum_of_a_pending_sum_over_another_axis_is_refused) {
  expect_refused(
      on_devices([](Array x) {
        return pmax(pcast(x, "data", unreduced), "model");  // refused
      }),
      "T004 {file}:{line}: pmax: the operand is an unreduced sum over 'data' (f32[2]{U:data, V:model}), "
      "which only linear functions take. Reduce first: psum(x, \"data\")");
}

// --- Pending sums and other values -------------------------------------------------------------------------

Array sum_of(const Array& x) { return pcast(x, "data", unreduced); }
std::string beside(std::string_view name, std::string_view sum, std::string_view equal) {
  return fmt::format(
      "T004 {{file}}:{{line}}: {}: the left operand is an unreduced sum over 'data' ({}), the right "
      "operand is equal on all devices along 'data' ({}); the equal part would be counted 4 times. "
      "Reduce first: psum(left, \"data\"), or keep it on one device: mask(right, \"data\")",
      name, sum, equal);
}

TEST(h101, concatenation_does_not_count_an_equal_part_once_per_device) {
  expect_refused(on_devices([](Array x) {
                   return concatenate({sum_of(x), ones_like(x)});  // refused
                 }),
                 beside("concatenate", "f32[2]{U:data}", "f32[2]"));
  auto once = [](const Array& x) {
    return psum(concatenate({terms(x), mask(full({1}, 10, DType::f32), "x")}), "x");
  };
  expect_blocks(x2, {1}, scalars({1, 2}), once, {2}, {{3, 10}});
}

TEST(h102, selection_does_not_lose_or_invent_a_pending_sum) {
  expect_refused(
      on_devices([](Array x) {
        return where(ones_like(x) > 0, sum_of(x), 0.0);  // refused
      }),
      "T004 {file}:{line}: where: on_true is an unreduced sum over 'data' (f32[2]{U:data}), on_false is "
      "equal on all devices along 'data' (f32[2]): they are not terms of one sum. Reduce first: "
      "psum(on_true, \"data\")");
  expect_refused(
      on_devices([](Array x) {
        return where(ones_like(x) > 0, ones_like(x), sum_of(x));  // refused
      }),
      "T004 {file}:{line}: where: on_false is an unreduced sum over 'data' (f32[2]{U:data}), on_true is "
      "equal on all devices along 'data' (f32[2]): they are not terms of one sum. Reduce first: "
      "psum(on_false, \"data\")");
  auto of_terms = [](const Array& x) {
    Array first = arange(2, DType::i32) < 1;
    return psum(where(first, terms(x), mask(full({2}, 7, DType::f32), "x")), "x");
  };
  expect_blocks(x2, {2}, {{1, 1}, {2, 2}}, of_terms, {2}, {{3, 7}});
}

TEST(h103, padding_is_not_counted_once_per_device) {
  expect_refused(on_devices([](Array x) {
                   return pad(sum_of(x), 5, {{1, 0}});  // refused
                 }),
                 beside("pad", "f32[2]{U:data}", "f32[]"));
  expect_refused(
      on_devices([](Array x) {
        return pad(ones_like(x), sum_of(reduce_sum(x)), {{1, 0}});  // refused
      }),
      "T004 {file}:{line}: pad: the right operand is an unreduced sum over 'data' (f32[]{U:data}), the "
      "left operand is equal on all devices along 'data' (f32[2]); the equal part would be counted 4 "
      "times. Reduce first: psum(right, \"data\"), or keep it on one device: mask(left, \"data\")");
  auto once = [](const Array& x) {
    return psum(pad(terms(x), mask(full({}, 5, DType::f32), "x"), {{1, 0}}), "x");
  };
  expect_blocks(x2, {1}, scalars({1, 2}), once, {2}, {{5, 3}});
}

TEST(h104, largest_term_is_not_the_largest_sum) {
  expect_refused(
      on_devices([](Array x) {
        return reduce_max(sum_of(x));  // refused
      }),
      "T004 {file}:{line}: reduce_max: the operand is an unreduced sum over 'data' (f32[2]{U:data}), which "
      "only linear functions take. Reduce first: psum(x, \"data\")");
  expect_blocks(x2, {1}, scalars({1, 2}), [](const Array& x) { return reduce_max(psum(terms(x), "x")); }, {},
                {{3}});
}

TEST(h105, terms_are_not_rounded_one_by_one) {
  expect_refused(
      on_devices([](Array x) {
        return convert(sum_of(x), DType::i32);  // refused
      }),
      "T004 {file}:{line}: convert: the operand is an unreduced sum over 'data' (f32[2]{U:data}), which "
      "only linear functions take. Reduce first: psum(x, \"data\")");
  auto whole = [](const Array& x) { return convert(psum(terms(x), "x"), DType::i32); };
  expect_blocks(x2, {}, scalars({0.5, 0.5}), whole, {}, {{1}});
}

TEST(h106, terms_are_no_index) {
  std::string_view refused_by =
      "the index is an unreduced sum over 'data' (i32[]{U:data}); one cannot look things "
      "up by its terms. Reduce first: psum(index, \"data\")";
  expect_refused(on_devices([](Array x) {
                   return dynamic_slice(x, {sum_of(axis_index("data"))}, {1});  // refused
                 }),
                 fmt::format("T004 {{file}}:{{line}}: dynamic_slice: {}", refused_by));
  expect_refused(on_devices([](Array x) {
                   return dynamic_update_slice(x, x, {sum_of(axis_index("data"))});  // refused
                 }),
                 fmt::format("T004 {{file}}:{{line}}: dynamic_update_slice: {}", refused_by));
  expect_refused(
      on_devices([](Array x) {
        auto same = [](Array y) { return y; };
        return switch_(sum_of(axis_index("data")), std::tuple{same, same}, x);  // refused
      }),
      "T004 {file}:{line}: switch_: the index is an unreduced sum over 'data' (i32[]{U:data}). Reduce it "
      "first: psum(x, \"data\")");
}

}  // namespace
}  // namespace tutti
