// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/fft/fft.hpp"

#include <cmath>
#include <numeric>
#include <type_traits>

#include "tutti/base/counted.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/functions/shapes/shaping.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/fft.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_dims_of_op = 3;

DType float_for(DType dtype) { return dtype == DType::f64 ? DType::f64 : DType::f32; }

Array with_elements_of(FftKind kind, const Array& x) {
  if (is_complex(x.dtype())) return x;
  const DType to = kind == FftKind::rfft ? float_for(x.dtype()) : complex_of(float_for(x.dtype()));
  return x.dtype() == to ? x : convert(x, to);
}

/// Zeros behind the elements of the last dims, or fewer elements, so that they have these sizes.
Array resized(const Array& x, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> none(static_cast<std::size_t>(x.rank()), 0), high = none;
  const std::size_t first = none.size() - sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) high[first + i] = sizes[i] - x.shape().sizes()[first + i];
  return high == none ? x : pad_with_zeros(x, Pad{none, high, none});
}

/// The last dims, the last three of them by one op. The real ones come first forward, and last backward.
Array over_last_dims(FftKind kind, Array x, const std::vector<std::int64_t>& lengths) {
  const std::size_t count = lengths.size();
  if (count <= most_dims_of_op) return apply_one(Fft{kind, lengths}, {x});
  const std::vector<std::int64_t> last(lengths.end() - most_dims_of_op, lengths.end());
  const std::vector<std::int64_t> others(lengths.begin(), lengths.end() - most_dims_of_op);
  const bool backward = kind == FftKind::ifft || kind == FftKind::irfft;
  const int rank = x.rank(), moved = static_cast<int>(most_dims_of_op);
  std::vector<int> behind(most_dims_of_op), ahead(most_dims_of_op);
  std::iota(behind.begin(), behind.end(), rank - moved);
  std::iota(ahead.begin(), ahead.end(), rank - static_cast<int>(count));
  auto over_others = [&](const Array& y) {
    const Array turned = moveaxis(y, behind, ahead);
    return moveaxis(over_last_dims(backward ? FftKind::ifft : FftKind::fft, turned, others), ahead, behind);
  };
  if (backward) return apply_one(Fft{kind, last}, {over_others(x)});
  return over_others(apply_one(Fft{kind, last}, {x}));
}

/// The factor that this norm asks for beyond that of the op.
double factor(FftKind kind, FftNorm norm, const std::vector<std::int64_t>& lengths) {
  double n = 1;
  for (std::int64_t length : lengths) n *= static_cast<double>(length);
  const bool backward = kind == FftKind::ifft || kind == FftKind::irfft;
  switch (norm) {
    case FftNorm::backward: return 1;
    case FftNorm::ortho: return backward ? std::sqrt(n) : 1 / std::sqrt(n);
    case FftNorm::forward: return backward ? n : 1 / n;
  }
  return 1;
}

std::vector<int> chosen_dims(const Array& x, const FftnOptions& options) {
  if (!options.dims.empty()) return options.dims;
  const std::size_t count = options.sizes.empty() ? static_cast<std::size_t>(x.rank()) : options.sizes.size();
  std::vector<int> dims(count);
  std::iota(dims.begin(), dims.end(), -static_cast<int>(count));
  return dims;
}

/// The sizes of the real or complex values along the last dims.
std::vector<std::int64_t> lengths_of(FftKind kind, const Array& x, const std::vector<std::int64_t>& sizes,
                                     std::size_t dims) {
  std::vector<std::int64_t> lengths = sizes;
  if (sizes.empty()) {
    const std::vector<std::int64_t>& all = x.shape().sizes();
    lengths.assign(all.end() - static_cast<std::ptrdiff_t>(dims), all.end());
    if (kind == FftKind::irfft) lengths.back() = 2 * (lengths.back() - 1);
  }
  for (std::int64_t n : lengths)
    require(n >= 1, Code::shape, "a transform of {} along a dim, of {}; use one or more",
            counted(n, "element"), x.type());
  return lengths;
}

Array transform(FftKind kind, const Array& given, const FftnOptions& options) {
  const std::vector<int> dims = chosen_dims(given, options);
  require(options.sizes.empty() || options.sizes.size() == dims.size(), Code::shape,
          "{} for {}; give one size per dim", counted(std::ssize(options.sizes), "size"),
          counted(std::ssize(dims), "dim"));
  if (dims.empty()) return with_elements_of(kind, given);
  std::vector<int> last(dims.size());
  std::iota(last.begin(), last.end(), -static_cast<int>(dims.size()));
  const Array turned = moveaxis(given, dims, last);
  const std::vector<std::int64_t> lengths = lengths_of(kind, turned, options.sizes, dims.size());
  std::vector<std::int64_t> sizes = lengths;
  if (kind == FftKind::irfft) sizes.back() = lengths.back() / 2 + 1;
  Array done = over_last_dims(kind, resized(with_elements_of(kind, turned), sizes), lengths);
  if (options.norm != FftNorm::backward) done = done * factor(kind, options.norm, lengths);
  return moveaxis(done, last, dims);
}

