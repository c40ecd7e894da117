// SPDX-License-Identifier: Apache-2.0
// For sources: headers of the library do not include this file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tutti {

/// The label of an event, as Timeline::add takes it. Characters that are no UTF-8 are replaced.
std::string event_label(const std::string& name, std::string_view category,
                        const nlohmann::ordered_json& args);

}  // namespace tutti
