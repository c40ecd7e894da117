// SPDX-License-Identifier: Apache-2.0
// "name"(operands) <{properties}> ({region}, ..) {attributes} : (types) -> types
#include "tests/kernels/parse/parser.hpp"

namespace tutti::kernels {

OpText Parser::generic_op() {
  OpText op;
  op.at = in_.peek().at;
  op.name = in_.quoted("the name of an op");
  in_.expect("(");
  if (!in_.sees(")")) op.operands = uses();
  in_.expect(")");
  if (in_.takes("<")) {
    read_dictionary(in_, op.attributes);
    in_.expect(">");
  }
  if (in_.takes("(")) {
    do block(op.regions.emplace_back());
    while (in_.takes(","));
    in_.expect(")");
  }
  if (in_.sees("{")) read_dictionary(in_, op.attributes);
  in_.expect(":");
  const std::size_t at = in_.peek().at;
  op.operand_types = read_types_in_brackets(in_);
  if (op.operand_types.size() != op.operands.size())
    in_.refuse_at(at, op.name + ": the text states another number of types than of operands");
  in_.expect("->");
  op.result_types = read_result_types(in_);
  op.states_results = true;
  return op;
}

}  // namespace tutti::kernels
