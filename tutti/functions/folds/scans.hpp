// SPDX-License-Identifier: Apache-2.0
// Scans by a function of the caller; cumsum, cumprod, cummax, cummin and cumlogsumexp are in
// ops/cumulative.hpp.
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ops/odd_even_scan.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti {

/// cumlogsumexp by its name in other libraries.
Array logcumsumexp(const Operand& x, int dim = 0, Order order = Order::forward);

/// Options of associative_scan.
struct AssociativeScanOptions {
  int dim = 0;           // of every leaf; negative ones count from the end
  bool reverse = false;  // from the last slice on
};

}  // namespace tutti

namespace tutti::internal {

Arrays associative_scan_flat(const Combine& combine, const Arrays& leaves,
                             const AssociativeScanOptions& options, Where where);

}  // namespace tutti::internal

namespace tutti {

/// jax.lax.associative_scan: the running combinations of the slices of a tree along one dim, f(f(x0, x1), x2)
/// and so on.
/// f(a, b) is associative; it takes and returns trees like `elements`, whose leaves have some slices of the
/// dim. It is called about 2 log2(n) times, so it works on many slices at once.
/// elements: leaves of one size along `dim` -> the same. Derivatives, lanes and states are those of f.
/// Throws T006 for a dim out of range, T005 if leaves differ in size along it, if there is no leaf, and if f
/// changes a shape, T007 if f changes a dtype.
template <class F, class T>
T associative_scan(const F& f, const T& elements, const AssociativeScanOptions& options = {},
                   Where where = Where::here()) {
  static_assert(std::is_invocable_v<const F&, const T&, const T&>,
                "associative_scan: the function takes two trees like the elements: f(a, b)");
  auto combine = [&](const Arrays& a, const Arrays& b) -> Arrays {
    if constexpr (std::is_invocable_v<const F&, const T&, const T&>) {
      static_assert(std::is_same_v<std::invoke_result_t<const F&, const T&, const T&>, T>,
                    "associative_scan: the function returns a tree like the elements");
      return tree::flatten(f(tree::rebuild(elements, a), tree::rebuild(elements, b)));
    } else {
      return a;
    }
  };
  return tree::rebuild(elements,
                       internal::associative_scan_flat(combine, tree::flatten(elements), options, where));
}

}  // namespace tutti
