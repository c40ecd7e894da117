// SPDX-License-Identifier: Apache-2.0
// Checks the text of PTX for defects that neither a GPU nor a model of the IR would show.
#pragma once

#include <string>
#include <vector>

#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// Lists the violations of these rules in a module, with their lines; empty if there are none:
/// - Accesses are coherent. Every atomic one has the scope .sys.
/// - Each entry has as many releases and acquires as its barriers need, so none has become relaxed.
/// - On every path a bar.sync stands between accesses that peers see and the signal after them, and between a
///   wait and the ops after it.
/// - Relaxed accesses are only those of packets, 8 bytes wide, and of the word that reports a wait given up.
std::vector<std::string> ptx_faults(const std::string& ptx, const Manifest& manifest);

/// Numbers of plain accesses to global memory, own memory included, by the width of one thread's access.
struct PtxWidths {
  int of_16_bytes = 0, narrower = 0;
};
/// Counts loads and stores of payload. Loads from tables and accesses of error words do not count.
PtxWidths payload_widths(const std::string& ptx, int element_bits);

}  // namespace tutti::kernels
