// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/base/where.hpp"

namespace tutti {

/// The kind of error, in families: program (T), a text that is read (S), the run and its files (R), our own
/// bug (I).
enum class Code {
  // T: the program is wrong
  axis_unbound,
  axis_shadowed,
  axis_repeated,
  state,
  shape,
  dim,
  dtype,
  number,
  groups,
  refused_rule,
  trace,
  tree,
  spec,
  mesh,
  argument,
  future,
  // S: a text that is read
  text,
  unsupported,
  // R: the run or its files
  file,
  usage,
  memory,
  device,
  data,
  check,
  peer,
  stopped,
  // I: our bug
  internal,
};

}  // namespace tutti

namespace tutti::internal {

/// One row per code: its label, exit status of the tool, and what it means.
struct CodeInfo {
  Code code;
  std::string_view label;  // "T001"
  std::string_view name;   // "axis_unbound"
  int exit_status;
  std::string_view meaning;
};
const CodeInfo& info(Code code);
std::span<const CodeInfo> all_codes();

/// Facts that were known where an error was thrown, for reports. Layers above derive from it.
class Evidence {
 public:
  Evidence() = default;
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;
  virtual ~Evidence() = default;
};

}  // namespace tutti::internal

namespace tutti {

/// The one exception of the library. what() = "file:line: message", then the notes, one a line.
class Error : public std::runtime_error {
 public:
  Error(Code code, Where where, std::string message, std::vector<std::string> notes = {});

  /// The code, for a switch over kinds of errors: `error.code() == Code::shape`.
  Code code() const { return code_; }
  /// The label of the code, as docs/errors.md and `tutti explain` name it: "T001".
  std::string_view label() const;
  /// The exit status of a program that ends with this error; docs/errors.md has them.
  int exit_status() const;
  /// The parts of what(): where() is the file and line of the user's call, message() the sentence without
  /// them, notes() the lines below it.
  const Where& where() const { return where_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& notes() const { return notes_; }

  /// The same error with what it lacks: a place, and `subject: ` before the message.
  Error at(const Where& where, std::string_view subject = {}) const;

  /// The same error with this evidence in place of its own.
  Error with(std::shared_ptr<const internal::Evidence> evidence) const;
  /// Null if there is none.
  const std::shared_ptr<const internal::Evidence>& evidence() const { return evidence_; }

 private:
  Error(Code code, Where where, std::string message, std::vector<std::string> notes, bool has_subject);

  Code code_;
  Where where_;
  std::string message_;
  std::vector<std::string> notes_;
  bool has_subject_ = false;
  std::shared_ptr<const internal::Evidence> evidence_;
};

}  // namespace tutti
