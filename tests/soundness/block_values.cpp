// SPDX-License-Identifier: Apache-2.0
// Actions with blocks: control flow and transforms.
#include <functional>

#include "tests/soundness/scope.hpp"
#include "tutti/tutti.hpp"

namespace tutti::generated {
namespace {

/// The scope after a block on these arguments; `decided` are the axes along which devices may go another way.
Scope after(const Scope& outer, const Action& action, std::size_t block, const Axes& decided,
            const Arrays& arguments) {
  Scope scope = inside(outer, action, decided, arguments);
  if (block < action.blocks.size()) write_actions(scope, action.blocks[block]);
  return scope;
}

/// A block as a function whose result can take its argument's place.
std::function<Array(const Array&)> same_type(const Scope& outer, const Action& action, std::size_t block,
                                             const Axes& decided) {
  return [&outer, &action, block, decided](const Array& x) {
    Scope scope = after(outer, action, block, decided, {x});
    return as_summed_as(fitted(scope.pick(0), x.shape()), x);
  };
}

/// A block as a function of one array.
std::function<Array(const Array&)> function_of(const Scope& outer, const Action& action, std::size_t block) {
  return [&outer, &action, block](const Array& x) { return after(outer, action, block, {}, {x}).pick(0); };
}

// --- Branches and loops ------------------------------------------------------------------------------------

// A predicate of data or of places: the same on all devices, or not.
Array predicate(const Scope& scope, const Action& action) {
  Array x = settled(scope.pick(action.picks[1]));
  switch (action.picks[2] % 4) {
    case 0: return first_element(x) > threshold;
    case 1:
      return scope.bound.empty()
                 ? reduce_max(x) < threshold
                 : axis_index(scope.bound[static_cast<std::size_t>(action.picks[3]) % scope.bound.size()]) >
                       0;
    case 2: return first_element(equal_along(x, scope.open)) < threshold;
    default: return equal(fitted(rem(whole_number(scope, x, action.picks[3]), 2), {}), 0);
  }
}

Arrays branch_of_two(const Scope& scope, const Action& action) {
  Array decider = predicate(scope, action);
  Axes decided = stored_axes(decider);
  Array x = settled(scope.pick(action.picks[0]), decided);
  return {cond(decider, same_type(scope, action, 0, decided), same_type(scope, action, 1, decided), x)};
}

Arrays branch_of_three(const Scope& scope, const Action& action) {
  Array decider = fitted(whole_number(scope, scope.pick(action.picks[1]), action.picks[2]), {});
  Axes decided = stored_axes(decider);
  Array x = settled(scope.pick(action.picks[0]), decided);
  std::function<Array(const Array&)> third = [](const Array& y) { return -y; };
  return {
      switch_(decider,
              std::tuple{same_type(scope, action, 0, decided), third, same_type(scope, action, 1, decided)},
              x)};
}

Arrays loop_over_slices(const Scope& scope, const Action& action) {
  Array xs = at_least(scope.pick(action.picks[1]), 1), x = scope.pick(action.picks[0]);
  if (xs.dim(0) > 3) xs = slice_in_dim(xs, 0, 3);
  auto trip = [&](const Array& carry, const Array& slice) {
    Scope in = after(scope, action, 0, {}, {slice, carry});
    return std::pair{as_summed_as(fitted(in.pick(0), carry.shape()), carry), in.pick(1)};
  };
  auto [last, ys] = scan(trip, x, xs, {.reverse = action.picks[2] % 2 == 1});
  return {ys, last};
}

Arrays counted_loop(const Scope& scope, const Action& action) {
  auto trip = [&](const Array& number, const Array& carry) {
    Scope in = after(scope, action, 0, {}, {convert(number, scope.dtype) * 0.25, carry});
    return as_summed_as(fitted(in.pick(0), carry.shape()), carry);
  };
  int first = action.picks[2] % 3;
  return {fori_loop(first, first + action.picks[3] % 4, trip, scope.pick(action.picks[0]))};
}

// Two carries, a row of each updated in every trip. Carries are read after the update, updated in one branch
// alone, swapped, and stacked.
Arrays updated_carries(const Scope& scope, const Action& action) {
  using Two = std::pair<Array, Array>;
  auto [x, y] =
      as_summands(at_least(scope.pick(action.picks[0]), 1), scope.pick(action.picks[1]), action.picks[3]);
  Shape row = x.shape().with(Dim{0}, 1);
  auto trip = [&](const Two& before, const Array& number) {
    Scope in = after(scope, action, 0, {}, {before.first, before.second});
    auto updated = [&](const Array& carry, const Array& value) {
      return dynamic_update_slice_in_dim(carry, as_summed_as(fitted(value, row), carry), number);
    };
    Array first = updated(before.first, in.pick(0));
    Array read = dynamic_slice_in_dim(action.picks[2] % 2 == 0 ? before.first : first, number, 1);
    Array second = updated(before.second, read);
    if (action.picks[2] % 3 == 0)
      second = cond(
          number > 0, [&](const Array& z) { return updated(z, read); }, [](const Array& z) { return z; },
          before.second);
    Two next = action.picks[3] % 3 == 0 ? Two{second, first} : Two{first, second};
    return std::pair{next, action.picks[3] % 4 == 0 ? before.second : read};
  };
  Axes decided;
  for (const Axis& axis : scope.bound)
    if (!contains(scope.open, axis)) decided.push_back(axis);
  // Equal on all devices, or varying where devices take different branches.
  Array numbers = arange(1 + action.picks[3] % 3, DType::i32);
  if (action.picks[1] % 2 == 1) numbers = varying_along(numbers, decided);
  auto [last, ys] = scan(trip, Two{x, y}, numbers, {.reverse = action.picks[2] % 4 == 1});
  return {ys, last.second, last.first};
}

// 0 to 2 trips.
Arrays loop_while(const Scope& scope, const Action& action) {
  if (scope.in_gradient) return counted_loop(scope, action);
  Array trips = fitted(rem(whole_number(scope, scope.pick(action.picks[1]), action.picks[2]), 3), {});
  Axes decided = stored_axes(trips);
  Array x = settled(scope.pick(action.picks[0]), decided);
  using Carry = std::pair<Array, Array>;
  auto goes_on = [&](const Carry& carry) { return carry.first < trips; };
  auto trip = [&](const Carry& carry) {
    return Carry{carry.first + 1, same_type(scope, action, 0, decided)(carry.second)};
  };
  if (action.picks[3] % 3 == 0)
    return {fori_loop(
        0, trips, [&](const Array&, const Array& y) { return same_type(scope, action, 0, decided)(y); }, x)};
  return {while_loop(goes_on, trip, Carry{zeros({}, DType::i32), x}).second};
}

// --- Transforms --------------------------------------------------------------------------------------------

Arrays computed_again(const Scope& scope, const Action& action) {
  constexpr RematPolicy policies[] = {RematPolicy::nothing, RematPolicy::dots, RematPolicy::everything};
  return {remat(function_of(scope, action, 0),
                {.policy = policies[action.picks[1] % 3]})(scope.pick(action.picks[0]))};
}

Arrays own_tangent(const Scope& scope, const Action& action) {
  Array x = settled(scope.pick(action.picks[0]));
  using One = std::tuple<Array>;
  if (action.picks[1] % 2 == 0 || scope.open.empty()) {
    auto rule = [](const One& arguments, const One& tangents) {
      const Array &y = std::get<0>(arguments), &t = std::get<0>(tangents);
      return std::pair{sin(y), cos(y) * t};
    };
    return {custom_jvp([](const Array& y) { return sin(y); }, rule)(x)};
  }
  Axes axes = scope.pick_open(action.picks[2]);
  double part = 1.0 / joint_size(axes);
  auto sum = [&](const Array& y) { return psum(sin(y), axes) * part; };
  auto rule = [&](const One& arguments, const One& tangents) {
    const Array &y = std::get<0>(arguments), &t = std::get<0>(tangents);
    return std::pair{sum(y), psum(cos(y) * t, axes) * part};
  };
  return {custom_jvp(sum, rule)(varying_along(x, axes))};
}

Arrays own_gradient(const Scope& scope, const Action& action) {
  Array x = settled(scope.pick(action.picks[0]));
  if (action.picks[1] % 2 == 0 || scope.open.empty()) {
    auto forward = [](const Array& y) { return std::pair{tanh(y), tanh(y)}; };
    auto backward = [](const Array& z, const Array& cotangent) {
      return std::tuple{cotangent * (1.0 - z * z)};
    };
    return {custom_vjp([](const Array& y) { return tanh(y); }, forward, backward)(x)};
  }
  Axes axes = scope.pick_open(action.picks[2]);
  double part = 1.0 / joint_size(axes);
  auto sum = [&](const Array& y) { return psum(sin(y), axes) * part; };
  auto forward = [&](const Array& y) { return std::pair{sum(y), y}; };
  auto backward = [&](const Array& y, const Array& cotangent) {
    return std::tuple{pcast(cotangent, axes, varying) * cos(y) * part};
  };
  return {custom_vjp(sum, forward, backward)(varying_along(x, axes))};
}

/// The block as a loss, of any state.
std::function<Array(const Array&)> loss_of(const Scope& scope, const Action& action, std::size_t block) {
  return [&scope, &action, block](const Array& x) {
    Scope differentiated = scope;
    differentiated.in_gradient = true;
    Array y = after(differentiated, action, block, {}, {x}).pick(0);
    return reduce_sum(y) * (1.0 / static_cast<double>(y.type().elements()));
  };
}

Arrays gradient(const Scope& scope, const Action& action) {
  auto [value, found] = value_and_grad(loss_of(scope, action, 0))(scope.pick(action.picks[0]));
  return {value, tanh(settled(found))};
}

Arrays tangent_of(const Scope& scope, const Action& action) {
  const Array& x = scope.pick(action.picks[0]);
  if (action.picks[1] % 2 == 0) {
    auto [value, tangent] = jvp(function_of(scope, action, 0), std::tuple{x}, std::tuple{x * 0.5});
    return {value, tanh(settled(tangent))};
  }
  Scope differentiated = scope;
  differentiated.in_gradient = true;
  auto function = [&](const Array& y) { return settled(function_of(differentiated, action, 0)(y)); };
  auto [value, pull] = vjp(function, std::tuple{x});
  Axes reduced_axes;
  for (const Axis& axis : scope.bound)
    if (value.type().at(axis) == reduced) reduced_axes.push_back(axis);
  Array cotangent = terms_along(value * 0.5, reduced_axes);
  return {value, tanh(settled(std::get<0>(pull(cotangent))))};
}

Arrays lanes(const Scope& scope, const Action& action) {
  Array x = at_least(scope.pick(action.picks[0]), 1);
  if (x.dim(0) > 4) x = slice_in_dim(x, 0, 4);
  std::string name = "v" + std::to_string(scope.depth);
  bool once = action.picks[1] % 3 == 2;  // equal in all lanes
  auto lane = [&](const Array& here, const Array& same) {
    Axes axes = AxisNames(name).resolve();
    Scope with_axis = scope;
    with_axis.bound.push_back(axes[0]);
    with_axis.open.push_back(axes[0]);
    Array y = after(with_axis, action, 0, {}, {same, here}).pick(0);
    return once ? equal_along(y, axes) : settled(y, axes);
  };
  VmapOptions options{.axis = name, .in = {0, none}};
  if (once) options.out = none;
  return {vmap(lane, options)(x, scope.pick(action.picks[1]))};
}

// Over an axis of the mesh that has no name yet.
Arrays devices(const Scope& scope, const Action& action) {
  Axes unbound;
  for (const Axis& axis : scope.mesh.axes())
    if (!contains(scope.bound, axis)) unbound.push_back(axis);
  if (unbound.empty()) return computed_again(scope, action);
  Axis axis = unbound[0];
  Scope with_axis = scope;
  with_axis.bound.push_back(axis);
  with_axis.open.push_back(axis);
  std::string name(axis.name);
  Array x = at_least(scope.pick(action.picks[0]), 1);
  bool is_split = x.dim(0) % axis.size == 0;
  const P ins[] = {is_split ? P(name) : P(), P().reduced({name.c_str()}), P().unreduced({name.c_str()}), P()};
  const P outs[] = {P(name), P(), P().unreduced({name.c_str()})};
  int way_out = action.picks[2] % 3;
  auto body = [&](const Array& block) {
    Array y = at_least(after(with_axis, action, 0, {}, {block}).pick(0), 1);
    if (way_out == 0) return varying_along(y, {axis});
    return way_out == 1 ? equal_along(y, {axis}) : terms_along(y, {axis}) * (1.0 / axis.size);
  };
  ShardMapOptions options{.mesh = scope.mesh,
                          .in = ins[action.picks[1] % 4],
                          .out = outs[way_out],
                          .axes = {name}};
  return {shard_map(body, options)(x)};
}

Arrays barrier(const Scope& scope, const Action& action) {
  auto [x, y] = optimization_barrier(std::pair{scope.pick(action.picks[0]), scope.pick(action.picks[1])});
  return {y, x};
}

}  // namespace

Arrays block_values(const Scope& scope, const Action& action) {
  using Blocks = Arrays (*)(const Scope&, const Action&);
  // In the order of Kind.
  static constexpr Blocks all[] = {branch_of_two,   branch_of_three, loop_over_slices, counted_loop,
                                   updated_carries, loop_while,      computed_again,   own_tangent,
                                   own_gradient,    gradient,        tangent_of,       lanes,
                                   devices,         barrier};
  constexpr auto first = static_cast<std::size_t>(Kind::branch_of_two);
  static_assert(std::size(all) == static_cast<std::size_t>(kinds) - first);
  return all[static_cast<std::size_t>(action.kind) - first](scope, action);
}

}  // namespace tutti::generated
