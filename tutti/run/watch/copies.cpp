// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/copies.hpp"

#include <fmt/core.h>

#include "tutti/base/counted.hpp"

namespace tutti {
namespace {

constexpr std::size_t room_for_names = 40;  // characters

// Names the arguments that the last call copied, as many as fit into the line.
std::string named(const std::vector<Report::Copied>& copies) {
  std::string text;
  std::size_t count = 0;
  for (; count < copies.size() && text.size() < room_for_names; ++count)
    text += fmt::format("{}{} as {}{}", count == 0 ? "" : ", ", copies[count].name,
                        to_string(copies[count].as), copies[count].from);
  return count < copies.size() ? text + fmt::format(" and {} more", copies.size() - count) : text;
}

}  // namespace

std::string to_string(const Report::Copies& copies) {
  if (copies.calls == 0) return "";
  std::string text = fmt::format("copied into place: {} by {}, by the last one ", in_bytes(copies.bytes),
                                 counted(copies.calls, "call"));
  const std::vector<Report::Copied>& last = copies.by_last_call;
  if (last.empty()) return text + "nothing\n";
  std::int64_t bytes = 0;
  for (const Report::Copied& copy : last) bytes += copy.bytes;
  return text + fmt::format("{}\n  {}; Machine::place copies an array once for all programs\n",
                            in_bytes(bytes), named(last));
}

}  // namespace tutti
