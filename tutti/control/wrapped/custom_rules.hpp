// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "tutti/base/namespaces.hpp"
#include "tutti/control/parts/inner_trace.hpp"
#include "tutti/control/wrapped/rule_forms.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti::ops {

/// A program whose derivative is another one: rule(arguments, their tangents, values of outside) -> (results,
/// tangents of those that have one). `rule` is null where no derivative will be taken.
/// Operands: arguments, all floats or complex, then what has no derivative: arguments of bool and integers,
/// values of outside.
/// Source: jax.custom_jvp.
struct CustomJvp {
  static constexpr std::string_view name = "custom_jvp";
  static constexpr About about{"A function with a derivative of its own.", "custom_jvp"};

  SubProgram body, rule;
  int arguments = 0;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"arguments", std::to_string(arguments)}}; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout&) const { return kernel::Sub{kernel::Sub::Control::call, {body}}; }
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{
      "a function with a derivative of its own is differentiated before it is transposed"};
  OpSplit split(const LinearOperands& operands) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  Traffic traffic(const Types& operands) const;
  std::vector<SubProgram> programs() const;
  CustomJvp with_programs(const std::vector<SubProgram>& programs) const;
  static std::vector<Example> examples();

  bool operator==(const CustomJvp& other) const;
};
static_assert(complete<CustomJvp>());

/// A program whose gradient is another one. Operands: as of CustomJvp.
/// forward(operands) -> (results, residuals); backward(residuals, values of outside, cotangents of the
/// results that have one) -> cotangents of the arguments. Both are null where no derivative will be taken.
/// Source: jax.custom_vjp.
struct CustomVjp {
  static constexpr std::string_view name = "custom_vjp";
  static constexpr About about{"A function with a gradient of its own.", "custom_vjp"};

  SubProgram body, forward, backward;
  int arguments = 0;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"arguments", std::to_string(arguments)}}; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout&) const { return kernel::Sub{kernel::Sub::Control::call, {body}}; }
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{
      "a function with a gradient of its own is differentiated before it is transposed"};
  OpSplit split(const LinearOperands& operands) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  Traffic traffic(const Types& operands) const;
  std::vector<SubProgram> programs() const;
  CustomVjp with_programs(const std::vector<SubProgram>& programs) const;
  static std::vector<Example> examples();

  bool operator==(const CustomVjp& other) const;
};
static_assert(complete<CustomVjp>());

/// How the results of a CustomVjp move with its arguments: the map whose transpose is `backward`. Operands:
/// `known` ones, which backward takes first, then the arguments' tangents; results: those of the results.
/// Its value is the transpose of backward, so forward derivatives need one that is linear.
struct CustomTangent {
  static constexpr std::string_view name = "custom_tangent";
  static constexpr About about{
      "How the results of a custom_vjp move with its arguments: the map whose transpose is its backward.",
      ""};

  SubProgram backward;
  int known = 0;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"known", std::to_string(known)}}; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout&) const { return kernel::Sub{kernel::Sub::Control::call, {forward()}}; }
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  OpSplit split(const LinearOperands& operands) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  Traffic traffic(const Types& operands) const;
  std::vector<SubProgram> programs() const { return {backward}; }
  CustomTangent with_programs(const std::vector<SubProgram>& programs) const { return {programs[0], known}; }
  static std::vector<Example> examples();

  /// The transpose of `backward`. Throws T010 if it is not linear in the cotangents.
  SubProgram forward() const;

  bool operator==(const CustomTangent& other) const;
};
static_assert(complete<CustomTangent>());

}  // namespace tutti::ops

namespace tutti::internal {

/// `rule` takes the arguments and their tangents, one after the other, and returns results and tangents.
Arrays custom_jvp_flat(const InnerFunction& function, const InnerFunction& rule, const Arrays& arguments,
                       Where where);
/// `forward` returns the results, then the residuals; `backward` takes the residuals, then the cotangents.
Arrays custom_vjp_flat(const InnerFunction& function, const InnerFunction& forward,
                       const InnerFunction& backward, const Arrays& arguments, Where where);

template <class F, class Rule>
class WithJvp {
 public:
  WithJvp(F function, Rule rule, Where where)
      : function_(std::move(function)), rule_(std::move(rule)), where_(where) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    if constexpr (is_jvp_rule<F, Rule, A...>()) return called(arguments...);
    else return std::optional<typename tree::ReturnedBy<F, A...>::Type>().value();  // no further errors
  }

