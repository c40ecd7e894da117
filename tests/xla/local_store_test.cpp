// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/local_store.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tutti::xla {
namespace {

using namespace std::chrono_literals;

std::int32_t code_of(const std::optional<Failure>& failure) { return failure ? failure->code : 0; }

TEST(xla_local_store, keeps_bytes_by_key) {
  LocalStore store;
  const std::string key("k\0y", 3), value("v\0l", 3);
  EXPECT_FALSE(store.put(key, value));
  EXPECT_EQ(store.get(key, 0ms).value, value);
  EXPECT_EQ(store.try_get(key).value, value);
  EXPECT_EQ(code_of(store.try_get("k").failure), error_code::not_found);
  EXPECT_FALSE(store.put("", ""));
  EXPECT_FALSE(store.get("", 0ms).failure);
}

TEST(xla_local_store, never_changes_a_value) {
  LocalStore store;
  store.put("k", "1");
  EXPECT_FALSE(store.put("k", "1"));
  const auto refused = store.put("k", "2");
  EXPECT_EQ(code_of(refused), error_code::already_exists);
  EXPECT_NE(refused->message.find("'k' has another value"), std::string::npos) << refused->message;
  EXPECT_EQ(store.try_get("k").value, "1");
}

TEST(xla_local_store, lets_several_threads_wait_for_a_key) {
  LocalStore store;
  std::vector<std::string> found(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = store.get(i % 2 ? "odd" : "even", 20s).value; });
  std::this_thread::sleep_for(20ms);
  store.put("even", "0");
  store.put("odd", "1");
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, (std::vector<std::string>{"0", "1", "0", "1", "0", "1", "0", "1"}));
}

TEST(xla_local_store, waits_no_longer_than_the_timeout) {
  LocalStore store;
  const auto start = std::chrono::steady_clock::now();
  const StoreAnswer answer = store.get("k\n", 50ms);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
  EXPECT_EQ(code_of(answer.failure), error_code::deadline_exceeded);
  EXPECT_NE(answer.failure->message.find("'k?' within 50 ms"), std::string::npos) << answer.failure->message;
  EXPECT_EQ(bounded(-1ms), longest_wait);
  EXPECT_EQ(bounded(longest_wait + 1ms), longest_wait);
}

TEST(xla_local_store, refuses_what_is_too_large) {
  LocalStore store;
  const std::string key(most_key_bytes + 1, 'k');
  EXPECT_EQ(code_of(store.put(key, "v")), error_code::invalid_argument);
  EXPECT_EQ(code_of(store.get(key, 0ms).failure), error_code::invalid_argument);
  EXPECT_EQ(code_of(store.try_get(key).failure), error_code::invalid_argument);
  EXPECT_EQ(code_of(too_large(0, most_value_bytes + 1)), error_code::invalid_argument);
  EXPECT_FALSE(too_large(most_key_bytes, most_value_bytes));
  EXPECT_FALSE(store.put(key.substr(1), "v"));
}

TEST(xla_local_store, is_full_after_a_number_of_bytes) {
  LocalStore store(10);
  EXPECT_FALSE(store.put("1234", "56"));
  EXPECT_EQ(code_of(store.put("abc", "de")), error_code::resource_exhausted);
  EXPECT_FALSE(store.put("abc", "d"));
  EXPECT_EQ(code_of(store.try_get("x").failure), error_code::not_found);
}

TEST(xla_local_store, counts_bytes_on_their_way) {
  LocalStore store(10);
  EXPECT_TRUE(store.reserve(6));
  EXPECT_FALSE(store.reserve(5));
  EXPECT_EQ(code_of(store.put("abc", "de")), error_code::resource_exhausted);
  EXPECT_FALSE(store.put("abc", "d"));
  store.release(6);
  EXPECT_FALSE(store.put("123", "456"));
}

TEST(xla_local_store, calls_watchers_once_unless_they_are_forgotten) {
  LocalStore store;
  std::vector<std::string> seen;
  const auto note = [&](const LocalStore::Value& value) { seen.push_back(*value); };
  store.watch("k", note);
  store.forget(store.watch("k", note));
  store.watch("other", note);
  store.put("k", "1");
  store.put("k", "1");
  EXPECT_EQ(seen, std::vector<std::string>{"1"});
  store.watch("k", note);
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "1"}));
}

}  // namespace
}  // namespace tutti::xla
