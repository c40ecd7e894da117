// SPDX-License-Identifier: Apache-2.0
// Functions of one array of f32[2^20]; the size is the number of workers. bench/programs_peer.py has them in
// JAX, and bench/one_core_peer.py on one core. bench/rows.hpp says how they are asked for.
#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

constexpr std::int64_t count = 1 << 20, edge = 1024, most = 64;

using Check = void (*)(const std::vector<float>& x, const std::vector<float>& found);

template <class F>
Measure measured(const F& function, const Shape& shape, std::int64_t workers, Check check_result) {
  Machine machine = open_local(one_device(), {.workers = static_cast<int>(workers)});
  const Tensor data = scattered(shape);
  const Array x = machine.place(Array(data), P());
  auto run = machine.compile(function, x);
  const std::vector<float> found = run(x).template values<float>();
  check_result(Array(data).values<float>(), found);
  return [run, x, value = mean_size(found)] {
    return Json{{"us", microseconds_a_call([&] { run(x); })}, {"value", value}};
  };
}

Measure sorted(std::int64_t workers) {
  return measured([](const Array& x) { return sort(x); }, {count}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    std::vector<float> expected = x;
                    std::ranges::sort(expected);
                    check(found == expected, "sort");
                  });
}

Measure largest(std::int64_t workers) {
  return measured([](const Array& x) { return top_k(x, most).values; }, {count}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    std::vector<float> expected = x;
                    std::ranges::sort(expected, std::greater());
                    expected.resize(most);
                    check(found == expected, "top_k");
                  });
}

Measure running_sum(std::int64_t workers) {
  return measured([](const Array& x) { return cumsum(x); }, {count}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    double sum = 0;
                    for (std::size_t i = 0; i < x.size(); ++i) {
                      sum += x[i];
                      check_close(found[i], sum, 1e-5, 1e3, "cumsum");
                    }
                  });
}

Measure of_gelu(std::int64_t workers) {
  return measured([](const Array& x) { return gelu(x); }, {edge, edge}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    for (std::size_t i = 0; i < x.size(); i += 997) {
                      const double a = x[i], inner = std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a);
                      check_close(found[i], a / 2 * (1 + std::tanh(inner)), 1e-6, 1, "gelu");
                    }
                  });
}

Measure of_layer_norm(std::int64_t workers) {
  return measured([](const Array& x) { return layer_norm(x); }, {edge, edge}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    double sum = 0, squares = 0;
                    for (std::int64_t i = 0; i < edge; ++i) {
                      const double a = x[static_cast<std::size_t>(i)];
                      sum += a;
                      squares += a * a;
                    }
                    const double mean = sum / edge, variance = squares / edge - mean * mean;
                    check_close(found[5], (x[5] - mean) / std::sqrt(variance + 1e-5), 1e-4, 1, "layer_norm");
                  });
}

constexpr Row rows[] = {
    {"sort", sorted},
    {"top_k", largest},
    {"cumsum", running_sum},
    {"gelu", of_gelu},
    {"layer_norm", of_layer_norm},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
