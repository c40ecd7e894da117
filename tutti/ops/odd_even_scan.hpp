// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "tutti/base/error.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti::ops {

/// Combines slices of several arrays: a stands before b. It must be associative.
using Combine = std::function<Arrays(const Arrays& a, const Arrays& b)>;

/// The dim and the order of a scan, and the user's call that causes what it records.
struct OddEvenScan {
  Dim dim;
  Order order;
  std::string_view name;
  Where where = {};
};
/// The running combinations along a dim, by the recursion of jax.lax.associative_scan, so with its roundings:
/// pairs are combined, these are scanned, and every second result is combined with the element behind it.
/// `elements` have one size along `dim`. What it records itself is caused by the call of `name` at `where`;
/// `combine` is called outside of that. Cost: 2 log2(n) calls of `combine`, of n, n / 2, .. slices.
Arrays odd_even_scan(const Combine& combine, const Arrays& elements, const OddEvenScan& scan);

}  // namespace tutti::ops
