// expect: borrow_of_a_temporary\.cpp:6:.* no matching function for call to .*borrow
// SPDX-License-Identifier: Apache-2.0
// The elements would be gone before the tensor is used.
#include "tutti/tutti.hpp"
std::vector<float> measured();
tutti::Array data() { return tutti::Tensor::borrow({4}, measured()); }
