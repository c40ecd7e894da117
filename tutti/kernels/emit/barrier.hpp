// SPDX-License-Identifier: Apache-2.0
// The barrier between the blocks of one number on all ranks, in the encoding of the manifest.
#pragma once

#include "tutti/kernels/emit/writer.hpp"

namespace tutti::kernels {

/// Tells every peer, and this rank, that this block has come to a barrier of the call: 0 is the first.
/// Accesses before it are visible to whoever has waited.
void signal(Writer& w, int barrier);
/// Waits until the block of every rank has signalled. -> i1: false if some wait was given up, which is written at `error`.
Value wait(Writer& w, int barrier);
/// Both, then runs `then` if all have arrived.
void after_barrier(Writer& w, int barrier, const std::function<void()>& then);

/// The pair of words of a peer at `error`: peer is an i32 or a tensor of them.
Value error_pair(Writer& w, Value peer);
/// Stores {1, sequence} there, if the mask says so.
void store_error(Writer& w, Value pair, Value sequence, std::optional<Value> mask);
/// If not `arrived`, i1, tells later kernels of this rank to leave at once.
void break_unless(Writer& w, Value arrived);
/// Writes `then` for the case that no wait of this rank was given up before.
void unless_broken(Writer& w, const std::function<void()>& then);

}  // namespace tutti::kernels
