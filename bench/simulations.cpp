// SPDX-License-Identifier: Apache-2.0
// This compares stencils, running sums, orders and transposes on one device with loops by hand.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/heat_row.hpp"
#include "bench/rows.hpp"

extern "C" void omp_set_num_threads(int count);  // clang has no omp.h here

namespace tutti::bench {
namespace {

template <class T>
using Numbers = std::vector<T>;
using Floats = Numbers<float>;

constexpr std::int64_t edge = 512, steps = 1000, side = 1024;
constexpr float spread = 0.2F;

template <class T>
Numbers<T> numbers(const Shape& shape) {
  const Floats x = Array(scattered(shape)).values<float>();
  return {x.begin(), x.end()};
}

/// Ours is near the loop by hand: times of wrong numbers mean nothing.
template <class T>
void check_near(const Numbers<T>& found, const Numbers<T>& expected, double tolerance) {
  check(found.size() == expected.size(), "another size than by hand");
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(found[i] - expected[i]) <= tolerance))
      check_close(found[i], expected[i], tolerance, 1, "element " + std::to_string(i));
}

template <class T>
struct Work {
  Shape shape;
  std::function<Array(const Array&)> ours;
  std::function<void(Numbers<T>& to, const Numbers<T>& from)> by_hand;  // none: it takes too long
  std::int64_t results;
  double tolerance = 1e-4;
};

template <class T>
void tutti_runs(benchmark::State& state, const Work<T>& work) {
  const Machine machine = open_local(Mesh({{"i", 1}}), {.workers = static_cast<int>(state.range(0))});
  const Numbers<T> x = numbers<T>(work.shape);
  const Array placed = machine.place(Array(Tensor(work.shape, x)), P());
  const auto run = machine.compile(work.ours, placed);
  if (work.by_hand) {
    Numbers<T> expected(static_cast<std::size_t>(work.results));
    work.by_hand(expected, x);
    check_near(run(placed).template values<T>(), expected, work.tolerance);
  }
  for (auto _ : state) benchmark::DoNotOptimize(run(placed));
}

template <class T>
void hand_runs(benchmark::State& state, const Work<T>& work) {
  omp_set_num_threads(static_cast<int>(state.range(0)));
  const Numbers<T> x = numbers<T>(work.shape);
  Numbers<T> to(static_cast<std::size_t>(work.results));
  for (auto _ : state) {
    work.by_hand(to, x);
    benchmark::ClobberMemory();
  }
}

template <class T>
void add(const char* name, const Work<T>& work) {
  const auto as = [&](const char* whose, void (*run)(benchmark::State&, const Work<T>&)) {
    benchmark::RegisterBenchmark((std::string(name) + "/" + whose).c_str(),
                                 [work, run](benchmark::State& state) { run(state, work); })
        ->Arg(1)
        ->Arg(2)
        ->UseRealTime();
  };
  as("tutti", tutti_runs<T>);
  if (work.by_hand) as("by_hand", hand_runs<T>);
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
      const float* row = u + i * width;
      heat_row(v + i * width, row, row - width, row + width, edge, spread);
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

constexpr std::int64_t block = 256;  // columns of a thread

void sum_along_columns(Floats& to, const Floats& from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < side; first += block) {
    std::copy_n(from.begin() + first, block, to.begin() + first);
    for (std::int64_t i = 1; i < side; ++i) {
      const float *term = from.data() + i * side, *before = to.data() + (i - 1) * side;
      float* sum = to.data() + i * side;
#pragma omp simd
      for (std::int64_t j = first; j < first + block; ++j) sum[j] = before[j] + term[j];
    }
  }
}

void largest_of_rows(Floats& to, const Floats& from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; ++i) {
    const float* row = from.data() + i * side;
    to[static_cast<std::size_t>(i)] = static_cast<float>(std::max_element(row, row + side) - row);
  }
}

void transposed(Floats& to, const Floats& from) {
  constexpr std::int64_t tile = 16;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; i += tile)
    for (std::int64_t j = 0; j < side; j += tile)
      for (std::int64_t k = i; k < i + tile; ++k)
#pragma omp simd
        for (std::int64_t l = j; l < j + tile; ++l)
          to[static_cast<std::size_t>(k * side + l)] = from[static_cast<std::size_t>(l * side + k)];
}

