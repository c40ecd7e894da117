// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::xla {

/// Where a server listens.
struct Address {
  std::string host;        // a name, an IPv4 address, or an IPv6 address without brackets
  std::uint16_t port = 0;  // 0: the system chooses one; for servers only
  friend bool operator==(const Address&, const Address&) = default;
};

/// Reads "host:port". IPv6 addresses have brackets: "[::1]:1234".
/// Throws R004 if the text is no such address.
Address read_address(std::string_view text);
std::string to_string(const Address& address);

}  // namespace tutti::xla
