// SPDX-License-Identifier: Apache-2.0
// Facts about an op, found by asking its rules and trying its examples.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/run/watch/report.hpp"
#include "tutti/types/state.hpp"

namespace tutti::cli {

Types types_of(const Example& example);
/// One equation on inputs of these types. What is started is finished.
Program program_of(const Op& op, const Types& operands);

/// The example of an op that is shown: the first in which devices do not all hold the same, or else its
/// first.
const Example& shown_example(const OpRow& row);
/// The names that users call an op by: "psum", "pmean"; the operators as "x + y".
std::vector<std::string> front_ends(const OpRow& row);
/// The ops that are the same code under other names: exp, log, ..; empty if it stands alone.
std::vector<std::string> family(const OpRow& row);
/// "f32[3,2] -> f32[3,2,2]" of the examples, each form once, with one of its dtypes.
std::vector<std::string> shapes(const OpRow& row);
/// Those that operands may have.
std::vector<std::string> dtypes(const OpRow& row);

/// The result of operands in these states along one axis: the state of the result ("V"; for several results
/// "V, I"), or "-" if they are refused.
struct StatesOutcome {
  std::vector<State> operands;  // one per operand, or one for all operands
  std::string result;
  std::string refusal;
};
/// The outcomes along axes with the same outcomes, implicit casts included.
struct StatesAlong {
  Axes axes;
  std::vector<StatesOutcome> outcomes;
};
/// Empty for an op without operands.
std::vector<StatesAlong> accepted_states(const Example& example);

/// The StableHLO operations that the example becomes, each once, in the order of their first use.
std::vector<std::string> lowered(const Example& example);

/// The ops that the example is when its text is read again, each once; casts are no part of a text.
/// Throws S002 if the text is not run here.
std::vector<std::string> read_again(const Example& example);

/// The example as a program, and what transforms make of it; of a transform that is refused the reason.
std::string program_text(const Example& example);
std::string jvp_text(const Example& example);
std::string gradient_text(const Example& example);
/// The program of a psum or psum_scatter of a value that is equal on all devices, with what is wrong with it
/// if the value is to count once. Empty for the names of other functions, pmean among them.
std::string equal_value_text(std::string_view name);
/// The batched example per batch axis: "a, one of its own axes", "c". Empty for an op that is the same in
/// every lane.
std::vector<std::pair<std::string, std::string>> batched_texts(const Example& example);

/// The value of a variable of the example's program at one position: {"%1", "a=0", "[1. 2.]"}. At "" all
/// devices hold it.
struct ShownValue {
  std::string variable, position, value;
};
/// Why an example is not run here: "R004: fft: this library was built without ducc ..".
struct NotRun {
  std::string why;
};
struct ShownRun {
  std::string machine;  // "a=2,b=2,c=2" of virtual devices, "8 cpu devices of XLA (a=2,b=2,c=2)"
  std::variant<std::vector<ShownValue>, NotRun> outcome;
};
/// Runs the example on virtual devices. `trace`: the file for a timeline of that run; empty: none.
/// NotRun if the op needs a library that is not in this build.
/// Throws R001 if the timeline cannot be written.
ShownRun run_locally(const Example& example, const std::string& trace);
/// The rows of the example, with the numbers of every device.
Report report_of(const Example& example);
/// Runs the example on the devices of a PJRT plugin, on the same values. Throws what open_xla and its
/// programs throw.
ShownRun run_on_xla(const Example& example, const std::string& plugin);

}  // namespace tutti::cli
