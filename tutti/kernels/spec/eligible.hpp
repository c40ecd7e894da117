// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/kernels/spec/collective_spec.hpp"

namespace tutti::kernels {

/// Whether there is a kernel; if not, why, and what to use instead.
struct Eligibility {
  std::optional<std::string> refusal = {};
  explicit operator bool() const { return !refusal; }
};

/// The one answer to "is there a kernel for this?". Selection, policy, emitters and manifests ask nobody else.
/// - Movement takes every dtype: bits move. Reductions: sum, max, min of integers and floats.
/// - Groups of 1 to most_world ranks, equal in size. Any rank, dim and size, 0 elements too, while offsets fit an i64.
/// - all_gather, all_to_all: standard, swizzled, push, two_launches, packets. all_reduce: one_shot, two_shot, two_launches,
///   packets. reduce_scatter: standard, push, two_launches, packets. ppermute:
///   standard, push, two_launches. It has one source to visit.
Eligibility eligible(const CollectiveSpec& spec);

/// The variants of a collective; the first is the usual one.
std::vector<Variant> variants_of(CollectiveKind kind);
bool is_reduction(CollectiveKind kind);  // all_reduce, reduce_scatter
/// True if the blocks of all ranks lie side by side along `dim` in an operand or a result.
bool has_dim(CollectiveKind kind);  // all_gather, reduce_scatter, all_to_all

}  // namespace tutti::kernels
