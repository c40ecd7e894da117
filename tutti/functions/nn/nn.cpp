// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/nn.hpp"

#include <limits>

#include "tutti/base/require.hpp"
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
          to_string(indices.type()));
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

Array logsumexp(const Operand& x, const WhichDims& dims) {
  return front_end("logsumexp", x.where(), [&] {
    Array array = as_array(x);
    Dims folded = dims.resolve(array.type());
    // Where the largest is infinite it is the result, and the elements that are the largest share the
    // derivative.
    Array top = reduce_max(array, folded);
    Array is_finite = abs(top) < std::numeric_limits<double>::infinity();
    Array lowered_by = stop_gradient(select(is_finite, top, 0.0));
    Array lower = array - spread(lowered_by, folded, array);
    Array terms = exp(select(spread(is_finite, folded, array), lower, 0.0));
    return select(is_finite, log(reduce_sum(terms, folded)) + lowered_by, top);
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
            to_string(indices.type()), to_string(x.type()));
    Dims classes{Dim{x.rank() - 1}};
    Array lower = x - spread(largest(x, classes), classes, x);
    Array of_label = reduce_sum(select(hits(indices, static_cast<int>(x.dim(-1))), lower, 0.0), classes);
    return mean(log(reduce_sum(exp(lower), classes)) - of_label);
  });
}

}  // namespace tutti
