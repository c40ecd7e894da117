// SPDX-License-Identifier: Apache-2.0
// Transforms for every processor.
#define DUCC0_NAMESPACE ducc_portable
#define DUCC0_NO_LOWLEVEL_THREADING
#include "tutti/tensor/fft/ducc_plans_inl.hpp"
