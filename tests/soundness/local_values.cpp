// SPDX-License-Identifier: Apache-2.0
// Actions that every device does on its own: functions of elements, and reductions. See shape_values.cpp for
// the rest.
#include "tests/soundness/scope.hpp"
#include "tests/soundness/shape_values.hpp"
#include "tutti/tutti.hpp"

namespace tutti::generated {
namespace {

Array negation(const Scope& scope, const Action& action) { return -scope.pick(action.picks[0]); }

Array unary(const Scope& scope, const Action& action) {
  Array x = settled(scope.pick(action.picks[0]));
  switch (action.picks[2] % 18) {
    case 0: return tanh(x);
    case 1: return sin(x);
    case 2: return cos(x);
    case 3: return exp(x) * 0.36;
    case 4: return logistic(x);
    case 5: return log(2.5 + x) * 0.75;
    case 6: return sqrt(1.5 + x) * 0.6;
    case 7: return rsqrt(2.0 + x);
    case 8: return log1p(x * 0.5);
    case 9: return expm1(x * 0.5);
    case 10: return erf(x);
    case 11: return abs(x);
    case 12: return sign(x - threshold);
    case 13: return floor(x * 3.0 + threshold) * 0.25;
    case 14: return round(x * 3.0 + threshold) * 0.25;
    case 15: return ceil(x * 3.0 + threshold) * 0.25;
    case 16: return relu(x - threshold);
    default: return square(x);
  }
}

Array addition(const Scope& scope, const Action& action) {
  auto [x, y] = as_summands(scope.pick(action.picks[0]), scope.pick(action.picks[1]), action.picks[2]);
  return (action.picks[3] % 2 == 0 ? x + y : x - y) * 0.5;
}

Array multiplication(const Scope& scope, const Action& action) {
  const Array& first = scope.pick(action.picks[0]);
  auto [x, y] = as_factors(first, fitted(scope.pick(action.picks[1]), first.shape()));
  return x * y;
}

// The divisor may not be terms of a sum, nor vary where the dividend is one.
Array division(const Scope& scope, const Action& action) {
  const Array& first = scope.pick(action.picks[0]);
  auto [x, y] = as_factors(first, fitted(settled(scope.pick(action.picks[1])), first.shape()));
  return x / (2.5 + y);
}

Array extremum(const Scope& scope, const Action& action) {
  auto [x, y] = as_any(scope.pick(action.picks[0]), scope.pick(action.picks[1]));
  return action.picks[2] % 2 == 0 ? maximum(x, y) : minimum(x, y);
}

// The predicate may not vary where the others are terms.
Array choice(const Scope& scope, const Action& action) {
  auto [x, y] = as_summands(scope.pick(action.picks[0]), scope.pick(action.picks[1]), action.picks[3]);
  Array predicate = fitted(settled(scope.pick(action.picks[2])), x.shape()) > threshold;
  return select(predicate, settled(x, stored_axes(predicate)), settled(y, stored_axes(predicate)));
}

Array comparison(const Scope& scope, const Action& action) {
  auto [x, y] = as_any(scope.pick(action.picks[0]), scope.pick(action.picks[1]));
  Array low = x < y - threshold, high = x >= threshold;
  Array both = action.picks[2] % 3 == 0   ? low
               : action.picks[2] % 3 == 1 ? low & high
                                          : low ^ logical_not(high);
  return convert(both, scope.dtype) * 0.5 + x * 0.25;
}

Array power(const Scope& scope, const Action& action) {
  auto [x, y] = as_any(scope.pick(action.picks[0]), scope.pick(action.picks[1]));
  return action.picks[2] % 2 == 0 ? pow(1.5 + x * 0.5, y) * 0.5 : atan2(x, 1.5 + y) * 0.75;
}

Array bounds(const Scope& scope, const Action& action) {
  auto [x, y] = as_any(scope.pick(action.picks[0]), scope.pick(action.picks[1]));
  return action.picks[2] % 2 == 0 ? clamp(-0.437, x, 0.391) : clamp(y - 0.511, x, y + 0.293) * 0.5;
}

Array reduction(const Scope& scope, const Action& action) {
  Array x = at_least(scope.pick(action.picks[0]), 1);
  int dim = action.picks[1] % x.rank();
  auto n = static_cast<double>(x.dim(dim));
  switch (action.picks[2] % 6) {
    case 0: return reduce_sum(x, dim) * (1.0 / n);
    case 1: return reduce_max(settled(x), dim);
    case 2: return reduce_min(settled(x), dim);
    case 3: return mean(x);
    case 4: return variance(settled(x), dim);
    default: return logsumexp(settled(x), dim) * 0.25;
  }
}

Array product(const Scope& scope, const Action& action) {
  auto factors = [&](const Shape& left, const Shape& right) {
    return as_factors(fitted(scope.pick(action.picks[0]), left), fitted(scope.pick(action.picks[1]), right));
  };
  switch (action.picks[2] % 4) {
    case 0: {
      auto [x, y] = factors({2, 3}, {3, 2});
      return matmul(x, y) * 0.25;
    }
    case 1: {
      auto [x, y] = factors({4}, {4, 3});
      return matmul(x, y) * 0.25;
    }
    case 2: {
      auto [x, y] = factors({2, 3, 2}, {2, 2, 3});
      return dot_general(x, y, {{0}, {2 - 1}, {1}, {2}}) * 0.25;
    }
    default: {
      auto [x, y] = factors({3}, {3});
      return dot_general(x, y, {}) * 0.5;  // outer
    }
  }
}

Array running_sum(const Scope& scope, const Action& action) {
  Array x = at_least(scope.pick(action.picks[0]), 1);
  int dim = action.picks[1] % x.rank();
  Order order = action.picks[2] % 2 == 0 ? Order::forward : Order::backward;
  return cumsum(x, dim, order) * (1.0 / static_cast<double>(x.dim(dim)));
}

Array weights(const Scope& scope, const Action& action) {
  Array x = at_least(settled(scope.pick(action.picks[0])), 1);
  return action.picks[2] % 2 == 0 ? softmax(x, action.picks[1] % x.rank()) : log_softmax(x) * 0.25;
}

Array of_whole_number(const Scope& scope, const Action& action) {
  Array number = whole_number(scope, scope.pick(action.picks[0]), action.picks[2]);
  return convert(rem(number, 3), scope.dtype) * 0.25 +
         first_element(settled(scope.pick(action.picks[1]))) * 0.5;
}

Array constant_value(const Scope& scope, const Action& action) {
  if (action.picks[0] % 2 == 0) return full({2}, 0.125 * (action.picks[1] % 6), scope.dtype);
  return iota({2, 3}, scope.dtype, action.picks[1] % 2) * 0.25;
}

}  // namespace

Array whole_number(const Scope& scope, const Array& any, int n) {
  Array x = at_least(settled(any), 1), flat = fitted(x, {3});
  Array apart = stop_gradient(flat + iota({3}, scope.dtype, 0) * threshold);  // no two are equal
  auto made = [&] {
    switch (n % 5) {
      case 0: return scope.bound.empty() ? iota({3}, DType::i32, 0) : axis_index(scope.bound[0]);
      case 1: return convert(floor(flat * 2.9 + threshold), DType::i32);
      case 2: return argmax(apart);
      case 3: return argsort(apart);
      default:
        return scope.open.empty()
                   ? argmin(apart)
                   : pargmax(apart, scope.open[static_cast<std::size_t>(n) % scope.open.size()]);
    }
  };
  Array number = made();
  switch (n / 5 % 5) {
    case 0: return number;
    case 1: return number * 3 + 1;
    case 2: return (number ^ 1) + shift_left(number, 1);
    case 3: return scope.open.empty() ? -number : psum(number, scope.open[0]);
    default: return scope.open.empty() ? number & 1 : pmax(number, scope.open.back()) - number;
  }
}

Array local_value(const Scope& scope, const Action& action) {
  using Local = Array (*)(const Scope&, const Action&);
  // In the order of Kind.
  static constexpr Local locals[] = {
      negation,   unary,     addition, multiplication, division,        extremum, choice,
      comparison, power,     bounds,   reduction,      repetition,      product,  part,
      reversal,   join,      padding,  turn,           other_shape,     taken,    window,
      update,     scattered, sorted,   running_sum,    of_whole_number, weights,  constant_value};
  static_assert(std::size(locals) == static_cast<std::size_t>(Kind::sum_of_all));
  return locals[static_cast<std::size_t>(action.kind) % std::size(locals)](scope, action);
}

}  // namespace tutti::generated
