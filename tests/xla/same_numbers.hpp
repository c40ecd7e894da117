// SPDX-License-Identifier: Apache-2.0
// Compares functions on the machine of a plugin and on the local machine: types, numbers and shardings of the
// results.
#pragma once

#include <string>

#include "tests/xla/real_plugin.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

/// Describes the first difference between arrays: in type, sharding, or a part. Empty: none. Integers must be
/// equal.
/// Floats may differ by `epsilons` times the epsilon of their dtype, times their magnitude if that is more
/// than 1.
std::string difference(const Arrays& ours, const Arrays& theirs, double epsilons);

/// Quarters in [-2, 2], so irregular that a wrong order shows. Sums and products of a few are exact.
Array quarters(const Shape& shape, int kind = 1, DType dtype = DType::f32);

/// Compiles the function for both machines, and calls it. Fails if the results differ.
template <class F, class... A>
void expect_same_numbers(const Mesh& mesh, double epsilons, const F& function, const A&... arguments) {
  const Machine local = open_local(mesh, {.workers = 2}), on_xla = xla::RealXla::machine(mesh);
  const auto ours = local.compile(function, arguments...), theirs = on_xla.compile(function, arguments...);
  EXPECT_EQ(difference(tree::flatten(ours(arguments...)), tree::flatten(theirs(arguments...)), epsilons), "")
      << to_string(ours.program());
}
/// With equal bits.
template <class F, class... A>
void expect_same_bits(const Mesh& mesh, const F& function, const A&... arguments) {
  expect_same_numbers(mesh, 0, function, arguments...);
}

}  // namespace tutti
