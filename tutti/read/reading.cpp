// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/reading.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/read/structure.hpp"

namespace tutti {
namespace {

constexpr int most_calls = 200;  // one inside of the other

}  // namespace

ReadValue& Reading::value(stablehlo::Value value) {
  const auto id = static_cast<std::size_t>(value.id);
  if (id >= values_.size()) values_.resize(id + 1);
  return values_[id];
}

const ReadValue& Reading::value(stablehlo::Value value) const {
  return values_[static_cast<std::size_t>(value.id)];
}

ReadValue Reading::value_if_known(stablehlo::Value value) const {
  const auto id = static_cast<std::size_t>(value.id);
  return id < values_.size() ? values_[id] : ReadValue{};
}

Arrays Reading::function(const stablehlo::Function& function, const Arrays& arguments) {
  if (function.is_declaration)
    fail(Code::unsupported, "@{} has no body; export it together with the functions that it calls",
         function.name);
  if (budget_.calls == most_calls)
    fail(Code::unsupported, "the calls of @{} are {} deep: a recursion, or a chain that is too long here",
         function.name, most_calls);
  ++budget_.calls;
  Arrays results = Reading(options_, budget_, bound_).block(function.body, arguments);
  --budget_.calls;
  return results;
}

Arrays Reading::block(const stablehlo::Block& block, const Arrays& arguments) {
  if (arguments.size() != block.arguments.size())
    fail(Code::text, "{} for a block of {}", counted(std::ssize(arguments), "argument"),
         block.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    value(block.arguments[i]) = {arguments[i], {}, {}, {}, nullptr};
  for (const stablehlo::Operation& op : block.operations) {
    if (is_terminator(op.name)) {
      Arrays results;
      for (const stablehlo::Value operand : op.operands) results.push_back(*value(operand).array);
      return results;
    }
    operation(op);
  }
  return {};
}

void Reading::set_results(const stablehlo::Operation& op, const Arrays& results) {
  if (results.size() != op.results.size())
    fail(Code::text, "it gives {}, but the text has {}", counted(std::ssize(results), "array"),
         counted(std::ssize(op.results), "result"));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Type& found = results[i].type();
    if (!is_type(op.result_types[i], found.dtype(), found.shape()))
      fail(Code::shape, "the result is {}, but the text says {}",
           to_string(Type(found.dtype(), found.shape())), to_string(type_of(op.result_types[i])));
    ReadValue& value = this->value(op.results[i]);
    value.array = results[i];
    value.made_by = &op;
  }
}

void Reading::operation(const stablehlo::Operation& op) {
  const OperationRow* row = row_of(op.name);
  const Where where = source().place(op);
  const auto read = [&] {
    require(row && row->read, Code::unsupported, "{} is not run here", op.name);
    require(--budget_.operations > 0, Code::unsupported,
            "the calls of this program make more than 10 million operations; call functions in loops");
    for (const stablehlo::Value result : op.results) value(result) = {};
    try {
      set_results(op, row->read(OpReader(*this, op)));
    } catch (const Error& error) {
      throw source().marked(error, op);
    }
  };
  if (row && !row->has_inner_places) return front_end(op.name, where, read);
  try {
    read();
  } catch (const Error& error) {
    throw error.at(where, op.name);
  }
}

}  // namespace tutti
