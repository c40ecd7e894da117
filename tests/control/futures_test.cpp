// SPDX-License-Identifier: Apache-2.0
// Collectives in two halves: values and gradients as of the whole, and what is refused.
#include <gtest/gtest.h>

#include <regex>

#include "tests/control/on_devices_of_a.hpp"
#include "tests/support/gradients.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

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

TEST(whole_and_halves, agree_for_a_sum) {
  expect_same([](const Array& x) { return psum_start(x * x, "a").done() * x; },
              [](const Array& x) { return psum(x * x, "a") * x; });
}

TEST(whole_and_halves, agree_for_a_mean) {
  expect_same([](const Array& x) { return pmean_start(x * x, "a").done() * x; },
              [](const Array& x) { return pmean(x * x, "a") * x; });
}

TEST(whole_and_halves, agree_for_a_maximum) {
  expect_same([](const Array& x) { return pmax_start(x, "a").done() * x; },
              [](const Array& x) { return pmax(x, "a") * x; });
}

TEST(whole_and_halves, agree_for_a_gather) {
  expect_same([](const Array& x) { return all_gather_start(x * x, "a", {.tiled = true}).done() * 2.0; },
              [](const Array& x) { return all_gather(x * x, "a", {.tiled = true}) * 2.0; });
}

TEST(whole_and_halves, agree_for_a_scattered_sum) {
  expect_same([](const Array& x) { return psum_scatter_start(x * x, "a").done(); },
              [](const Array& x) { return psum_scatter(x * x, "a"); });
}

TEST(whole_and_halves, agree_for_an_exchange) {
  expect_same([](const Array& x) { return all_to_all_start(x * x, "a").done() * x; },
              [](const Array& x) { return all_to_all(x * x, "a") * x; });
}

TEST(whole_and_halves, agree_for_a_permutation) {
  expect_same([](const Array& x) { return ppermute_start(x * x, "a", around).done() * x; },
              [](const Array& x) { return ppermute(x * x, "a", around) * x; });
}

TEST(whole_and_halves, agree_for_a_broadcast) {
  expect_same([](const Array& x) { return pbroadcast_start(x * x, "a", {.source = 1}).done() * x; },
              [](const Array& x) { return pbroadcast(x * x, "a", {.source = 1}) * x; });
}

TEST(whole_and_halves, agree_for_a_ragged_exchange) {
  auto slices = [] {
    Array one = ones({2}, DType::i32);
    return RaggedSlices{arange(2, DType::i32), one, one * axis_index("a")};
  };
  expect_same([&](const Array& x) { return ragged_all_to_all_start(x * x, x, slices(), "a").done() * x; },
              [&](const Array& x) { return ragged_all_to_all(x * x, x, slices(), "a") * x; });
}

TEST(whole_and_halves, agree_for_a_ragged_exchange_of_unreduced_sums) {
  auto slices = [] {
    Array one = ones({2}, DType::i32);
    return RaggedSlices{arange(2, DType::i32), one, one * axis_index("a")};
  };
  auto at_once = [&](const Array& x) {
    return psum(ragged_all_to_all(mask(x * x, "b"), mask(x, "b"), slices(), "a"), "b");
  };
  auto in_halves = [&](const Array& x) {
    return psum(ragged_all_to_all_start(mask(x * x, "b"), mask(x, "b"), slices(), "a").done(), "b");
  };
  expect_same(in_halves, at_once);
}

