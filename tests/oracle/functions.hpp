// SPDX-License-Identifier: Apache-2.0
// SPMD functions that are written twice: here with our front ends, in jax_*.py under the same names in JAX.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {

enum class Derivatives { gradient, refused };

/// Of f64 arguments, on the mesh x=4, y=2. Numbers stay below 100 in magnitude, also those of gradients.
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
std::vector<Function> control_functions();
std::vector<Function> transform_functions();

}  // namespace tutti
