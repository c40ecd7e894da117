// SPDX-License-Identifier: Apache-2.0
// The arguments and results of an op's rules, and the conditions of a complete op.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/devices/kernel.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/devices/traffic.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/stablehlo/tree.hpp"

namespace tutti::ops {

class Op;
class Emitter;
struct Example;
struct OpSplit;

/// How the states of the operands must agree, per axis.
enum class Mixing {
  linear,    // add, shape ops: equal, joining I < R < V; U only with U
  bilinear,  // mul, dot_general: the same, and U with R gives U; I with U becomes R
  alike,     // everything that is not linear: joins; U is refused
  own,       // as `wants` says; an op without it takes operands as they are, and infer refuses
};

/// nullopt is zero.
using Tangents = std::vector<std::optional<Array>>;
/// The outcome of the rule jvp: each result, and its tangent of the same shape.
struct Jvp {
  Arrays results;
  Tangents tangents;
};
/// An operand of an op that is transposed: its known value, or only its type if we differentiate by it.
struct LinearOperand {
  std::optional<Array> known;
  Type type;
  /// True if we differentiate by it.
  bool linear() const { return !known; }
};
using LinearOperands = std::vector<LinearOperand>;
/// A value under a batch axis. The batch dimension is dim 0; not batched: the same in every lane.
struct Batched {
  Array array;
  bool batched = false;
};
using BatchedArrays = std::vector<Batched>;
/// SSA values of the StableHLO that an op lowers to, one per result.
using Lowered = std::vector<stablehlo::Value>;
/// A parameter of an op by name, as printed programs show it.
using Parameters = std::vector<std::pair<std::string_view, std::string>>;

/// The purpose of an op, for users: a sentence, and the functions that record it ("psum, pmean"; none:
/// empty).
struct About {
  std::string_view summary, front_ends;
};

/// The rules that an op may refuse.
enum class Rule { jvp, transpose, batch, lower };
inline constexpr Rule all_refusable_rules[] = {Rule::jvp, Rule::transpose, Rule::batch, Rule::lower};
/// "jvp", "transpose", "batch" or "lower".
std::string_view name(Rule rule);

/// Stands in the place of a rule that an op does not have: `static constexpr Refused jvp{"argmax is ..."};`
/// If only some ops of a struct lack the rule, the struct has `std::string_view refusal(Rule) const`.
/// It returns the reason.
struct Refused {
  std::string_view why;
};

template <class T>
concept IsRefusal = std::same_as<std::remove_cvref_t<T>, Refused>;

template <class O>
concept RefusesJvp = IsRefusal<decltype(O::jvp)>;
template <class O>
concept RefusesTranspose = IsRefusal<decltype(O::transpose)>;
template <class O>
concept RefusesBatch = IsRefusal<decltype(O::batch)>;
template <class O>
concept RefusesLower = IsRefusal<decltype(O::lower)>;

template <class O>
concept NamesItself = requires {
  { O::name } -> std::convertible_to<std::string_view>;
};  // else name() is a member
template <class O>
concept HasName = NamesItself<O> || requires(const O& o) {
  { o.name() } -> std::convertible_to<std::string_view>;
};
template <class O>
concept SaysAbout = requires {
  { O::about } -> std::convertible_to<About>;
};  // else about() is a member
template <class O>
concept HasAbout = SaysAbout<O> || requires(const O& o) {
  { o.about() } -> std::same_as<About>;
};
template <class O>
concept HasParameters = std::is_empty_v<O> || requires(const O& o) {
  { o.parameters() } -> std::same_as<Parameters>;
};
template <class O>
concept HasMixing = requires(const O& o) {
  { o.mixing() } -> std::same_as<Mixing>;
};
template <class O>
concept HasWants = requires(const O& o, const Types& t) {
  { o.wants(t) } -> std::same_as<std::vector<AxisStates>>;
};
template <class O>
concept HasInfer = requires(const O& o, const Types& t) {
  { o.infer(t) } -> std::same_as<Types>;
};
template <class O>
concept HasKernel = requires(const O& o, const Layout& l) {
  { o.kernel(l) } -> std::convertible_to<Kernel>;
};
template <class O>
concept HasJvp = RefusesJvp<O> || requires(const O& o, const Arrays& x, const Tangents& t) {
  { o.jvp(x, t) } -> std::same_as<Jvp>;
};
template <class O>
concept HasTranspose =
    RefusesTranspose<O> || requires(const O& o, const LinearOperands& x, const Tangents& ct) {
      { o.transpose(x, ct) } -> std::same_as<Tangents>;
    };
template <class O>
concept HasBatch =
    RefusesBatch<O> || requires(const O& o, const Axis& a, const BatchedArrays& x, const Types& t) {
      { o.batch(a, x, t) } -> std::same_as<BatchedArrays>;
    };
template <class O>
concept HasLower = RefusesLower<O> || requires(const O& o, Emitter& e, const Lowered& x) {
  { o.lower(e, x) } -> std::same_as<Lowered>;
};
template <class O>
concept HasCommunicates = requires(const O& o) {
  { o.communicates() } -> std::same_as<Axes>;
};
template <class O>
concept HasTraffic = requires(const O& o, const Types& t) {
  { o.traffic(t) } -> std::same_as<Traffic>;
};
template <class O>
concept RefusesSome = requires(const O& o, Rule rule) {
  { o.refusal(rule) } -> std::same_as<std::string_view>;
};
template <class O>
concept HasExamples = requires {
  { O::examples() } -> std::same_as<std::vector<Example>>;
};

/// True for a struct that is meant as an op. Op converts from these only, so overload resolution refuses
/// anything else.
template <class O>
concept HasSomeRule = HasMixing<O> || HasInfer<O> || HasKernel<O>;

/// An op with sub-programs also has `programs`, `with_programs` (the same op with other programs) and `split`
/// (the op cut in two: the half that depends on known operands alone is recorded in the current builder).
template <class O>
concept HasPrograms = requires(const O& o) {
  { o.programs() } -> std::same_as<std::vector<SubProgram>>;
};
template <class O>
concept HasSplit =
    requires(const O& o, const std::vector<SubProgram>& programs, const LinearOperands& operands) {
      { o.with_programs(programs) } -> std::same_as<O>;
      { o.split(operands) } -> std::same_as<OpSplit>;
    };

/// Fails to compile, naming the rule, if an op lacks one. Stands under every op, and in Op's constructor.
template <class O>
consteval bool complete() {
  static_assert(HasName<O>,
                "op: missing 'static constexpr std::string_view name', or 'std::string_view name() const'");
  static_assert(HasAbout<O>,
                "op: missing 'static constexpr About about{\"what it does\", \"functions that record "
                "it\"}', or 'About about() const'");
  static_assert(std::equality_comparable<O>, "op: missing 'bool operator==(const O&) const = default'");
  static_assert(HasParameters<O>,
                "op: missing 'Parameters parameters() const': its fields by name, for printing");
  static_assert(HasMixing<O>, "op: missing rule 'mixing': Mixing mixing() const");
  static_assert(HasInfer<O>, "op: missing rule 'infer': Types infer(const Types& operands) const");
  static_assert(HasKernel<O>, "op: missing rule 'kernel': Kernel kernel(const Layout& layout) const");
  static_assert(
      HasJvp<O>,
      "op: missing rule 'jvp'; write Jvp jvp(const Arrays& operands, const Tangents& tangents) const, or "
      "say static constexpr Refused jvp{\"why\"}");
  static_assert(
      HasTranspose<O>,
      "op: missing rule 'transpose'; write Tangents transpose(const LinearOperands& operands, const "
      "Tangents& cotangents) const, or say static constexpr Refused transpose{\"why\"}");
  static_assert(HasBatch<O>, "op: missing rule 'batch'; write BatchedArrays batch(const Axis& axis, const "
                             "BatchedArrays& operands, const Types& "
                             "types) const, or say static constexpr Refused batch{\"why\"}");
  static_assert(
      HasLower<O>,
      "op: missing rule 'lower'; write Lowered lower(Emitter& emitter, const Lowered& operands) const, or "
      "say static constexpr Refused lower{\"why\"}");
  static_assert(
      !HasCommunicates<O> || HasPrograms<O> || HasTraffic<O>,
      "op: missing rule 'traffic', as it communicates; write Traffic traffic(const Types& operands) "
      "const: the groups, and the bytes that a device sends and receives at least");
  static_assert(!HasPrograms<O> || HasSplit<O>,
                "op: missing for its sub-programs: O with_programs(const std::vector<SubProgram>& programs) "
                "const, or OpSplit split(const LinearOperands& operands) const");
  static_assert(HasExamples<O>, "op: missing 'static std::vector<Example> examples()', for the laws");
  return true;
}

}  // namespace tutti::ops
