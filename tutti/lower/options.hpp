// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// The form of ops that StableHLO can write in several ways. By default every XLA backend runs the text.
struct LowerOptions {
  /// Writes a collective that was started as stablehlo.async_start and async_done, if it lowers to exactly one collective
  /// of StableHLO, or one between local ops. XLA's CPU runs all of them but all_to_all with split != concat.
  bool async = false;
  /// Writes a permutation that was started as stablehlo.send and recv. XLA's GPUs run them, and write zeros where nobody
  /// sends. XLA refuses pairs that form a cycle: those stay a permutation.
  bool send_recv = false;
  /// Writes ragged_all_to_all as the custom call that XLA's GPUs and TPUs run, unless it adds the rows that land.
  bool ragged_call = false;
};

}  // namespace tutti
