// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/digits.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"

namespace tutti {

Digits digits_of(const Axes& axes, const Mesh& mesh) {
  Digits digits;
  for (const Axis& axis : axes) {
    ensure(contains(mesh.axes(), axis), "position: axis '{}' is not in the mesh {}", axis.name, mesh);
    int stride = mesh.devices();
    for (const Axis& outer : mesh.axes()) {
      stride /= outer.size;
      if (outer == axis) break;
    }
    if (axis.size == 1) continue;
    bool continues =
        !digits.empty() && digits.back().stride == stride * axis.size;  // neighbours in mesh order
    if (continues) digits.back() = {stride, digits.back().size * axis.size};
    else digits.push_back({stride, axis.size});
  }
  return digits;
}

}  // namespace tutti
