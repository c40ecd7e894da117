// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// Where the environment has TUTTI_TEST_PLAIN: this test program sees a plainer machine, with AVX2 at most
/// and caches of 512 KiB and 2 MiB. Starts the program again, once, since OpenBLAS looks at its environment
/// when it is loaded.
/// Variables that are set already stay: ONEDNN_MAX_CPU_ISA=SSE41 is plainer still.
void use_plain_machine_if_asked(char** arguments);
bool is_plain_machine();

}  // namespace tutti
