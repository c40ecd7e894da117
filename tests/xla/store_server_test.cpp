// SPDX-License-Identifier: Apache-2.0
// Server and clients of a store, over TCP on this host.
#include "tutti/xla/store/store_server.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

#include "tests/support/expect_refusal.hpp"
#include "tests/xla/raw_socket.hpp"
#include "tutti/xla/store/open_store.hpp"

namespace tutti::xla {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const Address any_port{"127.0.0.1", 0};
const std::string secret = "known to the processes of the job";
Job job(int process, int processes = 3) { return {"test", process, processes, secret}; }
std::int32_t code_of(const std::optional<Failure>& failure) { return failure ? failure->code : 0; }

constexpr auto short_limit = 300ms;

class xla_store : public testing::Test {
 protected:
  StoreServer server;
  explicit xla_store(const StoreLimits& limits = {}) : server(any_port, job(0), limits) {}
  std::uint16_t port() const { return server.address().port; }
  /// Waits until the server has this number of connections.
  void expect_connections(std::size_t count) const {
    for (int i = 0; i < 400 && server.connections() != count; ++i) std::this_thread::sleep_for(5ms);
    EXPECT_EQ(server.connections(), count);
  }
  /// The server still serves.
  void expect_alive() const {
    StoreClient client(server.address(), job(2), 5s);
    EXPECT_FALSE(client.put("alive", "yes"));
    EXPECT_EQ(client.try_get("alive").value, "yes");
  }
  /// A connection that was admitted as process 1.
  std::unique_ptr<RawSocket> admitted(std::uint64_t instance = 7) const {
    auto raw = std::make_unique<RawSocket>(port());
    raw->send(protocol::write_greeting({job(1), instance}));
    return raw;
  }
};

class impatient_xla_store : public xla_store {
 protected:
  impatient_xla_store() : xla_store({.greeting = short_limit, .transfer = short_limit}) {}
};

TEST_F(xla_store, is_the_same_for_all_processes) {
  StoreClient one(server.address(), job(1)), two(server.address(), job(2));
  const std::string key("k\0y", 3), value("v\0l\xff", 4);
  EXPECT_FALSE(one.put(key, value));
  EXPECT_EQ(two.get(key, 1s).value, value);
  EXPECT_EQ(server.try_get(key).value, value);
  EXPECT_FALSE(server.put("from 0", ""));
  EXPECT_FALSE(two.try_get("from 0").failure);
  EXPECT_EQ(one.get("from 0", 0ms).value, "");
}

TEST_F(xla_store, reports_the_same_failures_as_a_store_in_memory) {
  StoreClient client(server.address(), job(1));
  EXPECT_EQ(code_of(client.try_get("k").failure), error_code::not_found);
  EXPECT_FALSE(client.put("k", "1"));
  EXPECT_FALSE(client.put("k", "1"));
  EXPECT_EQ(code_of(client.put("k", "2")), error_code::already_exists);
  EXPECT_EQ(code_of(client.put(std::string(most_key_bytes + 1, 'k'), "")), error_code::invalid_argument);
  const auto start = Clock::now();
  const StoreAnswer late = client.get("never", 60ms);
  EXPECT_GE(Clock::now() - start, 60ms);
  EXPECT_EQ(code_of(late.failure), error_code::deadline_exceeded);
  EXPECT_NE(late.failure->message.find("'never' within 60 ms"), std::string::npos) << late.failure->message;
  EXPECT_EQ(client.get("k", 0ms).value, "1");
}

TEST_F(xla_store, carries_the_largest_keys_and_values) {
  StoreClient client(server.address(), job(1));
  std::string value(most_value_bytes, 'v');
  value.back() = 'w';
  const std::string key(most_key_bytes, 'k');
  EXPECT_FALSE(client.put(key, value));
  EXPECT_TRUE(client.get(key, 1s).value == value);
}

TEST_F(xla_store, lets_many_threads_of_one_client_wait_at_once) {
  StoreClient client(server.address(), job(1));
  std::vector<std::string> found(24);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = client.get(std::to_string(i), 20s).value; });
  expect_connections(found.size());
  EXPECT_FALSE(client.put("0", "value of 0"));  // while others wait
  for (std::size_t i = 1; i < found.size(); ++i)
    server.put(std::to_string(i), "value of " + std::to_string(i));
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], "value of " + std::to_string(i));
  expect_connections(8);  // kept for later calls
}

