// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/devices/transport.hpp"

namespace tutti {

/// Compares a text with those of the other processes, which all call this at the same point. If they differ,
/// all throw R007: "process 2 compiles another program than process 0: line 3 is `..`, there `..`". There
/// `differs` is "compiles another program than".
void require_agreement(Transport& transport, const std::string& text, std::string_view differs);

/// Does `f` on all processes. If it throws on some of them only, these throw their error, and the others
/// throw R007: "process 1 has failed here: ..".
void require_same_outcome(Transport& transport, const std::function<void()>& f);

/// The bytes of a part of an array, which several devices may hold.
struct PartOnDevice {
  int device, part;
  std::uint64_t hash;
};
/// Every process calls this with the parts on its devices. Returns two devices that hold the same part with
/// other bytes, if there are some.
std::optional<std::pair<int, int>> devices_that_differ(Transport& transport,
                                                       const std::vector<PartOnDevice>& own);

/// Every process calls this. Process 0 gets the texts of all, in their order; the others get none.
std::vector<std::string> gathered(Transport& transport, std::string text);
/// Every process calls this with the same `process`, and gets its text.
std::string told_by(Transport& transport, int process, const std::string& text);

}  // namespace tutti
