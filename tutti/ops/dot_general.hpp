// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// lhs: dims b, m, k; rhs: dims b, k, n, in any order -> [b.., m.., n..], free dims as in their operand.
/// Bilinear: U times R gives U. Any dtype but bool; of f16 and bf16 sums are taken in f32 and rounded once.
/// Cost: 2*b*m*n*k operations in one library call per distinct value; an operand whose dims do not lie as
/// runs of b, m, k (or b, k, m) is copied first.
/// Source: StableHLO dot_general; jax.lax.dot_general.
struct DotGeneral {
  static constexpr std::string_view name = "dot_general";
  static constexpr About about{
      "Products of matrices: the sum over the contracted dims, for every index along the batch dims.",
      "matmul, dot_general"};

  Dims lhs_batch, rhs_batch;        // pairs
  Dims lhs_contract, rhs_contract;  // pairs

  Mixing mixing() const { return Mixing::bilinear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const DotGeneral&) const = default;
};
static_assert(complete<DotGeneral>());

}  // namespace tutti::ops

namespace tutti {

/// Negative dims count from the end.
struct DotGeneralOptions {
  std::vector<int> lhs_batch = {}, rhs_batch = {};
  std::vector<int> lhs_contract = {}, rhs_contract = {};
};

/// jax.lax.dot_general. Throws T005, T006, T007 (dot_general_c1 to _c10).
Array dot_general(const Operand& lhs, const Operand& rhs, const DotGeneralOptions& dims);
/// numpy.matmul: [.., m, k] x [.., k, n] -> [.., m, n], dims before the last two broadcast; a vector on the
/// left is a row, on the right a column, and that dim is dropped. Throws T005 for scalars and for sizes that
/// differ.
Array matmul(const Operand& lhs, const Operand& rhs);

}  // namespace tutti