Array along_one(FftKind kind, const Operand& x, const FftOptions& options) {
  return front_end(name_of(kind), x.where(), [&] {
    const auto sizes = options.n ? std::vector<std::int64_t>{*options.n} : std::vector<std::int64_t>{};
    return transform(kind, as_array(x), {.sizes = sizes, .dims = {options.dim}, .norm = options.norm});
  });
}

Array along_some(std::string_view name, FftKind kind, const Operand& x, const FftnOptions& options) {
  return front_end(name, x.where(), [&] { return transform(kind, as_array(x), options); });
}

Array along_two(std::string_view name, FftKind kind, const Operand& x, FftnOptions options) {
  if (options.dims.empty()) options.dims = {-2, -1};
  return front_end(name, x.where(), [&] {
    require(options.dims.size() == 2, Code::dim, "{} are named; fftn takes any number of them",
            counted(std::ssize(options.dims), "dim"));
    return transform(kind, as_array(x), options);
  });
}

Array frequencies(std::string_view name, std::int64_t n, std::int64_t count, std::int64_t positive,
                  double spacing, DType dtype, Where where) {
  auto values = [&] {
    require(n >= 1, Code::shape, "{} have no frequencies; use one or more", counted(n, "element"));
    require(dtype == DType::f32 || dtype == DType::f64, Code::dtype,
            "frequencies are f32 or f64, not {}; convert them", tutti::name(dtype));
    Tensor numbers(Shape{count}, dtype);  // without memory it throws R003
    const auto fill = [&](auto* to) {
      for (std::int64_t k = 0; k < count; ++k)
        to[k] = static_cast<std::remove_pointer_t<decltype(to)>>(
            static_cast<double>(k < positive ? k : k - n) / (static_cast<double>(n) * spacing));
    };
    if (dtype == DType::f64) fill(numbers.mutable_data<double>());
    else fill(numbers.mutable_data<float>());
    return numbers;
  };
  return front_end_or_host(name, where, [&] { return constant(values()); }, [&] { return Array(values()); });
}

/// Every dim rolled by half of its size, rounded down; backward the other way.
Array by_half(std::string_view name, const Operand& x, const WhichDims& which, int sign) {
  return front_end(name, x.where(), [&] {
    const Array array = as_array(x);
    std::vector<std::int64_t> shifts;
    std::vector<int> dims;
    for (Dim dim : which.resolve(array.type())) {
      shifts.push_back(sign * (array.shape()[dim] / 2));
      dims.push_back(dim.index);
    }
    return roll(array, shifts, dims);
  });
}

}  // namespace

Array fft(const Operand& x, const FftOptions& options) { return along_one(FftKind::fft, x, options); }
Array ifft(const Operand& x, const FftOptions& options) { return along_one(FftKind::ifft, x, options); }
Array rfft(const Operand& x, const FftOptions& options) { return along_one(FftKind::rfft, x, options); }
Array irfft(const Operand& x, const FftOptions& options) { return along_one(FftKind::irfft, x, options); }

Array fftn(const Operand& x, const FftnOptions& options) {
  return along_some("fftn", FftKind::fft, x, options);
}
Array ifftn(const Operand& x, const FftnOptions& options) {
  return along_some("ifftn", FftKind::ifft, x, options);
}
Array rfftn(const Operand& x, const FftnOptions& options) {
  return along_some("rfftn", FftKind::rfft, x, options);
}
Array irfftn(const Operand& x, const FftnOptions& options) {
  return along_some("irfftn", FftKind::irfft, x, options);
}

Array fft2(const Operand& x, const FftnOptions& options) {
  return along_two("fft2", FftKind::fft, x, options);
}
Array ifft2(const Operand& x, const FftnOptions& options) {
  return along_two("ifft2", FftKind::ifft, x, options);
}
Array rfft2(const Operand& x, const FftnOptions& options) {
  return along_two("rfft2", FftKind::rfft, x, options);
}
Array irfft2(const Operand& x, const FftnOptions& options) {
  return along_two("irfft2", FftKind::irfft, x, options);
}

Array fftfreq(std::int64_t n, double spacing, DType dtype, Where where) {
  return frequencies("fftfreq", n, n, n / 2 + n % 2, spacing, dtype, where);
}
Array rfftfreq(std::int64_t n, double spacing, DType dtype, Where where) {
  return frequencies("rfftfreq", n, n / 2 + 1, n / 2 + 1, spacing, dtype, where);
}

Array fftshift(const Operand& x, const WhichDims& dims) { return by_half("fftshift", x, dims, 1); }
Array ifftshift(const Operand& x, const WhichDims& dims) { return by_half("ifftshift", x, dims, -1); }

}  // namespace tutti
