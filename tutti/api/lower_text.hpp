// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>

#include "tutti/base/namespaces.hpp"
#include "tutti/lower/options.hpp"
#include "tutti/tree/flat_call.hpp"
#include "tutti/tree/host_leaves.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// Who takes part in the parameters and results of the text.
enum class TextForm {
  global,      // whole arrays with shardings, by which XLA and JAX place parameters and results
  per_device,  // one device's parts; partition i of XLA is device i of the mesh
  replicas,    // one device's parts, without Shardy; replica i is device i of the mesh
};

/// Options of lower_text.
struct TextOptions {
  TextForm form = TextForm::global;
  std::optional<Mesh> mesh =
      {};                  // none: that of the function's shard_maps; of a function without any, one device
  bool locations = false;  // loc("file":line:column) behind each operation
  LowerOptions ops = {};   // how some ops are written; `replicas` writes each in one way
};

}  // namespace tutti

namespace tutti::internal {

std::string lower_text_flat(const std::function<Arrays(const Arrays&)>& function, const Arrays& arguments,
                            const Structure& structure, const TextOptions& options, Where where);

}  // namespace tutti::internal

namespace tutti {

/// The StableHLO of a function of whole arrays, as Machine::compile takes it, without a machine:
/// lower_text(shard_map(step, ..), std::tuple{params, batch}). Values of arguments are not read, so
/// `abstract(shape, dtype)` will do. The parameters of `main` are the leaves of the arguments, in order; data
/// that the function closes over stands in the text. docs/stablehlo.md runs such a text from Python.
/// Throws the errors of the traced ops, T011 inside of a trace and for an array without a value that the
/// function closes over, T014 where shard_maps are over another mesh, T010 for an op without StableHLO.
template <class F, class... A>
std::string lower_text(const F& function, const std::tuple<A...>& arguments, const TextOptions& options = {},
                       Where where = Where::here()) {
  tree::FlatCall call(function, tree::with_arrays(arguments));
  return internal::lower_text_flat(std::ref(call), call.leaves(), call.structure(), options, where);
}

}  // namespace tutti
