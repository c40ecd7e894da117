// SPDX-License-Identifier: Apache-2.0
// How long programs take to trace, optimise and plan; bench/rows.hpp says how they are asked for.
#include <numeric>

#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

/// The expected result of a program.
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

/// The gradient of sum(sin(sin(..x))), with `equations` times sin.
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

/// A program of `leaves` arrays [2], each split over two devices.
template <class Body>
auto compiled_for_leaves(std::int64_t leaves, const Body& body, const P& out) {
  const Mesh mesh({{"x", 2}});
  return open_local(mesh, {.workers = 2})
      .compile(shard_map(body, {.mesh = mesh, .in = P("x"), .out = out}),
               Arrays(static_cast<std::size_t>(leaves), abstract({2}, DType::f32)));
}

/// Median time of three compilations. `check` calls the program once, on leaves of [1, 2].
template <class Compile, class Check>
Json time_of_leaves(std::int64_t leaves, const Compile& compile, const Check& check_results) {
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) {
    const Clock::time_point start = Clock::now();
    const auto run = compile();
    times.push_back(microseconds_since(start));
    if (i == 0) check_results(run(Arrays(static_cast<std::size_t>(leaves), Tensor({2}, {1.0F, 2.0F}))));
  }
  return Json{{"us", median(std::move(times))}};
}

void check_each(const Arrays& results, const std::vector<float>& expected) {
  for (const Array& result : results) {
    const std::vector<float> found = result.values<float>();
    check(found.size() == expected.size(), "another size");
    for (std::size_t i = 0; i < found.size(); ++i) check_close(found[i], expected[i], 1e-5, 1, "an element");
  }
}

template <class F>
Arrays each(const Arrays& leaves, const F& f) {
  Arrays results;
  for (const Array& leaf : leaves) results.push_back(f(leaf));
  return results;
}

Measure scaled_leaves(std::int64_t n) {
  return [n] {
    auto scale = [](const Arrays& x) { return each(x, [](const Array& a) { return a * 0.5F + 1.0F; }); };
    return time_of_leaves(
        n, [&] { return compiled_for_leaves(n, scale, P("x")); },
        [](const Arrays& results) { check_each(results, {1.5F, 2.0F}); });
  };
}

/// One step from zero momenta. The loss is the sum of squares: each element goes down by the rate.
Measure adam(std::int64_t n) {
  return [n] {
    constexpr float rate = 0.125F;
    auto loss = [](const Arrays& x) {
      Array sum = x[0] * x[0];
      for (std::size_t i = 1; i < x.size(); ++i) sum = sum + x[i] * x[i];
      return psum(reduce_sum(sum), "x");
    };
    auto step = [&](const Arrays& x) {
      const Arrays gradients = grad(loss)(x);
      Arrays next;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const Array first = gradients[i] * 0.1F, second = gradients[i] * gradients[i] * 0.001F;
        next.push_back(x[i] - first / 0.1F / sqrt(second / 0.001F) * rate);
      }
      return next;
    };
    return time_of_leaves(
        n, [&] { return compiled_for_leaves(n, step, P("x")); },
        [](const Arrays& results) { check_each(results, {1 - rate, 2 - rate}); });
  };
}

Measure psum_of_leaves(std::int64_t n) {
  return [n] {
    auto sum = [](const Arrays& x) { return each(x, [](const Array& a) { return psum(a, "x"); }); };
    return time_of_leaves(
        n, [&] { return compiled_for_leaves(n, sum, P()); },
        [](const Arrays& results) { check_each(results, {3}); });
  };
}

Measure scan_of_leaves(std::int64_t n) {
  return [n] {
    auto loop = [](const Arrays& x) {
      auto trip = [](const Array&, const Arrays& carried) {
        return each(carried, [](const Array& a) { return a + 1.0F; });
      };
      return fori_loop(0, 10, trip, x);
    };
    return time_of_leaves(
        n, [&] { return compiled_for_leaves(n, loop, P("x")); },
        [](const Arrays& results) { check_each(results, {11, 12}); });
  };
}

constexpr Row rows[] = {
    {"gradient", time_of<Gradient>},
    {"ring", time_of<Ring>},
    {"psum", time_of<Psum>},
    {"all_gather", time_of<AllGatherToInvariant>},
    {"scaled_leaves", scaled_leaves},
    {"adam", adam},
    {"psum_of_leaves", psum_of_leaves},
    {"scan_of_leaves", scan_of_leaves},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
