// SPDX-License-Identifier: Apache-2.0
// Holes of JAX's collectives, by number; see README.md. The suite h017 shows that hole 17 is not here: with
// numbers that one can check by hand, or with what the library says.
#pragma once

#include "tests/ops/worked.hpp"
#include "tests/support/refusal.hpp"

namespace tutti {

/// Every device starts with its block of `blocks`, each of `shape`, varying over all axes, and ends with that
/// of `expected`.
inline void expect_blocks(const Mesh& mesh, const Shape& shape, const Blocks& blocks, const Body& body,
                          const Shape& result, const Blocks& expected) {
  expect_worked({"", mesh, shape, blocks, body, result, expected});
}
/// All devices start with the same block, which is invariant.
inline void expect_from_equal(const Mesh& mesh, const Shape& shape, const std::vector<double>& block,
                              const Body& body, const Shape& result, const Blocks& expected) {
  expect_worked({"", mesh, shape, {block}, body, result, expected, true});
}

/// The type of what `body` makes of f32[2] that varies over all axes of the mesh.
inline std::string type_of(const Mesh& mesh, const Body& body) {
  Program program = trace({Type(DType::f32, {2}).with(mesh.axes(), varying)}, [&](const Arrays& x) {
                      auto bound = Builder::current().bind(mesh.axes());
                      return Arrays{body(x[0])};
                    }).program;
  return to_string(program.type(program.outputs[0]));
}

inline Array terms(const Array& x) { return pcast(x, "x", unreduced); }
inline Array as_reduced(const Array& x) { return pcast(x, "x", reduced); }

}  // namespace tutti
