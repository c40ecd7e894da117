// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/normalization.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"
#include "tutti/functions/folds/statistics.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

Array over_its_size(const Array& x, const NormalizationOptions& options) {
  require(!is_complex(x.dtype()), Code::dtype,
          "{} is complex; normalise its parts: rms_norm(real(x)), rms_norm(imag(x))", x.type());
  bool is_wide = is_inexact(x.dtype()) && !is_half(x.dtype());
  Array wide = is_wide ? x : convert(x, DType::f32);
  Dims dims = options.dims.resolve(x.type());
  Array inverse = rsqrt(mean(wide * wide, dims) + options.epsilon);
  Array found = wide * insert_dims(inverse, dims, wide.shape());
  return is_half(x.dtype()) ? convert(found, x.dtype()) : found;
}

}  // namespace

Array layer_norm(const Operand& x, const NormalizationOptions& options) {
  return front_end("layer_norm", x.where(), [&] { return standardize(x, options.dims, options.epsilon); });
}

Array layer_norm(const Operand& x, const Operand& scale, const Operand& bias,
                 const NormalizationOptions& options) {
  return front_end("layer_norm", x.where(),
                   [&] { return standardize(x, options.dims, options.epsilon) * scale + bias; });
}

Array rms_norm(const Operand& x, const NormalizationOptions& options) {
  return front_end("rms_norm", x.where(), [&] { return over_its_size(as_array(x), options); });
}

Array rms_norm(const Operand& x, const Operand& scale, const NormalizationOptions& options) {
  return front_end("rms_norm", x.where(), [&] { return over_its_size(as_array(x), options) * scale; });
}

}  // namespace tutti
