// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// True if the stack of this thread has less than 128 KiB left, or less than a quarter if it is small. False
/// where the system does not say where the stack lies.
bool stack_is_nearly_full();

}  // namespace tutti
