// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/program.hpp"

namespace tutti::ops {

/// Records a program while a function runs. Strict: it infers types and never casts. Builders nest: each is
/// the current one of its thread from its construction to its destruction.
///
/// Invariants (tests/ir): a value of an enclosing trace that is used becomes an input, once, captured by
/// every builder between; data that is used becomes an input of the outermost builder, never a constant.
class Builder {
 public:
  /// Differentiated as often as the enclosing builder.
  Builder();
  /// Captured values enter varying over `captures_vary_over`: the body of a vmap. `derivatives`: how often,
  /// at most, what is recorded will be differentiated, by the enclosing traces as well.
  /// Throws T011 where traces stand too deep inside each other, or the stack of the thread is nearly full.
  explicit Builder(Axes captures_vary_over, std::optional<int> derivatives = {});
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// The innermost builder of this thread. Throws T011 outside a trace, and where the stack is nearly full.
  static Builder& current();
  /// The innermost builder of this thread; null outside a trace.
  static Builder* current_or_null();
  /// The type of a traced value of this or an enclosing builder; throws T011 if its trace has ended.
  static Type type_of(Array::Traced value);

  /// A new input of the program, which a derivative may reach.
  Array input(Type type) { return input(type, true); }
  /// `moves`: a derivative may reach it.
  Array input(Type type, bool moves);
  /// One equation. Errors get the current place and the op's name.
  Arrays add(const Op& op, const Arrays& operands);
  /// The variable of `array` in this builder; captures it if it is from outside.
  Var resolve(const Array& array);
  /// The same value as a variable of this builder, captured if it is from outside.
  Array own(const Array& array) { return var_array(resolve(array)); }
  /// Throws T016, with the line of the start, if one of the arrays is pending: no function takes a future.
  void refuse_futures(const Arrays& arguments);
  /// A variable of this builder as an array.
  Array var_array(Var var) const { return Array(Array::Traced{trace_, var}); }
  /// Outer values and data that became inputs after the declared ones, in order.
  std::span<const Array> captured() const { return captured_; }
  /// The recorded program, with these outputs. Captured values are its last inputs.
  Program finish(const Arrays& outputs);
  /// The equations until now, for the report of an error.
  Program abandoned() { return std::move(program_); }

  /// How a trace will be differentiated. Rules of the user's own are traced only where they will be needed.
  struct Differentiated {
    std::optional<int> often = {};  // by the enclosing traces as well; none: as often as the current one
    std::vector<bool> moving = {};  // per declared input; empty: all of them move
  };
  /// How often, at most, what is recorded will be differentiated.
  int derivatives() const { return derivatives_; }
  /// False if no derivative will reach `array`: nothing here is differentiated, its dtype has no derivative,
  /// or it depends on no input that moves.
  bool moves(const Array& array) { return moves_[static_cast<std::size_t>(resolve(array))]; }
  /// moves() of each array.
  std::vector<bool> moving(const Arrays& arrays);

  /// The variable that holds `from` cast to `to`; made by `make` the first time.
  Var cast_once(Var from, const AxisStates& to, const std::function<Var()>& make);

  /// The user's call that records equations: its place, and the name of the function called there.
  struct Cause {
    Where where = {};
    std::string_view name = {};
  };
  /// RAII: what is recorded meanwhile has this cause. Of nested scopes the outermost wins, also an unknown
  /// one.
  class OnBehalf {
   public:
    OnBehalf(Builder& builder, Cause cause, bool replaces);
    ~OnBehalf();
    OnBehalf(const OnBehalf&) = delete;
    OnBehalf& operator=(const OnBehalf&) = delete;

   private:
    Builder& builder_;
    std::optional<Cause> saved_;
  };
  /// `cause.name` outlives the scope.
  [[nodiscard]] OnBehalf on_behalf_of(Cause cause) { return {*this, cause, false}; }
  /// For transforms that replay an equation: its place and its op's name replace the current cause.
  [[nodiscard]] OnBehalf replaying(const Equation& equation) {
    return {*this, {equation.where, equation.op->name()}, true};
  }
  /// None where no scope is open.
  const std::optional<Cause>& cause() const { return cause_; }
  /// The place of the current cause; `where` if there is none.
  static Where place_or(Where where);

  /// RAII: binds axis names for front-end functions. Throws T002 if a name is bound here already.
  class Bound {
   public:
    Bound(Builder& builder, const Axes& axes);
    ~Bound();
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

   private:
    Builder& builder_;
    std::size_t count_;
  };
  /// Binds axes until the result is destroyed.
  [[nodiscard]] Bound bind(const Axes& axes) { return {*this, axes}; }
  /// The axes that this builder and the enclosing ones bind, outermost first.
  Axes bound_axes() const;

 private:
  Var new_variable(Type type, bool moves);
  Var capture(const Array& outer, Type type, bool moves);

  std::uint64_t trace_;
  Builder* parent_;
  int depth_, derivatives_;
  Axes captures_vary_over_;
  Program program_;
  std::vector<bool> moves_;  // of each variable
  Arrays captured_;
  std::map<std::pair<std::uint64_t, Var>, Var> captured_values_;
  std::map<const internal::GlobalArray*, Var> captured_data_;
  std::map<Var, std::vector<std::pair<AxisStates, Var>>> casts_;
  Axes bound_;
  std::optional<Cause> cause_;
};

/// A recorded program, and the outer values that it captured: they are its inputs behind the declared ones.
struct TracedProgram {
  Program program;
  Arrays captured;
};
/// Records what `function` does with inputs of `types`. `later`: how the program will be differentiated.
TracedProgram trace(const Types& types, const std::function<Arrays(const Arrays&)>& function,
                    const Builder::Differentiated& later = {});

/// Repeats the equations of `program` in the current builder, each at its own place.
Arrays inline_program(const Program& program, const Arrays& arguments);

}  // namespace tutti::ops
