// SPDX-License-Identifier: Apache-2.0
// Laws of every program.
#pragma once

#include <string>

#include "tests/soundness/written.hpp"

namespace tutti::generated {

/// The numbers of programs that were tried, and of those that laws cannot be tried on.
struct Tally {
  int programs = 0, derivatives = 0;
  int kinks = 0;  // directions in which a program has one so near that only a smaller step met its slope
  int no_transposes = 0;  // refused: loops of unknown length
};

/// The first law that the program breaks, and how; empty if none. Values are drawn by `seed`.
std::string broken_law(const Written& written, std::uint64_t seed, Tally& tally);

/// The same of the laws of running alone: all plans give the bits of the definition, what is typed equal is
/// equal.
std::string broken_law_of_running(const Written& written, std::uint64_t seed);

}  // namespace tutti::generated
