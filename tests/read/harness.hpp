// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/ir/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

/// A module of one function with these lines, which ends with "return ..".
std::string module_of(const std::string& signature, const std::string& lines);
/// The same with the lines as the body of a map over x=4, y=2, manual along both: `arguments` enter and leave
/// as `in` and `out` say. The lines end with "sdy.return ..".
struct MapText {
  std::string in, out;      // "<@mesh, [{\"x\"}]>"
  std::string whole, part;  // "tensor<8xf32>", "tensor<2xf32>", of the argument %a
  std::string result, whole_result;
};
std::string map_of(const MapText& map, const std::string& lines);

/// The results of a text for these arguments, on virtual devices.
Tensors run_text(const std::string& text, const Tensors& arguments, const MachineOptions& options = {});
/// The program that a text is read to, as text.
std::string program_text(const std::string& text);
/// The refusal of a text: "S002 message", with all notes.
std::string refusal_of_text(const std::string& text);

}  // namespace tutti
