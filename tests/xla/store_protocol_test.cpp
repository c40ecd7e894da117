// SPDX-License-Identifier: Apache-2.0
// Bytes of the protocol, and addresses as users write them.
#include "tutti/xla/store/protocol.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_refusal.hpp"
#include "tutti/xla/store/address.hpp"

namespace tutti::xla {
namespace {

using namespace std::chrono_literals;
using namespace protocol;

TEST(xla_store_protocol, has_these_bytes) {
  const std::string nul(1, '\0');
  EXPECT_EQ(write_greeting({{"job", 2, 0x103, "hush"}, 0x0807060504030201}),
            "tuttikv\x02"
            "\x02" +
                nul + nul + nul + "\x03\x01" + nul + nul + "\x01\x02\x03\x04\x05\x06\x07\x08" + "\x03" + nul +
                nul + nul + "\x04" + nul + nul + nul + "jobhush");
  EXPECT_EQ(write_request(Operation::put, 0x1234ms, "key", "v"),
            "\x03\x34\x12" + nul + nul + "\x03" + nul + nul + nul + "\x01" + nul + nul + nul + "keyv");
  EXPECT_EQ(write_answer({"ok"}), nul + nul + nul + nul + "\x02" + nul + nul + nul + "ok");
  EXPECT_EQ(write_answer({{}, Failure{error_code::not_found, "no"}}),
            "\x05" + nul + nul + nul + "\x02" + nul + nul + nul + "no");
}

TEST(xla_store_protocol, reads_what_it_writes) {
  const auto greeting =
      read_greeting(write_greeting({{"job", 2, 300, "hush"}, 1234567890123}).substr(0, greeting_bytes));
  ASSERT_TRUE(greeting);
  EXPECT_EQ(greeting->process, 2U);
  EXPECT_EQ(greeting->processes, 300U);
  EXPECT_EQ(greeting->instance, 1234567890123U);
  EXPECT_EQ(greeting->name_bytes, 3U);
  EXPECT_EQ(greeting->secret_bytes, 4U);
  const auto request = read_request(write_request(Operation::get, 70s, "key", {}).substr(0, request_bytes));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->operation, Operation::get);
  EXPECT_EQ(request->timeout, 70s);
  EXPECT_EQ(request->key_bytes, 3U);
  EXPECT_EQ(request->value_bytes, 0U);
  const auto answer = read_answer(write_answer({std::string(70000, 'v')}).substr(0, answer_bytes));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->bytes, 70000U);
  EXPECT_EQ(write_done(70000) + std::string(70000, 'v'), write_answer({std::string(70000, 'v')}));
}

TEST(xla_store_protocol, refuses_other_bytes) {
  const auto request = [](int operation, std::chrono::milliseconds timeout, std::size_t key,
                          std::size_t value) {
    std::string bytes = write_request(static_cast<Operation>(operation), timeout, {}, {});
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[5 + i] = static_cast<char>(key >> (8 * i));
      bytes[9 + i] = static_cast<char>(value >> (8 * i));
    }
    return read_request(bytes).has_value();
  };
  EXPECT_TRUE(request(3, longest_wait, most_key_bytes, most_value_bytes));
  EXPECT_FALSE(request(0, 0ms, 1, 0));
  EXPECT_FALSE(request(4, 0ms, 1, 0));
  EXPECT_FALSE(request(1, longest_wait + 1ms, 1, 0));
  EXPECT_FALSE(request(3, 0ms, most_key_bytes + 1, 0));
  EXPECT_FALSE(request(3, 0ms, 1, most_value_bytes + 1));
  EXPECT_FALSE(request(1, 0ms, 1, 1));                                // a get has no value
  EXPECT_FALSE(read_answer(std::string("\x11\0\0\0\0\0\0\0", 8)));    // no such code
  EXPECT_FALSE(read_answer(std::string("\0\0\0\0\x01\0\0\x04", 8)));  // 64 MiB + 1
  EXPECT_FALSE(read_answer(std::string("\x05\0\0\0\0\0\0\x01", 8)));  // a text of 16 MiB
  EXPECT_FALSE(read_opening("HTTP/1.1"));
  EXPECT_FALSE(read_opening("tutti"));
  EXPECT_FALSE(read_greeting("GET / HTTP/1.1\r\nHost: here\r\n\r\nxy"));
  std::string long_name = write_greeting({{std::string(most_name_bytes + 1, 'n'), 1, 2}, 1});
  EXPECT_FALSE(read_greeting(long_name.substr(0, greeting_bytes)));
  std::string long_secret = write_greeting({{"", 1, 2, std::string(most_secret_bytes + 1, 's')}, 1});
  EXPECT_FALSE(read_greeting(long_secret.substr(0, greeting_bytes)));
}

TEST(xla_store_address, is_read_and_written) {
  EXPECT_EQ(read_address("10.0.0.1:7070"), (Address{"10.0.0.1", 7070}));
  EXPECT_EQ(read_address("[::1]:65535"), (Address{"::1", 65535}));
  EXPECT_EQ(read_address("node-1.my_net.org:0"), (Address{"node-1.my_net.org", 0}));
  for (const char* text : {"10.0.0.1:7070", "[::1]:65535", "[fe80::1%eth0]:1", "localhost:0"})
    EXPECT_EQ(to_string(read_address(text)), text);
}

TEST(xla_store_address, that_cannot_be_read_is_refused) {
  for (const char* text :
       {"", ":", "host", "host:", ":1", "host:65536", "host:-1", "host:+1", "host:1x", "host: 1", "::1:80",
        "[::1]", "[]:1", "[::1:1", "ho st:1", "host\n:1", "http://host:1"})
    expect_refusal([&] { read_address(text); }, Code::device,
                   {std::string("'") + text + "' is no address of a coordinator", "host:port"});
  expect_refusal([&] { read_address(std::string(254, 'a') + ":1"); }, Code::device, {"host:port"});
}

TEST(xla_job, has_its_process_among_its_processes) {
  for (const Job& job : {Job{"", 2, 2}, Job{"", -1, 2}, Job{"", 0, 0}})
    expect_refusal([&] { check(job); }, Code::device,
                   {"there is no process", "process = 0 .. processes - 1"});
  expect_refusal([&] { check({std::string(257, 'n'), 0, 1}); }, Code::device, {"257 bytes", "at most 256"});
  check({std::string(256, 'n'), 1, 2, std::string(256, 's')});
  expect_refusal([&] { check({"", 0, 1, std::string(257, 's')}); }, Code::device,
                 {"the secret of a job has 257 bytes", "at most 256"});
}

}  // namespace
}  // namespace tutti::xla
