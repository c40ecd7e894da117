// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/array.hpp"
#include "tutti/plan/plan.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {

/// Inside shard_map: brings one device's part of an array from one sharding to another, by the cheapest
/// collectives. Specs name axes that are bound here; along all other axes nothing changes.
/// x: the part under `from` -> the part under `to`. Its gradient returns in the sharding of x.
/// Cost: tutti plan shows it for any two shardings. In one process at most one copy, and the sums.
/// Throws T001, T013, T005 for specs that do not fit or name parts of axes, T004 for an x that does not lie
/// as `from` says, R003 for a cap below 1 that no plan keeps.
Array reshard(const Operand& x, const P& from, const P& to, const ReshardOptions& options = {});

/// Outside of shard_map: the same array, laid out on the mesh as `to` says. The value stays, and so does its
/// gradient.
/// Finished data is copied, unless it lies like that already; only there may `to` name parts of axes.
/// Throws T001, T013, T005 for a spec that does not fit.
Array reshard(const Operand& x, const Mesh& mesh, const P& to);

}  // namespace tutti
