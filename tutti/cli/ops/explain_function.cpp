// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tutti/cli/ops/explain_name.hpp"
#include "tutti/cli/ops/explain_op.hpp"
#include "tutti/cli/ops/named_function.hpp"
#include "tutti/cli/ops/named_op.hpp"
#include "tutti/cli/ops/printed.hpp"

namespace tutti::cli {

bool explain_function(const std::string& name, const ExplainOptions& options) {
  const FunctionRow* row = named_function(name);
  if (!row) return false;
  require_nothing_to_run(options);
  const Program program = program_of(*row);
  const std::vector<std::string> ops = ops_of(program);
  if (options.json) {
    const nlohmann::ordered_json text{{"function", row->name},
                                      {"source", row->source},
                                      {"call", row->call},
                                      {"made_of", ops},
                                      {"example", to_string(program)},
                                      {"declarations", declarations_as_json(declared(name))},
                                      {"jax", jax_as_json(name)}};
    fmt::print("{}\n", text.dump(2));
    return true;
  }
  const bool is_transform =
      std::ranges::find(all_transforms(), row->name, &FunctionRow::name) != all_transforms().end();
  fmt::print("{}\n  {}; it follows {}.\n\n", name,
             is_transform ? "A transform, shown on a function" : "A function made of ops", row->source);
  print_declared(declared(name));
  print_labelled("call", {std::string(row->call)});
  print_labelled("made of", {joined(ops, "nothing: the operand itself")});
  print_program("example", to_string(program));
  print_beside_jax(name);
  return true;
}

}  // namespace tutti::cli
