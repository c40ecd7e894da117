// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: min: use minimum\(x, y\); for the smallest element of one array amin\(x, dims\)(?:(?!error:).)*\Z
// expect: min_beside_that_of_std\.cpp:8
// SPDX-License-Identifier: Apache-2.0
// std::min would say that an array is no condition: one clear error.
#include "tutti/tutti.hpp"

using namespace std;
tutti::Array smaller(const tutti::Array& x, const tutti::Array& y) { return min(x, y); }
