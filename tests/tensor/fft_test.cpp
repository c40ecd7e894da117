// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/fft/fft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

namespace tutti {
namespace {

constexpr const char* without_ducc = "this build has no sources of ducc";

std::vector<double> numbers(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(3 * i + 1)) + 0.1;
  return x;
}

/// Memory that starts at 64 bytes.
struct Aligned {
  explicit Aligned(std::size_t bytes) : memory(bytes + 64) {}
  std::byte* at() {
    auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (64 - start % 64) % 64;
  }
  std::vector<std::byte> memory;
};

/// The batch, in steps of so many arrays.
std::vector<double> transformed(FftKind kind, const FftShape& shape, const std::vector<double>& x,
                                std::size_t results, std::int64_t step) {
  const auto plan = make_fft_plan(kind, DType::f64, shape);
  std::vector<double> y(results, -1);
  Aligned scratch(plan->scratch_bytes());
  for (std::int64_t begin = 0; begin < shape.batch; begin += step)
    plan->run(reinterpret_cast<std::byte*>(y.data()), reinterpret_cast<const std::byte*>(x.data()), begin,
              std::min(begin + step, shape.batch), scratch.at());
  return y;
}

/// Element k of the sum that defines the transform of one line.
std::complex<double> by_definition(const double* line, std::size_t n, std::size_t k) {
  std::complex<double> sum = 0;
  for (std::size_t m = 0; m < n; ++m)
    sum += std::complex(line[2 * m], line[2 * m + 1]) *
           std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * m % n) / static_cast<double>(n));
  return sum;
}

TEST(fft, is_the_sum_that_defines_it) {
  if (!has_fft()) GTEST_SKIP() << without_ducc;
  for (std::size_t n : {1, 2, 3, 8, 12, 13, 64, 97, 360, 512, 1000})
    for (std::size_t batch : {1, 2, 9}) {
      const std::vector<double> x = numbers(2 * n * batch);
      const FftShape shape{{static_cast<std::int64_t>(n)}, static_cast<std::int64_t>(batch)};
      const std::vector<double> y = transformed(FftKind::fft, shape, x, x.size(), shape.batch);
      for (std::size_t line = 0; line < batch; ++line)
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t at = 2 * (line * n + k);
          const double error =
              std::abs(std::complex(y[at], y[at + 1]) - by_definition(&x[2 * line * n], n, k));
          ASSERT_LT(error, 1e-15 * static_cast<double>(n * 4 + 4))
              << n << " x " << batch << " at " << line << ", " << k;
        }
    }
}

/// The lines of x along a dim of size n, whose elements are `inner` apart, replaced by their transforms.
std::vector<double> along_a_dim(const std::vector<double>& x, std::size_t n, std::size_t inner) {
  std::vector<double> y(x.size());
  for (std::size_t first = 0; first < x.size() / 2; ++first) {
    if (first / inner % n != 0) continue;
    std::vector<double> line;
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t part : {0, 1}) line.push_back(x[2 * (first + m * inner) + part]);
    for (std::size_t k = 0; k < n; ++k) {
      const std::complex<double> sum = by_definition(line.data(), n, k);
      y[2 * (first + k * inner)] = sum.real();
      y[2 * (first + k * inner) + 1] = sum.imag();
    }
  }
  return y;
}

// Matrices of 16 rows and more are transformed one after the other, smaller ones together.
TEST(fft, of_several_dims_is_that_of_one_dim_after_the_other) {
  if (!has_fft()) GTEST_SKIP() << without_ducc;
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{2, 3}, {5, 4, 3}, {40, 9}, {3, 33, 8}, {17, 32, 2}})
    for (std::int64_t batch : {1, 3}) {
      std::size_t elements = static_cast<std::size_t>(batch);
      for (std::int64_t n : sizes) elements *= static_cast<std::size_t>(n);
      const std::vector<double> x = numbers(2 * elements);
      std::vector<double> expected = x;
      std::size_t inner = 1;
      for (std::size_t k = sizes.size(); k-- > 0; inner *= static_cast<std::size_t>(sizes[k]))
        expected = along_a_dim(expected, static_cast<std::size_t>(sizes[k]), inner);
      const auto found = transformed(FftKind::fft, {sizes, batch}, x, x.size(), batch);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-14 * static_cast<double>(inner)) << sizes[0] << ": " << i;
    }
}

