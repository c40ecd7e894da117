// SPDX-License-Identifier: Apache-2.0
// All-gather of f32 over two ranks, written by hand op by op: an input of the printers and of the verifier.
#pragma once

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

struct Barriers {
  bool before_signal = true, after_wait = true;
};

/// Each rank copies its tiles to its staging buffer, signals, waits for both ranks, and copies both staging
/// buffers to its output. The slots of a block are a row of 8 words.
/// Signal by exchange; wait by adding 0 until the word is at least the sequence number.
Function all_gather_by_exchange(Barriers barriers = {});
/// Signal by atomic store; wait by poll with timeout. Slots of odd calls are a second row.
Function all_gather_by_poll(Barriers barriers = {});

}  // namespace tutti::kernels
