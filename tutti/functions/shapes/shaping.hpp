// SPDX-License-Identifier: Apache-2.0
// The same elements under other dims, in other places, or several times. Exact; views or one copy.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// numpy.squeeze: x without its dims of size 1; x itself if it has none.
Array squeeze(const Operand& x);
/// The same of some dims. Throws T005 if one of them has another size, T006 if out of range or named twice.
Array squeeze(const Operand& x, const internal::WhichDims& dims);
/// numpy.swapaxes: two dims change places. Throws T006.
Array swapaxes(const Operand& x, int dim1, int dim2);
/// numpy.moveaxis: dim `from` of x becomes dim `to` of the result; the others keep their order.
/// Throws T006 for dims out of range, named twice, or unless both lists are of one length.
Array moveaxis(const Operand& x, int from, int to);
Array moveaxis(const Operand& x, const std::vector<int>& from, const std::vector<int>& to);
/// numpy.flip: the elements in reverse order along some dims (rev). Throws T006.
Array flip(const Operand& x, const internal::WhichDims& dims = all_dims);

/// numpy.roll: every element moves `shift` places ahead in row-major order; those beyond the end come to the
/// beginning.
Array roll(const Operand& x, std::int64_t shift);
/// The same along each of `dims`. Throws T006.
Array roll(const Operand& x, std::int64_t shift, const internal::WhichDims& dims);
/// The same by a shift that is known at run time only: an integer []. Cost: two copies.
/// Throws T005 for a shift with dims, T007 unless it is an integer, T004.
Array roll(const Operand& x, const Array& shift);
Array roll(const Operand& x, const Array& shift, const internal::WhichDims& dims);
/// One shift per dim; shifts of a dim that is named twice add up. Throws T006 unless both lists are of one
/// length.
Array roll(const Operand& x, const std::vector<std::int64_t>& shifts, const std::vector<int>& dims);

/// numpy.tile: x, `times[i]` times along dim i, counted from the right; dims of size 1 are added at the front
/// where times has more entries. Throws T005 for a negative number.
Array tile(const Operand& x, const std::vector<std::int64_t>& times);
Array tile(const Operand& x, std::int64_t times);
/// numpy.repeat: each element `times` times in a row along a dim; without one, of x as a vector.
/// Throws T005 for a negative number, T006 for the dim.
Array repeat(const Operand& x, std::int64_t times, std::optional<int> dim = {});
/// The same with a number for each element of the dim. Throws T005 also if the list has another length.
Array repeat(const Operand& x, const std::vector<std::int64_t>& times, std::optional<int> dim = {});

/// numpy.broadcast_arrays: all with one shape, by NumPy's broadcasting. Throws T005.
Arrays broadcast_arrays(const Arrays& arrays, Where where = Where::here());
/// numpy.atleast_1d: a scalar becomes [1], all others remain.
Array atleast_1d(const Operand& x);
/// numpy.atleast_2d: a scalar becomes [1, 1], [n] becomes [1, n], all others remain.
Array atleast_2d(const Operand& x);

}  // namespace tutti