struct Shapes {
  FftShape shape;
  std::size_t reals, spectra;
};
Shapes shapes_of(std::vector<std::int64_t> lengths, std::int64_t batch) {
  std::size_t reals = static_cast<std::size_t>(batch);
  for (std::int64_t n : lengths) reals *= static_cast<std::size_t>(n);
  const auto last = static_cast<std::size_t>(lengths.back());
  return {{std::move(lengths), batch}, reals, reals / last * (last / 2 + 1)};
}

TEST(fft, inverse_gives_the_numbers_back) {
  if (!has_fft()) GTEST_SKIP() << without_ducc;
  for (const Shapes& s : {shapes_of({7}, 3), shapes_of({1}, 2), shapes_of({4, 6}, 1), shapes_of({3, 1, 5}, 5),
                          shapes_of({16, 9, 2}, 2), shapes_of({1 << 17}, 1), shapes_of({3000}, 5),
                          shapes_of({40, 9}, 3), shapes_of({3, 33, 8}, 2)}) {
    const std::vector<double> x = numbers(2 * s.reals);
    const auto there = transformed(FftKind::fft, s.shape, x, x.size(), s.shape.batch);
    const auto back = transformed(FftKind::ifft, s.shape, there, x.size(), s.shape.batch);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(back[i], x[i], 1e-14) << s.reals;
    const std::vector<double> reals = numbers(s.reals);
    const auto spectra = transformed(FftKind::rfft, s.shape, reals, 2 * s.spectra, s.shape.batch);
    const auto again = transformed(FftKind::irfft, s.shape, spectra, s.reals, s.shape.batch);
    for (std::size_t i = 0; i < reals.size(); ++i) ASSERT_NEAR(again[i], reals[i], 1e-14) << s.reals;
  }
}

TEST(fft, of_real_numbers_is_half_of_that_of_complex_ones) {
  if (!has_fft()) GTEST_SKIP() << without_ducc;
  for (std::int64_t n : {1, 2, 5, 8, 30}) {
    const Shapes s = shapes_of({3, n}, 2);
    const std::vector<double> reals = numbers(s.reals);
    std::vector<double> x(2 * s.reals, 0.0);
    for (std::size_t i = 0; i < s.reals; ++i) x[2 * i] = reals[i];
    const auto half = transformed(FftKind::rfft, s.shape, reals, 2 * s.spectra, 2);
    const auto all = transformed(FftKind::fft, s.shape, x, x.size(), 2);
    const auto row = static_cast<std::size_t>(2 * (n / 2 + 1)), whole = static_cast<std::size_t>(2 * n);
    for (std::size_t line = 0; line < 6; ++line)
      for (std::size_t k = 0; k < row; ++k) ASSERT_NEAR(half[line * row + k], all[line * whole + k], 1e-13);
  }
}

TEST(fft, bits_of_an_array_do_not_depend_on_its_neighbours) {
  if (!has_fft()) GTEST_SKIP() << without_ducc;
  for (FftKind kind : {FftKind::fft, FftKind::ifft, FftKind::rfft, FftKind::irfft})
    for (const Shapes& s : {shapes_of({12}, 11), shapes_of({5, 6}, 7), shapes_of({2, 3, 4}, 5),
                            shapes_of({40000}, 3), shapes_of({3, 33, 8}, 3)}) {
      const std::vector<double> x = numbers(2 * s.reals);
      const std::size_t results = kind == FftKind::rfft    ? 2 * s.spectra
                                  : kind == FftKind::irfft ? s.reals
                                                           : x.size();
      const auto whole = transformed(kind, s.shape, x, results, s.shape.batch);
      for (std::int64_t step : {1, 2, 3})
        ASSERT_EQ(std::memcmp(whole.data(), transformed(kind, s.shape, x, results, step).data(), 8 * results),
                  0)
            << name_of(kind) << ' ' << step;
    }
}

}  // namespace
}  // namespace tutti
