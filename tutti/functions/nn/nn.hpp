// SPDX-License-Identifier: Apache-2.0
// Functions of jax.nn: choices among classes; programs show the ops.
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// jax.nn.one_hot: a new last dim of `classes`, 1 where it is the index, else 0; all 0 for an index out of
/// range.
Array one_hot(const Operand& indices, int classes, DType dtype = DType::f32);

/// log(sum(exp(x))) over `dims`, without overflow; of no elements -infinity. Where it is infinite the largest
/// elements share the derivative, as in logaddexp.
Array logsumexp(const Operand& x, const internal::WhichDims& dims = all_dims);
/// exp(x) over their sum along `dim`, without overflow.
Array softmax(const Operand& x, int dim = -1);
/// log(softmax(x)), without underflow.
Array log_softmax(const Operand& x, int dim = -1);
/// The mean over the batch of -log_softmax(logits)[label].
/// logits: [b.., classes], labels: integers [b..] -> [].
/// Labels out of range are not found out. Throws T005, T007.
Array cross_entropy(const Operand& logits, const Operand& labels);

}  // namespace tutti
