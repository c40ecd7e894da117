// expect: elements_of_a_temporary_tensor\.cpp:8:.* use of deleted function .*as\(\) const &&
// expect: as\(\) const&& = delete;  // the elements would be gone: give the tensor a name first
// SPDX-License-Identifier: Apache-2.0
// The elements would be read after the tensor that they are part of.
#include "tutti/tutti.hpp"
float sum(const tutti::Array& x) {
  float sum = 0;
  for (float v : x.tensor().as<float>()) sum += v;
  return sum;
}
