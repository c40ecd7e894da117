// SPDX-License-Identifier: Apache-2.0
#include "tests/support/op_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include "tests/support/example_programs.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

/// |z| of the element that part `i` belongs to.
double size_of(const Tensor& tensor, std::int64_t i) {
  Tensor parts = in_parts(tensor);
  if (!is_complex(tensor.dtype())) return std::abs(parts.at(i));
  return std::hypot(parts.at(i - i % 2), parts.at(i - i % 2 + 1));
}

/// Every number of the floats and complex numbers, replaced by its size.
Values sizes(Values values) {
  for (Tensors& value : values)
    for (Tensor& tensor : value) {
      if (!is_inexact(tensor.dtype())) continue;
      Tensor parts = in_parts(tensor), other(parts.shape(), parts.dtype());
      for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        std::int64_t at = is_complex(tensor.dtype()) ? 2 * i : i;
        put_element(other, at, size_of(tensor, at));
      }
      tensor = out_of_parts(other, tensor);
    }
  return values;
}

/// The bound of a sum of n terms is 2 ceil(log2 n) eps sum|x| if both add in trees. The interpreter adds one
/// term after the other, with n - 1 roundings. To get n and sum|x|, this function runs the op on ones and on
/// |x|.
/// A product of complex numbers has four terms.
Bounds bounds_of_sums(const Program& program, const Values& inputs, Peer peer) {
  auto ones = [](std::int64_t, double x) { return x == 0 ? 0.0 : 1.0; };
  return [peer, counts = run_on_machine(program, example_mesh(), changed(sizes(inputs), ones)),
          sums = run_on_machine(program, example_mesh(), sizes(inputs))](std::size_t k, std::size_t d,
                                                                         std::int64_t i) {
    DType dtype = sums[k][d].dtype();
    if (!is_inexact(dtype)) return 0.0;
    double count = std::max(1.0, size_of(counts[k][d], i)) * (is_complex(dtype) ? 4 : 1);
    double tree = std::ceil(std::log2(count)), roundings = tree + (peer == Peer::xla ? tree : count - 1);
    return roundings * epsilon(dtype) * size_of(sums[k][d], i);
  };
}

/// The largest error of each function, in units in the last place. Ours: tests/tensor/math_test.cpp,
/// accuracy_test.cpp.
/// XLA's: jax 0.10.2, at least a million points of the range of the examples, f32 and f64, compared with long
/// double; where that has no such function, with SciPy.
/// The interpreter uses libm, whose manual says 2 at most, and rounds two or three times in logistic and
/// rsqrt. What StableHLO has no op for is made of others as in XLA.
struct Accuracy {
  std::string_view op;
  double ours, xla, interpreter = 3;
  double of(Peer peer) const { return ours + (peer == Peer::xla ? xla : interpreter); }
};
constexpr Accuracy accuracies[] = {
    {"sin", 3.0, 0.6},        {"cos", 3.0, 0.6},      {"expm1", 4.0, 5.8},       {"erf", 1.0, 5.2, 5.2},
    {"atan2", 0.6, 1.5},      {"log1p", 2.6, 128.2},  // XLA loses 7 bits near -0.4 in f64
    {"exp", 1.1, 1.7},        {"log", 1.0, 1.2},      {"tanh", 3.1, 5.9},        {"rsqrt", 1.5, 1.7},
    {"logistic", 2.5, 2.4},   {"pow", 1.0, 0.6},      {"erf_inv", 4.0, 64, 64},  {"xla_erf_inv", 64, 64, 64},
    {"exp2", 1.0, 0.6},       {"log2", 1.0, 2.6},     {"log10", 1.0, 2.6},       {"tan", 1.0, 0.9},
    {"asin", 1.0, 2.3, 3},    {"acos", 1.0, 1.7, 3},  {"atan", 1.0, 1.6},        {"sinh", 2.0, 6.9, 6.9},
    {"cosh", 2.0, 2.6, 4},    {"asinh", 2.0, 3.0, 6}, {"acosh", 2.0, 3.3, 6},    {"atanh", 2.0, 129, 6},
    {"cbrt", 1.0, 3.2},       {"erfc", 2.0, 12, 12},  {"lgamma", 2.0, 300, 300}, {"digamma", 4.0, 60, 60},
    {"trigamma", 4.0, 30, 30}};  // XLA's are series with large terms

