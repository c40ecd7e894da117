// SPDX-License-Identifier: Apache-2.0
// Passes over large arrays on one device: reductions over all dims, argmax along one, functions of elements,
// and the first call of a program with large results. bench/rows.hpp says how they are asked for,
// bench/programs_peer.py has some of them in JAX.
#include <sys/mman.h>

#include <cstring>

#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

constexpr std::int64_t bytes = 64 << 20, side = 4096;

/// -1, 1 and 0 in turn, and one 2: sums of these and of their squares are exact in f32, in any order.
constexpr std::int64_t place_of_largest = 12'345'678;
Tensor small_numbers() {
  Tensor x({side, side}, DType::f32);
  float* to = x.mutable_data<float>();
  for (std::int64_t i = 0; i < x.elements(); ++i) to[i] = static_cast<float>(i * 2 % 3 - 1);
  to[place_of_largest] = 2;
  return x;
}
Tensor bytes_of_all_values() {
  Tensor x({2 * side, 2 * side}, DType::u8);
  auto* to = x.mutable_data<std::uint8_t>();
  for (std::int64_t i = 0; i < x.elements(); ++i) to[i] = static_cast<std::uint8_t>(i * 7919 % 256);
  return x;
}

/// From the line " arena 64.0 MiB at most .." of explain(), and that of sub-programs, which starts with
/// "inside".
double explained_bytes(const std::string& explained) {
  const std::map<std::string, double> units{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  std::istringstream text(explained);
  double all = 0;
  bool has_arena = false, in_memory = false;
  for (std::string line; std::getline(text, line);) {
    in_memory = in_memory || line == "memory";
    std::istringstream words(line);
    std::string what, unit;
    double amount = 0;
    if (!in_memory || !(words >> what >> amount >> unit) || (what != "arena" && what != "inside")) continue;
    has_arena = has_arena || what == "arena";
    all += amount * units.at(unit);
  }
  if (!has_arena) throw std::runtime_error("explain() does not tell the arena:\n" + explained);
  return all;
}

struct Moments {
  double count = 0, sum = 0, squares = 0, exponentials = 0;
};
template <class T>
Moments moments(const Tensor& x) {
  Moments m{.count = static_cast<double>(x.elements())};
  const bool is_small = sizeof(T) > 1;
  const double exponential[] = {std::exp(-1.0), 1, std::exp(1.0), std::exp(2.0)};
  for (T element : x.as<T>()) {
    const auto e = static_cast<double>(element);
    m.sum += e;
    m.squares += e * e;
    if (is_small) m.exponentials += exponential[static_cast<int>(e) + 1];
  }
  return m;
}

struct Reduction {
  Array (*ours)(const Array& x);
  double (*expected)(const Moments& m);
  double tolerance = 0;  // 0: exact
};

template <class T>
Measure prepare_reduction(const Tensor& data, const P& spec, const Reduction& reduction) {
  const Mesh mesh = one_device();
  Machine machine = open_local(mesh, {.workers = 2});
  Array x = machine.place(Array(data), spec);
  auto reduce = machine.compile(shard_map(reduction.ours, {.mesh = mesh, .in = spec, .out = P()}), x);
  const double expected = reduction.expected(moments<T>(data));
  const double found = reduce(x).item();
  check_close(found, expected, reduction.tolerance, std::abs(expected), "a reduction");
  return [reduce, x, found] {
    return Json{{"us", microseconds_a_call([&] { reduce(x); })},
                {"value", std::abs(found)},
                {"arena", explained_bytes(reduce.explain())}};
  };
}
Measure of_floats(const Reduction& reduction, const P& spec = P()) {
  return prepare_reduction<float>(small_numbers(), spec, reduction);
}

constexpr double a_rounding = 1.2e-7;

Measure sum(std::int64_t) {
  return of_floats({[](const Array& x) { return reduce_sum(x); }, [](const Moments& m) { return m.sum; }});
}
Measure psum_of_squares(std::int64_t) {
  return of_floats({[](const Array& x) { return psum(reduce_sum(x * x), "x"); },
                    [](const Moments& m) { return m.squares; }},
                   P("x"));
}
Measure norm(std::int64_t) {
  return of_floats({[](const Array& x) { return sqrt(reduce_sum(square(x))); },
                    [](const Moments& m) { return std::sqrt(m.squares); }, a_rounding});
}
Measure mean_square(std::int64_t) {
  return of_floats({[](const Array& x) { return mean(square(x)); },
                    [](const Moments& m) { return m.squares / m.count; }, a_rounding});
}
// Sums of n numbers in pairs: 24 roundings of 2^24 numbers, and a few of each.
constexpr double roundings_of_sums = 32 * a_rounding;
Measure variance_of_all(std::int64_t) {
  return of_floats(
      {[](const Array& x) { return variance(x); },
       [](const Moments& m) { return m.squares / m.count - m.sum / m.count * (m.sum / m.count); },
       roundings_of_sums});
}
Measure logsumexp_of_all(std::int64_t) {
  return of_floats({[](const Array& x) { return logsumexp(x); },
                    [](const Moments& m) { return std::log(m.exponentials); }, roundings_of_sums});
}
Measure argmax_of_all(std::int64_t) {
  return of_floats({[](const Array& x) { return argmax(reshape(x, {side * side})); },
                    [](const Moments&) { return static_cast<double>(place_of_largest); }});
}
Measure sum_of_bytes(std::int64_t) {
  return prepare_reduction<std::uint8_t>(bytes_of_all_values(), P(),
                                         {[](const Array& x) { return reduce_sum(convert(x, DType::i64)); },
                                          [](const Moments& m) { return m.sum; }});
}

// The arrays are [2048, 2048], as in bench/programs_peer.py.
constexpr std::int64_t edge = 2048;

template <class F>
auto compiled_for(const F& function, const Array& x) {
  const Mesh mesh = one_device();
  return open_local(mesh, {.workers = 2})
      .compile(shard_map(function, {.mesh = mesh, .in = P(), .out = P()}), x);
}
Array placed(const Tensor& x) { return open_local(one_device(), {.workers = 1}).place(Array(x), P()); }

Measure argmax_along(std::int64_t dim) {
  const Array x = placed(values({edge, edge}));
  auto run = compiled_for([dim](const Array& a) { return argmax(a, static_cast<int>(dim)); }, x);
  const std::vector<std::int32_t> found = run(x).values<std::int32_t>();
  for (std::int64_t line = 0; line < edge; ++line) {
    auto element = [&](std::int64_t i) {
      return dim == 0 ? value_of(i * edge + line) : value_of(line * edge + i);
    };
    std::int64_t first = 0;
    for (std::int64_t i = 1; i < edge; ++i)
      if (element(i) > element(first)) first = i;
    check(found[static_cast<std::size_t>(line)] == first, "argmax along a dim");
  }
  return [run, x, value = mean_size(found)] {
    return Json{{"us", microseconds_a_call([&] { run(x); })}, {"value", value}};
  };
}

Measure functions(std::int64_t) {
  const Array x = placed(values({edge, edge}));
  auto run = compiled_for([](const Array& a) { return exp(a) + sin(a) * tanh(a) + erf(a); }, x);
  const std::vector<float> found = run(x).values<float>();
  for (std::int64_t i = 0; i < 2001; ++i) {
    const double a = value_of(i), expected = std::exp(a) + std::sin(a) * std::tanh(a) + std::erf(a);
    for (std::int64_t same : {i, i + 2001 * 2000})
      check_close(found[static_cast<std::size_t>(same)], expected, 2e-6, 1,
                  "exp(x) + sin(x) tanh(x) + erf(x)");
  }
  return [run, x, value = mean_size(found)] {
    return Json{{"us", microseconds_a_call([&] { run(x); })}, {"value", value}};
  };
}

/// Element [b, 0, l] of an einsum "bij,bjk,bkl->bil" of values.
double of_three(std::int64_t b, std::int64_t l, const Tensors& x) {
  const std::int64_t n = x[0].shape()[1], at = b * n * n;
  double sum = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    double inner = 0;
    for (std::int64_t j = 0; j < n; ++j) inner += x[0].at(at + j) * x[1].at(at + j * n + k);
    sum += inner * x[2].at(at + k * n + l);
  }
  return sum;
}

