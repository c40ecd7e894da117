// SPDX-License-Identifier: Apache-2.0
// This compares stencils, running sums, orders and transposes on one device with loops by hand.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

extern "C" void omp_set_num_threads(int count);  // clang has no omp.h here

namespace {

using namespace tutti;
using Floats = std::vector<float>;

constexpr std::int64_t edge = 512, steps = 1000, side = 1024;
constexpr float spread = 0.2F;

/// From -1 to 1, in no order.
Floats scattered(std::int64_t count) {
  Floats x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(static_cast<std::uint32_t>(i) * 2'654'435'761U >> 8) * 0x1p-23F - 1;
  return x;
}

/// Ours is near the loop by hand: times of wrong numbers mean nothing.
void require_near(const Floats& found, const Floats& expected, float tolerance) {
  if (found.size() != expected.size()) throw std::runtime_error("another size than by hand");
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(found[i] - expected[i]) <= tolerance))
      throw std::runtime_error("another result than by hand");
}

struct Work {
  Shape shape;
  std::function<Array(const Array&)> ours;
  std::function<void(Floats& to, const Floats& from)> by_hand;
  std::int64_t results;
  float tolerance = 1e-4F;
};

void tutti_runs(benchmark::State& state, const Work& work) {
  const Machine machine = open_local(Mesh({{"i", 1}}), {.workers = static_cast<int>(state.range(0))});
  const Floats x = scattered(work.shape.elements());
  const Array placed = machine.place(Array(Tensor(work.shape, x)), P());
  const auto run = machine.compile(work.ours, placed);
  Floats expected(static_cast<std::size_t>(work.results));
  work.by_hand(expected, x);
  require_near(run(placed).values<float>(), expected, work.tolerance);
  for (auto _ : state) benchmark::DoNotOptimize(run(placed));
}

void hand_runs(benchmark::State& state, const Work& work) {
  omp_set_num_threads(static_cast<int>(state.range(0)));
  const Floats x = scattered(work.shape.elements());
  Floats to(static_cast<std::size_t>(work.results));
  for (auto _ : state) {
    work.by_hand(to, x);
    benchmark::ClobberMemory();
  }
}

// --- Heat on a square plate with a cold border -----------------------------------------------------------

Array padded_step(const Array& u) {
  const Array all = pad(u, 0.0F, {{1, 1}, {1, 1}});
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return slice_in_dim(slice_in_dim(all, row, row + edge, 1, 0), column, column + edge, 1, 1);
  };
  return u + spread * (at(0, 1) + at(2, 1) + (at(1, 0) + at(1, 2)) - 4 * u);
}

Array heat(const Array& u) {
  return fori_loop(
      0, static_cast<int>(steps), [](const Array&, const Array& v) { return padded_step(v); }, u);
}

void heat_by_hand(Floats& to, const Floats& from) {
  constexpr std::int64_t width = edge + 2;
  static Floats a(width * width), b(width * width);
  std::ranges::fill(a, 0.0F);
  std::ranges::fill(b, 0.0F);
  for (std::int64_t i = 0; i < edge; ++i)
    std::copy_n(from.begin() + i * edge, edge, a.begin() + (i + 1) * width + 1);
  float *now = a.data(), *next = b.data();
#pragma omp parallel
  for (std::int64_t step = 0; step < steps; ++step) {
    const float* u = step % 2 == 0 ? now : next;
    float* v = step % 2 == 0 ? next : now;
#pragma omp for schedule(static)
    for (std::int64_t i = 1; i <= edge; ++i) {
      const float *row = u + i * width, *above = row - width, *below = row + width;
      float* out = v + i * width;
#pragma omp simd
      for (std::int64_t j = 1; j <= edge; ++j)
        out[j] = row[j] + spread * (above[j] + below[j] + (row[j - 1] + row[j + 1]) - 4 * row[j]);
    }
  }
  static_assert(steps % 2 == 0);
  for (std::int64_t i = 0; i < edge; ++i)
    std::copy_n(a.begin() + (i + 1) * width + 1, edge, to.begin() + i * edge);
}

// --- Folds and orders along one dim ----------------------------------------------------------------------

void sum_along_rows(Floats& to, const Floats& from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < side; ++j) {
      sum += from[static_cast<std::size_t>(i * side + j)];
      to[static_cast<std::size_t>(i * side + j)] = sum;
    }
  }
}

void sum_along_columns(Floats& to, const Floats& from) {
  std::copy_n(from.begin(), side, to.begin());
  for (std::int64_t i = 1; i < side; ++i)
#pragma omp simd
    for (std::int64_t j = 0; j < side; ++j)
      to[static_cast<std::size_t>(i * side + j)] =
          to[static_cast<std::size_t>((i - 1) * side + j)] + from[static_cast<std::size_t>(i * side + j)];
}

void largest_of_rows(Floats& to, const Floats& from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; ++i) {
    const float* row = from.data() + i * side;
    to[static_cast<std::size_t>(i)] = static_cast<float>(std::max_element(row, row + side) - row);
  }
}

void transposed(Floats& to, const Floats& from) {
  constexpr std::int64_t block = 16;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; i += block)
    for (std::int64_t j = 0; j < side; j += block)
      for (std::int64_t k = i; k < i + block; ++k)
#pragma omp simd
        for (std::int64_t l = j; l < j + block; ++l)
          to[static_cast<std::size_t>(k * side + l)] = from[static_cast<std::size_t>(l * side + k)];
}

void sorted_rows(Floats& to, const Floats& from) {
  to = from;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; ++i) std::sort(to.begin() + i * side, to.begin() + (i + 1) * side);
}

void sum_over_rows(Floats& to, const Floats& from) {
  std::ranges::fill(to, 0.0F);
  for (std::int64_t i = 0; i < side; ++i)
#pragma omp simd
    for (std::int64_t j = 0; j < side; ++j)
      to[static_cast<std::size_t>(j)] += from[static_cast<std::size_t>(i * side + j)];
}

const Shape square{side, side};
const std::pair<const char*, Work> works[] = {
    {"heat", {{edge, edge}, heat, heat_by_hand, edge* edge}},
    {"cumsum_rows", {square, [](const Array& x) { return cumsum(x, 1); }, sum_along_rows, side* side, 1e-2F}},
    {"cumsum_columns",
     {square, [](const Array& x) { return cumsum(x, 0); }, sum_along_columns, side* side, 1e-2F}},
    {"argmax_rows",
     {square, [](const Array& x) { return convert(argmax(x, 1), DType::f32); }, largest_of_rows, side}},
    {"transpose", {square, [](const Array& x) { return transpose(x); }, transposed, side* side}},
    {"sort_rows", {square, [](const Array& x) { return sort(x, 1); }, sorted_rows, side* side}},
    {"sum_of_columns", {square, [](const Array& x) { return reduce_sum(x, 0); }, sum_over_rows, side, 1e-2F}},
};

}  // namespace

int main(int argc, char** argv) {
  struct Runner {
    const char* whose;
    void (*run)(benchmark::State&, const Work&);
  };
  for (const auto& [name, work] : works)
    for (const Runner& runner : {Runner{"tutti", tutti_runs}, Runner{"by_hand", hand_runs}})
      benchmark::RegisterBenchmark((std::string(name) + "/" + runner.whose).c_str(),
                                   [&work = work, run = runner.run](benchmark::State& state) {
                                     run(state, work);
                                   })
          ->Arg(1)
          ->Arg(2)
          ->UseRealTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
