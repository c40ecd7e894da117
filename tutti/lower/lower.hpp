// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/lower/options.hpp"
#include "tutti/stablehlo/tree.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// The StableHLO of what one device of `mesh` does: parameters and results of `main` are the program's,
/// without states. The body is one `sdy.manual_computation` that names no axis, so that XLA runs the text on
/// every device with inputs and outputs of its own. Groups hold device numbers; every collective has a
/// channel of its own.
/// Throws T010 with the equation's place where an op refuses to be lowered.
stablehlo::Module lower_per_device(const Program& program, const Mesh& mesh,
                                   const LowerOptions& options = {});

/// The StableHLO of the same program for replicas: `main` is a plain function without Shardy, and device i of
/// the mesh is replica i. Inputs with an alias have the attribute tf.aliasing_output.
/// Throws I001 if an alias has another type, or an output is named twice. Throws T010 as above.
stablehlo::Module lower_replicas(const Program& program, const Mesh& mesh,
                                 const ReplicaOptions& options = {});

/// The StableHLO of a program of whole values, for XLA and JAX: the shardings of its shard_maps are those of
/// one `sdy.manual_computation`, so XLA places parameters and results by them. Between two shard_maps values
/// stay in parts where their shardings agree, and are gathered where not.
/// Throws T004 if an input is one device's part, T014 if a shard_map is over another mesh, T010 as above.
stablehlo::Module lower_global(const Program& program, const Mesh& mesh, const LowerOptions& options = {});

}  // namespace tutti
