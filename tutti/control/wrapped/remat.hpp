// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/control/parts/inner_trace.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti {

/// The values of a function that are kept for its gradient, in addition to those named in .keep. The gradient
/// recomputes the others.
enum class RematPolicy {
  nothing,     // its operands only
  dots,        // the results of matrix products as well
  everything,  // all that the gradient needs: as without remat
};

}  // namespace tutti

namespace tutti::ops {

/// A program whose gradient computes again what it needs of it. Otherwise the program itself.
/// Cost: that of the program, and in the gradient once more without what is kept.
/// Source: jax.checkpoint.
struct Remat {
  static constexpr std::string_view name = "remat";
  static constexpr About about{
      "A program whose gradient computes again what it needs of it; otherwise the program itself.", "remat"};

  SubProgram body;
  RematPolicy policy = RematPolicy::nothing;
  std::vector<std::string> keep = {};  // names of checkpoint_name

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  OpSplit split(const LinearOperands& operands) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  std::vector<SubProgram> programs() const { return {body}; }
  Remat with_programs(const std::vector<SubProgram>& programs) const { return {programs[0], policy, keep}; }
  static std::vector<Example> examples();

  bool operator==(const Remat& other) const;
};
static_assert(complete<Remat>());

}  // namespace tutti::ops

namespace tutti {

/// Options of remat: which values are kept, and not computed again.
struct RematOptions {
  RematPolicy policy = RematPolicy::nothing;
  std::vector<std::string> keep = {};  // what checkpoint_name calls so is kept as well
};

}  // namespace tutti

namespace tutti::internal {

Arrays remat_flat(const InnerFunction& function, const Arrays& operands, const RematOptions& options,
                  Where where);

template <class F>
class Rematted {
 public:
  Rematted(F function, RematOptions options, Where where)
      : function_(std::move(function)), options_(std::move(options)), where_(where) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    tree::FlatCall call(function_, std::tuple<A...>{arguments...});
    Arrays results = remat_flat(std::ref(call), call.leaves(), options_, where_);
    return call.result(results);
  }

 private:
  F function_;
  RematOptions options_;
  Where where_;
};

}  // namespace tutti::internal

namespace tutti {

/// jax.checkpoint: the function, whose gradient keeps only what the policy says, and what has a name of .keep
/// (in JAX the policy save_only_these_names), and computes the rest again; also the collectives in it. A name
/// inside of a loop is for a remat inside of that loop.
template <class F>
internal::Rematted<F> remat(F function, RematOptions options = {}, Where where = Where::here()) {
  return {std::move(function), std::move(options), where};
}

}  // namespace tutti
