// SPDX-License-Identifier: Apache-2.0
// The protocol between a store's client and server, over TCP. Numbers are little endian, u8 to u64.
//
//   greeting, once per connection, from the client:
//     "tuttikv", u8 version | u32 process, u32 processes, u64 instance, u32 n, u32 s
//       | n bytes: the job's name, s bytes: its secret
//   its answer: "tuttikv", u8 version, then an answer as below
//   request:  u8 operation (1 get, 2 try_get, 3 put), u32 timeout in ms, u32 k, u32 v
//       | k bytes: key, v bytes: value
//   answer:   u32 code (0: done, else as in error_code), u32 n | n bytes: value, or the text of the failure
//
// On one connection, the client sends a request only after the answer to the previous one. Concurrent
// requests use separate connections. Nothing is encrypted, the secret neither: whoever reads the network
// learns it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/xla/pjrt/key_value_store.hpp"
#include "tutti/xla/store/job.hpp"

namespace tutti::xla::protocol {

inline constexpr std::uint8_t version = 2;
inline constexpr std::string_view magic = "tuttikv";
inline constexpr std::size_t most_failure_bytes = std::size_t{64} << 10;  // text of a failure

inline constexpr std::size_t opening_bytes = 8;    // magic and version
inline constexpr std::size_t greeting_bytes = 32;  // to the name
inline constexpr std::size_t request_bytes = 13;   // to the key
inline constexpr std::size_t answer_bytes = 8;     // to the value

struct Greeting {
  Job job;
  std::uint64_t instance = 0;  // equal in all connections of one client, different in other clients
};
/// The greeting without the job's name and secret, which follow.
struct GreetingHead {
  std::uint8_t version = 0;
  std::uint32_t process = 0, processes = 0;
  std::uint64_t instance = 0;
  std::size_t name_bytes = 0, secret_bytes = 0;
};

enum class Operation : std::uint8_t { get = 1, try_get = 2, put = 3 };
struct RequestHead {
  Operation operation{};
  std::chrono::milliseconds timeout{};
  std::size_t key_bytes = 0, value_bytes = 0;
};
struct AnswerHead {
  std::int32_t code = 0;
  std::size_t bytes = 0;
};

std::string write_greeting(const Greeting& greeting);
std::string write_opening();
std::string write_request(Operation operation, std::chrono::milliseconds timeout, std::string_view key,
                          std::string_view value);
std::string write_answer(const StoreAnswer& answer);
/// The answer "done" up to its value of `value_bytes` bytes.
std::string write_done(std::size_t value_bytes);

/// Each reads exactly its number of bytes. None: the sender speaks another protocol.
std::optional<GreetingHead> read_greeting(std::string_view bytes);
std::optional<std::uint8_t> read_opening(std::string_view bytes);  // the version
std::optional<RequestHead> read_request(std::string_view bytes);
std::optional<AnswerHead> read_answer(std::string_view bytes);

}  // namespace tutti::xla::protocol
