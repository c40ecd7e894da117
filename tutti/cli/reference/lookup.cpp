// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/reference/lookup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "tutti/cli/reference/cpp_text.hpp"

namespace tutti::cli {
namespace {

using Kind = Declaration::Kind;

/// Classes whose members users call.
constexpr std::array held_classes{"Array", "At",   "Machine", "Compiled", "CompiledProgram", "Tensor", "Mesh",
                                  "Shape", "Type", "P",       "Future",   "SendToken",       "Error",  "Key"};

bool is_constructor(const Declaration& declaration) {
  return declaration.kind == Kind::function && declaration.name == declaration.scope;
}

/// Names of this kind are for ourselves: flat functions take lists of leaves.
bool is_our_own(std::string_view name) { return name.ends_with("_flat") || name.starts_with("Flat"); }

/// A letter more or less apart, in small letters: "machine" is the class Machine.
bool names_class(std::string_view word, std::string_view scope) {
  return std::ranges::equal(word, scope, {}, ::tolower, ::tolower);
}

/// Users know these by heart, and they stand in nearly all declarations.
bool is_everywhere(std::string_view name) {
  constexpr std::array all{"Array", "Arrays", "DType", "Operand", "Where", "Number", "Var", "Types"};
  return std::ranges::find(all, name) != all.end();
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// A struct without member functions, an enum, or an alias.
bool is_shown_beside(const Declaration& type) {
  if (type.kind == Kind::alias) return type.scope.empty();
  if (type.kind != Kind::type || !type.scope.empty() || is_everywhere(type.name)) return false;
  if (type.text.starts_with("enum")) return true;
  if (!type.text.starts_with("struct")) return false;
  return std::ranges::none_of(all_declarations(), [&](const Declaration& member) {
    return member.scope == type.name && member.kind == Kind::function;
  });
}

/// The names of types in a declaration, in order.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = word_at(text, at);
    if (!word.empty()) words.push_back(word);
    at += std::max<std::size_t>(1, word.size());
  }
  return words;
}

/// A line cut at spaces, code if possible behind a comma; the rest begins with `next`.
std::string cut(std::string_view line, const std::string& next, std::size_t length) {
  std::string text;
  std::size_t room = length;
  while (line.size() > room) {
    const std::size_t comma = next.find("//") == next.npos ? line.rfind(", ", room) : line.npos;
    const std::size_t at = comma == line.npos || comma == 0 ? line.rfind(' ', room) : comma + 1;
    if (at == line.npos || line.find_first_not_of(" /") > at) break;
    text += fmt::format("{}\n{}", line.substr(0, at), next);
    line.remove_prefix(at + 1);
    room = length - next.size();
  }
  return text + std::string(line) + "\n";
}

std::string indented(std::string_view lines, std::size_t length) {
  std::string text;
  for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
    end = std::min(lines.find('\n', at), lines.size());
    const std::string line = "  " + std::string(lines.substr(at, end - at));
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    std::string next = line.substr(0, first);
    if (line.substr(first, 2) == "//") next += line.substr(first, line.find(' ', first) - first) + " ";
    else next += line.find("  // ") == line.npos ? "    " : "    // ";
    text += cut(line, next, length);
  }
  return text;
}

/// The first of the declarations that share a comment.
const Declaration& leader_of(const Declaration& declaration) {
  const Declaration* first = &declaration;
  while (first->follows) {
    do --first;
    while (first->scope != declaration.scope);
  }
  return *first;
}

/// "tutti/ops/collectives/all_reduce.hpp"; "tutti/devices/kernel.hpp, namespace tutti::ops".
std::string place_of(const Declaration& declaration) {
  const std::string header(declaration.header);
  return declaration.space.empty() ? header : header + ", namespace tutti::" + declaration.space;
}

bool stand_together(const Declaration& a, const Declaration& b) {
  return a.header == b.header && a.space == b.space;
}

