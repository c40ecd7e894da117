// SPDX-License-Identifier: Apache-2.0
// Arrays between machines, meshes and calls, on the machine of a plugin.
#include <fmt/format.h>

#include <thread>

#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tests/support/values.hpp"
#include "tests/xla/same_numbers.hpp"
#include "tutti/xla/shards.hpp"

namespace tutti {
namespace {

using xla_arrays = xla::RealXla;
using xla_donation = xla::RealXla;
using xla_machines = xla::RealXla;

const Mesh& grid() {
  static const Mesh mesh({{"a", 4}, {"b", 2}});
  return mesh;
}
const P blocks("a", "b");

/// Each device's block plus the sum over b: the result may take the argument's memory.
auto step() {
  return shard_map([](const Array& x) { return x + psum(x, "b"); },
                   {.mesh = grid(), .in = blocks, .out = blocks});
}

/// The plugin's numbers of the devices of an array.
std::vector<int> devices_of(const Array& array) {
  return dynamic_cast<const xla::Shards&>(*array.data()->remote()).buffers().devices()->ids;
}

constexpr DType all_dtypes[] = {DType::boolean, DType::u8,  DType::i8,  DType::u16,       DType::i16,
                                DType::u32,     DType::i32, DType::u64, DType::i64,       DType::f16,
                                DType::bf16,    DType::f32, DType::f64, DType::complex64, DType::complex128};

TEST_F(xla_arrays, of_all_dtypes_go_in_and_out_to_the_bit) {
  const Machine on = machine(grid()), local = open_local(grid());
  Random random(5);
  Arrays wholes, placed;
  for (const DType dtype : all_dtypes) {
    const Tensor whole = random.draw(ExampleOperand{Type(dtype, {8, 6}), -2, 2}, Numbers::any);
    const Array here = local.place(whole, blocks);
    wholes.push_back(whole);
    placed.push_back(on.place(whole, blocks));
    EXPECT_EQ(placed.back().tensor(), whole) << name(dtype);
    for (int device = 0; device < 8; ++device)
      EXPECT_EQ(placed.back().data()->shard(device), here.data()->shard(device)) << name(dtype);
  }
  auto turned = [](const Arrays& x) {
    return tree_map([](const Array& one) { return transpose(reshard(one, grid(), P("b"))); }, x);
  };
  const Arrays once = on.compile(turned, placed)(placed), twice = on.compile(turned, once)(once);
  for (std::size_t i = 0; i < wholes.size(); ++i)
    EXPECT_EQ(twice[i].tensor(), wholes[i].tensor()) << to_string(wholes[i].type());
  EXPECT_EQ(difference(local.compile(turned, wholes)(wholes), once, 0), "");
}

TEST_F(xla_arrays, are_read_as_those_of_the_local_machine) {
  const Array x = quarters({8, 6});
  const Array there = machine(grid()).compile(step(), x)(x), here = open_local(grid()).compile(step(), x)(x);
  EXPECT_EQ(there.sharding(), here.sharding());
  EXPECT_EQ(to_string(*there.sharding()), "P(a, b)");
  for (int device = 0; device < 8; ++device) EXPECT_EQ(there.shard(device), here.shard(device)) << device;
  EXPECT_EQ(there.shard(0).shape(), (Shape{2, 3}));
  EXPECT_EQ(there.values<float>(), here.values<float>());
  EXPECT_EQ(there.dim(-1), 6);
  EXPECT_EQ(refusal_of([&] { there.shard(8); }),
            "T015: shard: there is no device 8; the mesh has devices 0 to 7");
}

TEST_F(xla_arrays, take_tensors_in_trees_as_the_local_machine_does) {
  const Tensor x({2}, {1.F, 2.F}), y({2}, {3.F, 4.F});
  auto sum = [](const std::pair<Array, Arrays>& all) { return all.first + all.second[0]; };
  const std::pair<Tensor, Arrays> both{x, {y}};
  EXPECT_EQ(machine(Mesh({{"i", 1}})).compile(sum, both)(both).values<float>(), (std::vector<float>{4, 6}));
}

TEST_F(xla_arrays, of_the_local_machine_are_taken_and_the_reverse) {
  const Machine local = open_local(grid()), on = machine(grid());
  const Array x = quarters({8, 6});
  const auto ours = local.compile(step(), x), theirs = on.compile(step(), x);
  const Array here = ours(x), there = theirs(x);
  EXPECT_EQ(theirs(here).tensor(), ours(there).tensor());
  EXPECT_EQ(theirs(there).tensor(), ours(here).tensor());
  EXPECT_EQ(local.place(there, P("b")).tensor(), here.tensor());
  EXPECT_EQ(on.place(here, P("b")).tensor(), here.tensor());
}

TEST_F(xla_arrays, go_to_a_machine_of_the_same_devices_in_another_order) {
  const Mesh turned({{"a", 4}, {"b", 2}}, {.devices = {7, 2, 5, 0, 1, 6, 3, 4}});
  const Machine on = machine(grid());
  const Array x = quarters({8, 6});
  const Array there = on.place(x, turned, blocks), here = on.place(x, blocks);
  for (int position = 0; position < 8; ++position)
    EXPECT_EQ(there.data()->shard(position), here.data()->shard(position));
  const auto run = on.compile(step(), x);
  EXPECT_EQ(run(there).tensor(), run(here).tensor());
  EXPECT_EQ(on.place(there, blocks).tensor(), x.tensor());
}

TEST_F(xla_arrays, go_to_some_of_the_devices_and_back) {
  const Mesh some({{"s", 3}}, {.devices = {6, 1, 4}});
  const Machine on = machine(grid());
  const Array x = quarters({9, 2});
  const Array there = on.place(x, some, P("s"));
  EXPECT_EQ(there.tensor(), x.tensor());
  EXPECT_EQ(devices_of(there), (std::vector<int>{6, 1, 4}));
  EXPECT_EQ(there.data()->shard(2).shape(), (Shape{3, 2}));
  EXPECT_EQ(on.place(there, P(none, "b")).tensor(), x.tensor());
  const auto twice = on.compile([](const Array& v) { return v + v; }, x);
  EXPECT_EQ(twice(there).tensor(), twice(x).tensor());
}

TEST_F(xla_arrays, have_dims_that_do_not_divide) {
  const Machine on = machine(grid());
  for (const Shape& shape : {Shape{5, 3}, Shape{1, 1}, Shape{0, 3}, Shape{9, 2}}) {
    const Array x = quarters(shape), placed = on.place(x, blocks);
    const Array local = open_local(grid()).place(x, blocks);
    EXPECT_EQ(placed.tensor(), x.tensor()) << to_string(shape);
    for (int device = 0; device < 8; ++device)
      EXPECT_EQ(placed.data()->shard(device), local.data()->shard(device)) << to_string(shape);
    const auto f = on.compile([](const Array& v) { return v * 2; }, placed);
    EXPECT_EQ(f(placed).tensor(), f(x).tensor()) << to_string(shape);
  }
}

TEST_F(xla_arrays, that_a_function_closes_over_are_hidden_arguments) {
  const Machine on = machine(grid());
  const Array w = quarters({6, 4}, 3), x = quarters({8, 6}), far = on.place(w, P("b"));
  const auto with_host = on.compile([&](const Array& v) { return matmul(v, w); }, x);
  const auto with_far = on.compile([&](const Array& v) { return matmul(v, far); }, x);
  const auto here = open_local(grid()).compile([&](const Array& v) { return matmul(v, far); }, x);
  EXPECT_EQ(with_host(x).tensor(), here(x).tensor());
  EXPECT_EQ(with_host(x).tensor(), with_far(x).tensor());
}

// ---- given away

TEST_F(xla_donation, gives_the_same_bits_and_empties_the_array) {
  const auto run = machine(grid()).compile(step(), quarters({8, 6}));
  Array kept = quarters({8, 6}), given = quarters({8, 6});
  for (int call = 0; call < 4; ++call) {
    kept = run(kept);
    Array next = run(std::move(given));
    EXPECT_EQ(given.data(), nullptr);  // NOLINT(bugprone-use-after-move)
    given = next;
    next = Array();
  }
  EXPECT_EQ(kept.tensor(), given.tensor());
}

TEST_F(xla_donation, leaves_alone_what_somebody_else_holds) {
  const auto run = machine(grid()).compile(step(), quarters({8, 6}));
  Array x = run(quarters({8, 6}));
  const Array held = x;
  const Tensor before = held.tensor();
  const Array next = run(std::move(x));
  EXPECT_EQ(held.tensor(), before);
  EXPECT_EQ(run(held).tensor(), next.tensor());
}

TEST_F(xla_donation, takes_the_same_array_twice) {
  auto both = shard_map([](const Array& x, const Array& y) { return std::pair{x + y, x - y}; },
                        {.mesh = grid(), .in = blocks, .out = blocks});
  const auto run = machine(grid()).compile(both, quarters({8, 6}), quarters({8, 6}));
  const Array x = machine(grid()).place(quarters({8, 6}), blocks);
  Array one = x, other = x;
  const auto [sum, none_left] = run(std::move(one), std::move(other));
  EXPECT_EQ(sum.tensor(), run(x, x).first.tensor());
  Array last = run(x, x).first, copy = last;
  EXPECT_EQ(run(std::move(last), std::move(copy)).second.tensor(), none_left.tensor());
}

TEST_F(xla_donation, works_after_a_refused_call) {
  const auto run = machine(grid()).compile(step(), quarters({8, 6}));
  Array wrong = quarters({4, 6}), x = run(quarters({8, 6}));
  const Tensor expected = run(x).tensor();
  EXPECT_THROW(run(std::move(wrong)), Error);
  EXPECT_EQ(run(std::move(x)).tensor(), expected);
}

TEST_F(xla_donation, sums_terms_that_are_given_away_for_a_program_of_wholes) {
  auto terms = shard_map([](const Array& x) { return pcast(x, "a", unreduced); },
                         {.mesh = grid(), .in = P("a"), .out = P().unreduced({"a"})});
  const Machine on = machine(grid());
  const auto given = on.compile(terms, quarters({8}));
  const auto twice = on.compile([](const Array& x) { return x * 2; }, abstract({2}, DType::f32));
  const Tensor total = given(quarters({8})).tensor();
  EXPECT_EQ(twice(given(quarters({8}))).tensor(), twice(total).tensor());
}

TEST_F(xla_donation, by_two_threads_at_once_leaves_the_array_to_both) {
  const Machine on = machine(grid());
  const auto run = on.compile(step(), quarters({8, 6}));
  const Tensor expected = run(quarters({8, 6})).tensor();
  for (int round = 0; round < 20; ++round) {
    Array one = on.place(quarters({8, 6}), blocks), other = one;
    Tensor first, second;
    std::thread beside([&] { first = run(std::move(one)).tensor(); });
    second = run(std::move(other)).tensor();
    beside.join();
    EXPECT_EQ(first, expected);
    EXPECT_EQ(second, expected);
  }
}

TEST_F(xla_donation, swaps_its_arguments) {
  auto swapped = shard_map([](const Array& x, const Array& y) { return std::pair{y + y, x * 3}; },
                           {.mesh = grid(), .in = blocks, .out = blocks});
  const Machine on = machine(grid());
  Array x = on.place(quarters({8, 6}, 1), blocks), y = on.place(quarters({8, 6}, 2), blocks);
  const auto run = on.compile(swapped, x, y);
  const auto [first, second] = run(x, y);
  const auto [given_first, given_second] = run(std::move(x), std::move(y));
  EXPECT_EQ(given_first.tensor(), first.tensor());
  EXPECT_EQ(given_second.tensor(), second.tensor());
}

// ---- machines

TEST_F(xla_machines, are_outlived_by_their_programs_and_arrays) {
  std::optional<Machine> on = machine(grid());
  const Array x = on->place(quarters({8, 6}), blocks);
  auto run = std::optional(on->compile(step(), x));
  on.reset();
  const Array y = (*run)(x);
  const Tensor again = (*run)(y).tensor();
  run.reset();
  EXPECT_EQ(y.tensor(), open_local(grid()).compile(step(), x)(x).tensor());
  EXPECT_EQ(open_local(grid()).compile(step(), y)(y).tensor(), again);
}

TEST_F(xla_machines, of_one_plugin_share_a_client_and_hand_arrays_over) {
  const XlaOptions options{.plugin = xla::real_plugin_path(), .devices = {0, 1, 2, 3, 4, 5, 6, 7}};
  const Machine one = open_xla(grid(), options), other = open_xla(grid(), options);
  const auto ours = one.compile(step(), quarters({8, 6})), theirs = other.compile(step(), quarters({8, 6}));
  const Array x = ours(quarters({8, 6}));
  EXPECT_EQ(other.place(x, blocks).data(), x.data());  // it lies there already
  EXPECT_EQ(theirs(x).tensor(), ours(x).tensor());
  const Machine turned =
      open_xla(grid(), {.plugin = xla::real_plugin_path(), .devices = {7, 6, 5, 4, 3, 2, 1, 0}});
  EXPECT_EQ(turned.compile(step(), x)(x).tensor(), ours(x).tensor());
}

TEST_F(xla_machines, of_other_numbers_of_devices_take_each_others_arrays) {
  auto turned = [](const Mesh& mesh) {
    return shard_map([](const Array& x) { return x + psum(x, "a"); },
                     {.mesh = mesh, .in = P("a"), .out = P("a")});
  };
  const Mesh four({{"a", 4}});
  const Machine small = open_xla(four, {.plugin = xla::real_plugin_path()});
  const auto on_four = small.compile(turned(four), quarters({8}));
  const auto on_eight = machine(grid()).compile(turned(grid()), quarters({8}));
  Array given = quarters({8}), kept = quarters({8});
  for (int call = 0; call < 4; ++call) {
    given = call % 2 ? on_four(std::move(given)) : on_eight(std::move(given));
    kept = call % 2 ? on_eight(kept) : on_four(kept);
  }
  EXPECT_EQ(given.tensor(), kept.tensor());
}

TEST_F(xla_machines, are_called_by_several_threads) {
  const Machine on = machine(grid());
  const Array x = on.place(quarters({8, 6}), blocks);
  const auto run = on.compile(step(), x);
  const Tensor expected = run(run(x)).tensor();
  std::vector<Tensor> found(4);
  std::vector<std::thread> threads;
  for (Tensor& result : found)
    threads.emplace_back([&] {
      for (int call = 0; call < 25; ++call) result = run(run(call % 2 ? x : quarters({8, 6}))).tensor();
    });
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& result : found) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace tutti
