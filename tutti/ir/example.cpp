// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/example.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/never_destroyed.hpp"

namespace tutti {

ExampleOperand::ExampleOperand(Given values)
    : type(Type(values.at_positions[0].dtype(), values.at_positions[0].shape())
               .with(values.along, State::varying)),
      given(std::move(values)) {}

bool ExampleOperand::is_given_along(const Axis& axis) const { return given && contains(given->along, axis); }
namespace {

void extend(const Axes& prefix, std::vector<Axes>& tuples) {
  for (const Axis& axis : example_mesh().axes()) {
    if (contains(prefix, axis)) continue;
    Axes longer = prefix;
    longer.push_back(axis);
    tuples.push_back(longer);
    extend(longer, tuples);
  }
}

}  // namespace

const Mesh& ops::example_mesh() {
  static const Mesh mesh({{"a", 2}, {"b", 2}, {"c", 2}});
  return mesh;
}

std::span<const DType> ops::more_dtypes() {
  static constexpr DType dtypes[] = {DType::u8,        DType::i8,        DType::u16, DType::i16,
                                     DType::u32,       DType::u64,       DType::f16, DType::bf16,
                                     DType::complex64, DType::complex128};
  return dtypes;
}

const std::vector<Axes>& ops::example_axis_tuples() {
  static const NeverDestroyed tuples([] {
    std::vector<Axes> all;
    extend({}, all);
    return all;
  }());
  return *tuples;
}

}  // namespace tutti
