// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tutti/base/namespaces.hpp"

namespace tutti::internal {

struct CallBack;

}  // namespace tutti::internal

namespace tutti {

/// The form of ops that StableHLO can write in several ways. By default every XLA backend runs the text.
struct LowerOptions {
  /// Writes a collective that was started as stablehlo.async_start and async_done, if it lowers to exactly
  /// one collective of StableHLO, or one between local ops. XLA's CPU runs all of them but all_to_all with
  /// split != concat.
  bool async = false;
  /// Writes a permutation that was started as stablehlo.send and recv. XLA's GPUs run them, and write zeros
  /// where nobody sends. XLA refuses pairs that form a cycle: those stay a permutation.
  bool send_recv = false;
  /// Writes ragged_all_to_all as the custom call that XLA's GPUs and TPUs run, unless it adds the rows that
  /// land.
  bool ragged_call = false;
  /// Writes all_reduce by and, or of integers as stablehlo.all_reduce, which XLA's CPUs and GPUs refuse. Else
  /// it becomes moves and a local fold, with the same bits.
  bool bitwise_all_reduce = false;
};

/// The precision of products of f32 and complex64. `fast` leaves it to XLA, which rounds operands to TF32 or
/// bf16 on some devices.
enum class Precision { highest, fast };

/// The form of a program for replicas.
struct ReplicaOptions {
  Precision precision = Precision::highest;
  /// Per input: the output that may take its memory when the caller gives the input away. Both have the same
  /// dtype and shape, and no output is named twice. Empty: none.
  std::vector<std::optional<int>> aliases = {};
  /// Takes the equations with an effect, which the text writes as calls back. Null: they are refused.
  std::vector<internal::CallBack>* call_backs = nullptr;
};

}  // namespace tutti
