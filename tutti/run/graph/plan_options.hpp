// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/devices/layout.hpp"

namespace tutti {

enum class Fusion { on, off };

enum class Stores {
  by_size,   // non-temporal in steps larger than the caches
  streamed,  // non-temporal in all regions and copies; for tests
};

/// Which plan the planner makes. Every plan gives the same bits.
enum class PlanChoice {
  cheapest,    // by the cost model
  one_worker,  // everything on worker 0
  by_axis,     // split whatever can be split, by axes first
  by_tiles,    // split whatever can be split, by tiles first
};

/// The sizes of caches that costs depend on.
struct Caches {
  double own_bytes;   // those that each worker has to itself, of all workers together
  double last_bytes;  // the last one before memory, which the workers share
};

/// How a program is planned. No option changes a result.
struct PlanOptions {
  Storage storage = Storage::by_type;  // per_device checks types; slower
  Fusion fusion = Fusion::on;
  Stores stores = Stores::by_size;
  PlanChoice choice = PlanChoice::cheapest;
  int workers = 1;                 // an Executable takes as many as its team has
  bool check_assumptions = false;  // compares the values that assume_invariant assumes equal; slower
  /// Results that consist of blocks (kernel::Opaque::blocks) and have so many bytes are read block by block
  /// where elements are computed. Smaller values cost more calls than copies. With 0 bytes, lines of every
  /// length are read in place.
  std::int64_t least_assembled_bytes = 4096;
  std::optional<Caches> caches = {};            // none: those of the machine
  std::optional<std::int64_t> most_bytes = {};  // see MachineOptions::memory
};

}  // namespace tutti
