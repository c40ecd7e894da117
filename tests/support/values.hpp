// SPDX-License-Identifier: Apache-2.0
// Random values that types allow. Portable: the same numbers everywhere.
#pragma once

#include <cstdint>
#include <random>

#include "tests/support/reference.hpp"
#include "tutti/ir/example.hpp"

namespace tutti {

/// Which numbers of a range are drawn. Integers and bools are drawn whole, whatever it says.
enum class Numbers {
  // Multiples of 1 in f16 and bf16, else of 1/4, or finer if the range is small: sums and products of a few
  // are exact in f32.
  quarters,
  powers_of_two,  // +-1/4 to +-2, as far as the range has them (else quarters): division by them is exact
  smooth,  // multiples of 2^-10, in f32 of 2^-4: equal, or further apart than a finite difference reaches
  any,     // all digits of the dtype
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double draw(double low, double high, DType dtype, Numbers numbers);
  Tensor draw(const ExampleOperand& operand, Numbers numbers);

 private:
  double below(double n);  // a whole number of [0, n)
  std::mt19937_64 engine_;
};

Types types_of(const std::vector<ExampleOperand>& operands);

/// A value of this type: equal along I and R axes, drawn for each device along V and U axes.
PerDevice random_value(Random& random, const ExampleOperand& operand, Numbers numbers,
                       const Mesh& mesh = example_mesh());
/// One for each operand.
std::vector<PerDevice> random_values(Random& random, const std::vector<ExampleOperand>& operands,
                                     Numbers numbers, const Mesh& mesh = example_mesh());
/// One for each type, of elements in [-2, 2].
std::vector<PerDevice> random_values(Random& random, const Types& types, Numbers numbers,
                                     const Mesh& mesh = example_mesh());

/// The distance from 1 to the next number; of a complex number's parts.
double epsilon(DType dtype);

/// Complex numbers as real and imaginary parts, along one dim more; other elements as they are.
Tensor in_parts(const Tensor& tensor);
PerDevice in_parts(const PerDevice& value);
/// The other way round: a tensor of the dtype and shape of `like`.
Tensor out_of_parts(const Tensor& parts, const Tensor& like);

/// tensor[index] = value, rounded to its dtype; for the maker of the tensor. Of complex numbers give the
/// parts.
void put_element(Tensor& tensor, std::int64_t index, double value);

/// The axes of the mesh along which the devices hold other values, although they should be equal.
Axes unequal_axes(const PerDevice& value, const Axes& equal, const Mesh& mesh = example_mesh());
/// The totals of the devices' values: along U axes every device gets the sum of the terms; f64, in parts.
std::vector<std::vector<double>> totals(Type type, const PerDevice& value);

/// <v, w>: the sum of products over all elements and devices, an axis along which v is I counted once; of
/// complex numbers the real part, nothing conjugated.
double pairing(Type type_of_v, const PerDevice& v, const PerDevice& w, const Mesh& mesh = example_mesh());

/// On every device the values of the devices along `axis`, as dim 0: what a batch over that axis takes and
/// gives.
PerDevice lanes_along(const Axis& axis, const PerDevice& value, const Mesh& mesh = example_mesh());
/// The same of those that differ along the axis by their types; the others as they are.
std::vector<PerDevice> batched_values(const Types& types, const Axis& axis, std::vector<PerDevice> values,
                                      const Mesh& mesh = example_mesh());
/// Tensors of one shape along a new dim 0.
Tensor stacked(const Tensors& lanes);

}  // namespace tutti
