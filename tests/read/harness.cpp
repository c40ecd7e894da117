// SPDX-License-Identifier: Apache-2.0
#include "tests/read/harness.hpp"

#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {
namespace {

Types types_of(const Loaded& program) {
  Types types;
  for (const LoadedArray& each : program.parameters()) types.emplace_back(each.dtype, each.shape);
  return types;
}

}  // namespace

std::string module_of(const std::string& signature, const std::string& lines) {
  return "func.func @main" + signature + " {\n" + lines + "\n}\n";
}

std::string map_of(const MapText& map, const std::string& lines) {
  return "module attributes {mhlo.num_partitions = 8 : i32} {\nsdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n" +
         module_of("(%whole: " + map.whole + ") -> " + map.whole_result,
                   "%r = sdy.manual_computation(%whole) in_shardings=[" + map.in + "] out_shardings=[" +
                       map.out + "] manual_axes={\"x\", \"y\"} (%a: " + map.part + ") {\n" + lines +
                       "\n} : (" + map.whole + ") -> " + map.whole_result +
                       "\nreturn %r : " + map.whole_result) +
         "}\n";
}

Tensors run_text(const std::string& text, const Tensors& arguments, const MachineOptions& options) {
  const Loaded program = load_text(text);
  const std::vector<Array> inputs(arguments.begin(), arguments.end());
  const Machine machine = open_local(program.mesh(), options);
  Tensors results;
  for (const Array& result : machine.compile(program, inputs)(inputs)) results.push_back(result.tensor());
  return results;
}

std::string program_text(const std::string& text) {
  const Loaded program = load_text(text);
  return to_string(
      trace(types_of(program), [&](const Arrays& inputs) { return Arrays(program(inputs)); }).program);
}

std::string refusal_of_text(const std::string& text) try {
  program_text(text);
  return "accepted";
} catch (const Error& error) {
  return std::string(error.label()) + " " + error.what();
} catch (const std::exception& other) {
  return std::string("I001 an exception of no kind of ours: ") + other.what();
}

}  // namespace tutti
