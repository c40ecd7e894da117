// SPDX-License-Identifier: Apache-2.0
// Functions of one array of f32, most of 2^20 elements; the size is the number of workers.
// bench/programs_peer.py has them in JAX, and bench/one_core_peer.py on one core. bench/rows.hpp says how
// they are asked for.
#include <complex>
#include <numeric>

#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

constexpr std::int64_t count = 1 << 20, edge = 1024, most = 64, side = 512;

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

/// Complex numbers of f32, of the parts of scattered().
Tensor complex_scattered(const Shape& shape) {
  std::vector<std::int64_t> sizes = shape.sizes();
  sizes.push_back(2);
  const std::vector<float> parts = Array(scattered(Shape(sizes))).values<float>();
  std::vector<std::complex<float>> x;
  for (std::size_t i = 0; i < parts.size(); i += 2) x.emplace_back(parts[i], parts[i + 1]);
  return {shape, x};
}

/// The squares of a transform add up to n times those of its operand.
template <class F>
Measure transformed(const F& function, const Shape& shape, std::int64_t n, std::int64_t workers) {
  Machine machine = open_local(one_device(), {.workers = static_cast<int>(workers)});
  const Tensor data = complex_scattered(shape);
  const Array x = machine.place(Array(data), P());
  auto run = machine.compile(function, x);
  const auto found = run(x).template values<std::complex<float>>();
  double before = 0, after = 0, size = 0;
  for (const std::complex<float>& each : Array(data).values<std::complex<float>>()) before += std::norm(each);
  for (const std::complex<float>& each : found) {
    after += std::norm(each);
    size += std::abs(each);
  }
  check_close(after, static_cast<double>(n) * before, 1e-4, after, "fft");
  return [run, x, value = size / static_cast<double>(found.size())] {
    return Json{{"us", microseconds_a_call([&] { run(x); })}, {"value", value}};
  };
}

Measure of_fft(std::int64_t workers) {
  return transformed([](const Array& x) { return fft(x); }, {count}, count, workers);
}
Measure of_fft2(std::int64_t workers) {
  return transformed([](const Array& x) { return fft2(x); }, {256, 256}, 256 * 256, workers);
}
Measure of_fft2s(std::int64_t workers) {
  return transformed([](const Array& x) { return fft2(x); }, {16, 256, 256}, 256 * 256, workers);
}

/// The potential of a source on a periodic cube: examples/poisson on one device.
Array potential(const Array& source) {
  const std::int64_t n = source.dim(0);
  const Array k = fftfreq(n, 1.0 / static_cast<double>(n)), half = arange(n / 2 + 1, DType::f32);
  const Array squares = expand_dims(expand_dims(square(k), 1), 2) + expand_dims(square(k), 1) + square(half);
  const Array factor = where(equal(squares, 0), 0, 1 / where(equal(squares, 0), 1, squares));
  return irfftn(rfftn(source) * complex(factor, zeros_like(factor)), {.sizes = {n, n, n}});
}

Measure of_poisson(std::int64_t workers) {
  return measured(potential, {128, 128, 128}, workers,
                  [](const std::vector<float>&, const std::vector<float>& found) {
                    double sum = 0, size = 0;
                    for (float each : found) {
                      sum += each;
                      size += std::abs(each);
                    }
                    check_close(sum, 0, 1e-4, size, "poisson");
                  });
}

/// Images of 32x32 with 64 features and a 3x3 kernel, as of a layer of a network.
constexpr std::int64_t images = 8, image_side = 32, features = 64;

Array layer(const Array& x, const Array& kernel) {
  return convolution(x, kernel, {.padding = WindowPadding::same});
}

/// The element in the middle of the first image, of the first output feature.
double middle_of_layer(const std::vector<float>& x, const std::vector<float>& kernel) {
  double sum = 0;
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      for (std::int64_t c = 0; c < features; ++c)
        sum += double(x[std::size_t(((15 + i) * image_side + 15 + j) * features + c)]) *
               double(kernel[std::size_t(((i * 3 + j) * features + c) * features)]);
  return sum;
}

/// `function` gives the array whose numbers are compared first.
template <class F, class Check>
Measure of_layer(const F& function, std::int64_t workers, const Check& check_result) {
  Machine machine = open_local(one_device(), {.workers = static_cast<int>(workers)});
  const Tensor data = scattered({images, image_side, image_side, features}),
               weights = scattered({3, 3, features, features});
  const Array x = machine.place(Array(data), P()), kernel = machine.place(Array(weights), P());
  auto run = machine.compile(function, x, kernel);
  const std::vector<float> found = std::get<0>(run(x, kernel)).template values<float>();
  check_result(Array(data).values<float>(), Array(weights).values<float>(), found);
  return [run, x, kernel, value = mean_size(found)] {
    return Json{{"us", microseconds_a_call([&] { run(x, kernel); })}, {"value", value}};
  };
}

Measure of_convolution(std::int64_t workers) {
  return of_layer([](const Array& x, const Array& kernel) { return std::tuple{layer(x, kernel)}; }, workers,
                  [](const auto& x, const auto& kernel, const std::vector<float>& found) {
                    const auto middle = std::size_t((16 * image_side + 16) * features);
                    check_close(found[middle], middle_of_layer(x, kernel), 1e-4, 1, "convolution");
                  });
}