template <std::int64_t rows>
void sorted_rows(Floats& to, const Floats& from) {
  to = from;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < rows; ++i) std::sort(to.begin() + i * rows, to.begin() + (i + 1) * rows);
}

void sum_over_rows(Floats& to, const Floats& from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < side; first += block) {
    std::fill_n(to.begin() + first, block, 0.0F);
    for (std::int64_t i = 0; i < side; ++i) {
      const float* row = from.data() + i * side;
      float* sum = to.data();
#pragma omp simd
      for (std::int64_t j = first; j < first + block; ++j) sum[j] += row[j];
    }
  }
}

// --- Rows and elements -----------------------------------------------------------------------------------

template <class T>
struct Moments {
  T mean, variance;
};
template <class T>
Moments<T> moments_of(const T* row) {
  T sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < side; ++j) sum += row[j];
  const T mean = sum / side;
#pragma omp simd reduction(+ : squares)
  for (std::int64_t j = 0; j < side; ++j) squares += (row[j] - mean) * (row[j] - mean);
  return {mean, squares / side};
}

void variances(Floats& to, const Floats& from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; ++i)
    to[static_cast<std::size_t>(i)] = moments_of(from.data() + i * side).variance;
}

void normalised(Numbers<double>& to, const Numbers<double>& from) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < side; ++i) {
    const double* row = from.data() + i * side;
    double* out = to.data() + i * side;
    const auto [mean, variance] = moments_of(row);
    const double scale = 1 / std::sqrt(variance + 1e-5);
#pragma omp simd
    for (std::int64_t j = 0; j < side; ++j) out[j] = (row[j] - mean) * scale;
  }
}

void gelu_by_hand(Numbers<double>& to, const Numbers<double>& from) {
  const double factor = std::sqrt(2 / std::acos(-1.0));
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < side * side; ++i) {
    const double x = from[static_cast<std::size_t>(i)];
    to[static_cast<std::size_t>(i)] = 0.5 * x * (1 + std::tanh(factor * (x + 0.044715 * x * x * x)));
  }
}

/// x * x. Plain loops: the peer for this one is NumPy.
void square_of_512(Floats& to, const Floats& from) {
  constexpr std::int64_t n = 512;
  std::ranges::fill(to, 0.0F);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      const float x = from[static_cast<std::size_t>(i * n + k)];
#pragma omp simd
      for (std::int64_t j = 0; j < n; ++j)
        to[static_cast<std::size_t>(i * n + j)] += x * from[static_cast<std::size_t>(k * n + j)];
    }
}

void add_all() {
  const Shape square{side, side};
  const std::int64_t all = side * side;
  add<float>("heat", {{edge, edge}, heat, heat_by_hand, edge * edge});
  add<float>("cumsum_rows", {square, [](const Array& x) { return cumsum(x, 1); }, sum_along_rows, all, 1e-2});
  add<float>("cumsum_columns",
             {square, [](const Array& x) { return cumsum(x, 0); }, sum_along_columns, all, 1e-2});
  add<float>("argmax_rows", {square, [](const Array& x) { return convert(argmax(x, 1), DType::f32); },
                             largest_of_rows, side});
  add<float>("transpose", {square, [](const Array& x) { return transpose(x); }, transposed, all});
  add<float>("sort_rows", {square, [](const Array& x) { return sort(x, 1); }, sorted_rows<side>, all});
  add<float>("sum_of_columns",
             {square, [](const Array& x) { return reduce_sum(x, 0); }, sum_over_rows, side, 1e-2});
  add<float>("sort_short_rows",
             {{64, 64}, [](const Array& x) { return sort(x, 1); }, sorted_rows<64>, 64 * 64});
  add<float>("matmul_512",
             {{512, 512}, [](const Array& x) { return matmul(x, x); }, square_of_512, 512 * 512, 1e-2});
  add<float>("matmul_2048", {{2048, 2048}, [](const Array& x) { return matmul(x, x); }, {}, 2048 * 2048});
  add<float>("variance_of_rows", {square, [](const Array& x) { return variance(x, 1); }, variances, side});
  add<double>("layer_norm_f64", {square, [](const Array& x) { return layer_norm(x); }, normalised, all});
  add<double>("gelu_f64", {square, [](const Array& x) { return gelu(x); }, gelu_by_hand, all});
}

}  // namespace
}  // namespace tutti::bench

int main(int argc, char** argv) {
  tutti::bench::add_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
