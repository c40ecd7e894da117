// SPDX-License-Identifier: Apache-2.0
// Collectives as GPU kernels, in the library tutti::kernels: #include <tutti/kernels.hpp>
#pragma once

#include "tutti/kernels/check/check.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/gpu/collective.hpp"
#include "tutti/kernels/gpu/rank_arrays.hpp"
#include "tutti/kernels/ir/text.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"
#include "tutti/kernels/spec/eligible.hpp"
#include "tutti/kernels/spec/manifest.hpp"
