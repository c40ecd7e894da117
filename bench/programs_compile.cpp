// SPDX-License-Identifier: Apache-2.0
// How long programs take to trace, optimise and plan; bench/rows.hpp says how they are asked for.
#include <numeric>

#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

/// What a program must make of an argument.
struct Expected {
  Tensor argument;
  std::vector<float> result;
  double tolerance = 0;
};

/// Median time of 0.2 s of compilations, one at least.
template <class Example>
Measure time_of(std::int64_t size) {
  return [example = Example{size}] {
    constexpr double block_us = 200'000;
    std::vector<double> times;
    for (double spent = 0; spent < block_us; spent += times.back()) {
      const Clock::time_point start = Clock::now();
      const auto run = example.compiled();
      times.push_back(microseconds_since(start));
      if (times.size() > 1) continue;
      const Expected expected = example.expected();
      const std::vector<float> found = run(expected.argument).template values<float>();
      check(found.size() == expected.result.size(), "another size");
      for (std::size_t i = 0; i < found.size(); ++i)
        check_close(found[i], expected.result[i], expected.tolerance, std::abs(expected.result[i]),
                    "an element");
    }
    return Json{{"us", median(std::move(times))}};
  };
}

/// Of sum(sin(sin(..x))), `equations` times sin.
struct Gradient {
  std::int64_t equations;

  auto compiled() const {
    auto chain = [n = equations](const Array& x) {
      Array y = x;
      for (std::int64_t i = 0; i < n; ++i) y = sin(y);
      return reduce_sum(y);
    };
    const Mesh mesh = one_device();
    return open_local(mesh, {.workers = 2})
        .compile(shard_map(grad(chain), {.mesh = mesh, .in = P(), .out = P()}), abstract({8}, DType::f32));
  }

  Expected expected() const {
    Expected of{values({8}), {}, 4 * 1.2e-7 * static_cast<double>(equations)};
    for (float element : of.argument.as<float>()) {
      double gradient = 1, y = element;
      for (std::int64_t i = 0; i < equations; ++i, y = std::sin(y)) gradient *= std::cos(y);
      of.result.push_back(static_cast<float>(gradient));
    }
    return of;
  }
};

/// 1, 2, ..: an element for each device.
std::vector<float> numbers(std::int64_t devices) {
  std::vector<float> x(static_cast<std::size_t>(devices));
  std::iota(x.begin(), x.end(), 1.0F);
  return x;
}

template <class F>
auto compiled_on(std::int64_t devices, const F& of_device, const P& out) {
  const Mesh mesh({{"x", static_cast<int>(devices)}});
  return open_local(mesh, {.workers = 2})
      .compile(shard_map(of_device, {.mesh = mesh, .in = P("x"), .out = out}),
               abstract({devices}, DType::f32));
}

struct Ring {
  std::int64_t devices;

  auto compiled() const {
    auto send_on = [n = static_cast<int>(devices)](const Array& x) {
      Pairs pairs;
      for (int i = 0; i < n; ++i) pairs.emplace_back(i, (i + 1) % n);
      return ppermute(x, "x", pairs);
    };
    return compiled_on(devices, send_on, P("x"));
  }
  Expected expected() const {
    std::vector<float> sent = numbers(devices);
    std::ranges::rotate(sent, sent.end() - 1);
    return {Tensor({devices}, numbers(devices)), sent};
  }
};

struct Psum {
  std::int64_t devices;

  auto compiled() const {
    return compiled_on(devices, [](const Array& x) { return psum(x, "x"); }, P());
  }
  Expected expected() const {
    const auto n = static_cast<double>(devices);
    return {Tensor({devices}, numbers(devices)), {static_cast<float>(n * (n + 1) / 2)}, 2e-6};
  }
};

struct AllGatherToInvariant {
  std::int64_t devices;

  auto compiled() const {
    auto gather = [](const Array& x) { return all_gather(x, "x", {.tiled = true, .to = State::invariant}); };
    return compiled_on(devices, gather, P());
  }
  Expected expected() const { return {Tensor({devices}, numbers(devices)), numbers(devices)}; }
};

constexpr Row rows[] = {
    {"gradient", time_of<Gradient>},
    {"ring", time_of<Ring>},
    {"psum", time_of<Psum>},
    {"all_gather", time_of<AllGatherToInvariant>},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
