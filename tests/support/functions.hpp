// SPDX-License-Identifier: Apache-2.0
// SPMD functions that are written twice: here with our front ends, and in tests/oracle/jax_*.py in JAX, with
// the same names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {

enum class Derivatives { gradient, refused };

/// A function of f64 arguments, on the mesh x=4, y=2. Numbers stay below 100 in magnitude, also those of
/// gradients.
struct Function {
  std::string name;
  std::vector<P>
      specs;  // of the body's arguments; empty: it takes whole arrays, and maps them over the mesh itself
  std::vector<Shape> shapes;                 // of whole arguments
  std::function<Array(const Arrays&)> body;  // a scalar that is equal on all devices
  Derivatives derivatives = Derivatives::gradient;
};

const Mesh& functions_mesh();

std::vector<Function> collective_functions();
std::vector<Function> local_functions();
std::vector<Function> indexing_functions();
std::vector<Function> reduction_functions();
std::vector<Function> control_functions();
std::vector<Function> transform_functions();
std::vector<Function> shaping_functions();
std::vector<Function> einsum_functions();
std::vector<Function> linalg_functions();
std::vector<Function> all_functions();
/// These do not lower; all_functions() is without them.
std::vector<Function> spectral_functions();

/// The arguments, then two lanes of each. Lane 0 equals the arguments.
Tensors arguments_of(const Function& function);
/// Computes the value and the gradient by every argument, then both for the lanes. Each result has fewer than
/// 200 roundings of numbers below 100 in magnitude.
Arrays values_gradients_and_lanes(const Function& function, const Arrays& arguments);
/// Bound on the difference between two machines: 200 * 100 * 2^-53 < 3e-12.
inline constexpr double bound_of_functions = 3e-12;

}  // namespace tutti
