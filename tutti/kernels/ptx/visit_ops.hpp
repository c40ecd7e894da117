// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Calls f for every op of a region and its inner regions. An op comes before the ops of its regions.
template <class F>
void for_each_op(const Region& region, const F& f) {
  for (const Op& op : region.ops) {
    f(op);
    for (const Region& inner : op.regions) for_each_op(inner, f);
  }
}

}  // namespace tutti::kernels
