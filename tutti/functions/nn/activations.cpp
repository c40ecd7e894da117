// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/activations.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"
#include "tutti/functions/numbers/elementary.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

constexpr double root_of_2_over_pi = 0.79788456080286535588, root_of_half = 0.70710678118654752440;

// expm1 sees no large number, so its derivative is not inf times 0.
Array elu_of(const Array& x, double alpha) {
  Array is_kept = x > 0;
  Array below = alpha * expm1(select(is_kept, 0, x));
  return select(is_kept, x, below);
}

}  // namespace

Array gelu(const Operand& x, const GeluOptions& options) {
  return front_end("gelu", x.where(), [&] {
    Array array = as_array(x);
    if (!options.approximate) {
      Array half = 0.5 * array;
      return half * erfc(array * -root_of_half);
    }
    // JAX's (1 + tanh(u)) / 2 is logistic(2 u), which does not cancel where u is negative, and takes half the
    // time.
    constexpr double linear = 2 * root_of_2_over_pi, cubic = linear * 0.044715;
    return array * logistic(array * (linear + cubic * (array * array)));
  });
}

Array silu(const Operand& x) {
  return front_end("silu", x.where(), [&] {
    Array array = as_array(x);
    return array * logistic(array);
  });
}

Array elu(const Operand& x, double alpha) {
  return front_end("elu", x.where(), [&] { return elu_of(as_array(x), alpha); });
}

Array selu(const Operand& x) {
  constexpr double alpha = 1.6732632423543772848, scale = 1.0507009873554804934;
  return front_end("selu", x.where(), [&] { return scale * elu_of(as_array(x), alpha); });
}

Array softplus(const Operand& x) {
  return front_end("softplus", x.where(), [&] { return logaddexp(x, 0); });
}

Array log_sigmoid(const Operand& x) {
  return front_end("log_sigmoid", x.where(), [&] { return -logaddexp(-as_array(x), 0); });
}

Array leaky_relu(const Operand& x, double slope) {
  return front_end("leaky_relu", x.where(), [&] {
    Array array = as_array(x), below = slope * array;
    return select(array >= 0, array, below);
  });
}

Array hard_tanh(const Operand& x) {
  return front_end("hard_tanh", x.where(), [&] {
    Array array = as_array(x);
    Array raised = select(array < -1, -1, array);
    return select(array > 1, 1, raised);
  });
}

Array glu(const Operand& x, int dim) {
  return front_end("glu", x.where(), [&] {
    Array array = as_array(x);
    int along = as_dim(dim, array.type()).index;
    std::int64_t size = array.dim(along), half = size / 2;
    require(size % 2 == 0, Code::shape, "dim {} of {} has no halves; its size must be even", dim,
            array.type());
    Array gate = logistic(slice_in_dim(array, half, size, 1, along));
    return slice_in_dim(array, 0, half, 1, along) * gate;
  });
}

}  // namespace tutti
