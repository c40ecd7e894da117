// SPDX-License-Identifier: Apache-2.0
// The text check of PTX: what no GPU and no model of the IR would show.
#pragma once

#include <string>
#include <vector>

#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// What is wrong with a module of these kernels, with the line; empty if all holds:
/// - Accesses are coherent. Every atomic one has the scope .sys.
/// - Each entry has as many releases and acquires as its barriers need, so none has become relaxed.
/// - On every path a bar.sync stands between accesses that peers see and the signal after them, and between a wait and
///   whatever follows it.
/// - Relaxed accesses are those of packets, 8 bytes wide, and of the word that says that a rank gave up.
std::vector<std::string> ptx_faults(const std::string& ptx, const Manifest& manifest);

/// Plain accesses to global memory, own ones too, by what one thread moves at once.
struct PtxWidths {
  int of_16_bytes = 0, narrower = 0;
};
/// Of loads and stores of payload: addresses of tables and words of errors do not count.
PtxWidths payload_widths(const std::string& ptx, int element_bits);

}  // namespace tutti::kernels
