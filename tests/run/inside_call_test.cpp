// SPDX-License-Identifier: Apache-2.0
// Functions of the user that a call calls: they may use other programs, but not the one that calls them.
#include <gtest/gtest.h>

#include <optional>

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
    return std::string(info(error.code()).label) + ": " + error.message();
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

}  // namespace
}  // namespace tutti
