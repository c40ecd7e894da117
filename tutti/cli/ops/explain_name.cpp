// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/explain_name.hpp"

#include <fmt/core.h>

#include "tutti/base/require.hpp"
#include "tutti/cli/ops/printed.hpp"
#include "tutti/cli/reference/jax_names.hpp"

namespace tutti::cli {
namespace {

/// The rows about functions of the same name in JAX: "psum(x, \"i\"): Same. Of bool ..".
std::vector<std::string> beside_jax(const std::string& name) {
  std::vector<std::string> lines;
  for (const JaxRow* row : rows_of(name)) {
    if (!row->is_same() && row->ours_of(name) != row->theirs_of(name))
      lines.push_back(in_a_sentence(*row, name));
    else if (!row->note.empty() && !row->note.starts_with("docs/from_jax.md"))
      lines.push_back(row->theirs_of(name) + ": " + row->note);
  }
  return lines;
}

Declarations with_named_types(Declarations declarations) {
  const Declarations types = named_types(declarations);
  declarations.insert(declarations.end(), types.begin(), types.end());
  return declarations;
}

}  // namespace

void print_declared(const Declarations& declarations) {
  if (!declarations.empty()) fmt::print("{}\n", shown(with_named_types(declarations), line_length));
}

void print_beside_jax(const std::string& name) {
  const std::vector<std::string> lines = beside_jax(name);
  if (lines.empty()) return;
  fmt::print("\nbeside JAX\n");
  for (const std::string& line : lines) fmt::print("{}\n", wrapped("  " + line, 4));
}

nlohmann::ordered_json declarations_as_json(const Declarations& declarations) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Declaration* declaration : with_named_types(declarations))
    list.push_back({{"name", declaration->name},
                    {"class", declaration->scope},
                    {"header", declaration->header},
                    {"namespace", declaration->space},
                    {"comment", declaration->comment},
                    {"text", declaration->text}});
  return list;
}

nlohmann::ordered_json jax_as_json(const std::string& name) { return beside_jax(name); }

void require_nothing_to_run(const ExplainOptions& options) {
  require(options.trace.empty() && options.machine == ExplainOptions{}.machine && options.page.empty(),
          Code::usage, "'{}' is no op: no example is run; leave --machine, --trace and --page out",
          options.name);
}

namespace {

/// False, and nothing printed, if nothing was found.
bool explain_found(const Declarations& found, const std::string& name, const ExplainOptions& options) {
  if (found.empty()) return false;
  require_nothing_to_run(options);
  if (options.json) {
    const nlohmann::ordered_json text{{"name", name},
                                      {"declarations", declarations_as_json(found)},
                                      {"jax", jax_as_json(name)}};
    fmt::print("{}\n", text.dump(2));
    return true;
  }
  fmt::print("{}\n\n{}", name, shown(with_named_types(found), line_length));
  if (name.find("::") == name.npos) print_beside_jax(name);  // a member is no function of JAX
  return true;
}

}  // namespace

bool explain_declared(const std::string& name, const ExplainOptions& options) {
  Declarations found = declared(name);
  const Declarations members = declared_members(name);
  found.insert(found.end(), members.begin(), members.end());
  return explain_found(found, name, options);
}

bool explain_members(const std::string& name, const ExplainOptions& options) {
  return explain_found(declared_members(name), name, options);
}

}  // namespace tutti::cli
