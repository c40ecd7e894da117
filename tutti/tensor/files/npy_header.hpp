// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"

namespace tutti {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// NumPy 2 reads and writes no more (NPY_MAXDIMS).
inline constexpr int most_npy_dims = 64;

/// What the header of a .npy file says of its data.
struct NpyHeader {
  DType dtype = DType::f32;
  Shape shape;
  bool is_big_endian = false;
  bool is_fortran_order = false;
};

/// "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }": a Python literal, keys in any order.
/// Throws R001 for what it does not say or what is not held here; the message has no file name yet.
NpyHeader parse_npy_header(std::string_view text);
/// All that stands before the data in a file of format 1.0. Throws R001 for more than `most_npy_dims` dims.
std::string npy_head(DType dtype, const Shape& shape);

}  // namespace tutti
