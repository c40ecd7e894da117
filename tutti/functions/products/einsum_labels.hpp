// SPDX-License-Identifier: Apache-2.0
// The subscripts of einsum, read: a label for every dim.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

/// The label of a dim: its letter. A dim under "..." has the label 256 + its place from the right.
using Label = int;
using Labels = std::vector<Label>;

/// "bij,bjk->bik" as labels.
struct EinsumTerms {
  std::vector<Labels> operands;
  Labels result;
};
/// Without "->" the result has the dims of "...", then in alphabetical order the letters that occur once.
/// Throws T005 unless there is one term for each operand and one letter for each dim, T006 for other
/// characters, and for labels of the result that no operand has or that stand there twice.
EinsumTerms read_einsum(std::string_view subscripts, const Types& operands);

using LabelSizes = std::map<Label, std::int64_t>;
/// The size of every label: that of all its dims, or of those that are not 1.
/// Throws T005 for a label with two other sizes, and for one that has two sizes in one operand.
LabelSizes label_sizes(const std::vector<Labels>& terms, const Types& operands);

bool contains(const Labels& labels, Label label);
/// `labels`, then those of `more` that are new.
Labels joined(Labels labels, const Labels& more);
/// Those of `labels` that `others` have, or have not; in the order of `labels`.
Labels common(const Labels& labels, const Labels& others);
Labels without(const Labels& labels, const Labels& others);
/// 0, 1, .. : where `label` stands.
int place_of(const Labels& labels, Label label);

}  // namespace tutti
