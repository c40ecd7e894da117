// SPDX-License-Identifier: Apache-2.0
// Parts of `tutti explain` that come from headers and pages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tutti/cli/reference/lookup.hpp"
#include "tutti/cli/words/options.hpp"

namespace tutti::cli {

/// Prints declarations and the types of options that they name. Nothing for none.
void print_declared(const Declarations& declarations);
/// Prints what differs from JAX's function of the same name. Nothing if nothing does.
void print_beside_jax(const std::string& name);

/// The same as lists: {header, comment, text}, and sentences.
nlohmann::ordered_json declarations_as_json(const Declarations& declarations);
nlohmann::ordered_json jax_as_json(const std::string& name);

/// Prints the declarations of a name that is no op: "Machine", "open_local". False if there are none.
bool explain_declared(const std::string& name, const ExplainOptions& options);
/// Prints those of members alone: "Machine::place". False if there are none.
bool explain_members(const std::string& name, const ExplainOptions& options);

/// Throws R002 for --machine, --trace and --page, which need an op's example, if the name runs none.
void require_nothing_to_run(const ExplainOptions& options);

}  // namespace tutti::cli
