// SPDX-License-Identifier: Apache-2.0
// A law is a sentence about the rules of every op. It is tried on every example of a row, in every
// combination of states that the op accepts, and on planted ops with one wrong rule: those it must catch.
#pragma once

#include <gtest/gtest.h>

#include <ostream>

#include "tests/support/halves.hpp"
#include "tests/support/values.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti::ops {
inline void PrintTo(const OpRow& row, std::ostream* out) { *out << row.name; }
}  // namespace tutti::ops

namespace tutti {

/// The findings of a law.
class Findings {
 public:
  void hold() { ++held_; }
  void broken(const std::string& how) { broken_.push_back(how); }
  /// One sentence: true holds, false is broken. `how()` says in which way: texts of programs take longer than
  /// most laws.
  template <class How>
  void expect(bool true_here, const How& how) {
    true_here ? hold() : broken(how());
  }

  int held() const { return held_; }
  int broken_cases() const { return static_cast<int>(broken_.size()); }
  /// The first few ways in which it is broken; empty if it holds.
  std::string text() const;

 private:
  int held_ = 0;
  std::vector<std::string> broken_;
};

/// Tries one example. Throws Error where a rule fails with anything but what the law asks for: that breaks
/// it, too.
using Law = void (*)(const Example& example, Findings& findings);

/// The law on all examples in all their variants.
Findings tried(Law law, const std::vector<Example>& examples);
inline bool holds(Law law, const std::vector<Example>& examples) {
  return tried(law, examples).text().empty();
}

/// The example, and the same op on operands of other states: any combination along one axis of the example
/// mesh, and the same states for all operands along two axes; those that the op accepts.
std::vector<Example> variants(const Example& example);
/// "add f64[3]{V:a}, f64[3]{V:a}".
std::string described(const Example& example);

/// The example as a program: its operands are the inputs, its results the outputs. The equation stands at
/// "example.cpp:7". What it starts is done at once: a pending value is no user's.
Program program_of(const Example& example);
/// Random values for the inputs of a program that was made from an example with these operands: those of an
/// operand with given values, with lanes or without, are these.
std::vector<PerDevice> values_for(Random& random, const Program& program,
                                  const std::vector<ExampleOperand>& operands, Numbers numbers);
inline constexpr Where place_of_example{"example.cpp", 7, 0};

/// The operands that can be differentiated by.
Bits float_inputs(const Program& program);
/// The sets of inputs in which the example is linear at once: all floats of a linear op together, each alone
/// of others.
std::vector<Bits> linear_inputs(const Example& example);

/// True if the example's transpose may be refused: aloud by its op, for results without cotangents, for
/// products, which are linear in one operand at a time, and for sub-programs that are not linear.
bool may_refuse_transpose(const Example& example);

/// One test of a law for every op.
class EveryOp : public testing::TestWithParam<OpRow> {
 protected:
  void expect_holds(Law law) const {
    Findings findings = tried(law, GetParam().examples);
    EXPECT_TRUE(findings.text().empty()) << findings.text();
    RecordProperty("cases", findings.held());
  }
};
inline auto every_op() { return testing::ValuesIn(tried_ops()); }
inline std::string op_name(const testing::TestParamInfo<OpRow>& info) { return info.param.name; }

}  // namespace tutti
