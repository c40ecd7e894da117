// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rules.hpp"

#include <algorithm>

#include "tests/support/values.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {
namespace {

class RuleTypes {
 public:
  explicit RuleTypes(const Example& example)
      : op_(example.op), operands_(types_of(example.operands)), results_(op_->infer(operands_)) {}

  std::vector<std::string> wrong() {
    guarded("jvp", [&] { jvp(); });
    guarded("transpose", [&] { transpose(); });
    guarded("batch", [&] { batch(); });
    return std::move(wrong_);
  }

 private:
  template <class F>
  void guarded(std::string_view rule, F&& body) {
    try {
      Builder builder;
      body();
    } catch (const Error& error) {
      if (error.code() != Code::refused_rule) wrong_.push_back(described(rule) + error.what());
    }
  }

  std::string described(std::string_view rule) const {
    std::string text = std::string(rule) + " of " + to_string(op_);
    for (Type type : operands_) text += " " + to_string(type);
    return text + ": ";
  }

  static Type when_done(Type type) { return {type.dtype(), type.shape(), type.states()}; }

  void expect(std::string_view rule, Type found, Type expected) {
    if (found != expected)
      wrong_.push_back(described(rule) + to_string(found) + " for " + to_string(expected));
  }

  Arrays inputs(const Types& types) const {
    Arrays arrays;
    for (Type type : types) arrays.push_back(Builder::current().input(type));
    return arrays;
  }

  void jvp() {
    if (std::ranges::none_of(operands_, [](Type type) { return tangent(type).has_value(); })) return;
    Tangents tangents;
    for (Type type : operands_)
      tangents.push_back(tangent(type) ? std::optional(Builder::current().input(*tangent(type)))
                                       : std::nullopt);
    Jvp derived = op_->jvp(inputs(operands_), tangents);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      expect("jvp", derived.results[i].type(), results_[i]);
      if (derived.tangents[i]) expect("jvp", derived.tangents[i]->type(), *tangent(results_[i]));
    }
  }

  void transpose() {
    bool jointly = op_->mixing() == Mixing::linear;  // else in each operand alone
    if (operands_.empty() || !tangent(results_[0])) return;
    for (std::size_t i = 0; i < (jointly ? 1 : operands_.size()); ++i) {
      LinearOperands operands;
      for (std::size_t j = 0; j < operands_.size(); ++j) {
        bool linear = jointly || i == j;
        operands.push_back(
            {linear ? std::nullopt : std::optional(Builder::current().input(operands_[j])), operands_[j]});
      }
      Tangents cotangents;
      for (Type type : results_) cotangents.push_back(Builder::current().input(dual(type)));
      Tangents found = op_->transpose(operands, cotangents);
      for (std::size_t j = 0; j < operands_.size(); ++j)
        if (operands[j].linear() && found[j]) expect("transpose", found[j]->type(), dual(operands_[j]));
    }
  }

  // Every operand with lanes or without, but not none. Lanes of a pending value are lanes of what started it.
  void batch() {
    Axis axis = fresh_axis("lanes", 3);
    if (!operands_.empty() && operands_[0].in_flight()) return;
    for (unsigned lanes = 1; lanes < 1U << operands_.size(); ++lanes) {
      BatchedArrays operands;
      Types types;
      for (std::size_t i = 0; i < operands_.size(); ++i) {
        bool batched = (lanes >> i & 1) != 0;
        Type type = operands_[i];
        operands.push_back(
            {Builder::current().input(batched ? type.inserted(Dim{0}, axis.size) : type), batched});
        types.push_back(type.with(axis, State::varying));
      }
      BatchedArrays found = op_->batch(axis, operands, types);
      for (std::size_t i = 0; i < results_.size(); ++i) {
        Type type = found[i].array.type();
        expect("batch", when_done(type),
               when_done(found[i].batched ? results_[i].inserted(Dim{0}, axis.size) : results_[i]));
        if (bool(type.in_flight()) != bool(results_[i].in_flight()))
          wrong_.push_back(described("batch") + "a pending value must stay pending, and no other becomes so");
      }
    }
  }

  Op op_;
  Types operands_, results_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> mistyped_rules(const std::vector<Example>& examples) {
  std::vector<std::string> wrong;
  for (const Example& example : examples)
    for (std::string& text : RuleTypes(example).wrong()) wrong.push_back(std::move(text));
  return wrong;
}

}  // namespace tutti
