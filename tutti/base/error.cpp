// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/error.hpp"

#include <array>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

// In the order of enum class Code; docs/errors.md has a failing example and its repair for each.
constexpr std::array table{
    CodeInfo{Code::axis_unbound, "T001", "axis_unbound", 2, "an axis name that no mesh or vmap binds here"},
    CodeInfo{Code::axis_shadowed, "T002", "axis_shadowed", 2,
             "an axis name bound a second time inside its own scope"},
    CodeInfo{Code::axis_repeated, "T003", "axis_repeated", 2, "an axis named twice in one list"},
    CodeInfo{Code::state, "T004", "state", 2,
             "states that do not fit: varying, invariant, unreduced, reduced"},
    CodeInfo{Code::shape, "T005", "shape", 2, "shapes that do not fit or do not divide"},
    CodeInfo{Code::dim, "T006", "dim", 2, "a dimension out of range or named twice"},
    CodeInfo{Code::dtype, "T007", "dtype", 2, "element types that do not fit"},
    CodeInfo{Code::number, "T008", "number", 2, "a number that the array's element type cannot hold"},
    CodeInfo{Code::groups, "T009", "groups", 2,
             "device groups that overlap, miss a position or differ in size"},
    CodeInfo{Code::refused_rule, "T010", "refused_rule", 2,
             "a transform that the op refuses, with its reason"},
    CodeInfo{Code::trace, "T011", "trace", 2,
             "an array used outside the function that made it, or a function that calls itself without end"},
    CodeInfo{Code::tree, "T012", "tree", 2, "trees of arrays that do not have the same structure"},
    CodeInfo{Code::spec, "T013", "spec", 2, "a partition spec that does not fit its array"},
    CodeInfo{Code::mesh, "T014", "mesh", 2, "a mesh that is malformed or does not fit"},
    CodeInfo{Code::argument, "T015", "argument", 2, "an argument other than the program was compiled for"},
    CodeInfo{Code::future, "T016", "future", 2, "a started collective that is not finished exactly once"},
    CodeInfo{Code::text, "S001", "text", 3, "a text that is no StableHLO"},
    CodeInfo{Code::unsupported, "S002", "unsupported", 3, "a program that is right, and not run here"},
    CodeInfo{Code::file, "R001", "file", 4, "a file that cannot be read or written"},
    CodeInfo{Code::usage, "R002", "usage", 1, "a command line that cannot be understood"},
    CodeInfo{Code::memory, "R003", "memory", 5, "not enough memory"},
    CodeInfo{Code::device, "R004", "device", 5, "a device or worker that cannot be used"},
    CodeInfo{Code::data, "R005", "data", 5, "values that an op cannot work with, found when it runs"},
    CodeInfo{Code::check, "R006", "check", 5, "a check of the program that does not hold"},
    CodeInfo{Code::peer, "R007", "peer", 5, "another process that has failed, or does something else"},
    CodeInfo{Code::stopped, "R008", "stopped", 5, "a call that MachineOptions::stop has ended"},
    CodeInfo{Code::internal, "I001", "internal", 70, "a bug of Tutti; please report it with the program"},
};

std::string full_text(const Where& where, const std::string& message, const std::vector<std::string>& notes) {
  std::string text = where.known() ? to_string(where) + ": " + message : message;
  for (const std::string& note : notes) text += "\n  " + note;
  return text;
}

}  // namespace

std::span<const CodeInfo> internal::all_codes() { return table; }
const CodeInfo& internal::info(Code code) { return table[static_cast<std::size_t>(code)]; }

Error::Error(Code code, Where where, std::string message, std::vector<std::string> notes)
    : Error(code, where, std::move(message), std::move(notes), false) {}

Error::Error(Code code, Where where, std::string message, std::vector<std::string> notes, bool has_subject)
    : runtime_error(full_text(where, message, notes)),
      code_(code),
      where_(where),
      message_(std::move(message)),
      notes_(std::move(notes)),
      has_subject_(has_subject) {}

std::string_view Error::label() const { return info(code_).label; }
int Error::exit_status() const { return info(code_).exit_status; }

Error Error::at(const Where& where, std::string_view subject) const {
  bool prefix = !has_subject_ && !subject.empty();
  std::vector<std::string> notes = notes_;
  // A future's error stands where it starts. Its other end is the call of the function that it is in.
  if (code_ == Code::future && prefix && where_.known() && where.known())
    notes.push_back("in the function of " + std::string(subject) + " at " + to_string(where));
  const Error placed{code_, where_.known() ? where_ : where,
                     prefix ? std::string(subject) + ": " + message_ : message_, std::move(notes),
                     has_subject_ || prefix};
  return placed.with(evidence_);
}

Error Error::with(std::shared_ptr<const Evidence> evidence) const {
  Error same = *this;
  same.evidence_ = std::move(evidence);
  return same;
}

void ops::throw_error(Code code, Where where, std::string message) {
  throw Error(code, where, std::move(message));
}

}  // namespace tutti
