// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/source.hpp"

#include <algorithm>

#include "tutti/read/structure.hpp"
#include "tutti/stablehlo/parse/parse.hpp"

namespace tutti {

SourceModule::SourceModule(std::string text, std::string_view name)
    : text_(std::move(text)), name_(intern_name(name)), places_(text_) {
  stablehlo::Parsed parsed = stablehlo::parse(text_, name_);
  module_ = std::move(parsed.module);
  errors_ = std::move(parsed.errors);
  for (std::size_t i = 0; i < module_.functions.size(); ++i)
    functions_.try_emplace(module_.functions[i].name, i);
  if (errors_.empty()) errors_ = errors_of_structure(*this);
}

Where SourceModule::place(stablehlo::TextPosition position) const {
  if (position.byte > text_.size()) return {};
  return places_.place(text_, position.byte, name_);
}

Where SourceModule::place(const stablehlo::Operation& op) const {
  const Where innermost = stablehlo::place_of(op.location);
  return innermost.known() ? innermost : place(op.at);
}

Error SourceModule::error_at(stablehlo::TextPosition position, Code code, std::string message,
                             std::vector<std::string> advice) const {
  std::vector<std::string> notes;
  if (position.byte <= text_.size()) notes = mlir::marked_line(text_, position.byte);
  notes.insert(notes.end(), advice.begin(), advice.end());
  return {code, place(position), std::move(message), std::move(notes)};
}

Error SourceModule::marked(const Error& error, const stablehlo::Operation& op) const {
  const Where here = place(op.at), &found = error.where();
  const bool is_in_text = op.at.byte <= text_.size() && !stablehlo::place_of(op.location).known();
  const bool is_here = found.file == here.file && found.line == here.line && found.column == here.column;
  const bool is_marked =
      std::ranges::any_of(error.notes(), [](const std::string& note) { return note.ends_with('^'); });
  if (!is_in_text || is_marked || (found.known() && !is_here)) return error;
  std::string message = error.message();
  const std::string subject = op.name + ": ";  // the caller puts it there
  if (message.starts_with(subject)) message.erase(0, subject.size());
  else if (found.known()) return error;
  return error_at(op.at, error.code(), std::move(message), error.notes());
}

const stablehlo::Function* SourceModule::called(const stablehlo::Operation& op,
                                                std::string_view attribute) const {
  const auto* name = find_as<stablehlo::Symbol>(op.attributes, attribute);
  return name ? function(name->name) : nullptr;
}

const stablehlo::Function* SourceModule::function(std::string_view name) const {
  const auto found = functions_.find(std::string(name));
  return found == functions_.end() ? nullptr : &module_.functions[found->second];
}

}  // namespace tutti
