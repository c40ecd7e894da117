// SPDX-License-Identifier: Apache-2.0
// Sources include this file; headers do not, because it shows nlohmann's types.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tutti {

/// The label of an event, as Timeline::add takes it. Invalid UTF-8 is replaced.
std::string event_label(const std::string& name, std::string_view category,
                        const nlohmann::ordered_json& args);

}  // namespace tutti
