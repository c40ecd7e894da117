// SPDX-License-Identifier: Apache-2.0
// Control of the case elements_of_a_temporary_tensor.cpp: what to write instead.
#include "tutti/tutti.hpp"

float sum(const tutti::Array& x) {
  float sum = 0;
  for (float v : x.values<float>()) sum += v;
  tutti::Tensor tensor = x.tensor();
  for (float v : tensor.as<float>()) sum += v;
  return sum;
}
