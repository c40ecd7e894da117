// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tutti/kernels/check/report.hpp"
#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// A manifest and its kernels, one for each entry.
struct EmittedKernels {
  Manifest manifest;
  std::vector<Function> kernels;
};

/// The order in which a rank's blocks become resident.
enum class BlockOrder : std::uint8_t { ascending, shuffled };
/// Of reductions of floats: whole numbers, whose sums are exact in any order, or others, which show the order.
enum class Numbers : std::uint8_t { whole, any };

/// A rank that launches nothing from this call on.
struct Absence {
  int rank = 0, call = 0;
};

struct CheckOptions {
  int calls = 3;  // one after the other, of the emitted kernels in turn
  std::int64_t schedules = 100;
  std::vector<ScheduleKind> kinds = {ScheduleKind::random, ScheduleKind::pct, ScheduleKind::random,
                                     ScheduleKind::round_robin};  // in turn
  std::uint64_t seed = 1;                                         // schedule i has seed + i
  int residency = 0;  // blocks of a rank that run at once; a block leaves when it is done. 0: all
  BlockOrder block_order = BlockOrder::ascending;
  int most_delay = 0;  // a rank launches each call after up to so many turns of others, drawn anew
  std::uint32_t first_sequence = 1;  // wraps
  std::int64_t wait_limit = 0;       // the kernels' argument; 0: waits for ever
  std::optional<Absence> absent = {};
  Numbers numbers = Numbers::whole;
  /// Of a loop that carries nothing and has more trips: these only, the first and last among them. 0: all.
  std::int64_t most_trips = 0;
  std::int64_t most_ops = 0;      // no schedule begins after so many; 0: any number
  std::vector<int> choices = {};  // of an exhaustive schedule: runs this one alone
};

/// The options that run the schedule of a fault again, alone.
CheckOptions replay_of(CheckOptions options, const Fault& fault);

/// Runs kernels on a model of `world` ranks in many schedules, and stops at the first fault.
/// - Each rank runs its calls in stream order. Pads and staging are the group's; halves alternate, and the sequence
///   advances by manifest.sequence.signals. Before a call its output is cleared, after it the output is compared with
///   the spec's definition: both are accesses of the rank's stream.
/// - Inputs differ by rank, call and element.
/// - Memory is that of PTX without speculation: plain accesses must be ordered, an atomic read may return an older value
///   until something orders a newer one before it.
/// Throws T015 if the manifests differ in world, or for options out of range; R001 for an invalid manifest; I001 for
/// kernels that do not fit it.
CheckReport check(std::span<const EmittedKernels> emitted, const CheckOptions& options = {});
CheckReport check(const EmittedKernels& emitted, const CheckOptions& options = {});

}  // namespace tutti::kernels
