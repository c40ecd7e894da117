// SPDX-License-Identifier: Apache-2.0
// Ops with an effect in the text for XLA: custom calls, through which XLA calls back into this process.
#pragma once

#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// The name of the custom call. Its operands are i32 scalars, then the values: the number of the CallBack;
/// the device; per op in `around` the number of the iteration, 0 if the op is no loop. Its results are those
/// of the op.
inline constexpr std::string_view call_back_target = "tutti_call_back";
/// The attributes of the custom call. All its arrays are dense and row-major.
stablehlo::Attributes call_back_attributes(const Types& operands, const Types& results);

}  // namespace tutti

namespace tutti::internal {

/// One equation that calls back.
struct CallBack {
  /// An op whose sub-program contains the equation.
  struct EnclosingOp {
    std::size_t place;  // numbers such ops and equations in the order of the program
    Axes divergent;     // along which devices go apart in it and not before, in mesh order
  };
  Op op;
  Where where;
  Types operands, results;
  std::size_t place;
  std::vector<EnclosingOp> around;  // the outermost first
};
using CallBacks = std::vector<CallBack>;

}  // namespace tutti::internal
