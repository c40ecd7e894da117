// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves without end: an error with a line, never a stack that overflows.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/sanitizer.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const std::string endless =
    "500 functions are traced inside of each other, so one seems to call itself without end; let a number of "
    "C++ end it. A rule may call the function that it belongs to, but not differentiate it";
const std::string stack_full = "the stack of this thread is nearly full, so a function seems to call itself "
                               "without end; let a number of "
                               "C++ end it, or give the thread a larger stack";

/// Whichever comes first: the frames of builds with sanitizers are larger.
void expect_endless(const std::function<void()>& program, Where test = Where::here()) {
  const std::string said = refusal(program, test);
  EXPECT_TRUE(said.starts_with("T011 {file}:{line}: ")) << said;
  EXPECT_TRUE(said.ends_with(endless) || said.ends_with(stack_full)) << said;
}

Array same(const Array& x) { return x; }

Array in_itself(const Array& x) {
  auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& along) {
    return std::pair{at, along};
  };
  auto f = [](const Array& v) { return std::tuple{in_itself(v)}; };
  return std::get<0>(custom_jvp(f, rule)(x));  // refused
}

TEST(function, with_a_rule_may_not_call_itself_without_end) {
  expect_refused(traced([](Array x) { return in_itself(x); }), "T011 {file}:{line}: custom_jvp: " + endless);
}

Array differentiates_itself(const Array& x) {
  auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& along) {
    auto loss = [](const Array& v) { return reduce_sum(differentiates_itself(v)); };
    Array slope = grad(loss)(std::get<0>(at));  // refused
    return std::pair{std::get<0>(at), slope * std::get<0>(along)};
  };
  return custom_jvp(same, rule)(x);  // refused
}

TEST(rule, may_not_differentiate_its_own_function) {
  expect_endless(traced([](Array x) {
    auto loss = [](const Array& v) { return reduce_sum(differentiates_itself(v)); };
    return grad(loss)(x);
  }));
  EXPECT_EQ(refusal(traced([](Array x) { return differentiates_itself(x); })), "accepted");
}

Array pulls_itself(const Array& x) {
  auto forward = [](const Array& v) { return std::pair{v, v}; };
  auto backward = [](const Array& v, const Array& ct) {
    auto pullback = vjp(pulls_itself, std::tuple{v}).second;  // refused
    return pullback(ct);
  };
  return custom_vjp(same, forward, backward)(x);  // refused
}

TEST(backward, may_not_differentiate_its_own_function) {
  expect_endless(
      traced([](Array x) { return grad([](const Array& v) { return reduce_sum(pulls_itself(v)); })(x); }));
}

Array first_of_two(const Array& x);
Array second_of_two(const Array& x) {
  return remat(first_of_two)(x);  // refused
}
Array first_of_two(const Array& x) {
  auto body = [](const Array& c, const Array&) { return std::pair{second_of_two(c), c}; };
  return scan(body, x, x).first;  // refused
}

TEST(functions, that_call_each_other_without_end_are_refused) {
  expect_endless(traced([](Array x) { return first_of_two(x); }));
}

// No trace is inside of another one here. The function calls itself through a pointer: GCC warns of one that
// does so by name.
extern Array (*const plain)(const Array&);
Array plain_recursion(const Array& x) {
  Array next = sin(x);  // refused
  return plain(next) + next;
}
Array (*const plain)(const Array&) = plain_recursion;
Array plain_and_kept(const Array& x) {
  auto inside = [](const Array& v) { return plain_and_kept(v) + v; };
  return remat(inside, {.policy = RematPolicy::everything})(x);  // refused
}

TEST(function, that_calls_itself_without_end_is_refused_before_the_stack_overflows) {
  expect_refused(traced([](Array x) { return plain_recursion(x); }),
                 "T011 {file}:{line}: sin: " + stack_full);
  expect_refused(traced([](Array x) { return plain_and_kept(x); }),
                 "T011 {file}:{line}: remat: " + stack_full);
}

void on_stack_of(std::size_t bytes, std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  auto run = [](void* given) -> void* {
    (*static_cast<std::function<void()>*>(given))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(pthread_attr_destroy(&attributes), 0);
}

TEST(function, that_calls_itself_without_end_is_refused_on_a_small_stack) {
  auto loss = [](const Array& v) { return reduce_sum(differentiates_itself(v)); };
  for (std::size_t kilobytes : {256, 512, 1024}) {
    on_stack_of(kilobytes << 10, [&] {
      const std::string said = refusal(traced([&](Array x) { return grad(loss)(x); }));
      EXPECT_NE(said.find(stack_full), std::string::npos) << kilobytes << " KiB: " << said;
      EXPECT_TRUE(said.starts_with("T011 {file}:{line}: ")) << said;
      EXPECT_EQ(refusal(traced([](Array x) { return grad([](Array y) { return reduce_sum(y); })(x); })),
                "accepted");
    });
  }
}

// Without a limit (`ulimit -s unlimited`) a stack is as large as the memory.
TEST(function, that_calls_itself_without_end_is_refused_after_64_mib_of_a_large_stack) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers take more memory";
  on_stack_of(std::size_t{1} << 30, [] {
    const auto top = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    std::uintptr_t deepest = top;
    const std::function<Array(const Array&)> deeper = [&](const Array& x) -> Array {
      std::array<volatile char, 32 << 10> large;
      large[0] = 1;
      deepest = std::min(deepest, reinterpret_cast<std::uintptr_t>(&large));
      const Array next = sin(x);  // refused
      return deeper(next) + next;
    };
    expect_refused(traced([&](Array x) { return deeper(x); }), "T011 {file}:{line}: sin: " + stack_full);
    EXPECT_LT(top - deepest, std::uintptr_t{65} << 20);
  });
}

// Programs as deep as this are compiled and differentiated: nothing else overflows first.
Array layers(int n, const Array& x) {
  if (n == 0) return sin(x);
  return remat([=](const Array& v) { return layers(n - 1, v) * v; })(x);
}

TEST(functions, may_be_traced_deep_inside_of_each_other) {
  const Machine machine = open_local(Mesh(), {.workers = 1});
  const Array x = Tensor::scalar(0.5);
  auto slope = machine.compile(grad([](const Array& v) { return layers(60, v); }), x);
  EXPECT_TRUE(std::isfinite(slope(x).item()));
}

}  // namespace
}  // namespace tutti
