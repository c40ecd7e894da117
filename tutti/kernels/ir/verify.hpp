// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Checks a kernel; throws I001 naming the op unless
/// - names are identifiers, and hints are powers of two;
/// - every op takes its operands and its results have the types that follow (result_types(), check_regions());
/// - a value is defined once, before its uses and in a region around them; a terminator ends each region;
/// - the kernel follows the protocol: see check_protocol(), check_threads().
void verify(const Function& function);

/// Threads of a block run apart: a release by one orders the accesses of others only through a block barrier. So on
/// every path there is a block barrier
/// - between a plain load or store of Memory::peer and a later signal: an atomic or assembly that releases;
/// - between a wait (one that acquires) and a later plain load or store of Memory::peer.
/// Throws I001 naming both ops.
void check_protocol(const Function& function);

/// Values that come from a ThreadId differ between the threads of a block. Only ops of scalars take them, and only such
/// ops stand in a branch that they decide: a block barrier or a tensor there would wait for threads that never come.
/// Throws I001 naming the op.
void check_threads(const Function& function);

}  // namespace tutti::kernels
