// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/event_label.hpp"

#include <nlohmann/json.hpp>

namespace tutti {

std::string event_label(const std::string& name, std::string_view category,
                        const nlohmann::ordered_json& args) {
  const nlohmann::ordered_json event = {{"name", name}, {"cat", category}, {"args", args}};
  std::string text = event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize(text.size() - 2);  // Timeline::add completes the object
  return text;
}

}  // namespace tutti
