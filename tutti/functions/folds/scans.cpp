// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/scans.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cumulative.hpp"

namespace tutti {
namespace {

constexpr std::string_view scan_name = "associative_scan";

// The dim counted from 0, the same of all leaves.
Dim common_dim(const Arrays& leaves, int dim) {
  require(!leaves.empty(), Code::shape, "nothing to scan; the tree has no array");
  const Dim first = as_dim(dim, leaves[0].type());
  for (const Array& leaf : leaves) {
    const Dim along = as_dim(dim, leaf.type());
    require(along == first, Code::dim, "dim {} is dim {} of {} and dim {} of {}; count it from the front",
            dim, first.index, leaves[0].type(), along.index, leaf.type());
    require(leaf.shape()[along] == leaves[0].shape()[first], Code::shape,
            "{} and {} have {} and {} slices along dim {}; leaves have equally many", leaves[0].type(),
            leaf.type(), leaves[0].shape()[first], leaf.shape()[along], first.index);
  }
  return first;
}

void require_kept(const Arrays& given, const Arrays& returned) {
  require(given.size() == returned.size(), Code::tree, "the function returns {}, it was given {}",
          counted(std::ssize(returned), "array"), counted(std::ssize(given), "array"));
  for (std::size_t i = 0; i < given.size(); ++i) {
    require(given[i].shape() == returned[i].shape(), Code::shape,
            "the function returns {} for {}; it works slice by slice and keeps the shape", returned[i].type(),
            given[i].type());
    require(given[i].dtype() == returned[i].dtype(), Code::dtype,
            "the function returns {} for {}; it keeps the dtype: convert(.., DType::{})", returned[i].type(),
            given[i].type(), name(given[i].dtype()));
  }
}

}  // namespace

Array logcumsumexp(const Operand& x, int dim, Order order) {
  return front_end("logcumsumexp", x.where(), [&] { return cumlogsumexp(x, dim, order); });
}

Arrays internal::associative_scan_flat(const Combine& combine, const Arrays& leaves,
                                       const AssociativeScanOptions& options, Where where) {
  const Dim dim = front_end(scan_name, where, [&] { return common_dim(leaves, options.dim); });
  auto checked = [&](const Arrays& a, const Arrays& b) {
    Arrays results = combine(a, b);
    front_end(scan_name, where, [&] { require_kept(b, results); });
    return results;
  };
  const Order order = options.reverse ? Order::backward : Order::forward;
  return odd_even_scan(checked, leaves, {dim, order, scan_name, where});
}

}  // namespace tutti
