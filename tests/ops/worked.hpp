// SPDX-License-Identifier: Apache-2.0
// Collectives with small numbers that one can check by hand: what the devices hold before and after. A row is
// named by its number in the list of examples that it was collected in, and a word if the number has several.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/print.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

using Blocks = std::vector<std::vector<double>>;  // the elements of each device
using Body = std::function<Array(const Array&)>;

/// `shape` is a block's; so is `result`. Fewer expected blocks than devices: all devices hold the last one.
struct Worked {
  std::string number;
  Mesh mesh;
  Shape shape;
  Blocks blocks;
  Body body;
  Shape result;
  Blocks expected;
  bool equal = false;  // the argument is invariant, blocks are one
};
inline void PrintTo(const Worked& row, std::ostream* out) { *out << row.number; }

inline Tensors tensors(const Blocks& blocks, const Shape& shape, DType dtype, int devices) {
  Tensors all;
  for (int device = 0; device < devices; ++device) {
    const std::vector<double>& block = blocks[std::min(static_cast<std::size_t>(device), blocks.size() - 1)];
    std::vector<float> floats(block.begin(), block.end());
    Tensor tensor(shape, floats);
    if (dtype == DType::i32) tensor = Tensor(shape, std::vector<std::int32_t>(block.begin(), block.end()));
    all.push_back(tensor);
  }
  return all;
}

// Counting on from device to device.
inline Blocks counting(int devices, int elements) {
  Blocks blocks;
  for (int device = 0; device < devices; ++device) {
    std::vector<double>& block = blocks.emplace_back(static_cast<std::size_t>(elements));
    std::iota(block.begin(), block.end(), device * elements);
  }
  return blocks;
}

inline Blocks scalars(const std::vector<double>& values) {
  Blocks blocks;
  for (double value : values) blocks.push_back({value});
  return blocks;
}

inline Mesh line(int n) { return Mesh({{"x", n}}); }
inline const Mesh x4 = line(4), x2 = line(2), x8 = line(8);
inline const Mesh x2y2({{"x", 2}, {"y", 2}}), i2j2({{"i", 2}, {"j", 2}}), i4j2({{"i", 4}, {"j", 2}});
inline const Mesh x2y2z2({{"x", 2}, {"y", 2}, {"z", 2}});

inline const Blocks pi{{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}, {9, 7, 1, 2}};
inline const Blocks tens{{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}, {30, 31, 32, 33}};
inline const Groups pairs_in_order{{0, 1}, {2, 3}}, crossed{{0, 2}, {3, 1}}, odd_and_even{{0, 2}, {1, 3}};

inline Array device_number(const AxisNames& axes) { return convert(axis_index(axes), DType::f32); }

/// Row d of `rows`, as i32, on the device at position d of the axis.
inline Array own_row(const Blocks& rows, const std::string& axis = "x") {
  Arrays numbers;
  for (const std::vector<double>& row : rows)
    for (double number : row) numbers.push_back(full({1}, static_cast<std::int64_t>(number), DType::i32));
  Array table = reshape(concatenate(numbers), {std::ssize(rows), std::ssize(rows[0])});
  return dynamic_index_in_dim(table, axis_index(axis));
}
/// Slices of ragged_all_to_all, a row for each device.
struct SlicesOfEach {
  Blocks input_offsets, send_sizes, output_offsets, recv_sizes = {};  // recv_sizes: may be none
};
inline RaggedSlices own_slices(const SlicesOfEach& all, const std::string& axis = "x") {
  RaggedSlices own{own_row(all.input_offsets, axis), own_row(all.send_sizes, axis),
                   own_row(all.output_offsets, axis)};
  if (!all.recv_sizes.empty()) own.recv_sizes = own_row(all.recv_sizes, axis);
  return own;
}

inline Blocks columns_of_8_by_8() {
  Blocks blocks(8);
  for (int device = 0; device < 8; ++device)
    for (int row = 0; row < 8; ++row) blocks[static_cast<std::size_t>(device)].push_back(8 * row + device);
  return blocks;
}

inline void expect_worked(const Worked& row) {
  Axes axes = row.mesh.axes();
  Type x(DType::f32, row.shape);
  if (!row.equal) x = x.with(axes, varying);
  Program program = trace({x}, [&](const Arrays& in) {
                      auto bound = Builder::current().bind(axes);
                      return Arrays{row.body(in[0])};
                    }).program;
  int devices = row.mesh.devices();
  Tensors inputs = tensors(row.blocks, row.shape, DType::f32, devices);
  DType dtype = program.type(program.outputs[0]).dtype();
  EXPECT_EQ(run_on_machine(program, row.mesh, {inputs})[0], tensors(row.expected, row.result, dtype, devices))
      << to_string(program);
}

/// The result of `function` of one whole array, compiled for the mesh, for f32 values.
inline Tensor of_whole(const Mesh& mesh, const std::function<Array(Array)>& function, const Shape& shape,
                       const std::vector<float>& values) {
  Array x = Tensor(shape, values);
  return open_local(mesh, {.workers = 1}).compile(function, x)(x).tensor();
}
/// 0, 1, 2, ..
inline std::vector<float> numbers(int n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

}  // namespace tutti
