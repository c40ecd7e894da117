// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/fft.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "tutti/base/counted.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace tutti {
namespace {

std::int64_t product(const std::vector<std::int64_t>& lengths) {
  std::int64_t all = 1;
  for (std::int64_t n : lengths) all *= n;
  return all;
}

DType float_of(DType dtype) { return is_complex(dtype) ? part_of(dtype) : dtype; }

/// The sizes of the last dims, and `last` in place of the last one.
std::vector<std::int64_t> sizes_with_last(std::vector<std::int64_t> sizes, std::int64_t last) {
  sizes.back() = last;
  return sizes;
}

void require_elements(FftKind kind, const Type& x) {
  if (kind == FftKind::rfft)
    require(x.dtype() == DType::f32 || x.dtype() == DType::f64, Code::dtype,
            "{} is neither f32 nor f64 (fft_c3); {}", x,
            is_complex(x.dtype()) ? "use fft, or the parts: real(x), imag(x)"
                                  : "convert it: " + conversion_to(DType::f32));
  else
    require(is_complex(x.dtype()), Code::dtype, "{} is not of complex numbers (fft_c3); {}", x,
            kind == FftKind::fft ? "use rfft, or convert it: " + conversion_to(DType::complex64)
                                 : "convert it: " + conversion_to(DType::complex64));
}

}  // namespace

Parameters Fft::parameters() const {
  return {{"kind", std::string(name_of(kind))}, {"lengths", bracketed(lengths)}};
}

Types Fft::infer(const Types& operands) const {
  const Type& x = operands[0];
  const int count = static_cast<int>(std::ssize(lengths));
  require(count >= 1 && count <= 3, Code::dim, "{} are transformed; one to three can be (fft_c1)",
          counted(count, "dim"));
  require(x.rank() >= count, Code::dim, "{} has {}, and {} are transformed (fft_c2); reshape it", x,
          counted(x.rank(), "dim"), count);
  require_elements(kind, x);
  for (std::int64_t n : lengths)
    require(n >= 1, Code::shape, "a transform of {} (fft_c4); use one or more", counted(n, "element"));
  const std::int64_t half = lengths.back() / 2 + 1;
  const std::vector<std::int64_t>& sizes = x.shape().sizes();
  const auto leading = sizes.begin() + (x.rank() - count);
  const std::vector<std::int64_t> last(leading, sizes.end());
  const bool of_half = kind == FftKind::irfft;
  const std::vector<std::int64_t> expected = of_half ? sizes_with_last(lengths, half) : lengths;
  require(last == expected, Code::shape, "the last dims of {} are not {} ({}); slice or pad them", x,
          bracketed(expected), of_half ? "fft_c5" : "fft_c4");
  std::vector<std::int64_t> result(sizes.begin(), leading);
  const auto of_result = kind == FftKind::rfft ? sizes_with_last(lengths, half) : lengths;
  result.insert(result.end(), of_result.begin(), of_result.end());
  const DType dtype = kind == FftKind::rfft    ? complex_of(x.dtype())
                      : kind == FftKind::irfft ? part_of(x.dtype())
                                               : x.dtype();
  return {Type(dtype, Shape(std::move(result)), agreed_states(operands, mixing()))};
}

// The result consists of the transformed arrays, one after the other: the lines that workers share.
Kernel Fft::kernel(const Layout& layout) const {
  require(
      has_fft(), Code::device,
      "this library was built without ducc, which computes it; build it with -DTUTTI_DUCC=folder of ducc's "
      "sources (tools/setup fetches them)");
  const Type x = layout.operands()[0], y = layout.results()[0];
  const Type& whole = kind == FftKind::rfft ? x : y;
  const std::int64_t size = product(lengths), batch = whole.elements() / size;
  if (batch == 0) return kernel::Opaque{.nanoseconds = 0, .run = [](const kernel::Unit&) {}};
  const auto plan = make_fft_plan(kind, float_of(x.dtype()), {lengths, batch});
  const double elements = static_cast<double>(whole.elements());
  return kernel::Opaque{.nanoseconds = 100 + 0.2 * elements * (1 + std::log2(static_cast<double>(size))),
                        .scratch_bytes = plan->scratch_bytes(),
                        .run =
                            [plan](const kernel::Unit& unit) {
                              plan->run(unit.results[0], unit.operands[0], unit.lines.begin, unit.lines.end,
                                        unit.scratch);
                            },
                        .shared = {.lines = batch, .block = plan->block()}};
}

