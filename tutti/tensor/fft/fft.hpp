// SPDX-License-Identifier: Apache-2.0
// Fourier transforms by the FFT of ducc (docs/third_party.md). A build without ducc has none of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/fft/fft_kind.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// Equal transforms of arrays that follow each other: `batch` times one array of `lengths`, the sizes of the
/// real or complex values. A spectrum of real values has n/2 + 1 values along the last dim.
struct FftShape {
  std::vector<std::int64_t> lengths;  // each >= 1
  std::int64_t batch = 1;

  bool operator==(const FftShape&) const = default;
};

/// Roots of unity and the order of the passes: made once, used by any number of threads at the same time.
class FftPlan {
 public:
  virtual ~FftPlan() = default;
  virtual std::size_t scratch_bytes() const = 0;
  /// Arrays that are best transformed together.
  virtual std::int64_t block() const = 0;
  /// Transforms the arrays from `begin` to `end` of the batch. `operand` and `result` are the whole batch,
  /// and do not overlap; scratch starts at 64 bytes. The bits of an array do not depend on begin and end.
  virtual void run(std::byte* result, const std::byte* operand, std::int64_t begin, std::int64_t end,
                   std::byte* scratch) const = 0;
};

/// True if this library was built with ducc.
bool has_fft();
/// `dtype`: f32 or f64, of the real values or of the parts. The inverse kinds divide by the product of the
/// lengths. Null without ducc.
std::shared_ptr<const FftPlan> make_fft_plan(FftKind kind, DType dtype, const FftShape& shape);

}  // namespace tutti