Measure of_convolution_gradient(std::int64_t workers) {
  const auto energy = [](const Array& x, const Array& kernel) {
    return reduce_sum(square(layer(x, kernel)));
  };
  return of_layer(
      [=](const Array& x, const Array& kernel) {
        const auto [of_x, of_kernel] = grad<0, 1>(energy)(x, kernel);
        return std::tuple{of_kernel, of_x};
      },
      workers,
      [](const auto&, const auto&, const std::vector<float>& found) {
        check(std::ranges::all_of(found, [](float g) { return std::isfinite(g); }), "convolution gradient");
      });
}

const Shape layer_shape{images, image_side, image_side, features};
const PoolOptions halved{.strides = {2, 2}};

Measure of_max_pool(std::int64_t workers) {
  return measured([](const Array& x) { return max_pool(x, {2, 2}, halved); }, layer_shape, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    const auto row = static_cast<std::size_t>(32 * 64);
                    check(found[7] == std::max({x[7], x[7 + 64], x[7 + row], x[7 + row + 64]}), "max_pool");
                  });
}

Measure of_max_pool_gradient(std::int64_t workers) {
  const auto sum = [](const Array& x) { return reduce_sum(max_pool(x, {2, 2}, halved)); };
  return measured(grad(sum), layer_shape, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    const double selected = std::accumulate(found.begin(), found.end(), 0.0);
                    check(selected == static_cast<double>(x.size()) / 4, "the gradient of max_pool");
                  });
}

double sum_of_squares(const std::vector<float>& x) {
  double sum = 0;
  for (const float a : x) sum += static_cast<double>(a) * a;
  return sum;
}

/// Elements i > 0 of column 0 of q + r are those of q: of the first column of x + 30, divided by its length.
void check_first_column(const std::vector<float>& x, const std::vector<float>& found) {
  double squares = 0;
  for (std::size_t i = 0; i < side; ++i) squares += std::pow(double(x[i * side]) + (i == 0 ? 30 : 0), 2);
  for (std::size_t i = 1; i < side; ++i)
    check_close(found[i * side], -double(x[i * side]) / std::sqrt(squares), 1e-5, 1, "qr");
}

Measure of_qr(std::int64_t workers) {
  const auto both = [](const Array& x) {
    const auto [q, r] = qr(x + 30.0 * eye(side, DType::f32));
    return q + r;
  };
  return measured(both, {side, side}, workers, check_first_column);
}

Measure of_eigh(std::int64_t workers) {
  constexpr std::int64_t size = 256;
  return measured([](const Array& x) { return eigh(x).eigenvalues; }, {size, size}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    double sum = 0, trace = 0;
                    for (const float w : found) sum += w;
                    for (std::size_t i = 0; i < x.size(); i += size + 1) trace += x[i];
                    check_close(sum, trace, 1e-4, 100, "eigh");
                  });
}

Measure of_svd(std::int64_t workers) {
  return measured([](const Array& x) { return svd(x).s; }, {256, 256}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    check_close(sum_of_squares(found), sum_of_squares(x), 1e-5, sum_of_squares(x), "svd");
                  });
}

/// A symmetric matrix that is far from singular.
Array dominated(const Array& x, DType dtype) {
  const Array matrix = convert(x, dtype);
  return matrix + transpose(matrix) + 1100.0 * eye(side, dtype);
}

/// Row `row` of l l^T, from the first `side` columns of l.
void check_factor(const std::vector<float>& x, const std::vector<float>& l, std::int64_t row) {
  const auto at = [](const std::vector<float>& m, std::int64_t i, std::int64_t j) {
    return static_cast<double>(m[static_cast<std::size_t>(i * side + j)]);
  };
  for (std::int64_t j = 0; j < side; ++j) {
    double sum = 0;
    for (std::int64_t k = 0; k < side; ++k) sum += at(l, row, k) * at(l, j, k);
    check_close(sum, at(x, row, j) + at(x, j, row) + (row == j ? 1100 : 0), 1e-5, 1100, "cholesky");
  }
}

Measure factor_of(DType dtype, std::int64_t workers) {
  return measured([dtype](const Array& x) { return convert(cholesky(dominated(x, dtype)), DType::f32); },
                  {side, side}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    for (const std::int64_t row : {0, 300, 511}) check_factor(x, found, row);
                  });
}
Measure factor_of_f32(std::int64_t workers) { return factor_of(DType::f32, workers); }
Measure factor_of_f64(std::int64_t workers) { return factor_of(DType::f64, workers); }

Measure solution(std::int64_t workers) {
  return measured([](const Array& x) { return solve(x + 30.0 * eye(side, DType::f32), index_in_dim(x, 0)); },
                  {side, side}, workers,
                  [](const std::vector<float>& x, const std::vector<float>& found) {
                    for (const std::size_t i : {0, 300, 511}) {
                      double sum = 30 * static_cast<double>(found[i]);
                      for (std::size_t k = 0; k < found.size(); ++k)
                        sum += static_cast<double>(x[i * side + k]) * static_cast<double>(found[k]);
                      check_close(sum, x[i], 1e-4, 1, "solve");
                    }
                  });
}

constexpr Row rows[] = {
    {"sort", sorted},
    {"top_k", largest},
    {"cumsum", running_sum},
    {"gelu", of_gelu},
    {"layer_norm", of_layer_norm},
    {"fft", of_fft},
    {"fft2", of_fft2},
    {"fft2s", of_fft2s},
    {"poisson", of_poisson},
    {"convolution", of_convolution},
    {"convolution_gradient", of_convolution_gradient},
    {"max_pool", of_max_pool},
    {"max_pool_gradient", of_max_pool_gradient},
    {"qr", of_qr},
    {"eigh", of_eigh},
    {"svd", of_svd},
    {"cholesky", factor_of_f32},
    {"cholesky_f64", factor_of_f64},
    {"solve", solution},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
