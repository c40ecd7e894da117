// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/read/program/module_program.hpp"
#include "tutti/read/program/program_file.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti::cli {

int print(const PrintArguments& arguments) {
  const bool is_pretty = arguments.form == "pretty", is_generic = arguments.form == "generic";
  require(is_pretty || is_generic || arguments.form == "program", Code::usage,
          "--form {}: say program, pretty or generic", arguments.form);
  const auto source =
      std::make_shared<const SourceModule>(text_of_program_file(arguments.file), arguments.file);
  if (is_pretty || is_generic) {
    require_no_errors(*source);
    const auto form = is_pretty ? stablehlo::TextForm::pretty : stablehlo::TextForm::generic;
    fmt::print("{}", stablehlo::write(source->module(), {form, arguments.locations}));
    return 0;
  }
  const ModuleProgram program(source, {.function = arguments.function});
  Types types;
  for (const ModuleProgram::Parameter& each : program.parameters()) types.push_back(each.type);
  const TracedProgram traced = trace(types, [&](const Arrays& inputs) { return program(inputs); });
  fmt::print("{}\n", to_string(without_dead_code(traced.program)));
  return 0;
}

}  // namespace tutti::cli
