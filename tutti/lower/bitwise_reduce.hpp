// SPDX-License-Identifier: Apache-2.0
// all_reduce by and, or of integers, which XLA's CPUs and GPUs do not have.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"

namespace tutti {

/// True for and, or of integers. XLA's CPUs and GPUs know and, or of bool only: "Unsupported reduction
/// computation".
bool is_bitwise(const AllReduce& reduce, Type x);

/// Returns a program for the same reduction of a value of type `x`: moves and a local fold; exact.
/// With n devices in a group and m elements, each device sends the fewer of (n - 1) m elements (all_gather,
/// fold) and 2 (n - 1) ceil(m / n) elements (all_to_all, fold, all_gather). Groups of different sizes use one
/// all_gather over the axes.
Program reduce_by_moves(const AllReduce& reduce, Type x);

}  // namespace tutti
