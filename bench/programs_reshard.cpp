// SPDX-License-Identifier: Apache-2.0
// Compares moves of arrays between shardings on the mesh x=4,y=2 with a copy by two workers. SIZE is the
// bytes of the whole. bench/rows.hpp says how they are asked for; bench/reshard_peer.py does the same in JAX.
#include "bench/copy.hpp"
#include "bench/rows.hpp"
#include "tutti/devices/block.hpp"

namespace tutti::bench {
namespace {

constexpr std::int64_t edge = 4096;

/// A call takes an array that is placed as `from` says, and gives it back as `to` says.
Measure prepare(std::int64_t bytes, const P& from, const P& to) {
  const Machine machine = open_local(Mesh({{"x", 4}, {"y", 2}}), {.workers = 2});
  const Tensor whole = values({bytes / 4 / edge, edge});
  const Array x = machine.place(Array(whole), from);
  auto move = [&](const Array& part) { return reshard(part, from, to); };
  auto run = machine.compile(shard_map(move, {.mesh = machine.mesh(), .in = from, .out = to}), x);
  check(run(x).tensor() == whole, "an array from one sharding to another");
  return [run, x] { return Json{{"us", microseconds_a_call([&] { run(x); })}}; };
}
Measure rows_to_columns(std::int64_t bytes) { return prepare(bytes, P("x"), P(none, "x")); }
Measure axes_swapped(std::int64_t bytes) { return prepare(bytes, P("x", "y"), P("y", "x")); }
Measure as_it_lies(std::int64_t bytes) { return prepare(bytes, P("x"), P("x")); }

Measure copy(std::int64_t size) {
  const auto bytes = static_cast<std::size_t>(size);
  const std::shared_ptr<std::byte> from = allocate_block(bytes), to = allocate_block(bytes);
  for (std::byte* memory : {from.get(), to.get()}) std::memset(memory, 1, bytes);  // pages of its own
  const auto team = std::make_shared<Team>(2);
  return [=] { return Json{{"us", Copy{*team, to.get(), from.get(), bytes}.least_microseconds()}}; };
}

constexpr Row rows[] = {
    {"rows_to_columns", rows_to_columns},
    {"axes_swapped", axes_swapped},
    {"as_it_lies", as_it_lies},
    {"copy", copy},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
