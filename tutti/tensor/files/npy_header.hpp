// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"

namespace tutti {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The most dims that NumPy 2 reads and writes (NPY_MAXDIMS).
inline constexpr int most_npy_dims = 64;

/// The contents of a .npy file's header.
struct NpyHeader {
  DType dtype = DType::f32;
  Shape shape;
  bool is_big_endian = false;
  bool is_fortran_order = false;
};

/// Parses a header: "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", a Python literal, keys in
/// any order.
/// Throws R001, without the file's name, if `text` is damaged, lacks a key, or names a dtype that Tensor does
/// not have.
NpyHeader parse_npy_header(std::string_view text);
/// Everything before the data in a file of format 1.0. Throws R001 for more than `most_npy_dims` dims.
std::string npy_head(DType dtype, const Shape& shape);

}  // namespace tutti
