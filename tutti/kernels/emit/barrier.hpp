// SPDX-License-Identifier: Apache-2.0
// The barrier among the blocks that have the same number on all ranks, in the manifest's encoding.
#pragma once

#include "tutti/kernels/emit/writer.hpp"

namespace tutti::kernels {

/// Signals to all ranks, this one included, that this block has reached barrier 0, 1, .. of the call. This
/// block's earlier accesses are visible to every block that has waited for the signal.
void signal(Writer& w, int barrier);
/// Waits until this block's counterpart on every rank has signalled. Returns an i1: false if a wait was given
/// up. A wait that is given up is also reported at `error`.
Value wait(Writer& w, int barrier);
/// Signals, waits, and runs `then` if all ranks have arrived.
void after_barrier(Writer& w, int barrier, const std::function<void()>& then);

/// Returns the address of the error pair of this block's wait for `peer`, an i32 or a tensor of i32.
Value error_pair(Writer& w, Value peer);
/// Stores {1, sequence} in an error pair, in lanes in which the mask is true.
void store_error(Writer& w, Value pair, Value sequence, std::optional<Value> mask);
/// Marks this rank as broken unless `arrived`, an i1, is true. Later kernels of a broken rank exit at once.
void break_unless(Writer& w, Value arrived);
/// Runs `then` unless this rank is marked as broken.
void unless_broken(Writer& w, const std::function<void()>& then);

}  // namespace tutti::kernels
