// SPDX-License-Identifier: Apache-2.0
// Writes exchanges of values between the threads of a block.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

/// The name of the exchange buffer in shared memory. Entries that exchange values have one.
inline constexpr std::string_view shared_name = "exchange";
/// The size of the exchange buffer: 8 bytes per thread. A block barrier after each use lets the next use
/// overwrite it.
constexpr int shared_bytes(int threads) { return threads * 8; }

/// Copies `reg` from an element's owner to all threads that hold a copy; returns the register of the copy.
std::string given_to_copies(ThreadValues& values, const ThreadLayout& layout, RegisterKind kind,
                            std::string_view reg);

/// Writes a reduction. All threads get the same bits.
/// Throws T015 naming the op unless its region is one commutative operation and it reduces all elements of
/// the tensor.
void write_reduce(ThreadValues& values, const Op& op);

}  // namespace tutti::kernels
