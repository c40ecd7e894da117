// SPDX-License-Identifier: Apache-2.0
// How the blocks of several devices lie in one array, and how a vmap axis takes part in that.
#pragma once

#include <optional>

#include "tutti/devices/groups.hpp"
#include "tutti/ir/rules.hpp"

namespace tutti::ops {

/// Blocks [.., d, ..] of n devices lie along a new dim, [.., n, .., d, ..], or one after another along an
/// existing one, [.., n*d, ..].
enum class Stacking { new_dim, tiled };
/// "new_dim" or "tiled".
std::string_view name(Stacking stacking);

/// The type of n blocks of type `block` along `dim` of the result. Throws T006 (label `label`) if dim is out
/// of range.
Type stacked(Type block, Dim dim, Stacking stacking, int n, std::string_view label);
/// The type of one of n blocks of `whole`. Throws T006 for the dim, T005 if it does not split.
Type unstacked(Type whole, Dim dim, Stacking stacking, const Axes& axes, std::string_view label,
               const Groups& groups = {});

/// The digits that map the blocks on the devices along `axes` to one array of type `whole`; unstacking_view
/// turns them around.
kernel::View stacking_view(Type whole, Dim dim, Stacking stacking, const Axes& axes);
kernel::View unstacking_view(Type whole, Dim dim, Stacking stacking, const Axes& axes);

/// A Shuffle with `pieces` empty: `n` blocks, cut along `split` of the operand (none: the operand is one
/// block) and joined along `concat` of the result.
kernel::Shuffle shuffle_of_blocks(const Shape& operand, std::optional<Dim> split, std::optional<Dim> concat,
                                  Stacking stacking, int n);

/// [.., n, .., block] with n at `from` -> the blocks lie along `dim` of the result.
Array lay_blocks(const Array& x, Dim from, Dim dim, Stacking stacking);
/// The inverse: n blocks that lie along `dim` -> n is a dim of its own, which stands at `to`.
Array take_apart(const Array& whole, Dim dim, Stacking stacking, int n, Dim to);

/// The number of positions along the axes before `axis`, one of `axes`, and along those after it. Found
/// without dividing:
/// an axis of a vmap may have no lanes.
int size_before(const Axes& axes, const Axis& axis);
int size_after(const Axes& axes, const Axis& axis);

/// Batch rules over an op's own axis. `axes` is the op's tuple, `axis` the one that vmap removes, `rest` the
/// others.
/// [n of rest, n of axis, block] -> all blocks in the order of the tuple, lying along `dim`.
Array merge_lanes(const Array& blocks, const Axes& axes, const Axis& axis, Dim dim, Stacking stacking);
/// The inverse: -> [n of rest, n of axis, block].
Array split_lanes(const Array& whole, const Axes& axes, const Axis& axis, Dim dim, Stacking stacking);
/// [axis.size, ..] with x at index `lane` and zeros elsewhere.
Array put_lane(const Array& x, const Axis& axis, int lane);
/// x[lane] along dim 0; the other lanes are not looked at.
Array take_lane(const Array& x, int lane);
/// x[rows[0]], x[rows[1]], .. along dim 0; a row of zeros for -1. -0 may become +0.
Array take_rows(const Array& x, const std::vector<int>& rows);
/// The coordinate of joint position `position` along `axis`, and its position along the rest.
int coordinate_of(const Axes& axes, int position, const Axis& axis);
int position_in_rest(const Axes& axes, int position, const Axis& axis);

}  // namespace tutti::ops
