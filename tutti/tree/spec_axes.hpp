// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {

/// Why a spec cannot have one of the axes that it names.
struct SpecFault {
  std::size_t index;  // of the axis, in the order of the spec
  Code code;
  std::string message;
};
/// The first one that is wrong of all axes that a spec names: unknown to the mesh, or a part that does not
/// divide its axis, overlaps another, or does not fit another. An axis that is named twice is left to
/// local_type.
std::optional<SpecFault> fault_of(const Mesh& mesh, const std::vector<SpecAxis>& axes);

/// Advice on a name that no axis has.
std::string_view advice_on_name(std::string_view name);

/// `mesh`, refined where parts begin and end, so that all these axes are axes of it. None may be at fault.
Mesh mesh_for(const Mesh& mesh, const std::vector<SpecAxis>& axes);
/// Some of these axes as axes of the refined mesh.
Axes axes_on(const Mesh& refined_mesh, const std::vector<SpecAxis>& axes);

}  // namespace tutti