 private:
  template <class... A>
  auto called(const A&... arguments) const {
    using Tree = std::tuple<A...>;
    tree::FlatCall call(function_, Tree{arguments...});
    tree::FlatCall<Rule, Tree, Tree> ruled(rule_, std::tuple<Tree, Tree>{{arguments...}, {arguments...}});
    auto flat_rule = [&](const Arrays& leaves) { return ruled(leaves); };
    return call.result(custom_jvp_flat(std::ref(call), flat_rule, call.leaves(), where_));
  }

  F function_;
  Rule rule_;
  Where where_;
};

}  // namespace tutti::internal

namespace tutti {

/// jax.custom_jvp: the function with the derivative rule(arguments, tangents) -> {result, its tangent}, where
/// arguments and tangents are tuples. Bool and integers have no derivative: the rule gets zeros of their own
/// type as tangents of such arguments, and nobody reads what it gives as tangents of such results. Values of
/// outside that are used have no derivative either.
/// The rule runs during the call, and only if a derivative of an enclosing function may reach an argument: at
/// most once per order of that derivative. So it may call the function itself. A rule that nobody needs never
/// runs, and its mistakes are not found.
/// Throws T004, T005, T007, T012 if the rule runs and its results and tangents do not fit those of the
/// function, T011 if the function calls itself without end, or the rule differentiates it.
template <class F, class Rule>
internal::WithJvp<F, Rule> custom_jvp(F function, Rule rule, Where where = Where::here()) {
  return {std::move(function), std::move(rule), where};
}

}  // namespace tutti

namespace tutti::internal {

template <class F, class Forward, class Backward>
class WithVjp {
 public:
  WithVjp(F function, Forward forward, Backward backward, Where where)
      : function_(std::move(function)),
        forward_(std::move(forward)),
        backward_(std::move(backward)),
        where_(where) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    if constexpr (are_vjp_rules<F, Forward, Backward, A...>()) return called(arguments...);
    else return std::optional<typename tree::ReturnedBy<F, A...>::Type>().value();  // no further errors
  }

 private:
  template <class... A>
  auto called(const A&... arguments) const {
    tree::FlatCall call(function_, std::tuple<A...>{arguments...});
    tree::FlatCall ahead(forward_, std::tuple<A...>{arguments...});
    auto forward = [&](const Arrays& leaves) { return ahead(leaves); };
    auto backward = [&](const Arrays& leaves) {
      std::size_t next = 0;
      auto residuals = tree::rebuild(std::get<1>(ahead.result()), leaves, next);
      return tree::flatten(backward_(residuals, tree::rebuild(call.result(), leaves, next)));
    };
    return call.result(custom_vjp_flat(std::ref(call), forward, backward, call.leaves(), where_));
  }

  F function_;
  Forward forward_;
  Backward backward_;
  Where where_;
};

}  // namespace tutti::internal

namespace tutti {

/// jax.custom_vjp: the function with the gradient of forward(arguments...) -> {result, residuals} and
/// backward(residuals, cotangent) -> tuple of cotangents of the arguments, each in the dual states of its
/// argument: where an argument is I, the sum over the devices is backward's to make. Bool and integers have
/// no derivative: nobody reads the cotangents of such arguments, Array() will do, and those of such results
/// are zeros of their own type. Values of outside that are used have no derivative either.
/// `forward` and `backward` run when the rule of custom_jvp would, and may call the function as well.
/// Throws T004, T005, T007, T012 when they run and the results of forward do not fit those of the function,
/// or the cotangents the arguments; T011 as custom_jvp.
template <class F, class Forward, class Backward>
internal::WithVjp<F, Forward, Backward> custom_vjp(F function, Forward forward, Backward backward,
                                                   Where where = Where::here()) {
  return {std::move(function), std::move(forward), std::move(backward), where};
}

}  // namespace tutti