Measure einsum_of_three(std::int64_t workers) {
  constexpr std::int64_t batch = 8, n = 256;
  Tensors operands;
  for (std::int64_t salt = 0; salt < 3; ++salt) {
    Tensor x({batch, n, n}, DType::f32);
    for (std::int64_t i = 0; i < x.elements(); ++i) x.mutable_data<float>()[i] = value_of(i + salt);
    operands.push_back(x);
  }
  Machine machine = open_local(one_device(), {.workers = static_cast<int>(workers)});
  Arrays placed;
  for (const Tensor& x : operands) placed.push_back(machine.place(Array(x), P()));
  auto run = machine.compile([](const Arrays& x) { return einsum("bij,bjk,bkl->bil", x); }, placed);
  const std::vector<float> found = run(placed).values<float>();
  for (std::int64_t b = 0; b < batch; ++b) {
    const double expected = of_three(b, b * 31, operands);
    check_close(found[static_cast<std::size_t>(b * n * n + b * 31)], expected, 1e-4, n, "einsum of three");
  }
  return [run, placed, value = mean_size(found)] {
    return Json{{"us", microseconds_a_call([&] { run(placed); })}, {"value", value}};
  };
}

/// The time of setting as much fresh memory, for which huge pages are asked for once, in us.
double set_fresh_memory(std::int64_t mebibytes) {
  const auto size = static_cast<std::size_t>(mebibytes) << 20;
  const Clock::time_point start = Clock::now();
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory to set");
  madvise(memory, size, MADV_HUGEPAGE);
  std::memset(memory, 1, size);
  const double us = microseconds_since(start);
  munmap(memory, size);
  return us;
}

