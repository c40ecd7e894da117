// SPDX-License-Identifier: Apache-2.0
// Plain loads and stores.
#pragma once

#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

/// Elements that one thread accesses by one instruction of at most 16 bytes: they lie side by side, begin at a multiple of
/// their bytes, and have one mask.
int elements_per_access(const ThreadValues& values, Value pointer, std::optional<Value> mask);

/// Accesses are weak and coherent. An access to Memory::own has the comment "own", which the text check of tests reads.
/// Throws T015 naming the op if it accesses an i1, or asks for a cache policy that PTX does not have.
void write_load(ThreadValues& values, const Op& op, const Load& load);
void write_store(ThreadValues& values, const Op& op, const Store& store);

/// "[%rd3+16]"
std::string address(ThreadValues& values, Value pointer, int i);
/// The predicate of the threads that access element i: empty if all do. `once`: only its owner does.
enum class Access : std::uint8_t { once, by_all };
std::string accessing(ThreadValues& values, Value pointer, std::optional<Value> mask, int i, Access access);

}  // namespace tutti::kernels
