// SPDX-License-Identifier: Apache-2.0
// Compares ragged_all_to_all with all_to_all, and collectives in two halves with whole ones. SIZE is the
// bytes of a device.
// bench/rows.hpp says how they are asked for. All are chains on 8 devices; the time is that of a link.
#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

constexpr int devices = 8, links = 20;
using Link = std::function<Array(const Array& x)>;

/// A chain of `link` over values of `bytes` on each device.
Measure prepare_chain(std::int64_t bytes, const Link& link, const Tensor& start, const Tensor& expected) {
  const Mesh mesh({{"x", devices}});
  Machine machine = open_local(mesh, {.workers = 2});
  auto chain = [&](Array x) {
    for (int i = 0; i < links; ++i) x = link(x);
    return x;
  };
  Array x = machine.place(Array(start), P("x"));
  auto run = machine.compile(shard_map(chain, {.mesh = mesh, .in = P("x"), .out = P("x")}), x);
  check(run(x).values<float>() == Array(expected).values<float>(),
        "a chain of " + std::to_string(bytes) + " bytes");
  return [run, x] { return Json{{"us", microseconds_a_call([&] { run(x); }) / links}}; };
}

/// Rows of 64 bytes, a block of them for each device. An even number of links gives the values back.
Measure exchange(std::int64_t bytes, const Link& link) {
  const std::int64_t columns = 16, rows = bytes / 64;
  const Tensor x = values({devices * rows, columns});
  return prepare_chain(bytes, link, x, x);
}
Measure all_to_all_of(std::int64_t bytes) {
  return exchange(bytes, [](const Array& x) {
    return all_to_all(x, "x", {.split = 0, .concat = 0, .tiled = true});
  });
}
Measure ragged_of(std::int64_t bytes) {
  return exchange(bytes, [](const Array& x) {
    const std::int64_t each = x.dim(0) / devices;
    const Array size = full({devices}, each, DType::i32), from = arange(devices, DType::i32) * each;
    const Array to = full({devices}, 1, DType::i32) * axis_index("x") * each;
    return ragged_all_to_all(x, zeros_like(x), {from, size, to, size}, "x");
  });
}

/// Every link multiplies by 8.
Measure sums(std::int64_t bytes, const Link& link) {
  const std::int64_t elements = devices * bytes / 4;
  auto all = [&](float value) {
    return Tensor({elements}, std::vector<float>(static_cast<std::size_t>(elements), value));
  };
  return prepare_chain(bytes, link, all(0x1p-30F), all(0x1p30F));
}
Array varying_again(const Array& x) { return pcast(x, "x", State::varying); }
Measure psum_of(std::int64_t bytes) {
  return sums(bytes, [](const Array& x) { return varying_again(psum(x, "x")); });
}
Measure psum_in_halves(std::int64_t bytes) {
  return sums(bytes, [](const Array& x) { return varying_again(psum_start(x, "x").done()); });
}

constexpr Row rows[] = {
    {"all_to_all", all_to_all_of},
    {"ragged_all_to_all", ragged_of},
    {"psum", psum_of},
    {"psum_in_halves", psum_in_halves},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
