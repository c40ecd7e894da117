// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/read/reading.hpp"

namespace tutti {

/// sdy.manual_computation: its arguments enter as their shardings say, restricted to the manual axes; the
/// body runs with these axes bound; results leave. A result that differs between devices along an axis that
/// its sharding does not name is assumed to be equal there.
/// Throws T001, T002, T005, T013, T014 for shardings and axes that do not fit, T004 for results that are
/// partial sums where the sharding names none.
Arrays manual_computation_read(const OpReader& op);

}  // namespace tutti
