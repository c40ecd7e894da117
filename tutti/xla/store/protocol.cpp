// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/protocol.hpp"

#include <algorithm>
#include <limits>

namespace tutti::xla::protocol {
namespace {

template <class Number>
void append(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
}

/// Takes a number from the front.
template <class Number>
Number take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  bytes.remove_prefix(sizeof(Number));
  return static_cast<Number>(number);
}

}  // namespace

std::string write_opening() {
  std::string bytes(magic);
  append(bytes, version);
  return bytes;
}

std::optional<std::uint8_t> read_opening(std::string_view bytes) {
  if (bytes.size() < opening_bytes || !bytes.starts_with(magic)) return std::nullopt;
  return static_cast<std::uint8_t>(bytes[magic.size()]);
}

std::string write_greeting(const Greeting& greeting) {
  std::string bytes = write_opening();
  append(bytes, static_cast<std::uint32_t>(greeting.job.process));
  append(bytes, static_cast<std::uint32_t>(greeting.job.processes));
  append(bytes, greeting.instance);
  append(bytes, static_cast<std::uint32_t>(greeting.job.name.size()));
  append(bytes, static_cast<std::uint32_t>(greeting.job.secret.size()));
  return bytes + greeting.job.name + greeting.job.secret;
}

std::optional<GreetingHead> read_greeting(std::string_view bytes) {
  const auto found = read_opening(bytes);
  if (!found || bytes.size() != greeting_bytes) return std::nullopt;
  bytes.remove_prefix(opening_bytes);
  GreetingHead head{.version = *found};
  head.process = take<std::uint32_t>(bytes);
  head.processes = take<std::uint32_t>(bytes);
  head.instance = take<std::uint64_t>(bytes);
  head.name_bytes = take<std::uint32_t>(bytes);
  head.secret_bytes = take<std::uint32_t>(bytes);
  // Another version may have another layout, so only its number is read.
  const bool has_place = head.name_bytes <= most_name_bytes && head.secret_bytes <= most_secret_bytes;
  if (head.version == version && !has_place) return std::nullopt;
  return head;
}

std::string write_request(Operation operation, std::chrono::milliseconds timeout, std::string_view key,
                          std::string_view value) {
  std::string bytes;
  bytes.reserve(request_bytes + key.size() + value.size());
  append(bytes, static_cast<std::uint8_t>(operation));
  append(bytes, static_cast<std::uint32_t>(timeout.count()));
  append(bytes, static_cast<std::uint32_t>(key.size()));
  append(bytes, static_cast<std::uint32_t>(value.size()));
  bytes += key;
  bytes += value;
  return bytes;
}

std::optional<RequestHead> read_request(std::string_view bytes) {
  if (bytes.size() != request_bytes) return std::nullopt;
  const auto operation = take<std::uint8_t>(bytes);
  RequestHead head{.operation = static_cast<Operation>(operation)};
  head.timeout = std::chrono::milliseconds(take<std::uint32_t>(bytes));
  head.key_bytes = take<std::uint32_t>(bytes);
  head.value_bytes = take<std::uint32_t>(bytes);
  const bool is_known = operation >= 1 && operation <= 3;
  const bool has_place = head.key_bytes <= most_key_bytes && head.value_bytes <= most_value_bytes;
  const bool is_consistent = head.operation == Operation::put || head.value_bytes == 0;
  if (!is_known || !has_place || !is_consistent || head.timeout > longest_wait) return std::nullopt;
  return head;
}

std::string write_answer(const StoreAnswer& answer) {
  const std::string_view text = answer.failure
                                    ? std::string_view(answer.failure->message).substr(0, most_failure_bytes)
                                    : std::string_view(answer.value);
  std::string bytes;
  bytes.reserve(answer_bytes + text.size());
  append(bytes, static_cast<std::uint32_t>(answer.failure ? answer.failure->code : 0));
  append(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
  return bytes;
}

std::string write_done(std::size_t value_bytes) {
  std::string bytes;
  append(bytes, std::uint32_t{0});
  append(bytes, static_cast<std::uint32_t>(value_bytes));
  return bytes;
}

std::optional<AnswerHead> read_answer(std::string_view bytes) {
  if (bytes.size() != answer_bytes) return std::nullopt;
  const auto code = take<std::uint32_t>(bytes);
  const AnswerHead head{static_cast<std::int32_t>(code), take<std::uint32_t>(bytes)};
  const std::size_t most = code == 0 ? most_value_bytes : most_failure_bytes;
  if (code > static_cast<std::uint32_t>(error_code::unauthenticated) || head.bytes > most)
    return std::nullopt;
  return head;
}

}  // namespace tutti::xla::protocol
