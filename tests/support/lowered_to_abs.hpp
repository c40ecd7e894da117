// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/scripted_op.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {

/// A planted defect: computes -x, but lowers to |x|.
struct LoweredToAbs : Scripted {
  static constexpr std::string_view name = "lowered_to_abs";
  Kernel kernel(const Layout&) const { return kernel::Pointwise{UnaryFn::neg}; }
  Lowered lower(Emitter& emitter, const Lowered& operands) const {
    return {emitter.emit("stablehlo.abs", operands, emitter.result_types()[0])};
  }
  bool operator==(const LoweredToAbs&) const = default;
};

}  // namespace tutti
