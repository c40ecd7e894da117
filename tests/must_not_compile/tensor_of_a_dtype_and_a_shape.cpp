// expect: (?s)\A(?:(?!error:).)*error: .*is deprecated: write the shape first: Tensor\(shape, dtype\)(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// One order for all makers: the shape, then the dtype.
#include "tutti/tutti.hpp"

tutti::Array f() { return tutti::Tensor(tutti::DType::f32, {2, 3}); }