TEST(whole_and_halves, agree_for_trees) {
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

/// The message of the library for the body of a device. A line of this file is named by the comment at its
/// end.
std::string said(const std::function<Array(Array)>& body) {
  std::string text = "accepted";
  try {
    on_devices(body)();
  } catch (const Error& error) {
    text = std::string(error.label()) + " " + error.what();
  }
  static const std::regex place("[^ ]*futures_test.cpp:([0-9]+)");
  for (std::smatch found; std::regex_search(text, found, place);) {
    std::string line = source_line({__FILE__, std::stoi(found[1])});
    std::size_t comment = line.find("// ");
    std::string name = comment == line.npos ? "line " + found[1].str() : line.substr(comment + 3);
    text = found.prefix().str() + "{" + name + "}" + found.suffix().str();
  }
  return text;
}
void expect_said(const std::function<Array(Array)>& body, std::string_view expected,
                 Where test = Where::here()) {
  std::string found = said(body);
  if (found != expected)
    ADD_FAILURE_AT(test.file, test.line) << "said:     " << found << "\nexpected: " << expected;
}
Array same(Array x) { return x; }

TEST(futures, are_refused_if_never_finished) {
  expect_said(
      [](Array x) {
        psum_start(x, "data");  // start
        return x;
      },
      "T016 {start}: this future is never finished; call .done(), or precv of what psend sent, in the same "
      "function");
}

TEST(futures, are_refused_if_a_leaf_of_several_is_never_finished) {
  expect_said(
      [](Array x) {
        Future<std::pair<Array, Array>> both = psum_start(std::pair{x, x * x}, "data");  // start
        return done_flat(both.leaves()[0], Where::here());
      },
      "T016 {start}: this future is never finished; call .done(), or precv of what psend sent, in the same "
      "function");
}

TEST(futures, are_refused_if_finished_twice) {
  expect_said(
      [](Array x) {
        auto future = psum_start(x, "data");  // start
        Array once = future.done();           // first
        return once + future.done();          // second
      },
      "T016 {second}: this future was used before, at {first}; finish it once, and use the array that "
      ".done() returned, or the future that optimization_barrier returned\n  it was started at {start}");
}

TEST(futures, are_refused_if_finished_before_and_behind_a_barrier) {
  expect_said(
      [](Array x) {
        auto future = psum_start(x, "data");                           // start
        auto [later, y] = optimization_barrier(std::pair{future, x});  // barrier
        return later.done() + future.done();                           // second
      },
      "T016 {second}: this future was used before, at {barrier}; finish it once, and use the array that "
      ".done() returned, or the future that optimization_barrier returned\n  it was started at {start}");
}

TEST(futures, are_refused_if_a_barrier_is_the_last_to_take_them) {
  expect_said(
      [](Array x) {
        auto future = psum_start(x, "data");                           // start
        auto [later, y] = optimization_barrier(std::pair{future, x});  // barrier
        return y;
      },
      "T016 {barrier}: this future is never finished; call .done(), or precv of what psend sent, in the same "
      "function");
}

TEST(futures, are_refused_if_they_leave_a_shard_map) {
  expect_said(
      [](Array x) {
        auto start = [](Array y) { return psum_start(y, "inner"); };  // start
        ShardMapOptions options{.mesh = Mesh({{"inner", 2}}), .in = P("inner"), .out = P()};
        return shard_map(start, options)(x).done();  // end
      },
      "T016 {start}: shard_map: this future leaves the function that starts it; call .done() there, and "
      "return the array\n  in the function of shard_map at {end}");
}

TEST(futures, are_refused_if_they_leave_a_vmap) {
  expect_said(
      [](Array x) {
        auto start = [](Array lane) { return psum_start(lane, "data"); };  // start
        return vmap(start)(x).done();                                      // end
      },
      "T016 {start}: vmap: this future leaves the function that starts it; call .done() there, and return "
      "the array\n  in the function of vmap at {end}");
}

TEST(futures, are_refused_if_they_leave_a_remat) {
  expect_said(
      [](Array x) {
        auto start = [](Array y) { return psum_start(y, "data"); };  // start
        return remat(start)(x).done();                               // end
      },
      "T016 {start}: remat: this future leaves the function that starts it; call .done() there, and return "
      "the array\n  in the function of remat at {end}");
}

TEST(futures, are_refused_if_they_leave_a_custom_rule) {
  expect_said(
      [](Array x) {
        auto forward = [](Array y) { return std::pair{y, psum_start(y, "data")}; };  // start
        auto backward = [](Future<Array> future, Array ct) { return std::tuple{ct * future.done()}; };
        auto loss = [&](Array y) {
          return reduce_sum(custom_vjp(same, forward, backward)(y));  // end
        };
        return grad(loss)(x);
      },
      "T016 {start}: custom_vjp: this future leaves the function that starts it; call .done() there, and "
      "return the array\n  in the function of custom_vjp at {end}");
}

TEST(futures, are_refused_if_a_loop_captures_them) {
  expect_said(
      [](Array x) {
        auto future = psum_start(x, "data");                                          // start
        auto trip = [&](const Array&, const Array& c) { return c + future.done(); };  // end
        return fori_loop(0, 2, trip, x);
      },
      "T016 {end}: psum_start: a future from outside cannot be used in this function; call .done() where it "
      "was started, and use the array\n  it was started at {start}");
}

TEST(futures, are_refused_if_a_loop_carries_them) {
  expect_said(
      [](Array x) {
        auto future = psum_start(x, "data");  // start
        auto trip = [](const Array&, const Future<Array>& c) { return c; };
        return fori_loop(0, 2, trip, future).done();  // end
      },
      "T016 {end}: a future cannot enter this function; call .done() before, and hand it the array\n  it was "
      "started at {start}");
}

TEST(futures, are_refused_if_a_loop_stacks_them) {
  expect_said(
      [](Array x) {
        auto step = [](Array c, Array v) { return std::pair{c, psum_start(v, "data")}; };  // start
        return scan(step, x, x).second.done();                                             // end
      },
      "T016 {start}: scan: this future leaves the function that starts it; call .done() there, and return "
      "the array\n  in the function of scan at {end}");
}

TEST(futures, are_refused_if_a_branch_captures_them) {
  expect_said(
      [](Array x) {
        auto future = psum_start(x, "data");                       // start
        auto finish = [&](Array y) { return y + future.done(); };  // end
        return cond(reduce_sum(psum(x, "data")) > 0, finish, same, x);
      },
      "T016 {end}: psum_start: a future from outside cannot be used in this function; call .done() where it "
      "was started, and use the array\n  it was started at {start}");
}

TEST(futures, are_refused_if_a_branch_returns_them) {
  expect_said(
      [](Array x) {
        auto start = [](Array y) { return psum_start(y, "data"); };            // start
        return cond(reduce_sum(psum(x, "data")) > 0, start, start, x).done();  // end
      },
      "T016 {start}: cond: this future leaves the function that starts it; call .done() there, and return "
      "the array\n  in the function of cond at {end}");
}

// ---- send and receive

TEST(sent_arrays, are_received_along_the_pairs_that_they_were_sent_along) {
  expect_refused(on_devices([](Array x) {
                   auto token = psend(x, "data", {{0, 1}});
                   return precv(token, x, "data", {{1, 0}});  // refused
                 }),
                 "T009 {file}:{line}: precv: the token was sent along [(0, 1)], and is received along [(1, "
                 "0)]; give psend and precv the same pairs");
}

TEST(sent_arrays, are_received_over_the_axes_that_they_were_sent_over) {
  expect_refused(on_devices([](Array x) {
                   auto token = psend(x, "data", {{0, 1}});
                   return precv(token, x, "model", {{0, 1}});  // refused
                 }),
                 "T009 {file}:{line}: precv: the token was sent over 'data', and is received over 'model'; "
                 "name the same axes");
}

TEST(sent_arrays, are_received_as_what_they_are) {
  auto received_as = [](const Array& like) {
    return on_devices([=](Array x) {
      auto token = psend(x, "data", {{0, 1}});
      return precv(token, like, "data", {{0, 1}});  // refused
    });
  };
  expect_refused(
      received_as(abstract({3}, DType::f32)),
      "T005 {file}:{line}: precv: what was sent has the shape [2], `like` has [3]; receive what was sent");
  expect_refused(received_as(abstract({2}, DType::i32)),
                 "T007 {file}:{line}: precv: what was sent is f32, `like` is i32; convert what is sent");
}

TEST(sent_arrays, are_received_with_as_many_leaves) {
  expect_refused(on_devices([](Array x) {
                   auto token = psend(x, "data", {{0, 1}});
                   return precv(token, std::pair{x, x}, "data", {{0, 1}});  // refused
                 }),
                 "T012 {file}:{line}: precv: 1 array was sent, `like` has 2 arrays; give an array for each "
                 "that was sent");
}

TEST(sent_arrays, are_refused_if_never_received) {
  expect_said(
      [](Array x) {
        psend(x, "data", {{0, 1}});  // start
        return x;
      },
      "T016 {start}: this future is never finished; call .done(), or precv of what psend sent, in the same "
      "function");
}

TEST(sent_arrays, are_received_in_any_order) {
  expect_same(
      [](const Array& x) {
        auto first = psend(x, "a", around);
        auto second = psend(x * x, "a", around);
        Array later = precv(second, x, "a", around);
        return later * precv(first, x, "a", around);
      },
      [](const Array& x) { return ppermute(x * x, "a", around) * ppermute(x, "a", around); });
}

// In a ring each device sends before it receives: a token is a value, so no order in the program can wait for
// itself.
TEST(sent_arrays, go_round_a_ring) {
  auto twice_around = [](const Array& x) {
    Array once = precv(psend(x, "a", around), x, "a", around);
    return precv(psend(once, "a", around), x, "a", around);
  };
  expect_same(twice_around, [](const Array& x) { return x * 1.0; });
}

TEST(sent_arrays, are_zeros_where_nobody_sends) {
  const Pairs to_one{{0, 1}};
  expect_same([&](const Array& x) { return precv(psend(x, "a", to_one), x, "a", to_one); },
              [&](const Array& x) { return ppermute(x, "a", to_one); });
}

}  // namespace
}  // namespace tutti
