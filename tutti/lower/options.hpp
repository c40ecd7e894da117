// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// How ops are written that StableHLO has in more than one form. By default every machine of XLA runs the text.
struct LowerOptions {
  bool async =
      false;  // what was started: stablehlo.async_start and async_done, where the op is one collective
  bool send_recv = false;    // permutations that were started: stablehlo.send and recv
  bool ragged_call = false;  // ragged_all_to_all: the custom call that XLA knows on GPUs and TPUs
};

}  // namespace tutti
