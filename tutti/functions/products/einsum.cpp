// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/einsum.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/functions/products/einsum_plan.hpp"
#include "tutti/functions/shapes/diagonals.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

// An array and the labels of its dims.
struct Labelled {
  Array array;
  Labels labels;
};

Arrays arrays_of(const std::vector<Operand>& operands) {
  auto first = std::ranges::find_if(operands, [](const Operand& x) { return x.array() != nullptr; });
  require(first != operands.end(), Code::number, "no operand is an array; compute with numbers in C++");
  Arrays arrays;
  for (const Operand& x : operands) arrays.push_back(as_array(x, {*first}));
  Type type = first->array()->type();
  require(type.dtype() != DType::boolean, Code::dtype,
          "{} is bool, which has no sum of products; convert it: convert(x, DType::f32)", type);
  for (const Array& x : arrays) require_same_dtype(type, x.type());
  return arrays;
}

// Each label stays once: its last place.
Labelled on_diagonals(Labelled x) {
  for (std::size_t i = 0; i < x.labels.size();) {
    auto again =
        std::find(x.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, x.labels.end(), x.labels[i]);
    if (again == x.labels.end()) {
      ++i;
      continue;
    }
    Label label = *again;
    auto dim1 = static_cast<int>(i), dim2 = static_cast<int>(again - x.labels.begin());
    x.array = diagonal(x.array, {.dim1 = dim1, .dim2 = dim2});
    x.labels.erase(again);
    x.labels.erase(x.labels.begin() + dim1);
    x.labels.push_back(label);
  }
  return x;
}

// Without dims of size 1 that broadcast.
Labelled without_ones(const Labelled& x, const LabelSizes& sizes) {
  Labels kept;
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    std::int64_t size = x.array.shape().sizes()[i];
    if (size != sizes.at(x.labels[i])) continue;
    kept.push_back(x.labels[i]);
    shape.push_back(size);
  }
  return {reshape(x.array, Shape(std::move(shape))), std::move(kept)};
}

Labelled summed(const Labelled& x, const Labels& outside) {
  Labels kept = common(x.labels, outside);
  if (kept.size() == x.labels.size()) return x;
  std::vector<int> gone;
  for (Label label : without(x.labels, kept)) gone.push_back(place_of(x.labels, label));
  return {reduce_sum(x.array, gone), std::move(kept)};
}

Dims places_of(const Labels& some, const Labels& labels) {
  Dims places;
  for (Label label : some) places.push_back(Dim{place_of(labels, label)});
  return places;
}

Array spread(const Labelled& x, const Labels& labels, const LabelSizes& sizes) {
  if (x.labels == labels) return x.array;
  std::vector<std::int64_t> shape;
  for (Label label : labels) shape.push_back(sizes.at(label));
  return apply_one(BroadcastInDim{Shape(std::move(shape)), places_of(x.labels, labels)}, {x.array});
}

Labelled product(const EinsumStep& step, const Labelled& a, const Labelled& b, const LabelSizes& sizes) {
  if (step.contract.empty()) {
    Array lhs = spread(a, step.result, sizes);
    Array rhs = spread(b, step.result, sizes);
    return {lhs * rhs, step.result};
  }
  DotGeneral op{places_of(step.batch, a.labels), places_of(step.batch, b.labels),
                places_of(step.contract, a.labels), places_of(step.contract, b.labels)};
  return {apply_one(op, {a.array, b.array}), step.result};
}

Array in_order(const Labelled& x, const Labels& result) {
  std::vector<int> permutation;
  for (Label label : result) permutation.push_back(place_of(x.labels, label));
  return transpose(x.array, permutation);
}

// The operands of the products. Each operand keeps a label once, and only labels that another operand or the
// result has.
std::vector<Labelled> factors_of(const Arrays& arrays, const EinsumTerms& terms, const LabelSizes& sizes) {
  std::vector<Labelled> factors;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    factors.push_back(without_ones(on_diagonals({arrays[i], terms.operands[i]}), sizes));
  for (std::size_t i = 0; i < factors.size(); ++i) {
    Labels outside = terms.result;
    for (std::size_t j = 0; j < factors.size(); ++j)
      if (j != i) outside = joined(outside, factors[j].labels);
    factors[i] = summed(factors[i], outside);
  }
  return factors;
}

}  // namespace

Array einsum(const Subscripts& subscripts, const std::vector<Operand>& operands) {
  return front_end("einsum", subscripts.where, [&] {
    Arrays arrays = arrays_of(operands);
    Types types;
    for (const Array& x : arrays) types.push_back(x.type());
    EinsumTerms terms = read_einsum(subscripts.text, types);
    LabelSizes sizes = label_sizes(terms.operands, types);
    std::vector<Labelled> values = factors_of(arrays, terms, sizes);
    std::vector<Labels> labels;
    for (const Labelled& value : values) labels.push_back(value.labels);
    for (const EinsumStep& step : plan_einsum(labels, terms.result, sizes)) {
      const Labelled& a = values[static_cast<std::size_t>(step.pair.lhs)];
      const Labelled& b = values[static_cast<std::size_t>(step.pair.rhs)];
      values.push_back(product(step, a, b, sizes));
    }
    return in_order(values.back(), terms.result);
  });
}

}  // namespace tutti
