// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/windows/convolution_product.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tutti/tensor/windows/float_convolution.hpp"
#include "tutti/tensor/windows/patch_convolution.hpp"

namespace tutti {
namespace {

using Lines = ConvolutionProduct::Lines;

/// Some lines of a convolution: the convolution of a part of the input. Offsets are in elements.
struct Part {
  ConvolutionShape shape;
  std::int64_t input = 0, kernel = 0, result = 0;
};

/// The part without input that it does not see: parts that look equal are equal.
Part rows_of(const ConvolutionShape& shape, std::int64_t begin, std::int64_t end) {
  Part part{shape, 0, 0, begin * shape.result.spatial[0]};
  ConvolutionShape::Window& window = part.shape.windows[0];
  window.out = end - begin;
  window.low -= begin * window.stride;
  const std::int64_t step = window.in_dilation,
                     unseen = std::min(window.low < 0 ? (-window.low + step - 1) / step : 0, window.in - 1);
  window.low += unseen * step;
  window.in -= unseen;
  part.input = unseen * shape.input.spatial[0];
  const std::int64_t seen = (std::max<std::int64_t>(window.reach() - window.low, 1) + step - 1) / step;
  window.in = std::clamp<std::int64_t>(seen, 1, window.in);
  return part;
}

Part part_of(const ConvolutionShape& shape, Lines::Along along, std::int64_t begin, std::int64_t end) {
  if (along == Lines::Along::rows) return rows_of(shape, begin, end);
  if (along == Lines::Along::features) {
    Part part{shape, 0, begin * shape.kernel.outer, begin * shape.result.feature};
    part.shape.out_features = end - begin;
    return part;
  }
  Part part{shape, begin * shape.input.outer, 0, begin * shape.result.outer};
  part.shape.batch = end - begin;
  return part;
}

/// Parts of the features of a gradient by a kernel, whose cotangent each part copies. Whole vectors of 16.
Lines lines_of_kernel_gradient(const ConvolutionShape& s) {
  constexpr std::int64_t least_features = 32;
  if (s.groups > 1) return {Lines::Along::images, s.batch, s.batch};
  const std::int64_t quarter = (s.out_features + 3) / 4,
                     block = std::max(least_features, (quarter + 15) / 16 * 16);
  return {Lines::Along::features, s.out_features, std::min(block, s.out_features)};
}

/// The blocks of a convolution. Each packs the kernel, so that smaller ones would cost time.
Lines lines_of(DType dtype, const ConvolutionShape& s) {
  constexpr double least_work = 16 << 20;  // multiplications of a block: 0.3 ms of f32 on AVX-512
  const bool has_images = s.batch > 1;
  const std::int64_t count = has_images ? s.batch : s.windows[0].out;
  const auto along = has_images ? Lines::Along::images : Lines::Along::rows;
  const bool has_large_kernel = FloatConvolution::sums_positions(s);
  if (FloatConvolution::takes(dtype, s) && has_large_kernel) return lines_of_kernel_gradient(s);
  const double line = s.multiplications() / static_cast<double>(count);
  const std::int64_t least_lines = has_large_kernel ? (count + 3) / 4 : 1;
  return {along, count, std::clamp(static_cast<std::int64_t>(least_work / line), least_lines, count)};
}

/// One of the two ways to compute a part.
class Computation {
 public:
  Computation(DType dtype, const ConvolutionShape& shape) {
    if (FloatConvolution::takes(dtype, shape)) floats_ = std::make_unique<FloatConvolution>(dtype, shape);
    else patches_ = std::make_unique<PatchConvolution>(dtype, shape);
  }
  std::size_t scratch_bytes() const { return floats_ ? floats_->scratch_bytes() : patches_->scratch_bytes(); }
  double nanoseconds() const { return floats_ ? floats_->nanoseconds() : patches_->nanoseconds(); }
  void run(std::byte* result, const std::byte* input, const std::byte* kernel, std::byte* scratch) const {
    if (floats_) floats_->run(result, input, kernel, scratch);
    else patches_->run(result, input, kernel, scratch);
  }

 private:
  std::unique_ptr<const FloatConvolution> floats_;
  std::unique_ptr<const PatchConvolution> patches_;
};

}  // namespace

struct ConvolutionProduct::Prepared {
  Prepared(DType d, const ConvolutionShape& s) : dtype(d), shape(s), lines(lines_of(d, s)) {
    for (std::int64_t begin = 0; begin < lines.count; begin += lines.block) {
      const Part part = part_at(begin);
      if (find(part.shape) == nullptr)
        computations.emplace_back(part.shape, std::make_unique<const Computation>(dtype, part.shape));
    }
  }
  Part part_at(std::int64_t begin) const {
    return part_of(shape, lines.along, begin, std::min(begin + lines.block, lines.count));
  }
  const Computation* find(const ConvolutionShape& part) const {
    for (const auto& [known, computation] : computations)
      if (known == part) return computation.get();
    return nullptr;
  }

  DType dtype;
  ConvolutionShape shape;
  Lines lines;
  std::vector<std::pair<ConvolutionShape, std::unique_ptr<const Computation>>> computations;
};

ConvolutionProduct::ConvolutionProduct(DType dtype, const ConvolutionShape& shape)
    : prepared_(std::make_unique<const Prepared>(dtype, shape)) {}

ConvolutionProduct::~ConvolutionProduct() = default;

std::size_t ConvolutionProduct::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [shape, computation] : prepared_->computations)
    bytes = std::max(bytes, computation->scratch_bytes());
  return bytes;
}

double ConvolutionProduct::nanoseconds() const {
  const Lines& lines = prepared_->lines;
  const auto blocks = static_cast<double>(lines.count) / static_cast<double>(lines.block);
  return blocks * prepared_->computations.front().second->nanoseconds();
}

Lines ConvolutionProduct::lines() const { return prepared_->lines; }

void ConvolutionProduct::run(std::byte* result, const std::byte* input, const std::byte* kernel,
                             std::byte* scratch, std::int64_t begin, std::int64_t end) const {
  const Prepared& p = *prepared_;
  const auto bytes = static_cast<std::int64_t>(bytes_per_element(p.dtype));
  for (; begin < end; begin += p.lines.block) {
    const Part part = p.part_at(begin);
    p.find(part.shape)
        ->run(result + part.result * bytes, input + part.input * bytes, kernel + part.kernel * bytes,
              scratch);
  }
}

}  // namespace tutti
