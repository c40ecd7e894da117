// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/control/flow/scan.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// Where the groups of a scan's operands end.
struct ScanGroups {
  std::size_t consts, carries, xs;
  explicit ScanGroups(const Scan& scan)
      : consts(static_cast<std::size_t>(scan.consts)),
        carries(consts + static_cast<std::size_t>(scan.carries)),
        xs(scan.body->inputs.size()) {}
};

}  // namespace tutti
