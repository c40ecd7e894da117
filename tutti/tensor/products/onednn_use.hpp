// SPDX-License-Identifier: Apache-2.0
// Shared by all that calls oneDNN: the gate before exit(), memory for its code, alignment of scratch.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include "tutti/tensor/products/exit_gate.hpp"

namespace tutti {

/// Scratch that a call of oneDNN is given needs so many bytes more than it uses.
inline constexpr std::size_t onednn_scratch_alignment = 64;
/// The first address from `scratch` on that is aligned.
std::byte* aligned_for_onednn(std::byte* scratch);

/// Closes before exit() destroys statics of oneDNN.
ExitGate& onednn_gate();

/// exit() destroys statics in reverse order: so the gate closes before those are destroyed that oneDNN has
/// made by now. Called after each step that makes some, for exit() may come at any time.
template <auto step>
void close_before_statics_made_until() {
  struct Closer {
    ~Closer() { onednn_gate().close(); }
  };
  static const Closer closer;
}

/// Held while a primitive is made. Without it, the child of a fork could find the lock of oneDNN's cache
/// taken, by a thread that it does not have.
inline std::mutex onednn_maker;

/// Calls `make`, which makes primitives. Throws R003 without memory for their code; `described` says in the
/// message which they are: "a f32 product of 2x3 and 3x4".
void make_with_room(const std::string& described, const std::function<void()>& make);

/// Throws for a dnnl_status_t that a call of a primitive gave: R003 if memory is short, else I001.
[[noreturn]] void fail_in_onednn(const std::string& described, int status);

}  // namespace tutti
