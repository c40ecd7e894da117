// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/kernels/spec/collective_spec.hpp"

namespace tutti::kernels {

/// States whether a kernel exists. A refusal says why not, and what to use instead.
struct Eligibility {
  std::optional<std::string> refusal = {};
  /// True if there is a kernel.
  explicit operator bool() const { return !refusal; }
};

/// Decides whether a kernel exists for a spec. Selection, emitters and manifests use only this check.
/// - Movement takes every dtype. Reductions take sum, max and min of integers and floats.
/// - Groups have 1 to most_world ranks and equal sizes. Blocks have any rank, dim and size, also 0 elements,
///   as long as byte offsets in both halves of a staging fit an i64.
/// - The variant is one of variants_of().
Eligibility eligible(const CollectiveSpec& spec);

/// The variants of a collective; the first is the default.
/// - all_gather, all_to_all: standard, swizzled, push, two_launches, packets.
/// - reduce_scatter: standard, push, two_launches, packets.
/// - all_reduce: one_shot, two_shot, two_launches, packets.
/// - ppermute: standard, push, two_launches. A rank has one source, so there is no order to swizzle.
std::vector<Variant> variants_of(CollectiveKind kind);
bool is_reduction(CollectiveKind kind);  // all_reduce, reduce_scatter
/// True if the operand or the result holds the blocks of all ranks along `dim`.
bool has_dim(CollectiveKind kind);  // all_gather, reduce_scatter, all_to_all

}  // namespace tutti::kernels
