// SPDX-License-Identifier: Apache-2.0
// Planted: the sum wraps. The undefined-behaviour sanitizer must say signed integer overflow.
#include <limits>

int main(int count, char**) { return std::numeric_limits<int>::max() + count < 0 ? 0 : 1; }
