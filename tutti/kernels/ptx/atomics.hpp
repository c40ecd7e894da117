// SPDX-License-Identifier: Apache-2.0
// Writes accesses with an order and a scope. Only the owner of an element makes the access; threads with a
// copy of the element get the result through shared memory.
#pragma once

#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

/// The oldest GPU that the PTX runs on.
enum class PtxTarget : std::uint8_t { sm_80, sm_90 };

/// Throw T015 naming the op if it accesses an i1; write_rmw() also if the target cannot add bf16 in memory.
void write_rmw(ThreadValues& values, const Op& op, const AtomicRmw& rmw, PtxTarget target);
void write_cas(ThreadValues& values, const Op& op, const AtomicCas& cas);
void write_atomic_store(ThreadValues& values, const Op& op, const AtomicStore& store);
void write_atomic_load(ThreadValues& values, const Op& op, const AtomicLoad& load);
/// Loads until memory equals the value or the timeout has passed by %globaltimer; sleeps between loads.
void write_poll(ThreadValues& values, const Op& op, const AtomicPoll& poll);

// Write ops that run in each thread, with the text that Triton gets as inline assembly (asm_text.hpp).
/// ThreadSignal and ThreadWait as instructions.
void write_thread_signal(ThreadValues& values, const Op& op, const ThreadSignal& signal);
void write_thread_wait(ThreadValues& values, const Op& op, const ThreadWait& wait);

}  // namespace tutti::kernels