// On a virtual machine, memory that nobody has used for a minute is taken back by the host: whoever touches
// it first waits for seconds, a memset as much as a first call. So it is touched once before either is timed.
Measure first_memset(std::int64_t mebibytes) {
  return [mebibytes] {
    set_fresh_memory(mebibytes);
    return Json{{"us", set_fresh_memory(mebibytes)}};
  };
}

/// The first call of a program with so many MiB of results: equal rows.
Measure first_call(std::int64_t mebibytes) {
  constexpr std::int64_t columns = 1024;
  return [mebibytes] {
    const Shape shape{mebibytes * ((1 << 20) / 4 / columns), columns};
    const Array row = placed(values({columns}));
    auto run = compiled_for([shape](const Array& a) { return broadcast_to(a + 1, shape); }, row);
    set_fresh_memory(mebibytes);
    const Clock::time_point start = Clock::now();
    const Array result = run(row);
    const double us = microseconds_since(start);
    const auto* found = reinterpret_cast<const float*>(result.finished()->buffer().base.get());
    for (std::int64_t i = 0; i < shape.elements(); i += 1023)
      check(found[i] == value_of(i % columns) + 1, "rows of a large result");
    return Json{{"us", us}};
  };
}

constexpr Row rows[] = {
    {"sum", sum},
    {"psum_of_squares", psum_of_squares},
    {"norm", norm},
    {"mean_square", mean_square},
    {"variance", variance_of_all},
    {"logsumexp", logsumexp_of_all},
    {"argmax_of_all", argmax_of_all},
    {"sum_of_bytes", sum_of_bytes},
    {"argmax_along", argmax_along},
    {"functions", functions},
    {"einsum_of_three", einsum_of_three},
    {"first_call", first_call},
    {"first_memset", first_memset},
};
static_assert(side * side * 4 == bytes);

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
