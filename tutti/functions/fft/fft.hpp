// SPDX-License-Identifier: Apache-2.0
// jax.numpy.fft: Fourier transforms along any dims; programs show the op fft.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// Which direction divides by the number n of elements: the backward one, both by sqrt(n), the forward one.
enum class FftNorm { backward, ortho, forward };

/// Options of transforms along one dim.
struct FftOptions {
  std::optional<std::int64_t> n =
      {};  // zeros are appended, or elements taken away; none: as many as there are
  int dim = -1;
  FftNorm norm = FftNorm::backward;
};
/// Options of transforms along several dims.
struct FftnOptions {
  std::vector<std::int64_t> sizes = {};  // one per dim, as n in FftOptions; empty: as they are
  std::vector<int> dims = {};  // empty: the last ones, as many as sizes; all if these are empty, too
  FftNorm norm = FftNorm::backward;
};

/// numpy.fft.fft and ifft: X[k] = sum of x[m] exp(-2 pi i k m / n), and the inverse. Floats and integers are
/// converted to complex numbers, of f64 to complex128, all others to complex64.
/// Throws T005 for an n below 1, T006 for the dim, R004 in a library without ducc.
Array fft(const Operand& x, const FftOptions& options = {});
Array ifft(const Operand& x, const FftOptions& options = {});
/// numpy.fft.rfft: of real numbers, the first n/2 + 1 values. Throws T007 for complex ones, and as fft.
Array rfft(const Operand& x, const FftOptions& options = {});
/// numpy.fft.irfft: n real numbers from n/2 + 1 values; n is 2 (size - 1) if it is not given. Throws as fft.
Array irfft(const Operand& x, const FftOptions& options = {});

/// numpy.fft.fftn and its like: along some dims, one after the other; for rfftn and irfftn the last one named
/// is the one that is cut. Throws T005 unless there are as many sizes as dims, T006 for a dim that is named
/// twice or out of range, and as the functions above.
Array fftn(const Operand& x, const FftnOptions& options = {});
Array ifftn(const Operand& x, const FftnOptions& options = {});
Array rfftn(const Operand& x, const FftnOptions& options = {});
Array irfftn(const Operand& x, const FftnOptions& options = {});
/// The same along two dims; without any, the last two.
Array fft2(const Operand& x, const FftnOptions& options = {});
Array ifft2(const Operand& x, const FftnOptions& options = {});
Array rfft2(const Operand& x, const FftnOptions& options = {});
Array irfft2(const Operand& x, const FftnOptions& options = {});

/// numpy.fft.fftfreq: the frequencies of fft's values, 0, 1, .., -2, -1 over n * spacing; f32 or f64.
/// Throws T005 for an n below 1, T007 for another dtype.
Array fftfreq(std::int64_t n, double spacing = 1, DType dtype = DType::f32, Where where = Where::here());
/// numpy.fft.rfftfreq: those of rfft's values, 0, 1, .., n/2 over n * spacing.
Array rfftfreq(std::int64_t n, double spacing = 1, DType dtype = DType::f32, Where where = Where::here());

/// numpy.fft.fftshift: moves frequency 0 to the middle of the dims; ifftshift moves it back. Throws T006.
Array fftshift(const Operand& x, const internal::WhichDims& dims = all_dims);
Array ifftshift(const Operand& x, const internal::WhichDims& dims = all_dims);

}  // namespace tutti
