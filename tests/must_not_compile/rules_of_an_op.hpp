// SPDX-License-Identifier: Apache-2.0
// One base per rule: each case leaves one out, and must_not_compile/op_complete.ok.cpp none.
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::rules_of_an_op {

using namespace ops;

struct Named {
  static constexpr std::string_view name = "shift";
  static constexpr About about{"Moves the elements on.", "shift"};
  bool operator==(const Named&) const = default;
};
struct Mixes {
  Mixing mixing() const { return Mixing::linear; }
  bool operator==(const Mixes&) const = default;
};
struct Infers {
  Types infer(const Types& operands) const { return operands; }
  bool operator==(const Infers&) const = default;
};
struct Computes {
  Kernel kernel(const Layout&) const { return kernel::View{}; }
  bool operator==(const Computes&) const = default;
};
struct Differentiates {
  Jvp jvp(const Arrays&, const Tangents&) const { return {}; }
  bool operator==(const Differentiates&) const = default;
};
struct Transposes {
  Tangents transpose(const LinearOperands&, const Tangents&) const { return {}; }
  bool operator==(const Transposes&) const = default;
};
struct Batches {
  BatchedArrays batch(const Axis&, const BatchedArrays&, const Types&) const { return {}; }
  bool operator==(const Batches&) const = default;
};
struct Lowers {
  static constexpr Refused lower{"it is a test's"};
  bool operator==(const Lowers&) const = default;
};
struct HasExamples {
  static std::vector<Example> examples() { return {}; }
  bool operator==(const HasExamples&) const = default;
};

}  // namespace tutti::rules_of_an_op
