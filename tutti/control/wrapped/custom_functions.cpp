// SPDX-License-Identifier: Apache-2.0
// custom_jvp and custom_vjp as users call them: arguments and results of bool and integers, and those with
// derivatives, and rules that are traced only where a derivative is taken.
#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

Arrays slice(const Arrays& arrays, std::size_t begin, std::size_t end) {
  return {arrays.begin() + static_cast<std::ptrdiff_t>(begin),
          arrays.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool has_tangent(Type type) { return tangent(type).has_value(); }

constexpr std::string_view rule_returns = "the rule returns the function's results and a tangent of each",
                           forward_returns = "forward returns the function's results and residuals",
                           backward_returns = "backward returns a cotangent of each argument leaf";

/// Leaves of the arguments of a function with a rule of its own. In the op those with a derivative come
/// first; the others follow as values of outside do.
class Leaves {
 public:
  explicit Leaves(const Arrays& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      Array own = Builder::current().own(arguments[i]);
      auto& [arrays, types, places] = has_tangent(own.type()) ? moving_ : still_;
      arrays.push_back(own);
      types.push_back(own.type());
      places.push_back(i);
    }
  }

  Arrays in_op() const { return joined(moving_.arrays, still_.arrays); }
  /// True if a derivative may reach an argument.
  bool move() const {
    auto moves = [](const Array& array) { return Builder::current().moves(array); };
    return std::ranges::any_of(moving_.arrays, moves);
  }
  const Types& moving() const { return moving_.types; }
  const Types& still() const { return still_.types; }
  Types types_in_op() const { return joined(moving_.types, still_.types); }
  std::size_t size() const { return moving_.places.size() + still_.places.size(); }

  /// The user's order of `given`, which is the op's.
  Arrays for_user(const Arrays& moving, const Arrays& still) const {
    Arrays all(size());
    for (std::size_t i = 0; i < moving.size(); ++i) all[moving_.places[i]] = moving[i];
    for (std::size_t i = 0; i < still.size(); ++i) all[still_.places[i]] = still[i];
    return all;
  }
  /// Tangents in the user's order: zeros of their own type where there is none.
  Arrays tangents_for_user(const Arrays& moving) const {
    Arrays zeros;
    for (Type type : still_.types) zeros.push_back(zeros_of(type));
    return for_user(moving, zeros);
  }
  /// The user's leaves that have a derivative.
  Arrays moving_of(const Arrays& all) const {
    Arrays found;
    for (std::size_t place : moving_.places) found.push_back(all[place]);
    return found;
  }

  template <class T>
  static std::vector<T> joined(std::vector<T> front, const std::vector<T>& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
  }

 private:
  struct Part {
    Arrays arrays;
    Types types;
    std::vector<std::size_t> places;  // in the user's order
  };
  Part moving_, still_;
};

/// A user's function of the arguments, as one of the op's operands.
InnerFunction in_order_of_op(const InnerFunction& function, const Leaves& leaves) {
  return [&function, &leaves](const Arrays& given) {
    const std::size_t n = leaves.moving().size();
    return function(leaves.for_user(slice(given, 0, n), slice(given, n, given.size())));
  };
}

/// Those of `arrays`, one per type, whose type has a tangent.
Arrays with_tangents_only(const Types& types, const Arrays& arrays) {
  Arrays found;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (has_tangent(types[i])) found.push_back(arrays[i]);
  return found;
}

Types moving_types(const Types& types) {
  Types found;
  for (Type type : types)
    if (has_tangent(type)) found.push_back(type);
  return found;
}

void require_count(std::size_t found, std::size_t expected, std::string_view what) {
  require(found == expected, Code::tree, "{}; found {}, expected {}", what,
          counted(static_cast<std::int64_t>(found), "array"), expected);
}

/// The expected results of a user's rule: their types, and their names in messages ("the rule's tangent 0").
struct Expected {
  Types types;
  std::vector<std::string> names;

  void add(std::string_view name, const Types& more) {
    for (std::size_t i = 0; i < more.size(); ++i) names.push_back(fmt::format("{} {}", name, i));
    types.insert(types.end(), more.begin(), more.end());
  }
};

/// `program` with outputs of these types, as far as free casts go; `what` says how many arrays were expected.
Program fitted(const Program& program, const Expected& expected, std::string_view what) {
  require_count(program.outputs.size(), expected.types.size(), what);
  std::vector<AxisStates> states;
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    Type found = program.type(program.outputs[i]), wanted = expected.types[i];
    require_type(expected.names[i], found.with(wanted.states()), wanted);
    require_free_casts(expected.names[i], found, wanted);
    states.push_back(wanted.states());
  }
  return with_output_states(program, states);
}

Types outputs_of(const Program& program) { return program.types_of(program.outputs); }

Types duals(Types types) {
  for (Type& type : types) type = dual(type);
  return types;
}

/// The user's rule on (moving arguments, their tangents, other arguments), without tangents of results that
/// have none.
Arrays ruled(const InnerFunction& rule, const Leaves& leaves, const Types& results, const Arrays& given) {
  const std::size_t n = leaves.moving().size();
  Arrays at = leaves.for_user(slice(given, 0, n), slice(given, 2 * n, given.size())),
         moved = leaves.tangents_for_user(slice(given, n, 2 * n));
  Arrays found = rule(Leaves::joined(at, moved));
  require_count(found.size(), 2 * results.size(), rule_returns);
  Arrays tangents = with_tangents_only(results, slice(found, results.size(), found.size()));
  return Leaves::joined(slice(found, 0, results.size()), tangents);
}