/// In the order given, but those of a header and a namespace together.
Declarations by_place(const Declarations& declarations) {
  Declarations sorted;
  for (const Declaration* first : declarations) {
    auto stands_there = [&](const Declaration* other) { return stand_together(*first, *other); };
    if (std::ranges::none_of(sorted, stands_there))
      std::ranges::copy_if(declarations, std::back_inserter(sorted), stands_there);
  }
  return sorted;
}

}  // namespace

Declarations declared(std::string_view name) {
  const std::size_t colon = name.starts_with("operator") ? name.npos : name.find("::");
  const std::string_view space = colon == name.npos ? "" : name.substr(0, colon);
  const std::string_view bare = colon == name.npos ? name : name.substr(colon + 2);
  Declarations found, elsewhere;
  for (const Declaration& declaration : all_declarations()) {
    if (!declaration.scope.empty() || declaration.name != bare) continue;
    (declaration.space == space ? found : elsewhere).push_back(&declaration);
  }
  return found.empty() && space.empty() ? elsewhere : found;
}

bool is_held_class(std::string_view name) {
  return std::ranges::any_of(held_classes, [&](std::string_view held) { return names_class(name, held); });
}

Declarations declared_members(std::string_view name) {
  const std::size_t last = name.find_last_of(":.");
  const std::string_view member = last == name.npos ? name : name.substr(last + 1);
  const std::string_view scope = last == name.npos ? "" : name.substr(0, name.find_first_of(":."));
  Declarations found;
  for (const Declaration& declaration : all_declarations()) {
    if (declaration.name != member || declaration.scope.empty() || is_constructor(declaration)) continue;
    const bool is_held = std::ranges::find(held_classes, declaration.scope) != held_classes.end();
    if (scope.empty() ? is_held : names_class(scope, declaration.scope)) found.push_back(&declaration);
  }
  return found;
}

Declarations named_types(const Declarations& declarations) {
  Declarations found;
  auto add = [&](const Declaration& user) {
    const std::string code = code_alone(user.text);
    for (const std::string_view word : words_of(code))
      for (const Declaration* type : declared(word)) {
        const bool is_new = std::ranges::find(found, type) == found.end();
        if (is_new && is_shown_beside(*type) && std::ranges::find(declarations, type) == declarations.end())
          found.push_back(type);
      }
  };
  for (const Declaration* declaration : declarations) add(*declaration);
  for (std::size_t i = 0; i < found.size(); ++i) {  // it grows
    const Declaration& type = *found[i];
    add(type);
  }
  return found;
}

std::string shown(const Declarations& declarations, std::size_t length) {
  std::string text;
  const Declaration* before = nullptr;
  const Declaration* leader_before = nullptr;
  for (const Declaration* declaration : by_place(declarations)) {
    if (!before || !stand_together(*before, *declaration))
      text += fmt::format("{}declared in {}\n", before ? "\n" : "", place_of(*declaration));
    else if (!declaration->follows || &leader_of(*declaration) != leader_before) text += "\n";
    const Declaration& leader = leader_of(*declaration);
    if (&leader != leader_before) {
      text += indented(with_whole_sentences(leader.comment), length);
      if (&leader != declaration && !leader.comment.empty()) text += indented(leader.text, length);
      if (&leader != declaration && declaration - &leader > 1 && !leader.comment.empty()) text += "  // ..\n";
    }
    text += indented(declaration->text, length);
    before = declaration;
    leader_before = &leader;
  }
  return text;
}

std::vector<std::string> declared_names() {
  std::vector<std::string> names;
  for (const Declaration& declaration : all_declarations())
    if (declaration.scope.empty() && !declaration.name.starts_with("operator") &&
        !is_our_own(declaration.name))
      names.push_back(declaration.name);
  return sorted(std::move(names));
}

std::vector<std::string> member_names() {
  std::vector<std::string> names;
  for (const Declaration& declaration : all_declarations())
    if (std::ranges::find(held_classes, declaration.scope) != held_classes.end() &&
        !is_constructor(declaration) && !declaration.name.starts_with("operator") &&
        !is_our_own(declaration.name))
      names.push_back(declaration.scope + "::" + declaration.name);
  return sorted(std::move(names));
}

}  // namespace tutti::cli