TEST_F(xla_store, forgets_a_get_whose_client_has_gone) {
  {
    const auto raw = admitted();
    raw->send(protocol::write_request(protocol::Operation::get, longest_wait, "never", {}));
    expect_connections(1);
    std::this_thread::sleep_for(20ms);
  }
  expect_connections(0);
}

TEST_F(impatient_xla_store, survives_clients_that_send_nothing) {
  const RawSocket silent(port());
  EXPECT_TRUE(silent.is_closed_within(5s));
  const auto half = admitted();
  half->send(protocol::write_request(protocol::Operation::put, 0ms, "key", "value").substr(0, 15));
  EXPECT_TRUE(half->is_closed_within(5s));
  expect_connections(0);
  expect_alive();
}

TEST_F(xla_store, survives_clients_that_send_garbage) {
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                                   std::string(100000, '\xff'), std::string(32, '\0'),
                                   std::string("tuttikv\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                                               "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")}) {
    const RawSocket raw(port());
    raw.send(bytes);
    EXPECT_TRUE(raw.is_closed_within(5s)) << bytes.substr(0, 20);
  }
  for (std::string request : {std::string(13, '\0'), std::string(13, '\xff'),
                              std::string("\x03\0\0\0\0\xff\xff\xff\xff\0\0\0\0", 13)}) {
    const auto raw = admitted();
    raw->send(request);
    EXPECT_TRUE(raw->is_closed_within(5s));
  }
  expect_connections(0);
  expect_alive();
}

TEST_F(impatient_xla_store, keeps_idle_connections) {
  const auto raw = admitted();
  EXPECT_FALSE(raw->is_closed_within(2 * short_limit));
  raw->send(protocol::write_request(protocol::Operation::put, 0ms, "k", "v"));
  EXPECT_EQ(raw->read_all(100ms), std::string(8, '\0'));
  EXPECT_EQ(server.try_get("k").value, "v");
}

TEST(xla_store_idle, connections_are_closed_after_a_time) {
  const StoreServer server(any_port, job(0), {.idle = short_limit});
  RawSocket raw(server.address().port);
  raw.send(protocol::write_greeting({job(1), 7}));
  EXPECT_TRUE(raw.is_closed_within(5s));
  StoreClient client(server.address(), job(2));
  std::this_thread::sleep_for(2 * short_limit);
  EXPECT_FALSE(client.put("k", "v"));  // by a new connection
}

