// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Checks a kernel. Throws I001 naming the op unless
/// - names are identifiers, and hints are powers of two;
/// - every op takes its operands, and its results have the inferred types (result_types(), check_regions());
/// - each value is defined once, before its uses, in the region of the use or one that encloses it;
/// - each region ends in a terminator;
/// - check_protocol() and check_threads() accept the kernel.
void verify(const Function& function);

/// Checks the block barriers around signals and waits. A release by one thread orders accesses of the block's
/// other threads only through a block barrier. Every path must therefore have a block barrier
/// - between a plain load or store of Memory::peer and a later signal: an atomic or assembly that releases;
/// - between a wait (one that acquires) and a later plain load or store of Memory::peer.
/// Throws I001 naming both ops.
void check_protocol(const Function& function);

/// Checks the use of values that differ between the threads of a block: the results of ThreadId, and values
/// computed from them. Only scalar ops of single threads may take such a value or stand in a branch that
/// depends on one: a block barrier or a tensor op there would wait for threads that do not enter the branch.
/// Throws I001 naming the op.
void check_threads(const Function& function);

}  // namespace tutti::kernels
