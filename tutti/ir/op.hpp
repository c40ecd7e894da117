// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/ir/rules.hpp"

namespace tutti::ops {

/// Any op, as a value: its parameters and its rules. Made from a struct that is complete<O>(); users add
/// their own without a change here.
class Op {
 public:
  /// The rules of any op, called through operator->. docs/write_your_own_op.md says how an op writes them. A
  /// rule that the op refuses throws T010 with the reason.
  struct Rules {
    virtual ~Rules() = default;
    /// The name in printed programs: "all_gather".
    virtual std::string_view name() const = 0;
    /// The purpose, and the functions that record the op.
    virtual About about() const = 0;
    /// The fields as text, for printing; empty if it has none.
    virtual Parameters parameters() const = 0;
    /// How the states of the operands must agree.
    virtual Mixing mixing() const = 0;
    /// The states that each operand must have, for Mixing::own. Operands are cast to them before `infer`.
    /// An op without the rule takes the operands as they are.
    virtual std::vector<AxisStates> wants(const Types& operands) const = 0;
    /// The types of the results on one device. Throws for operands that do not fit: mostly T004 (states),
    /// T005 (shapes), T006 (dims) and T007 (dtypes).
    virtual Types infer(const Types& operands) const = 0;
    /// The loops that compute the results, asked for once per compiled program.
    virtual Kernel kernel(const Layout& layout) const = 0;
    /// Records the results and their tangents. A tangent that is not there is zero.
    virtual Jvp jvp(const Arrays& operands, const Tangents& tangents) const = 0;
    /// Records the cotangents of the linear operands from those of the results; none for known operands.
    virtual Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const = 0;
    /// Records the op for all lanes of `axis`. operands: [lanes, ..] if batched, else the same for every
    /// lane; types: those of one lane.
    virtual BatchedArrays batch(const Axis& axis, const BatchedArrays& operands,
                                const Types& types) const = 0;
    /// Writes the op as StableHLO and returns its results.
    virtual Lowered lower(Emitter& emitter, const Lowered& operands) const = 0;
    /// The axes along which devices communicate; empty for most ops.
    virtual Axes communicates() const = 0;
    /// The bytes that devices send and receive at least, and their groups. No bytes for an op that does not
    /// communicate. For an op with sub-programs, the bytes of all of them, each run once, unless the op has
    /// its own rule.
    virtual Traffic traffic(const Types& operands) const = 0;
    /// True if operands may be pending: `static constexpr bool takes_pending = true`.
    virtual bool takes_pending() const = 0;
    /// True if the op does more than compute its results: `static constexpr bool has_effect = true`, or an op
    /// of a sub-program does. Transforms neither drop, merge nor repeat such an op.
    virtual bool has_effect() const = 0;
    /// The sub-programs; empty for most ops.
    virtual std::vector<SubProgram> programs() const = 0;
    /// The same op with other sub-programs.
    virtual Op with_programs(const std::vector<SubProgram>& programs) const = 0;
    /// Cuts an op with sub-programs in two. The half that depends on known operands alone is recorded; the
    /// other half is returned.
    virtual OpSplit split(const LinearOperands& operands) const = 0;
    /// The reason a rule is refused with; empty if it is there.
    virtual std::string_view refusal(Rule rule) const = 0;
    /// True if both are of one struct with equal fields.
    virtual bool equals(const Rules& other) const = 0;
    /// The struct, at address(); type_tag() has one value per type of struct. Op::as() reads both.
    virtual const void* address() const = 0;
    virtual const void* type_tag() const = 0;
  };

  template <class O>
    requires HasSomeRule<O>
  Op(O op);

  /// The rules: op->infer(types).
  const Rules* operator->() const { return rules_.get(); }
  bool operator==(const Op& other) const { return rules_ == other.rules_ || rules_->equals(*other.rules_); }
  /// The struct it was made from, or null if that is another type.
  template <class O>
  const O* as() const;

 private:
  template <class O>
  struct Model;
  template <class O>
  static constexpr char tag_of = 0;
  [[noreturn]] static void refuse(Rule rule, std::string_view why);
  static Traffic traffic_inside(const std::vector<SubProgram>& programs);
  static bool have_effects(const std::vector<SubProgram>& programs);

