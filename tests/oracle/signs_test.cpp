// SPDX-License-Identifier: Apache-2.0
// Zeros have the signs that NumPy, and so Python and C, give them: on the local machine and through XLA.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/oracle.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

/// In the order of numpy_signs.py.
Arrays with_signs(const Array& a, const Array& b) {
  return {mod(a, b), floor_divide(a, b),
          mod(a, b), floor_divide(a, b),
          rem(a, b), copysign(a, b),
          round(a),  floor(a),
          ceil(a),   where(a < 0, ceil(a), floor(a)),
          -a,        abs(a)};
}

/// The same in `dtype`, of f64 and to f64.
auto in_dtype(DType dtype) {
  return [=](const Array& a, const Array& b) {
    Arrays found;
    for (const Array& x : with_signs(convert(a, dtype), convert(b, dtype)))
      found.push_back(convert(x, DType::f64));
    return found;
  };
}

/// All are numbers of every dtype, and so are the results.
std::pair<Tensor, Tensor> pairs() {
  const double inf = INFINITY;
  const std::vector<double> edges{0, -0.0, 0.25, -0.25, 1, -1, 2.5, -2.5, 3, -3, 4, -4, inf, -inf, NAN};
  std::vector<double> a, b;
  for (double x : edges)
    for (double y : edges) a.push_back(x), b.push_back(y);
  const Shape shape{std::ssize(a)};
  return {Tensor(shape, a), Tensor(shape, b)};
}

/// How many elements differ, also in the signs of zeros. NaN equals NaN.
int differences(const Tensor& found, const Tensor& wanted) {
  int count = 0;
  for (std::int64_t i = 0; i < wanted.elements(); ++i) {
    const double x = found.at(i), y = wanted.at(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x != y || std::signbit(x) != std::signbit(y)) ++count;
  }
  return count;
}

class signs : public OracleTest, public ::testing::WithParamInterface<DType> {};

TEST_P(signs, are_those_of_numpy_on_the_local_machine_and_through_xla) {
  const auto [a, b] = pairs();
  const Verdict numpy = Oracle::shared().run_jax("numpy_signs", {a, b});
  ASSERT_EQ(numpy.failure, "");
  const auto functions = in_dtype(GetParam());
  const Arrays local = open_local(Mesh()).compile(functions, Array(a), Array(b))(a, b);
  const std::string text =
      lower_text(functions, std::tuple{Array(a), Array(b)}, {.form = TextForm::per_device});
  const Verdict xla = Oracle::shared().run(text, 1, {{a}, {b}});
  ASSERT_EQ(xla.failure, "");
  ASSERT_EQ(numpy.results.size(), local.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    EXPECT_EQ(differences(local[i].tensor(), numpy.results[i][0]), 0) << "local, result " << i;
    EXPECT_EQ(differences(xla.results[i][0], numpy.results[i][0]), 0) << "XLA, result " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(of, signs, ::testing::Values(DType::f16, DType::bf16, DType::f32, DType::f64),
                         [](const auto& row) { return std::string(name(row.param)); });

}  // namespace
}  // namespace tutti
