// SPDX-License-Identifier: Apache-2.0
// The declarations of our headers, as they stand there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tutti/cli/reference/texts.hpp"

namespace tutti::cli {

struct Declaration {
  enum class Kind { function, type, alias, constant };  // type: a class, struct, enum or concept

  Kind kind = Kind::function;
  std::string name;              // "psum", "operator+"
  std::string space;             // "kernels" of namespace tutti::kernels, "ops"; of tutti empty
  std::string scope;             // of a member its class: "Machine"; else empty
  std::string comment;           // the lines above it, without indentation; may be empty
  std::string text;              // without bodies of functions and without private members
  std::string_view header = {};  // "tutti/ops/collectives/all_reduce.hpp"
  bool follows = false;          // stands directly below another one, with which it shares the comment
};

/// The declarations of one header, in order, members behind their class. Left out: namespaces for ourselves
/// (`tree`, `detail` and the like), private members, and overloads that refuse by a static_assert.
std::vector<Declaration> declarations_in(const Text& header);

/// Those of all headers that the tool carries.
const std::vector<Declaration>& all_declarations();

}  // namespace tutti::cli
