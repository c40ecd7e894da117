// SPDX-License-Identifier: Apache-2.0
#include "tests/support/refusal.hpp"

#include <fmt/core.h>

#include <gtest/gtest.h>

#include <fstream>

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {
namespace {

constexpr std::string_view marker = "// refused";

bool is_marked(const Where& where, const Where& test) {
  return where.known() && std::string_view(where.file) == test.file && source_line(where).ends_with(marker);
}

}  // namespace

std::string refusal(const std::function<void()>& program, Where test) {
  try {
    program();
    return "accepted";
  } catch (const Error& error) {
    std::string text = error.what();
    if (is_marked(error.where(), test)) text.replace(0, to_string(error.where()).size(), "{file}:{line}");
    return fmt::format("{} {}", error.label(), text);
  }
}

void expect_refused(const std::function<void()>& program, std::string_view expected, Where test) {
  std::string said = refusal(program, test);
  if (said != expected)
    ADD_FAILURE_AT(test.file, test.line) << "said:     " << said << "\nexpected: " << expected;
}

std::string source_line(const Where& where) {
  std::string text;
  if (!where.known()) return text;
  std::ifstream file(where.file);
  for (int line = 0; line < where.line; ++line) std::getline(file, text);
  return text;
}

std::function<void()> traced(std::function<Array(Array)> body) {
  return [body] { trace({Type(DType::f32, {4})}, [&](const Arrays& x) { return Arrays{body(x[0])}; }); };
}

std::function<void()> on_devices(std::function<Array(Array)> body) {
  return [body] {
    Axes axes = Mesh({{"data", 4}, {"model", 2}}).axes();
    trace({Type(DType::f32, {2}).with(axes[0], varying)}, [&](const Arrays& x) {
      auto bound = Builder::current().bind(axes);
      return Arrays{body(x[0])};
    });
  };
}

}  // namespace tutti
