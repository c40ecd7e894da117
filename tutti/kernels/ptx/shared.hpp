// SPDX-License-Identifier: Apache-2.0
// Exchange of values between the threads of a block.
#pragma once

#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

/// The buffer in shared memory of every entry that needs one.
inline constexpr std::string_view shared_name = "exchange";
/// Its bytes: 8 for each thread. Uses follow each other, with a block barrier after each.
constexpr int shared_bytes(int threads) { return threads * 8; }

/// Gives `reg` of the thread that owns an element to all threads that hold a copy. -> a register
std::string given_to_copies(ThreadValues& values, const ThreadLayout& layout, RegisterKind kind,
                            std::string_view reg);

/// All threads get the same bits. The region must be one commutative operation.
/// Throws T015 naming the op if it is another one, or if not all elements of the tensor are reduced.
void write_reduce(ThreadValues& values, const Op& op);

}  // namespace tutti::kernels
