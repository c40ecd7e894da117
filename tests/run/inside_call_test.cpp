// SPDX-License-Identifier: Apache-2.0
// Functions of the user that a call calls: they may use other programs, but not the one that calls them.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <thread>

#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

/// x + 1, printed.
auto printing(const Machine& machine) {
  return machine.compile(
      [](const Array& x) {
        debug_print("{}", x);
        return x + 1.0F;
      },
      abstract({}, DType::f32));
}
using Printing = decltype(printing(std::declval<Machine>()));

std::string message_of(const std::function<void()>& act) {
  try {
    act();
    return "";
  } catch (const Error& error) {
    return std::string(error.label()) + ": " + error.message();
  }
}

TEST(print_function, that_uses_its_own_program_is_refused) {
  std::optional<Printing> run;
  std::string call, explain;
  const Machine machine = open_local(Mesh({{"i", 2}}), {.print = [&](std::string_view) {
                                       call = message_of([&] { (*run)(Tensor::scalar(1.0F)); });
                                       explain = message_of([&] { run->explain(); });
                                     }});
  run = printing(machine);
  EXPECT_EQ((*run)(Tensor::scalar(1.0F)).item(), 2);
  EXPECT_EQ(call.substr(0, 29), "R004: call: the program is us") << call;
  EXPECT_EQ(explain.substr(0, 4), "R004") << explain;
  EXPECT_EQ((*run)(Tensor::scalar(2.0F)).item(), 3);
}

TEST(print_function, may_use_other_programs_of_the_machine) {
  std::optional<Machine> machine;
  std::optional<double> found;
  bool is_inside = false;
  std::optional<Printing> other;
  machine = open_local(Mesh({{"i", 2}}), {.print = [&](std::string_view) {
                         if (!std::exchange(is_inside, true)) found = (*other)(Tensor::scalar(7.0F)).item();
                       }});
  other = printing(*machine);
  printing (*machine)(Tensor::scalar(5.0F));
  EXPECT_EQ(found, 8.0);
}

// Each thread takes lines of its program, and calls the other's meanwhile.
TEST(print_function, of_two_threads_may_call_each_others_program) {
  static thread_local int calling = -1;  // the program that this thread's function for lines does not call
  std::array<std::optional<Printing>, 2> programs;
  const Machine machine = open_local(Mesh({{"i", 2}}), {.print = [&](std::string_view) {
                                       if (calling < 0) return;
                                       const auto other = static_cast<std::size_t>(1 - calling);
                                       const int own = std::exchange(calling, -1);
                                       EXPECT_EQ((*programs[other])(Tensor::scalar(3.0F)).item(), 4);
                                       calling = own;
                                     }});
  for (std::optional<Printing>& program : programs) program = printing(machine);
  auto calls = [&](int own) {
    calling = own;
    for (int i = 0; i < 300; ++i)
      EXPECT_EQ((*programs[static_cast<std::size_t>(own)])(Tensor::scalar(1.0F)).item(), 2);
    calling = -1;
  };
  std::thread second(calls, 1);
  calls(0);
  second.join();
}

TEST(print_function, takes_the_lines_of_a_call_together) {
  std::vector<std::string> lines;
  const Machine machine = open_local(Mesh(), {.print = [&](std::string_view line) {
                                       lines.emplace_back(line);
                                       std::this_thread::yield();
                                     }});
  const auto program = machine.compile(
      [](const Array& x) {
        debug_print("{}", x);
        debug_print("{}", x);
        return x;
      },
      abstract({}, DType::f32));
  auto calls = [&](float number) {
    for (int i = 0; i < 300; ++i) program(Tensor::scalar(number));
  };
  std::thread second(calls, 2.0F);
  calls(1.0F);
  second.join();
  ASSERT_EQ(lines.size(), 1200U);
  for (std::size_t i = 0; i < lines.size(); i += 2) EXPECT_EQ(lines[i], lines[i + 1]) << i;
}

}  // namespace
}  // namespace tutti