Jvp Fft::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

namespace {

/// rfft keeps half of what fft gives: the other half of the cotangent is zero.
Array transpose_of_rfft(const std::vector<std::int64_t>& lengths, const Array& ct) {
  std::vector<std::int64_t> none(static_cast<std::size_t>(ct.rank()), 0), high = none;
  high.back() = lengths.back() - ct.type().shape().sizes().back();
  return real(apply_one(Fft{FftKind::fft, lengths}, {pad_with_zeros(ct, Pad{none, high, none})}));
}

/// All but the first value, and for an even length the last one, stand for themselves and for their
/// conjugate.
Array transpose_of_irfft(const std::vector<std::int64_t>& lengths, const Array& ct) {
  const Array spectrum = apply_one(Fft{FftKind::rfft, lengths}, {ct});
  const std::int64_t n = lengths.back();
  const double once = 1 / static_cast<double>(product(lengths));
  std::vector<double> weights(static_cast<std::size_t>(n / 2 + 1), 2 * once);
  weights.front() = once;
  if (n % 2 == 0) weights.back() = once;
  const Array weight = convert(constant(Tensor({n / 2 + 1}, weights)), spectrum.dtype());
  return conj(spectrum * weight);
}

}  // namespace

// The matrices of fft and ifft are symmetric.
Tangents Fft::transpose(const LinearOperands&, const Tangents& cotangents) const {
  switch (kind) {
    case FftKind::fft:
    case FftKind::ifft: return {apply_one(*this, {*cotangents[0]})};
    case FftKind::rfft: return {transpose_of_rfft(lengths, *cotangents[0])};
    case FftKind::irfft: return {transpose_of_irfft(lengths, *cotangents[0])};
  }
  return {};
}

// The dims that are transformed are the last ones, so a new dim 0 changes nothing.
BatchedArrays Fft::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
}

std::string ops::fft_type_of(FftKind kind) {
  std::string type(name_of(kind));
  std::ranges::transform(type, type.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return type;
}

Lowered Fft::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.fft", operands, emitter.result_types()[0],
                       {{"fft_type", stablehlo::enumeration("fft_type", fft_type_of(kind))},
                        {"fft_length", stablehlo::integers(lengths)}})};
}

// Roots of unity of 1, 2 and 4 elements are exact, and so are the results.
std::vector<Example> Fft::examples() {
  const Axes& axes = example_mesh().axes();
  using enum FftKind;
  auto complex = [](const std::vector<std::int64_t>& sizes) { return Type(DType::complex128, Shape(sizes)); };
  auto real = [](const std::vector<std::int64_t>& sizes) { return Type(DType::f64, Shape(sizes)); };
  return {
      {Fft{fft, {4}}, {complex({4}).with(axes[0], varying)}},
      {Fft{fft, {2}}, {complex({3, 2})}},
      {Fft{fft, {2, 4}}, {complex({3, 2, 4}).with(axes[1], unreduced).with(axes[2], reduced)}},
      {Fft{fft, {2, 1, 4}}, {Type(DType::complex64, {2, 1, 4})}},
      {Fft{ifft, {4}}, {Type(DType::complex64, {3, 4}).with(axes[0], varying)}},
      {Fft{ifft, {4, 2}}, {complex({4, 2})}},
      {Fft{rfft, {4}}, {real({2, 4}).with(axes[0], varying)}},
      {Fft{rfft, {2, 4}}, {real({2, 4}).with(axes[1], unreduced)}},
      {Fft{rfft, {1}}, {Type(DType::f32, {4, 1})}},
      {Fft{irfft, {4}}, {complex({2, 3}).with(axes[2], varying)}},
      {Fft{irfft, {2, 2}}, {complex({2, 2})}},
      {Fft{irfft, {1}}, {Type(DType::complex64, {2, 1})}},
      {Fft{irfft, {4, 4}}, {Type(DType::complex64, {4, 3}).with(axes[1], reduced)}},
      {Fft{fft, {4}}, {Type(DType::complex64, {0, 4})}},
      {Fft{rfft, {2}}, {Type(DType::f32, {3, 0, 2}).with(axes[0], varying)}},
  };
}

}  // namespace tutti
