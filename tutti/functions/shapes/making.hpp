// SPDX-License-Identifier: Apache-2.0
// Arrays of values that a rule gives. (full, zeros, ones, zeros_like, ones_like: ops/constant; arange:
// ops/iota.)
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/ir/array.hpp"

namespace tutti {

/// numpy.full_like: the shape of x filled with a number, or with an array that broadcasts; in the dtype of x,
/// or `dtype`.
/// Equal on all devices if `value` is. Outside of a trace `value` is a number, and the result finished data.
/// Throws T005 if the array does not broadcast, T008 if the number does not fit.
Array full_like(const Operand& x, const Operand& value, std::optional<DType> dtype = {});

/// Options of linspace.
struct LinspaceOptions {
  bool endpoint = true;  // false: `stop` is left out
  int dim = 0;           // of the result; negative ones count from the end
};
/// numpy.linspace: n values from `start` to `stop`, equally far from each other, along a new dim.
/// Bounds are numbers or arrays that broadcast. Values are computed in f64 and rounded once; integers are
/// rounded down.
/// Throws T005 for a negative n or shapes that do not broadcast, T006 for the dim.
Array linspace(const Operand& start, const Operand& stop, std::int64_t n, DType dtype,
               const LinspaceOptions& options = {});

/// Options of logspace; `endpoint` and `dim` as in LinspaceOptions.
struct LogspaceOptions {
  bool endpoint = true;
  int dim = 0;
  double base = 10;
};
/// numpy.logspace: base to the power of linspace; integers are rounded towards zero. Throws T005, T006.
Array logspace(const Operand& start, const Operand& stop, std::int64_t n, DType dtype,
               const LogspaceOptions& options = {});

/// The order of the dims of a meshgrid: Cartesian or by matrix.
enum class Indexing {
  xy,  // dims 0 and 1 change places: y, x, ..
  ij,
};
/// Options of meshgrid.
struct MeshgridOptions {
  Indexing indexing = Indexing::xy;
  bool sparse = false;  // size 1 along the dims of the others
};
/// numpy.meshgrid: each vector along a dim of its own, repeated along those of the others; a scalar has one
/// element.
/// Cost: none; readers step by 0. Throws T005 for an array of more dims.
Arrays meshgrid(const Arrays& vectors, const MeshgridOptions& options = {}, Where where = Where::here());

}  // namespace tutti
