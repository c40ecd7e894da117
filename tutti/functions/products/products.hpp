// SPDX-License-Identifier: Apache-2.0
// Products of two arrays by the names of NumPy; made of dot_general, or of * where nothing is summed.
// (matmul: dot_general.)
#pragma once

#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"

namespace tutti::internal {

/// Pairs of dims to sum over; negative ones count from the end.
struct TensordotDims {
  std::vector<int> lhs, rhs;
};

}  // namespace tutti::internal

namespace tutti {

/// numpy.tensordot: the sum over the last `count` dims of a with the first of b; the other dims of a, then
/// those of b.
/// Throws T005 for sizes that differ, T006 for a negative count or more than there are dims, T007, T004.
Array tensordot(const Operand& a, const Operand& b, int count = 2);
/// The sum over pairs of dims. Throws T006 also for a dim named twice and for lists of different lengths.
Array tensordot(const Operand& a, const Operand& b, const internal::TensordotDims& dims);

/// numpy.inner: the sum over the last dim of both; of a scalar a product. Throws T005, T007, T004.
Array inner(const Operand& a, const Operand& b);
/// numpy.outer: [m], [n] -> [m, n], every element times every other; arrays are flattened. Throws T007, T004.
Array outer(const Operand& a, const Operand& b);
/// numpy.vdot: the sum of conj(a) * b over all elements; arrays are flattened. Throws T005 unless they have
/// as many elements, T007, T004.
Array vdot(const Operand& a, const Operand& b);
/// numpy.kron: b times each element of a, as blocks: [m, n], [p, q] -> [m p, n q]. Ranks are made equal by
/// dims of size 1 at the front. Throws T007, T004.
Array kron(const Operand& a, const Operand& b);

}  // namespace tutti