Bounds bounds_of_ulps(const Values& results, double ulps) {
  return [&results, ulps](std::size_t k, std::size_t d, std::int64_t i) {
    const Tensor& value = results[k][d];
    if (!is_inexact(value.dtype())) return 0.0;
    return ulps * epsilon(value.dtype()) * std::exp2(std::ilogb(size_of(value, i)));
  };
}

/// A function of complex numbers is composed of at most 8 real functions, each with an error of at most 4
/// ulps, in our runtime and in XLA.
Bounds with_complex_functions(const Program& program, const Values& results, const Bounds& others) {
  return [&program, others, composed = bounds_of_ulps(results, 2 * 8 * 4)](std::size_t k, std::size_t d,
                                                                           std::int64_t i) {
    Var operand = equation_of_result(program, k).operands.at(0);
    return is_complex(program.type(operand).dtype()) ? composed(k, d, i) : others(k, d, i);
  };
}

const std::set<std::string> sums{"all_reduce", "convolution",       "cumsum",
                                 "done",       "dot_general",       "reduce_scatter",
                                 "reduce_sum", "reduce_window_sum", "start"};
const std::set<std::string> moves{"argmax",
                                  "argmin",
                                  "bitcast_convert",
                                  "ceil",
                                  "clamp",
                                  "floor",
                                  "is_finite",
                                  "round",
                                  "concatenate",
                                  "dynamic_slice",
                                  "dynamic_update_slice",
                                  "gather",
                                  "pad",
                                  "reverse",
                                  "scatter",
                                  "slice",
                                  "sort",
                                  "all_gather",
                                  "all_to_all",
                                  "assume_invariant",
                                  "permute",
                                  "broadcast",
                                  "broadcast_in_dim",
                                  "cast",
                                  "enter",
                                  "exchange",
                                  "leave",
                                  "mask",
                                  "own_block",
                                  "reshape",
                                  "select",
                                  "stop_gradient",
                                  "checkpoint_name",
                                  "transpose",
                                  "top_k",
                                  "reduce_window_max",
                                  "reduce_window_min",
                                  "cummax",
                                  "cummin"};

}  // namespace

Bounds bounds_for(const OpRow& row, const Program& program, const Values& inputs, const Values& ours,
                  Peer peer) {
  // A loop of 3 trips, or a branch, of a few equations each on numbers below 4: fewer than 64 roundings.
  if (!row.examples[0].op->programs().empty()) return bounds_of_epsilons(ours, 64 * 4);
  // XLA adds the elements of a window one after the other, as the interpreter does.
  const Peer adds_as = row.name == "reduce_window_sum" ? Peer::interpreter : peer;
  Bounds bounds = sums.contains(row.name) ? bounds_of_sums(program, inputs, adds_as) : exact();
  // Fewer than 24 products, in two orders; of complex numbers up to four times as far.
  if (row.name == "reduce_prod" || row.name == "cumprod") bounds = bounds_of_ulps(ours, 2 * 24 * 4);
  // Below log(8) + 4, a function or two and a sum for each of 7 terms.
  if (row.name == "cumlogsumexp") bounds = bounds_of_epsilons(ours, 64 * 4);
  // Sums of at most 12 terms below 3, in another order.
  if (row.name == "fft") bounds = bounds_of_epsilons(ours, 64 * 4);
  // Matrices of at most 5 rows, of numbers below 8: 64 roundings in each of both, times a condition below 32.
  const std::set<std::string> solvers{"cholesky", "triangular_solve", "lu", "qr", "eigh"};
  if (solvers.contains(row.name)) bounds = bounds_of_epsilons(ours, 2 * 64 * 32);
  for (const Accuracy& accuracy : accuracies)
    if (accuracy.op == row.name) bounds = bounds_of_ulps(ours, accuracy.of(peer));
  const std::set<std::string> by_parts{"neg",     "real", "imag",
                                       "complex", "add",  "sub"};  // exact of complex, too
  bool is_function = row.examples[0].op.as<Unary>() || row.examples[0].op.as<Binary>() ||
                     row.name == "scatter_multiply";  // exact of real numbers
  if (is_function && !by_parts.contains(row.name)) return with_complex_functions(program, ours, bounds);
  return bounds;
}

std::vector<OpRow> rows_that_move() {
  std::vector<OpRow> rows;
  std::ranges::copy_if(all_ops(), std::back_inserter(rows),
                       [](const OpRow& row) { return moves.contains(row.name); });
  return rows;
}
}  // namespace tutti
