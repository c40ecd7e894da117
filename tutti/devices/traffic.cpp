// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/traffic.hpp"

#include <algorithm>

#include "tutti/base/inside.hpp"

namespace tutti {

Traffic ops::operator+(const Traffic& a, const Traffic& b) {
  return {.sent = a.sent + b.sent,
          .received = a.received + b.received,
          .depends_on_values = a.depends_on_values || b.depends_on_values};
}

Traffic ops::larger(const Traffic& a, const Traffic& b) {
  return {.sent = std::max(a.sent, b.sent),
          .received = std::max(a.received, b.received),
          .depends_on_values = a.depends_on_values || b.depends_on_values};
}

}  // namespace tutti
