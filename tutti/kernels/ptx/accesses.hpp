// SPDX-License-Identifier: Apache-2.0
// Writes plain loads and stores as PTX.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

/// The number of elements that a thread accesses with one instruction of at most 16 bytes. These elements are
/// adjacent, aligned to their total size, and have one mask.
int elements_per_access(const ThreadValues& values, Value pointer, std::optional<Value> mask);

/// Write a load or store. Accesses are weak and coherent. An access to Memory::own gets the comment "own",
/// which the text check in tests/kernels reads.
/// Throws T015 naming the op if it accesses an i1 or has a cache policy that PTX lacks.
void write_load(ThreadValues& values, const Op& op, const Load& load);
void write_store(ThreadValues& values, const Op& op, const Store& store);

/// Returns the address operand of an access: "[%rd3+16]".
std::string address(ThreadValues& values, Value pointer, int i);
/// once: only the owner of an element accesses it. by_all: every thread that holds a copy accesses it.
enum class Access : std::uint8_t { once, by_all };
/// Returns the predicate of the threads that access element i; empty if all threads do.
std::string accessing(ThreadValues& values, Value pointer, std::optional<Value> mask, int i, Access access);

}  // namespace tutti::kernels
