// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/shape_values.hpp"

#include "tutti/tutti.hpp"

namespace tutti::generated {
namespace {

// Indices may not vary where the data are terms of a sum.
struct Indexed {
  Array x, indices;
};
Indexed indexed(const Scope& scope, const Action& action) {
  const Array& x = scope.pick(action.picks[0]);
  Array indices = whole_number(scope, scope.pick(action.picks[1]), action.picks[2]);
  return {at_least(settled(x, stored_axes(indices)), 1), indices};
}

}  // namespace

Array repetition(const Scope& scope, const Action& action) {
  Array x = scope.pick(action.picks[0]);
  if (action.picks[2] % 3 == 0) return expand_dims(x, action.picks[1] % (x.rank() + 1));
  int dim = action.picks[1] % (x.rank() + 1);
  std::vector<int> dims;
  for (int i = 0; i <= x.rank(); ++i)
    if (i != dim) dims.push_back(i);
  return broadcast_in_dim(x, x.shape().inserted(Dim{dim}, 1 + action.picks[2] % 3), dims);
}

Array part(const Scope& scope, const Action& action) {
  Array x = at_least(scope.pick(action.picks[0]), 1);
  int dim = action.picks[1] % x.rank();
  std::int64_t start = action.picks[2] % x.dim(dim);
  std::int64_t limit = start + 1 + action.picks[3] % (x.dim(dim) - start);
  if (action.picks[3] % 5 == 4) return index_in_dim(x, start, dim);
  return slice_in_dim(x, start, limit, 1 + action.picks[2] % 2, dim);
}

Array reversal(const Scope& scope, const Action& action) {
  Array x = at_least(scope.pick(action.picks[0]), 1);
  return action.picks[2] % 3 == 0 ? rev(x) : rev(x, action.picks[1] % x.rank());
}

Array join(const Scope& scope, const Action& action) {
  Array first = at_least(scope.pick(action.picks[0]), 1);
  auto [x, y] = as_summands(first, scope.pick(action.picks[1]), action.picks[3]);
  int dim = action.picks[2] % x.rank();
  return action.picks[3] % 3 == 0 ? stack({x, y}, dim) : concatenate({x, y}, dim);
}

Array padding(const Scope& scope, const Action& action) {
  Array x = at_least(scope.pick(action.picks[0]), 1);
  std::vector<Padding> paddings(static_cast<std::size_t>(x.rank()));
  paddings[static_cast<std::size_t>(action.picks[1] % x.rank())] = {
      action.picks[2] % 3 - (x.dim(action.picks[1] % x.rank()) > 1), action.picks[3] % 3,
      action.picks[2] / 3 % 2};
  Array value = as_summed_as(first_element(scope.pick(action.picks[1])), x);
  return pad(x, value, paddings);
}

Array turn(const Scope& scope, const Action& action) {
  Array x = at_least(scope.pick(action.picks[0]), 2);
  std::vector<int> order;
  for (int i = 0; i < x.rank(); ++i) order.push_back((i + 1 + action.picks[2] % (x.rank() - 1)) % x.rank());
  return transpose(x, order);
}

Array other_shape(const Scope& scope, const Action& action) {
  const Shape shapes[] = {{}, {1}, {3}, {4}, {2, 2}, {2, 3}, {3, 1}, {2, 2, 2}};
  return fitted(scope.pick(action.picks[0]), shapes[action.picks[2] % 8]);
}

Array taken(const Scope& scope, const Action& action) {
  auto [x, indices] = indexed(scope, action);
  int dim = action.picks[3] % x.rank();
  if (action.picks[3] % 4 == 3) return take_along_axis(fitted(x, {4}), fitted(indices, {3}), 0);
  return take(x, indices, dim);
}

Array window(const Scope& scope, const Action& action) {
  auto [x, indices] = indexed(scope, action);
  int dim = action.picks[3] % x.rank();
  Array start = fitted(indices, {});
  if (action.picks[3] % 2 == 0) return dynamic_index_in_dim(x, start, dim);
  return dynamic_slice_in_dim(x, start, 1 + x.dim(dim) / 2, dim);
}

Array update(const Scope& scope, const Action& action) {
  auto [x, indices] = indexed(scope, action);
  Array y = settled(scope.pick(action.picks[3]), stored_axes(indices));
  Shape shape = x.shape().with(Dim{0}, 1);
  auto [here, other] = as_summands(x, y, action.picks[3]);
  return dynamic_update_slice_in_dim(here, fitted(other, shape), fitted(indices, {}), 0);
}

Array scattered(const Scope& scope, const Action& action) {
  auto [x, indices] = indexed(scope, action);
  Array array = fitted(x, {5}), rows = fitted(indices, {3});
  Array y = settled(scope.pick(action.picks[3]), stored_axes(indices));
  auto [here, updates] = as_summands(array, y, action.picks[3]);
  GatherDims dims{.offset_dims = {},
                  .collapsed_slice_dims = {Dim{0}},
                  .start_index_map = {Dim{0}},
                  .index_vector_dim = Dim{1}};
  if (action.picks[3] % 3 == 0) return scatter(here, rows, fitted(updates, {3}), dims);
  return scatter_add(here, rows, fitted(updates, {3}), dims) * 0.25;
}

Array sorted(const Scope& scope, const Action& action) {
  Array x = at_least(settled(scope.pick(action.picks[0])), 1);
  if (action.picks[2] % 2 == 0) return sort(x, action.picks[1] % x.rank());
  Array apart = fitted(x, {3}) + iota({3}, scope.dtype, 0) * threshold;  // no two keys are equal
  return sort({apart, fitted(settled(scope.pick(action.picks[1])), {3})})[1];
}

}  // namespace tutti::generated
