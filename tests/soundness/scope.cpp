// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/scope.hpp"

#include "tutti/tutti.hpp"

namespace tutti::generated {
namespace {

constexpr std::int64_t most_elements = 16;

Axes axes_in_state(const Array& x, State state) {
  Axes found;
  for (const auto& [axis, has] : x.type().states())
    if (has == state) found.push_back(axis);
  return found;
}

Axes common(const Axes& a, const Axes& b) {
  Axes found;
  for (const Axis& axis : a)
    if (contains(b, axis)) found.push_back(axis);
  return found;
}

// One axis; two; all. In order of their numbers, so that small ones are simple.
std::vector<Axes> tuples_of(const Axes& axes) {
  std::vector<Axes> all;
  for (const Axis& axis : axes) all.push_back({axis});
  for (const Axis& first : axes)
    for (const Axis& second : axes)
      if (first != second) all.push_back({first, second});
  if (axes.size() > 2) all.emplace_back(axes.rbegin(), axes.rend());
  return all;
}

}  // namespace

Axes Scope::pick_open(int n) const {
  std::vector<Axes> tuples = tuples_of(open);
  return tuples[static_cast<std::size_t>(n) % tuples.size()];
}

Scope inside(const Scope& outer, const Action& action, const Axes& decided, const Arrays& arguments) {
  Scope scope = outer;
  ++scope.depth;
  for (const Axis& axis : decided) scope.open = without(scope.open, axis);
  scope.values.clear();
  for (int n : {action.picks[2], action.picks[3]}) {
    const Array& x = outer.pick(n);
    if (common(axes_in_state(x, State::unreduced), decided).empty())
      scope.values.push_back(Builder::current().own(x));
  }
  scope.values.insert(scope.values.end(), arguments.begin(), arguments.end());
  return scope;
}

void write_actions(Scope& scope, const Actions& actions) {
  for (const Action& action : actions) {
    if (action.kind >= Kind::branch_of_two) {
      for (const Array& x : block_values(scope, action)) scope.values.push_back(kept_small(x));
    } else if (action.kind >= Kind::sum_of_all && !scope.open.empty()) {
      scope.values.push_back(kept_small(collective_value(scope, action)));
    } else {
      scope.values.push_back(kept_small(local_value(scope, action)));
    }
  }
}

Array fitted(const Array& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Array flat = reshape(x, {x.type().elements()});
  while (flat.dim(0) < shape.elements()) flat = concatenate({flat, rev(flat)});
  return reshape(slice_in_dim(flat, 0, shape.elements()), shape);
}

Array at_least(const Array& x, int rank) {
  Array y = x;
  while (y.rank() < rank) y = concatenate({expand_dims(y, 0), expand_dims(y, 0)});
  return y;
}

Array kept_small(const Array& x) { return x.type().elements() > most_elements ? fitted(x, {2, 4}) : x; }

Array first_element(const Array& x) { return fitted(x, {}); }

Array settled(const Array& x, const Axes& axes) {
  Axes sums = common(axes_in_state(x, State::unreduced), axes);
  return sums.empty() ? x : psum(x, sums) * (1.0 / joint_size(sums));
}

Array settled(const Array& x) { return settled(x, axes_in_state(x, State::unreduced)); }

Array varying_along(const Array& x, const Axes& axes) { return pcast(settled(x, axes), axes, varying); }

Array equal_along(const Array& x, const Axes& axes) {
  Array y = settled(x, axes);
  Axes differ = common(axes_in_state(y, State::varying), axes);
  return differ.empty() ? y : pmean(y, differ);
}

Array terms_along(const Array& x, const Axes& axes) {
  Array y = x;
  for (const Axis& axis : axes) {
    State state = y.type().at(axis);
    if (state == State::varying) y = pcast(y, axis, unreduced);
    if (state == State::invariant || state == State::reduced) y = mask(y, axis);
  }
  return y;
}

Array as_summed_as(const Array& x, const Array& pattern) {
  Axes wanted = axes_in_state(pattern, State::unreduced), others;
  for (const Axis& axis : axes_in_state(x, State::unreduced))
    if (!contains(wanted, axis)) others.push_back(axis);
  return terms_along(settled(x, others), wanted);
}

Two as_summands(const Array& x, const Array& y, int n) {
  Array other = fitted(y, x.shape());
  if (n % 2 == 0) return {x, as_summed_as(other, x)};
  return {as_summed_as(x, other), other};
}

Two as_factors(Array x, Array y) {
  y = settled(y, axes_in_state(x, State::unreduced));
  x = settled(x, axes_in_state(y, State::varying));
  y = settled(y, axes_in_state(x, State::varying));
  return {x, y};
}

Two as_any(const Array& x, const Array& y) { return {settled(x), fitted(settled(y), x.shape())}; }

Axes stored_axes(const Array& x) {
  Axes found = axes_in_state(x, State::varying);
  for (const Axis& axis : axes_in_state(x, State::unreduced)) found.push_back(axis);
  return found;
}

}  // namespace tutti::generated