/// The user's backward on (residuals, cotangents of results that have one, other arguments), without
/// cotangents of arguments that have none.
Arrays pulled(const InnerFunction& backward, const Leaves& leaves, const Types& results, const Arrays& given,
              std::size_t residuals) {
  Arrays all = slice(given, 0, residuals);
  std::size_t next = residuals;
  for (Type type : results) all.push_back(has_tangent(type) ? given[next++] : zeros_of(dual(type)));
  Arrays found = backward(all);
  require_count(found.size(), leaves.size(), backward_returns);
  return leaves.moving_of(found);
}

/// A program that a derivative replaces is not differentiated itself.
InnerTrace traced_body(const InnerFunction& function, const Leaves& leaves) {
  return trace_inside(leaves.types_in_op(), {}, in_order_of_op(function, leaves), {.often = 0});
}

/// A rule stands for one of the derivatives that will be taken here. Others may be taken of the rule.
InnerTrace traced_rule(const Types& inputs, const InnerFunction& rule) {
  return trace_inside(inputs, {}, rule, {.often = Builder::current().derivatives() - 1});
}

/// The op of these traces, called by its user.
template <class MakeOp>
Arrays called(const Leaves& leaves, std::vector<InnerTrace>& traces, MakeOp&& make_op) {
  Arrays operands = Leaves::joined(leaves.in_op(), share_captured(traces));
  return tutti::apply(make_op(), operands);
}

CustomJvp ruled_op(const std::vector<InnerTrace>& traces, const Leaves& leaves) {
  CustomJvp op{shared(traces[0].program), nullptr, static_cast<int>(leaves.moving().size())};
  if (traces.size() == 1) return op;
  const Types results = outputs_of(traces[0].program);
  Expected both;
  both.add("the rule's result", results);
  both.add("the rule's tangent", moving_types(results));
  op.rule = shared(fitted(traces[1].program, both, rule_returns));
  return op;
}

/// The arrays that forward returns after the results.
Types residuals_of(const Program& forward, std::size_t results) {
  const Types all = outputs_of(forward);
  return {all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), results)), all.end()};
}

CustomVjp pulled_op(const std::vector<InnerTrace>& traces, const Leaves& leaves) {
  CustomVjp op{shared(traces[0].program), nullptr, nullptr, static_cast<int>(leaves.moving().size())};
  if (traces.size() == 1) return op;
  const Types results = outputs_of(traces[0].program), kept = residuals_of(traces[1].program, results.size());
  Expected first, last;
  first.add("forward's result", results);
  first.add("forward's residual", kept);
  last.add("backward's cotangent", duals(leaves.moving()));
  op.forward = shared(fitted(traces[1].program, first, forward_returns));
  Program back = fitted(traces[2].program, last, backward_returns);
  // Other arguments and values of outside come before the cotangents.
  auto at = [&](std::size_t input) { return back.inputs.begin() + static_cast<std::ptrdiff_t>(input); };
  std::rotate(at(kept.size()), at(kept.size() + moving_types(results).size()), back.inputs.end());
  op.backward = shared(std::move(back));
  return op;
}

}  // namespace

Arrays internal::custom_jvp_flat(const InnerFunction& function, const InnerFunction& rule,
                                 const Arrays& arguments, Where where) try {
  const Leaves leaves = front_end("custom_jvp", where, [&] { return Leaves(arguments); });
  std::vector<InnerTrace> traces{traced_body(function, leaves)};
  if (leaves.move()) {
    const Types& moving = leaves.moving();
    const Types results = outputs_of(traces[0].program);
    const Types given = Leaves::joined(Leaves::joined(moving, moving), leaves.still());
    traces.push_back(traced_rule(given, [&](const Arrays& x) { return ruled(rule, leaves, results, x); }));
  }
  return front_end("custom_jvp", where,
                   [&] { return called(leaves, traces, [&] { return ruled_op(traces, leaves); }); });
} catch (const Error& error) {
  throw error.at(where, "custom_jvp");
}

Arrays internal::custom_vjp_flat(const InnerFunction& function, const InnerFunction& forward,
                                 const InnerFunction& backward, const Arrays& arguments, Where where) try {
  const Leaves leaves = front_end("custom_vjp", where, [&] { return Leaves(arguments); });
  std::vector<InnerTrace> traces{traced_body(function, leaves)};
  if (leaves.move()) {
    const Types results = outputs_of(traces[0].program);
    traces.push_back(traced_rule(leaves.types_in_op(), in_order_of_op(forward, leaves)));
    const Types kept = residuals_of(traces[1].program, results.size());
    const Types before = Leaves::joined(kept, duals(moving_types(results)));
    traces.push_back(traced_rule(Leaves::joined(before, leaves.still()), [&](const Arrays& x) {
      return pulled(backward, leaves, results, x, kept.size());
    }));
  }
  return front_end("custom_vjp", where,
                   [&] { return called(leaves, traces, [&] { return pulled_op(traces, leaves); }); });
} catch (const Error& error) {
  throw error.at(where, "custom_vjp");
}

}  // namespace tutti
