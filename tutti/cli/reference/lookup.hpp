// SPDX-License-Identifier: Apache-2.0
// Finds declarations by the names that users ask for.
#pragma once

#include "tutti/cli/reference/declarations.hpp"

namespace tutti::cli {

using Declarations = std::vector<const Declaration*>;

/// The functions, types and constants of this name: "psum", "Machine", "operator+", "kernels::Collective".
/// Without a namespace those of tutti itself, or of others if it has none.
Declarations declared(std::string_view name);
/// The members of this name of the classes that users hold; of one class if `name` says so: "place",
/// "Machine::place", "machine.place".
Declarations declared_members(std::string_view name);
/// True for the classes whose members users call, in any case: "Machine", "machine".
bool is_held_class(std::string_view name);

/// The structs of options, the enums and the aliases that these declarations name, those that such structs
/// name included.
Declarations named_types(const Declarations& declarations);

/// The lines of declarations, by header and namespace: "declared in tutti/ops/reduce.hpp", then each with
/// its comment.
/// A comment that several share is shown with the first of them. Lines have at most `length` letters, if
/// words permit.
std::string shown(const Declarations& declarations, std::size_t length);

/// The names that users may call or use, without operators and members.
std::vector<std::string> declared_names();
/// The members of the classes that users hold: "Machine::place".
std::vector<std::string> member_names();

}  // namespace tutti::cli
