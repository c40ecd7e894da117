// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/nn.hpp"
#include "tutti/base/inside.hpp"

#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/functions/folds/statistics.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// `folded`, which lacks the dims of `x` that were folded away, along them again.
Array spread(const Array& folded, const Dims& dims, const Array& x) {
  return insert_dims(folded, dims, x.shape());
}

// exp(x minus it) does not overflow. Any constant will do, so it has no derivative.
Array largest(const Array& x, const Dims& dims) { return reduce_max(stop_gradient(x), dims); }

// True where the new last dim is the index.
Array hits(const Array& indices, int classes) {
  require(is_integer(indices.dtype()), Code::dtype,
          "{} is not an array of integers, so it has no classes; convert it: convert(x, DType::i32)",
          indices.type());
  bool counts_far = bytes_per_element(indices.dtype()) >= 4;
  Array numbers = counts_far ? indices : convert(indices, DType::i32);
  Shape shape = numbers.shape().inserted(Dim{numbers.rank()}, classes);
  Array repeated = insert_dim(numbers, Dim{numbers.rank()}, classes);
  return equal(repeated, iota(shape, numbers.dtype(), -1));
}

}  // namespace

Array one_hot(const Operand& indices, int classes, DType dtype) {
  return front_end("one_hot", indices.where(), [&] {
    require(classes >= 0, Code::shape, "{} classes; the number of classes is 0 or more", classes);
    return convert(hits(as_array(indices), classes), dtype);
  });
}

namespace {

struct LogSumExp {
  Dims folded;

  Array operator()(const Array& x) const {
    Array top = reduce_max(x, folded);
    Array finite = select(abs(top) < infinity, top, 0.0);  // inf - inf is NaN
    return log(reduce_sum(exp(x - spread(finite, folded, x)), folded)) + finite;
  }

  /// Where the largest element is infinite it is the result, and the elements that are as large share the
  /// derivative. Elsewhere their exponentials say how they share it.
  std::pair<Array, Array> rule(const Array& x, const Array& tangent) const {
    Array top = reduce_max(x, folded), is_finite = abs(top) < infinity;
    Array finite = stop_gradient(select(is_finite, top, 0.0));  // any constant will do
    Array in_finite = spread(is_finite, folded, x), lower = x - spread(finite, folded, x);
    Array terms = exp(select(in_finite, lower, 0.0)), total = reduce_sum(terms, folded);
    Array hit = convert(equal(x, spread(top, folded, x)), x.dtype());
    Array weights = select(in_finite, terms, hit);
    Array of_all = select(is_finite, total, reduce_sum(hit, folded));
    return {select(is_finite, log(total) + finite, top), reduce_sum(weights * tangent, folded) / of_all};
  }
};

}  // namespace

Array logsumexp(const Operand& x, const WhichDims& dims) {
  return front_end("logsumexp", x.where(), [&] {
    Array array = as_array(x);
    const LogSumExp fold{dims.resolve(array.type())};
    auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
      return fold.rule(std::get<0>(at), std::get<0>(along));
    };
    return custom_jvp(fold, rule, x.where())(array);
  });
}

Array softmax(const Operand& x, int dim) {
  return front_end("softmax", x.where(), [&] {
    Array array = as_array(x);
    Dims along{as_dim(dim, array.type())};
    Array terms = exp(array - spread(largest(array, along), along, array));
    return terms / spread(reduce_sum(terms, along), along, array);
  });
}

Array log_softmax(const Operand& x, int dim) {
  return front_end("log_softmax", x.where(), [&] {
    Array array = as_array(x);
    Dims along{as_dim(dim, array.type())};
    Array lower = array - spread(largest(array, along), along, array);
    return lower - spread(log(reduce_sum(exp(lower), along)), along, array);
  });
}

Array cross_entropy(const Operand& logits, const Operand& labels) {
  return front_end("cross_entropy", logits.where(), [&] {
    Array x = as_array(logits), indices = as_array(labels);
    require(x.rank() > 0 && x.shape().erased(Dim{x.rank() - 1}) == indices.shape(), Code::shape,
            "labels {} do not fit logits {}; logits have one more dim, the classes, as their last",
            indices.type(), x.type());
    Dims classes{Dim{x.rank() - 1}};
    Array lower = x - spread(largest(x, classes), classes, x);
    Array of_label = reduce_sum(select(hits(indices, static_cast<int>(x.dim(-1))), lower, 0.0), classes);
    return mean(log(reduce_sum(exp(lower), classes)) - of_label);
  });
}

}  // namespace tutti
