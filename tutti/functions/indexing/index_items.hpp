// SPDX-License-Identifier: Apache-2.0
// The indices of x[..], checked: what each says about the dims of x.
#pragma once

#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/index.hpp"

namespace tutti {

/// One index of a call. All except `new_dim` and `gap` take a dim of the array, in order.
struct IndexItem {
  enum class Kind {
    number,   // the element `start`
    range,    // `count` elements: start, start + step, ..
    lookup,   // the elements that `rows` names
    new_dim,  // a dim of size 1
    gap,      // an ellipsis of no dims: indices before and after it do not adjoin
  };

  bool takes_dim() const { return kind != Kind::new_dim && kind != Kind::gap; }

  Kind kind;
  Dim dim = {};
  std::int64_t start = 0, count = 1, step = 1;
  Array rows = {};
};
using IndexItems = std::vector<IndexItem>;

/// Every dim of `x` is taken once; numbers and starts are counted from 0. Errors get the line of the index
/// that is wrong, unless another front end calls x[..]: then its caller's.
/// Throws T006 for a number out of range, too many indices and a second ellipsis, T005 for a step of 0, T007
/// for arrays that are no integers.
IndexItems index_items(const std::vector<Index>& indices, Type x);

bool looks_up(const IndexItems& items);

}  // namespace tutti
