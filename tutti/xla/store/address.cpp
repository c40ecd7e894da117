// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/address.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "tutti/base/require.hpp"

namespace tutti::xla {
namespace {

constexpr std::size_t most_host_bytes = 253;  // of a name in DNS

std::optional<std::uint16_t> read_port(std::string_view digits) {
  std::uint16_t port = 0;
  const char *begin = digits.data(), *end = begin + digits.size();
  const auto [at, error] = std::from_chars(begin, end, port);
  return error == std::errc() && at == end ? std::optional(port) : std::nullopt;
}

bool is_host(std::string_view host, bool has_brackets) {
  const auto is_part = [&](char c) {
    const bool is_of_names =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    return is_of_names || (has_brackets ? c == ':' || c == '%' : c == '-' || c == '_');
  };
  return !host.empty() && host.size() <= most_host_bytes && std::ranges::all_of(host, is_part);
}

}  // namespace

Address read_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon == text.npos ? text.size() : colon);
  const auto port = colon == text.npos ? std::nullopt : read_port(text.substr(colon + 1));
  const bool has_brackets = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (has_brackets) host = host.substr(1, host.size() - 2);
  require(port && is_host(host, has_brackets), Code::device,
          "xla: '{}' is no address of a coordinator; write host:port, for example 10.0.0.1:7070 or "
          "[fd00::1]:7070",
          text);
  return {std::string(host), *port};
}

std::string to_string(const Address& address) {
  const bool has_colons = address.host.find(':') != address.host.npos;
  return fmt::format("{}{}{}:{}", has_colons ? "[" : "", address.host, has_colons ? "]" : "", address.port);
}

}  // namespace tutti::xla