  std::shared_ptr<const Rules> rules_;
};

/// An op with sub-programs when some of its operands are linear.
struct OpSplit {
  /// An operand of `linear`: a value that is known now, or an operand of the whole op.
  struct Operand {
    std::optional<Array> known;
    std::size_t number = 0;  // if not known: of the operand of the whole op
  };
  std::vector<std::optional<Array>> known;  // per result; none: it is the next result of `linear`
  std::optional<Op> linear;                 // none if all results are known
  std::vector<Operand> operands;            // of `linear`
};

/// "all_gather{axes=('data'), dim=0}".
std::string to_string(const Op& op);

// -----------------------------------------------------------------------------------------------------------

template <class O>
struct Op::Model final : Op::Rules {
  O op;
  bool effect = false;
  explicit Model(O from) : op(std::move(from)) {
    if constexpr (requires { O::has_effect; }) effect = O::has_effect;
    else if constexpr (HasPrograms<O>) effect = have_effects(op.programs());
  }

  std::string_view name() const override {
    if constexpr (NamesItself<O>) return O::name;
    else return op.name();
  }
  About about() const override {
    if constexpr (SaysAbout<O>) return O::about;
    else return op.about();
  }
  Parameters parameters() const override {
    if constexpr (requires { op.parameters(); }) return op.parameters();
    else return {};
  }
  Mixing mixing() const override { return op.mixing(); }
  std::vector<AxisStates> wants(const Types& operands) const override {
    if constexpr (HasWants<O>) return op.wants(operands);
    std::vector<AxisStates> as_they_are;
    for (const Type& type : operands) as_they_are.push_back(type.states());
    return as_they_are;
  }
  Types infer(const Types& operands) const override { return op.infer(operands); }
  Kernel kernel(const Layout& layout) const override { return op.kernel(layout); }
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const override {
    if (std::string_view why = refusal(Rule::jvp); !why.empty()) refuse(Rule::jvp, why);
    if constexpr (!RefusesJvp<O>) return op.jvp(operands, tangents);
    else return {};
  }
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const override {
    if (std::string_view why = refusal(Rule::transpose); !why.empty()) refuse(Rule::transpose, why);
    if constexpr (!RefusesTranspose<O>) return op.transpose(operands, cotangents);
    else return {};
  }
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const override {
    if (std::string_view why = refusal(Rule::batch); !why.empty()) refuse(Rule::batch, why);
    if constexpr (!RefusesBatch<O>) return op.batch(axis, operands, types);
    else return {};
  }
  Lowered lower(Emitter& emitter, const Lowered& operands) const override {
    if (std::string_view why = refusal(Rule::lower); !why.empty()) refuse(Rule::lower, why);
    if constexpr (!RefusesLower<O>) return op.lower(emitter, operands);
    else return {};
  }
  Axes communicates() const override {
    if constexpr (HasCommunicates<O>) return op.communicates();
    else return {};
  }
  Traffic traffic([[maybe_unused]] const Types& operands) const override {
    if constexpr (HasTraffic<O>) return op.traffic(operands);
    else if constexpr (HasPrograms<O>) return traffic_inside(op.programs());
    else return {};
  }
  bool takes_pending() const override {
    if constexpr (requires { O::takes_pending; }) return O::takes_pending;
    else return false;
  }
  bool has_effect() const override { return effect; }
  std::vector<SubProgram> programs() const override {
    if constexpr (HasPrograms<O>) return op.programs();
    else return {};
  }
  Op with_programs([[maybe_unused]] const std::vector<SubProgram>& programs) const override {
    if constexpr (HasPrograms<O>) return op.with_programs(programs);
    else return op;
  }
  OpSplit split([[maybe_unused]] const LinearOperands& operands) const override {
    if constexpr (HasPrograms<O>) return op.split(operands);
    else return {};
  }
  std::string_view refusal(Rule rule) const override {
    if constexpr (RefusesJvp<O>)
      if (rule == Rule::jvp) return O::jvp.why;
    if constexpr (RefusesTranspose<O>)
      if (rule == Rule::transpose) return O::transpose.why;
    if constexpr (RefusesBatch<O>)
      if (rule == Rule::batch) return O::batch.why;
    if constexpr (RefusesLower<O>)
      if (rule == Rule::lower) return O::lower.why;
    if constexpr (RefusesSome<O>) return op.refusal(rule);
    else return {};
  }
  bool equals(const Rules& other) const override {
    return other.type_tag() == type_tag() && *static_cast<const O*>(other.address()) == op;
  }
  const void* address() const override { return &op; }
  const void* type_tag() const override { return &tag_of<O>; }
};

template <class O>
  requires HasSomeRule<O>
Op::Op(O op) {
  static_assert(complete<O>());
  rules_ = std::make_shared<const Model<O>>(std::move(op));
}

template <class O>
const O* Op::as() const {
  return rules_->type_tag() == &tag_of<O> ? static_cast<const O*>(rules_->address()) : nullptr;
}

}  // namespace tutti::ops
