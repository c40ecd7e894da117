// SPDX-License-Identifier: Apache-2.0
// For authors of ops: #include <tutti/op.hpp>. docs/write_your_own_op.md shows a project.
#pragma once

#include "tutti/base/require.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tutti.hpp"
