// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries without a copy: #include <tutti/dlpack.hpp>. It needs no dlpack.h.
#pragma once

#include "tutti/api/dlpack.hpp"
#include "tutti/base/error.hpp"
