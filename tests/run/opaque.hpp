// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/rules.hpp"

namespace tutti {

/// An op of the tests: a unit for every distinct value of its operand, which does what the test says. The
/// result has the operand's type.
struct Opaque {
  static constexpr std::string_view name = "opaque";
  static constexpr About about{"A test's op.", ""};
  static constexpr Refused jvp{"a test's op"}, transpose{"a test's op"}, batch{"a test's op"},
      lower{"a test's op"};

  std::function<void(const kernel::Unit&)> run;
  double nanoseconds = 1000;
  std::size_t scratch_bytes = 64;
  std::optional<std::size_t> changes = {};
  kernel::Opaque::Shared shared = {};

  Parameters parameters() const { return {}; }
  Mixing mixing() const { return Mixing::own; }
  Types infer(const Types& operands) const { return operands; }
  Kernel kernel(const Layout&) const {
    return kernel::Opaque{.nanoseconds = nanoseconds,
                          .scratch_bytes = scratch_bytes,
                          .run = run,
                          .changes = changes,
                          .shared = shared};
  }
  static std::vector<Example> examples() { return {}; }
  bool operator==(const Opaque& other) const { return this == &other; }
};

}  // namespace tutti
