// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tutti/base/error.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/similar_names.hpp"
#include "tutti/cli/ops/explain_name.hpp"
#include "tutti/cli/ops/explain_op.hpp"
#include "tutti/cli/ops/named_op.hpp"
#include "tutti/cli/ops/printed.hpp"
#include "tutti/cli/reference/error_sections.hpp"
#include "tutti/cli/reference/jax_names.hpp"
#include "tutti/cli/words/options.hpp"

namespace tutti::cli {
namespace {

void explain_error(const std::string& code, const ExplainOptions& options) {
  const std::string_view section = section_of_error(code);
  require_nothing_to_run(options);
  const nlohmann::ordered_json text{{"error", section.substr(0, code.size())}, {"text", section}};
  fmt::print("{}\n", options.json ? text.dump(2) : std::string(section));
}

/// Explains a function, an op, a class or a member of ours. False, and nothing printed, if there is none of
/// this name.
bool explain_ours(const std::string& name, const ExplainOptions& options) {
  if (!is_op(name) && explain_function(name, options)) return true;
  return explain_op(name, options) || explain_declared(name, options);
}

/// The functions of ours that the rows lead to, each once.
std::vector<std::string> leads_of(const std::vector<const JaxRow*>& rows, const std::string& name) {
  std::vector<std::string> leads;
  for (const JaxRow* row : rows)
    for (const std::string& lead : leads_to(*row, name))
      if (std::ranges::find(leads, lead) == leads.end() && (is_ours(lead) || !declared_members(lead).empty()))
        leads.push_back(lead);
  return leads;
}

/// Says what takes the place of a name of JAX, and explains it if that is one function. Members of ours that
/// have the name follow.
bool explain_theirs(const std::string& name, const ExplainOptions& options) {
  const std::vector<const JaxRow*> rows = rows_of(name);
  if (rows.empty()) return false;
  std::vector<std::string> sentences;
  for (const JaxRow* row : rows) sentences.push_back(in_a_sentence(*row, name));
  const std::vector<std::string> leads = leads_of(rows, name);
  const bool is_one =
      leads.size() == 1 && std::ranges::none_of(rows, [](const JaxRow* row) { return row->is_composed(); });
  if (!is_one) require_nothing_to_run(options);
  if (options.json) {
    const nlohmann::ordered_json text{{"name", name},
                                      {"jax", sentences},
                                      {"see", leads},
                                      {"declarations", declarations_as_json(declared_members(name))}};
    fmt::print("{}\n", text.dump(2));
    return true;
  }
  for (const std::string& sentence : sentences) fmt::print("{}\n", wrapped(sentence, 2));
  if (is_one) {
    fmt::print("\n");
    explain_ours(leads[0], options);
    return true;
  }
  if (!leads.empty()) fmt::print("\nSee tutti explain {}.\n", fmt::join(leads, ", "));
  if (const Declarations members = declared_members(name); !members.empty()) {
    fmt::print("\n");
    print_declared(members);
  }
  return true;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = names_of_ops(), more = declared_names();
  names.insert(names.end(), more.begin(), more.end());
  for (const JaxRow& row : jax_rows()) names.insert(names.end(), row.names.begin(), row.names.end());
  return names;
}

/// The names of ours and the codes of errors, one per line; JAX's are in docs/numpy.md.
void print_names() {
  std::set<std::string> names;
  for (const std::vector<std::string>& some : {names_of_ops(), declared_names(), member_names()})
    names.insert(some.begin(), some.end());
  for (const CodeInfo& code : all_codes()) names.emplace(code.label);
  auto is_no_word = [](const std::string& name) {  // "x + y" is how users write the op add
    return name.empty() || name.find_first_of(" -~") != name.npos;
  };
  std::erase_if(names, is_no_word);
  fmt::print("{}\n", fmt::join(names, "\n"));
}

[[noreturn]] void refuse(const std::string& name) {
  require(!name.starts_with("MPI_"), Code::usage, "'{}' is a name of MPI; docs/from_mpi.md has ours", name);
  constexpr std::size_t longest = 64;  // of a name that is compared with others
  const std::vector<std::string> like =
      name.size() > longest ? std::vector<std::string>{} : similar_names(without_module(name), all_names());
  const std::string way = like.empty() ? "tutti rules lists the ops, docs/numpy.md the functions"
                                       : fmt::format("did you mean {}?", fmt::join(like, ", "));
  fail(Code::usage, "there is no op or function '{}'; {}", name, way);
}

/// "psum" of "tutti::psum()", "grad" of "grad<0, 2>".
std::string as_name(std::string name) {
  if (name.starts_with("tutti::")) name.erase(0, std::string_view("tutti::").size());
  if (name.ends_with("()")) name.resize(name.size() - 2);
  if (!name.starts_with("operator")) name = name.substr(0, name.find('<'));
  return name;
}

/// Explains a member that is asked for with its class, "Machine::place". False for other names.
bool explain_member(const std::string& name, const ExplainOptions& options) {
  const std::size_t colon = name.find("::");
  const std::string scope = name.substr(0, colon);
  if (colon == name.npos || !is_held_class(scope)) return false;
  const bool is_there = explain_members(name, options);
  require(is_there, Code::usage, "there is no member '{}' of {}; tutti explain {} lists them",
          name.substr(colon + 2), scope, scope);
  return true;
}

}  // namespace

int explain(const ExplainOptions& options) {
  if (options.names) {
    require(options.name.empty(), Code::usage, "--names prints all names; leave '{}' or --names out",
            options.name);
    print_names();
    return 0;
  }
  require(!options.name.empty(), Code::usage, "name is required; see tutti explain --help");
  const std::string name = as_name(options.name);
  if (looks_like_code(name)) {
    explain_error(name, options);
    return 0;
  }
  if (explain_member(name, options)) return 0;
  const bool is_of_jax =
      name.find('.') != name.npos && !rows_of(name).empty();  // jnp.max is another than ours
  if (is_of_jax && explain_theirs(name, options)) return 0;
  if (is_ours(name) && explain_ours(name, options)) return 0;
  if (explain_theirs(name, options) || explain_ours(name, options)) return 0;
  const std::string bare(without_module(name));  // kernels::Collective, torch.relu
  if (is_ours(bare) && explain_ours(bare, options)) return 0;
  refuse(options.name);
}

}  // namespace tutti::cli
