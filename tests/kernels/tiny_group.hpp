// SPDX-License-Identifier: Apache-2.0
// Kernels of a few ops that a test writes by hand, for the checker to run.
#pragma once

#include <functional>
#include <string>

#include "tests/kernels/mutate.hpp"

namespace tutti::kernels {

/// The collective that moves nothing: a ppermute without pairs. A rank's output is one zero for each block.
Manifest idle_manifest(int world, int blocks = 1);

/// Writes the program that all ranks run. A word is an i32 of a rank's pad and is 0 at first. There are 8
/// words for each rank and block.
struct Script {
  Writer& w;

  Value number(std::int64_t value) { return w.i32(value); }
  /// Pointer to a word of a rank's pad.
  Value word(int rank, int index);
  /// Pointer to a word of a rank's staging in the half of the call. There are 4 words for each rank, without
  /// a value at first.
  Value staged(int rank, int index);

  /// Plain accesses that peers may see.
  void store(Value pointer, Value value) { w.b.store(pointer, value); }
  Value load(Value pointer) { return w.b.load(pointer); }
  void store_atomic(Value pointer, Value value, Order order, Scope scope = Scope::sys) {
    w.b.atomic_store({order, scope}, pointer, value);
  }
  Value load_atomic(Value pointer, Order order, Scope scope = Scope::sys) {
    return w.b.atomic_load({order, scope}, pointer);
  }
  /// Polls until the word is this number, by atomic loads.
  void await(Value pointer, std::int64_t number, Order order, Scope scope = Scope::sys);

  /// Writes `then` for one block of one rank.
  void only(int rank, const std::function<void()>& then) { only(rank, 0, then); }
  void only(int rank, int block, const std::function<void()>& then);
  /// Stores out of bounds if both words have these numbers, so that a test sees whether that can happen.
  void fail_if(Value x, std::int64_t x_number, Value y, std::int64_t y_number);
  /// Stores a value to the output. A value that is poison is a fault.
  void use(Value value);

  void if_both(Value x, Value y, const std::function<void()>& then);
};

/// The kernel that runs `write` and then stores the zero of its block.
EmittedKernels tiny_group(int world, int blocks, const std::function<void(Script&)>& write);

/// All schedules of a tiny group in one call.
CheckOptions every_order(std::int64_t at_most = 100'000);
/// Many schedules of a tiny group in one call, with reads that may be old.
CheckOptions many_orders(std::int64_t schedules = 2000);

}  // namespace tutti::kernels
