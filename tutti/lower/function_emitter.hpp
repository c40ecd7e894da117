// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "tutti/ir/emitter.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/lower/call_back.hpp"
#include "tutti/lower/digits.hpp"
#include "tutti/lower/known_ranges.hpp"
#include "tutti/lower/options.hpp"
#include "tutti/stablehlo/tree.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// Writes the body of one function: what one device does. All values it makes have numbers of their own.
class FunctionEmitter final : public Emitter {
 public:
  /// `call_backs` takes the equations that call back. Null: ops with an effect are refused.
  explicit FunctionEmitter(const Mesh& mesh, const LowerOptions& options = {},
                           CallBacks* call_backs = nullptr);

  stablehlo::Value new_value(stablehlo::ValueType type);
  const stablehlo::ValueType& type_of(stablehlo::Value value) const;

  /// The operations of one equation. Errors get its place and the op's name.
  Lowered lower(const Equation& equation, const Lowered& operands, const Types& operand_types,
                const Types& result_types);
  /// All equations of a program; errors as above.
  Lowered lower(const Program& program, const Lowered& inputs) override;
  Lowered lower_iteration(const Program& program, stablehlo::Value iteration, const Lowered& inputs) override;
  /// All that was emitted, in order; what all equations share stands first.
  std::vector<stablehlo::Operation> take();

  const Types& operand_types() const override { return operand_types_; }
  const Types& result_types() const override { return result_types_; }
  stablehlo::Value emit(std::string_view op, const Lowered& operands, Type result,
                        stablehlo::Attributes attributes) override;
  stablehlo::Value emit_with_reducer(std::string_view op, ReduceKind kind, const Lowered& operands,
                                     Type result, stablehlo::Attributes attributes) override;
  Lowered emit_with_regions(std::string_view op, const Lowered& operands, const Types& results,
                            const std::vector<Region>& regions,
                            stablehlo::Attributes attributes = {}) override;
  stablehlo::Value constant(const Tensor& value) override;
  stablehlo::Value position(const Axes& axes) override;
  bool is_known_inside(stablehlo::Value index, std::int64_t last) const override {
    return known_ranges_.lies_in(index, last);
  }
  stablehlo::Attributes collective(const Axes& axes, bool global_ids, const Groups& groups = {}) override;
  stablehlo::Attributes permutation(const Axes& axes, const Pairs& pairs) override;
  bool calls_ragged_all_to_all() const override { return options_.ragged_call; }

 private:
  /// Row-major over the digits.
  stablehlo::Value number_of(const Digits& digits);
  /// The values that `equation` lowers to: of a start those of its op.
  Lowered written(const Equation& equation, const Lowered& operands, const Types& operand_types);
  /// The operations of an op with sub-programs, while it stands in around_.
  Lowered written_around(const Op& op, const Lowered& operands, const Types& operand_types);
  /// The custom call that runs an op with an effect.
  Lowered call_back(const Op& op, const Where& where, const Lowered& operands);
  /// Begins the op whose operations are those from `first` on, and whose result is `result`. Returns a future
  /// or a token; in plain form the result.
  stablehlo::Value start(std::size_t first, stablehlo::Value result);
  /// The result of an op that was started: ends it here.
  stablehlo::Value end(stablehlo::Value started);
  /// Writes what begins the collective, which becomes the operation that waits for it.
  stablehlo::Value async_start(stablehlo::Operation& collective);
  stablehlo::Value send(stablehlo::Operation& permute);
  /// Throws R004 where some devices may not come: XLA's collective_permute waits for all devices of the
  /// program.
  void require_together() const;
  stablehlo::Operation operation(std::string_view name, const Lowered& operands, stablehlo::ValueType result,
                                 stablehlo::Attributes attributes);
  stablehlo::Attribute fresh_channel();
  stablehlo::Value append(stablehlo::Operation operation);
  static stablehlo::Operation returned(const Lowered& values, std::vector<stablehlo::ValueType> types);
  /// Emits an op with a reducer and does not widen f16 and bf16 first. The reducer has the result's dtype.
  stablehlo::Value folded(std::string_view op, ReduceKind kind, const Lowered& operands, Type result,
                          stablehlo::Attributes attributes);
  /// `values`, those of f16 or bf16 converted to f32.
  Lowered widened(const Lowered& values);
  stablehlo::Block reducer(ReduceKind kind, DType dtype);
  stablehlo::Block block(const Region& region);

  /// The output of the current function or region. A region computes its positions again.
  struct Output {
    std::vector<stablehlo::Operation> shared;  // before all equations, so that each may use it
    std::vector<stablehlo::Operation> operations;
    std::map<Digits, stablehlo::Value> positions;
    std::vector<stablehlo::Operation> all() &&;
  };

  /// An op that was started, and is not plain.
  struct InFlight {
    std::vector<stablehlo::Operation> end;  // the first one waits
    stablehlo::Value result;                // of the op; one of `end` makes it
  };

  /// An op with sub-programs that is being lowered.
  struct EnclosingOp {
    CallBack::EnclosingOp in_text;
    std::optional<stablehlo::Value> iteration;
  };

  Mesh mesh_;
  LowerOptions options_;
  CallBacks* call_backs_;
  std::vector<EnclosingOp> around_;          // the outermost first
  std::size_t places_ = 0;                   // numbered so far
  std::vector<stablehlo::ValueType> types_;  // of each value
  KnownRanges known_ranges_;
  Output written_;
  std::map<int, InFlight> in_flight_;  // by the number of the future or token
  bool is_shared_ = false;             // what is appended
  bool apart_ = false;  // what is lowered stands in a branch or loop that some devices may not run
  std::int64_t channels_ = 0;
  Types operand_types_, result_types_;  // of the equation being lowered
  stablehlo::Location place_;
};

}  // namespace tutti
