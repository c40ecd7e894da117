// SPDX-License-Identifier: Apache-2.0
// The callbacks of the store, called as a plugin calls them.
#include "tutti/xla/pjrt/store_callbacks.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "tutti/xla/store/local_store.hpp"

namespace tutti::xla {
namespace {

using namespace std::chrono_literals;

Failure last;  // what the plugin's function was called with
int errors = 0;

ErrorHandle record(std::int32_t code, const char* text, std::size_t bytes) {
  last = {code, std::string(text, bytes)};
  ++errors;
  return reinterpret_cast<ErrorHandle>(&last);
}

/// A store whose functions fail as the test says.
class Broken final : public KeyValueStore {
 public:
  std::function<void()> run = [] {};
  Failure failure{error_code::unavailable, "process 0 is gone"};
  std::chrono::milliseconds timeout{};
  StoreAnswer get(std::string_view, std::chrono::milliseconds asked) override {
    timeout = asked;
    run();
    return {{}, failure};
  }
  StoreAnswer try_get(std::string_view) override {
    run();
    return {{}, failure};
  }
  std::optional<Failure> put(std::string_view, std::string_view) override {
    run();
    return failure;
  }
};

class xla_store_callbacks : public testing::Test {
 protected:
  xla_store_callbacks() { errors = 0; }
  void use(KeyValueStore& used) { offer_store(create, used); }
  ErrorHandle get(std::string_view key, int timeout_ms = 0) {
    got = {.head = unset,
           .key = key.data(),
           .key_bytes = key.size(),
           .timeout_ms = timeout_ms,
           .make_error = &make,
           .argument = create.get_argument};
    return create.get(&got);
  }
  ErrorHandle try_get(std::string_view key) {
    tried = {.head = unset,
             .key = key.data(),
             .key_bytes = key.size(),
             .make_error = &make,
             .argument = create.try_get_argument};
    return create.try_get(&tried);
  }
  ErrorHandle put(std::string_view key, std::string_view value) const {
    StorePut arguments{.head = unset,
                       .key = key.data(),
                       .key_bytes = key.size(),
                       .value = value.data(),
                       .value_bytes = value.size(),
                       .make_error = &make,
                       .argument = create.put_argument};
    return create.put(&arguments);
  }
  /// Copies a value and frees it, as a plugin does.
  template <class Arguments>
  static std::string take(const Arguments& arguments) {
    std::string copy(arguments.value, arguments.value_bytes);
    arguments.free_value(arguments.value);
    return copy;
  }

  static inline MakeError make = record;
  Head unset{1, &last};  // XLA sets neither
  ClientCreate create;
  StoreGet got;
  StoreTryGet tried;
};

TEST_F(xla_store_callbacks, hand_out_values_that_the_plugin_frees) {
  LocalStore store;
  use(store);
  const std::string key("k\0y", 3), value("v\0l\xff", 4);
  ASSERT_EQ(put(key, value), nullptr);
  ASSERT_EQ(put("none", {}), nullptr);
  ASSERT_EQ(get(key), nullptr);
  ASSERT_EQ(try_get(key), nullptr);
  EXPECT_NE(got.value, tried.value);
  EXPECT_EQ(take(got), value);
  EXPECT_EQ(take(tried), value);
  ASSERT_EQ(get("none"), nullptr);
  ASSERT_NE(got.value, nullptr);
  EXPECT_EQ(take(got), "");
  EXPECT_EQ(errors, 0);
}

TEST_F(xla_store_callbacks, take_null_for_no_bytes) {
  LocalStore store;
  use(store);
  ASSERT_EQ(put({}, {}), nullptr);
  ASSERT_EQ(get({}), nullptr);
  EXPECT_EQ(take(got), "");
}

TEST_F(xla_store_callbacks, return_the_failures_of_the_store_by_their_codes) {
  LocalStore store;
  use(store);
  ASSERT_NE(try_get("k"), nullptr);
  EXPECT_EQ(last.code, error_code::not_found);
  ASSERT_NE(get("k", 1), nullptr);
  EXPECT_EQ(last.code, error_code::deadline_exceeded);
  EXPECT_NE(last.message.find("'k' within 1 ms"), std::string::npos) << last.message;
  ASSERT_EQ(put("k", "1"), nullptr);
  ASSERT_NE(put("k", "2"), nullptr);
  EXPECT_EQ(last.code, error_code::already_exists);
  ASSERT_NE(put(std::string(most_key_bytes + 1, 'k'), "1"), nullptr);
  EXPECT_EQ(last.code, error_code::invalid_argument);
  Broken broken;
  use(broken);
  for (const bool is_there : {get("k") != nullptr, try_get("k") != nullptr, put("k", "v") != nullptr}) {
    EXPECT_TRUE(is_there);
    EXPECT_EQ(last.code, error_code::unavailable);
    EXPECT_EQ(last.message, "process 0 is gone");
  }
  EXPECT_EQ(errors, 7);
  EXPECT_EQ(got.value, nullptr);
}

TEST_F(xla_store_callbacks, pass_the_timeout_on) {
  Broken broken;
  use(broken);
  get("k", 1234);
  EXPECT_EQ(broken.timeout, 1234ms);
  get("k", -1);
  EXPECT_EQ(broken.timeout, -1ms);
}

TEST_F(xla_store_callbacks, let_no_exception_pass) {
  Broken broken;
  use(broken);
  const auto expect = [&](std::int32_t code) {
    for (const int which : {0, 1, 2}) {
      last = {};
      EXPECT_NE(which == 0 ? get("k") : which == 1 ? try_get("k") : put("k", "v"), nullptr);
      EXPECT_EQ(last.code, code);
    }
  };
  broken.run = [] { throw std::runtime_error("broken"); };
  expect(error_code::internal);
  EXPECT_EQ(last.message, "broken");
  broken.run = [] { throw std::bad_alloc(); };
  expect(error_code::resource_exhausted);
  broken.run = [] { throw 1; };
  expect(error_code::internal);
}

}  // namespace
}  // namespace tutti::xla
