// SPDX-License-Identifier: Apache-2.0
// The same transforms for processors with AVX2, whose vectors are twice as long.
#define DUCC0_NAMESPACE ducc_avx2
#define DUCC0_NO_LOWLEVEL_THREADING
// Inline functions of the standard library are compiled for every processor: the linker keeps one copy of
// each.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

#include "tutti/tensor/fft/fft.hpp"
#pragma GCC push_options
#pragma GCC target("avx2")
// GCC reads a C++ source whole before it obeys the pragma, so the pragma defines no macros.
#define __AVX__ 1
#define __AVX2__ 1
#include "tutti/tensor/fft/ducc_plans_inl.hpp"
#pragma GCC pop_options
#undef __AVX2__
#undef __AVX__
