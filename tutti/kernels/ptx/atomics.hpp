// SPDX-License-Identifier: Apache-2.0
// Accesses with an order and a scope. The owner of an element makes them; where threads hold copies of it, they get the
// result through shared memory.
#pragma once

#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

enum class PtxTarget : std::uint8_t { sm_80, sm_90 };

/// Throws T015 naming the op if the target has no addition of bf16 in memory, or the value is an i1.
void write_rmw(ThreadValues& values, const Op& op, const AtomicRmw& rmw, PtxTarget target);
void write_cas(ThreadValues& values, const Op& op, const AtomicCas& cas);
void write_atomic_store(ThreadValues& values, const Op& op, const AtomicStore& store);
void write_atomic_load(ThreadValues& values, const Op& op, const AtomicLoad& load);
/// Loads until memory equals the value, or %globaltimer says that the timeout has passed; sleeps between loads.
void write_poll(ThreadValues& values, const Op& op, const AtomicPoll& poll);

// Ops of single threads: the text that Triton gets as inline assembly.
void write_thread_signal(ThreadValues& values, const Op& op, const ThreadSignal& signal);
void write_thread_wait(ThreadValues& values, const Op& op, const ThreadWait& wait);

}  // namespace tutti::kernels