TEST(xla_store_idle, connections_of_a_process_are_few) {
  const StoreServer server(any_port, job(0), {.idle_per_process = 2});
  std::deque<RawSocket> sockets;
  for (int i = 0; i < 5; ++i) {
    sockets.emplace_back(server.address().port);
    sockets.back().send(protocol::write_greeting({job(1), 7}));
    EXPECT_FALSE(sockets.back().is_closed_within(100ms)) << i;
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(sockets[i].is_closed_within(100ms), i < 3) << i;
  RawSocket other(server.address().port);  // of another process
  other.send(protocol::write_greeting({job(2), 8}));
  EXPECT_FALSE(other.is_closed_within(100ms));
  EXPECT_FALSE(sockets[3].is_closed_within(100ms));
  EXPECT_EQ(server.connections(), 3U);
}

/// A store for 200 KiB. A request is counted by 64 KiB.
class small_xla_store : public xla_store {
 protected:
  small_xla_store() : xla_store({.bytes = std::size_t{200} << 10}) {}
  static std::string put_request(const std::string& key, std::size_t bytes) {
    return protocol::write_request(protocol::Operation::put, 0ms, key, std::string(bytes, 'v'));
  }
};

TEST_F(small_xla_store, counts_bytes_on_their_way) {
  const auto slow = admitted();
  slow->send(put_request("slow", 190'000).substr(0, 180'000));  // three pieces
  std::this_thread::sleep_for(500ms);
  StoreClient client(server.address(), job(2));
  const auto failure = client.put("k", std::string(20'000, 'v'));
  EXPECT_EQ(code_of(failure), error_code::resource_exhausted);
  EXPECT_EQ(code_of(server.put("k", std::string(20'000, 'v'))), error_code::resource_exhausted);
  EXPECT_EQ(code_of(client.try_get("k").failure), error_code::not_found);  // the connection goes on
  slow->send(put_request("slow", 190'000).substr(180'000));
  EXPECT_EQ(client.get("slow", 5s).value, std::string(190'000, 'v'));
  EXPECT_FALSE(client.put("k", std::string(10'000, 'v')));  // now the value counts, and no pieces
}

TEST_F(small_xla_store, counts_no_bytes_that_were_only_announced) {
  const auto slow = admitted();
  slow->send(protocol::write_request(protocol::Operation::put, 0ms, "k", std::string(190'000, 'v'))
                 .substr(0, protocol::request_bytes));
  std::this_thread::sleep_for(100ms);
  StoreClient client(server.address(), job(2));
  EXPECT_FALSE(client.put("other", std::string(100'000, 'v')));
}

TEST_F(small_xla_store, forgets_the_bytes_of_a_connection_that_broke) {
  {
    const auto slow = admitted();
    slow->send(put_request("slow", 150'000).substr(0, 140'000));
    std::this_thread::sleep_for(100ms);
  }
  expect_connections(0);
  EXPECT_FALSE(server.put("k", std::string(190'000, 'v')));
}

TEST_F(small_xla_store, says_that_it_is_full_and_goes_on) {
  StoreClient client(server.address(), job(1));
  const auto failure = client.put("k", std::string(300'000, 'v'));
  EXPECT_EQ(code_of(failure), error_code::resource_exhausted);
  EXPECT_NE(failure->message.find("the store holds at most 200.0 KiB"), std::string::npos)
      << failure->message;
  EXPECT_FALSE(client.put("k", std::string(190'000, 'v')));
  EXPECT_EQ(client.get("k", 0ms).value.size(), 190'000U);
  EXPECT_EQ(code_of(client.put("l", std::string(50'000, 'v'))), error_code::resource_exhausted);
  expect_connections(1);
}

TEST_F(xla_store, answers_a_newer_version_with_its_own) {
  const RawSocket raw(port());
  std::string greeting = protocol::write_greeting({job(1), 7}).substr(0, protocol::greeting_bytes);
  greeting[7] = 3;
  raw.send(greeting);
  const std::string answer = raw.read_all(5s);
  EXPECT_EQ(answer.substr(0, 8), std::string("tuttikv\x02"));
  EXPECT_NE(answer.find("speaks version 2 of the protocol, and this process version 3"), answer.npos)
      << answer;
}

TEST_F(xla_store, refuses_other_jobs_by_name) {
  expect_refusal([&] { StoreClient(server.address(), {"other", 1, 3, secret}, 5s); }, Code::device,
                 {"process 1 cannot join: the job 'test' runs at this address", "the job 'other'"});
  expect_refusal([&] { StoreClient(server.address(), {"test", 1, 4, secret}, 5s); }, Code::device,
                 {"process 0 expects 3 processes, and this process 4"});
  expect_refusal([&] { StoreClient(server.address(), {"test", 0, 3, secret}, 5s); }, Code::device,
                 {"process 0 cannot connect to process 0"});
}

/// The answer to a stranger who knows all of this job but the secret.
std::string answer_to_stranger(const Address& address, const Job& job) {
  const RawSocket raw(address.port);
  raw.send(protocol::write_greeting({job, 99}));
  return raw.read_all(5s);
}

TEST_F(xla_store, gives_no_stranger_the_place_of_a_process) {
  for (const std::string& guess :
       {std::string(), secret.substr(1), secret + "x", std::string(secret.size(), 'x')})
    EXPECT_NE(answer_to_stranger(server.address(), {"test", 1, 3, guess}).find("another job runs"),
              std::string::npos);
  StoreClient client(server.address(), job(1), 5s);  // the place is free
  EXPECT_FALSE(client.put("k", "v"));
}

TEST_F(xla_store, tells_no_stranger_anything_of_the_job) {
  const StoreClient first(server.address(), job(1));
  const std::string answer = answer_to_stranger(server.address(), {"test", 1, 3, "guessed"});
  for (const Job& other : {Job{"other", 1, 3, "guessed"}, Job{"test", 1, 4, "guessed"},
                           Job{"test", 0, 3, "guessed"}, Job{"test", 2, 3, "guessed"}})
    EXPECT_EQ(answer_to_stranger(server.address(), other), answer);
  EXPECT_EQ(answer.find("test"), std::string::npos) << answer;
  EXPECT_EQ(answer.find_first_of("0123456789", 16), std::string::npos) << answer;
}

TEST_F(xla_store, tells_nobody_how_many_connections_a_job_may_have) {
  const StoreServer small(any_port, job(0), {.connections = 1, .per_process = 0});
  const RawSocket first(small.address().port);
  const std::string answer = answer_to_stranger(small.address(), job(1));
  EXPECT_NE(answer.find("process 0 has as many connections as it allows; try again"), std::string::npos);
}

TEST_F(xla_store, refuses_a_second_client_of_one_process) {
  const StoreClient first(server.address(), job(1));
  expect_refusal([&] { StoreClient(server.address(), job(1), 100ms); }, Code::device,
                 {"process 1 cannot join within 100 ms", "process 1 has connected before"});
}

TEST_F(xla_store, allows_a_number_of_connections) {
  const StoreServer small(any_port, job(0), {.connections = 1, .per_process = 1});
  std::deque<RawSocket> sockets;
  for (int i = 0; i < 4; ++i) sockets.emplace_back(small.address().port);  // 1 + 1 per process
  for (int i = 0; i < 400 && small.connections() != 4; ++i) std::this_thread::sleep_for(5ms);
  expect_refusal([&] { StoreClient(small.address(), job(1), 100ms); }, Code::device,
                 {"process 0 has as many connections as it allows"});
  for (int i = 0; i < 8; ++i) sockets.emplace_back(small.address().port);
  EXPECT_TRUE(sockets.back().is_closed_within(5s));  // beyond 8 there is no answer
  sockets.clear();
  StoreClient(small.address(), job(1), 5s);
}

TEST_F(xla_store, that_ends_makes_waiting_clients_fail) {
  auto ending = std::make_unique<StoreServer>(any_port, job(0));
  StoreClient client(ending->address(), job(1));
  StoreAnswer answer;
  std::thread waiting([&] { answer = client.get("never", 30s); });
  std::this_thread::sleep_for(50ms);
  const auto start = Clock::now();
  const std::string at = to_string(ending->address());
  ending.reset();
  waiting.join();
  EXPECT_LT(Clock::now() - start, 10s);
  EXPECT_EQ(code_of(answer.failure), error_code::unavailable);
  EXPECT_NE(answer.failure->message.find("process 0 at " + at + " is gone"), std::string::npos)
      << answer.failure->message;
  EXPECT_EQ(code_of(client.put("k", "v")), error_code::unavailable);
}

TEST_F(xla_store, is_reached_again_after_connections_broke) {
  auto first = std::make_unique<StoreServer>(any_port, job(0));
  const Address address = first->address();
  StoreClient client(address, job(1));
  EXPECT_FALSE(client.put("k", "v"));
  first.reset();
  const StoreServer second(address, job(0));
  EXPECT_FALSE(client.put("k", "v"));
  EXPECT_EQ(client.get("k", 0ms).value, "v");
}

TEST_F(xla_store, of_the_next_client_of_a_process_is_the_next_one_at_the_address) {
  auto first = std::make_unique<StoreServer>(any_port, job(0));
  const Address address = first->address();
  StoreClient(address, job(1)).put("k", "old");
  StoreAnswer answer;
  std::thread early([&] { answer = StoreClient(address, job(1), 20s).get("k", 20s); });
  std::this_thread::sleep_for(100ms);  // process 0 still has the first store
  first.reset();
  StoreServer second(address, job(0));
  second.put("k", "new");
  early.join();
  EXPECT_EQ(answer.value, "new");
}

/// An address at which nobody listens.
Address free_address() { return StoreServer(any_port, job(0)).address(); }

TEST_F(xla_store, may_start_after_its_clients) {
  const Address address = free_address();
  StoreAnswer answer;
  std::thread early([&] { answer = open_store(job(1), to_string(address), 20s)->get("k", 20s); });
  std::this_thread::sleep_for(100ms);
  const auto late = open_store(job(0), to_string(address));
  late->put("k", "v");
  early.join();
  EXPECT_EQ(answer.value, "v");
}

TEST_F(xla_store, that_is_not_there_is_reported_once_the_time_is_over) {
  const Address nobody = free_address();
  const auto start = Clock::now();
  expect_refusal([&] { StoreClient(nobody, job(1), 200ms); }, Code::device,
                 {"process 1 cannot join within 200 ms", "no connection to " + to_string(nobody),
                  "Connection refused", "check that process 0 runs", "firewall"});
  EXPECT_LT(Clock::now() - start, 10s);
}

TEST_F(xla_store, of_another_program_is_recognised) {
  const RawServer http("HTTP/1.1 400 Bad Request\r\n\r\n", RawServer::Then::close);
  expect_refusal([&] { StoreClient({"127.0.0.1", http.port()}, job(1), 5s); }, Code::device,
                 {"another program answers at 127.0.0.1:"});
  const RawServer silent("", RawServer::Then::keep);
  expect_refusal([&] { StoreClient({"127.0.0.1", silent.port()}, job(1), 200ms); }, Code::device,
                 {"takes connections, but does not answer as process 0 would"});
  const RawServer closes("", RawServer::Then::close);
  expect_refusal([&] { StoreClient({"127.0.0.1", closes.port()}, job(1), 200ms); }, Code::device,
                 {"takes connections, but does not answer"});
  const RawServer newer("tuttikv\x03", RawServer::Then::keep);
  expect_refusal([&] { StoreClient({"127.0.0.1", newer.port()}, job(1), 5s); }, Code::device,
                 {"speaks version 3 of the protocol, and this process version 2"});
  const RawServer wrong("tuttikv\x02" + std::string(8, '\xff'), RawServer::Then::keep);
  expect_refusal([&] { StoreClient({"127.0.0.1", wrong.port()}, job(1), 200ms); }, Code::device,
                 {"the answer is not one of a store"});
}

TEST_F(xla_store, listens_at_its_address_and_at_no_other) {
  EXPECT_EQ(server.address().host, "127.0.0.1");
  expect_refusal([&] { StoreClient({"127.0.0.2", port()}, job(1), 100ms); }, Code::device, {"127.0.0.2"});
  expect_refusal([&] { StoreServer(server.address(), job(0)); }, Code::device,
                 {"cannot listen at the coordinator " + to_string(server.address()), "in use"});
  expect_refusal([&] { StoreServer({"192.0.2.1", 0}, job(0)); }, Code::device,  // of no host: RFC 5737
                 {"cannot listen at the coordinator 192.0.2.1:0", "host of process 0"});
  for (const char* all : {"0.0.0.0", "0", "0x0", "::"})
    expect_refusal([&] { StoreServer({all, 0}, job(0)); }, Code::device, {"names all addresses of its host"});
  expect_refusal([&] { StoreServer({"no-such-host.invalid", 0}, job(0)); }, Code::device,
                 {"cannot listen at the coordinator no-such-host.invalid:0"});
}

TEST_F(xla_store, takes_names_and_ipv6) {
  for (const char* host : {"localhost", "::1"}) {
    std::unique_ptr<StoreServer> other;
    try {
      other = std::make_unique<StoreServer>(Address{host, 0}, job(0));
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();  // a host without IPv6
    }
    StoreClient client(other->address(), job(1), 5s);
    EXPECT_FALSE(client.put("k", "v"));
    EXPECT_EQ(other->try_get("k").value, "v");
  }
}

TEST(xla_open_store, needs_no_coordinator_for_one_process) {
  EXPECT_FALSE(open_store({"", 0, 1}, "")->put("k", "v"));
}

TEST(xla_open_store, refuses_wrong_addresses_and_processes) {
  expect_refusal([] { open_store(job(0), "localhost"); }, Code::device, {"'localhost' is no address"});
  expect_refusal([] { open_store(job(0), "localhost:0"); }, Code::device, {"localhost:0 has no port"});
  expect_refusal([] { StoreClient({"localhost", 0}, job(1), 0ms); }, Code::device,
                 {"localhost:0 has no port"});
  expect_refusal([] { open_store(job(3), "localhost:1"); }, Code::device, {"no process 3 of 3"});
}

}  // namespace
}  // namespace tutti::xla
