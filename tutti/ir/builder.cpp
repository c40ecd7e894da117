// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/builder.hpp"

#include <algorithm>
#include <atomic>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/stack.hpp"
#include "tutti/ir/refused_trace.hpp"

namespace tutti {
namespace {

thread_local Builder* innermost = nullptr;  // the project's one ambient state: the current trace
std::atomic<std::uint64_t> next_trace{1};

[[noreturn]] void fail_escaped() {
  fail(Code::trace,
       "this array is from a function whose trace has ended; return it from there instead of storing it");
}

[[noreturn]] void refuse_future(const Program& outside, Var future) {
  std::vector<std::string> notes;
  for (const Equation& equation : outside.equations)
    if (std::ranges::count(equation.results, future) > 0 && equation.where.known())
      notes.push_back("it was started at " + to_string(equation.where));
  throw Error(
      Code::future, {},
      "a future from outside cannot be used in this function; call .done() where it was started, and use "
      "the array",
      notes);
}

// Far more than programs need, and, with the frames of users' functions, far less than fits 8 MiB of stack.
constexpr int most_open_traces = 500;

void refuse_endless_calls(int open_traces) {
  require(
      open_traces <= most_open_traces, Code::trace,
      "{} functions are traced inside of each other, so one seems to call itself without end; let a number "
      "of C++ end it. A rule may call the function that it belongs to, but not differentiate it",
      most_open_traces);
  require(!stack_is_nearly_full(), Code::trace,
          "the stack of this thread is nearly full, so a function seems to call itself without end; let a "
          "number of C++ end it, or give the thread a larger stack");
}

}  // namespace

Builder::Builder() : Builder(Axes{}) {}

Builder::Builder(Axes captures_vary_over, std::optional<int> derivatives)
    : trace_(next_trace++),
      parent_(innermost),
      depth_(parent_ ? parent_->depth_ + 1 : 1),
      derivatives_(derivatives.value_or(parent_ ? parent_->derivatives_ : 0)),
      captures_vary_over_(std::move(captures_vary_over)) {
  refuse_endless_calls(depth_);
  if (parent_) cause_ = parent_->cause_;
  innermost = this;
}

Builder::~Builder() { innermost = parent_; }

Builder& Builder::current() {
  require(innermost != nullptr, Code::trace,
          "nothing is traced here; call it in a function that a machine compiles: auto run = "
          "machine.compile([](Array x) {{ return x + x; }}, x); Array y = run(x)");
  refuse_endless_calls(innermost->depth_);
  return *innermost;
}

Builder* Builder::current_or_null() { return innermost; }

Where Builder::place_or(Where where) {
  return innermost && innermost->cause_ ? innermost->cause_->where : where;
}

Type Builder::type_of(Array::Traced value) {
  for (Builder* builder = innermost; builder; builder = builder->parent_)
    if (builder->trace_ == value.trace) return builder->program_.type(value.var);
  fail_escaped();
}

Array Builder::input(Type type, bool moves) {
  program_.inputs.push_back(new_variable(type, moves));
  return var_array(program_.inputs.back());
}

Arrays Builder::add(const Op& op, const Arrays& operands) {
  Cause cause = cause_.value_or(Cause{{}, op->name()});
  Equation equation{op, {}, {}, cause.where};
  Arrays results;
  try {
    for (const Array& array : operands) equation.operands.push_back(resolve(array));
    const bool moves = std::ranges::any_of(equation.operands,
                                           [&](Var var) { return moves_[static_cast<std::size_t>(var)]; });
    for (Type type : op->infer(program_.types_of(equation.operands))) {
      equation.results.push_back(new_variable(type, moves));
      results.push_back(var_array(equation.results.back()));
    }
  } catch (const Error& error) {
    throw with_refused_op(error.at(cause.where, cause.name), op, equation.operands);
  }
  program_.equations.push_back(std::move(equation));
  return results;
}

Var Builder::resolve(const Array& array) {
  if (const Array::Traced* traced = array.traced()) {
    if (traced->trace == trace_) return traced->var;
    if (!parent_) fail_escaped();
    Var outer = parent_->resolve(array);
    auto key = std::pair{parent_->trace_, outer};
    if (auto it = captured_values_.find(key); it != captured_values_.end()) return it->second;
    const bool moves = parent_->moves_[static_cast<std::size_t>(outer)];
    return captured_values_[key] = capture(parent_->var_array(outer), parent_->program_.type(outer), moves);
  }
  std::shared_ptr<const GlobalArray> data = array.finished();
  if (parent_) return resolve(parent_->own(array));
  if (auto it = captured_data_.find(data.get()); it != captured_data_.end()) return it->second;
  return captured_data_[data.get()] = capture(array, data->type(), false);
}

void Builder::refuse_futures(const Arrays& arguments) {
  for (const Array& array : arguments)
    if (array.traced() && type_of(*array.traced()).in_flight()) refuse_future(program_, resolve(array));
}

Var Builder::capture(const Array& outer, Type type, bool moves) {
  if (type.in_flight()) refuse_future(parent_->program_, outer.traced()->var);
  captured_.push_back(outer);
  program_.inputs.push_back(new_variable(type.with(captures_vary_over_, State::varying), moves));
  return program_.inputs.back();
}

Var Builder::new_variable(Type type, bool moves) {
  program_.types.push_back(type);
  moves_.push_back(moves && derivatives_ > 0 && is_inexact(type.dtype()));
  return static_cast<Var>(program_.types.size()) - 1;
}

Program Builder::finish(const Arrays& outputs) {
  for (const Array& array : outputs) program_.outputs.push_back(resolve(array));
  return std::move(program_);
}

std::vector<bool> Builder::moving(const Arrays& arrays) {
  std::vector<bool> all;
  for (const Array& array : arrays) all.push_back(moves(array));
  return all;
}

Var Builder::cast_once(Var from, const AxisStates& to, const std::function<Var()>& make) {
  for (const auto& [states, var] : casts_[from])
    if (states == to) return var;
  Var made = make();
  casts_[from].emplace_back(to, made);
  return made;
}

Builder::OnBehalf::OnBehalf(Builder& builder, Cause cause, bool replaces)
    : builder_(builder), saved_(builder.cause_) {
  if (!saved_ || replaces) builder_.cause_ = cause;
}

Builder::OnBehalf::~OnBehalf() { builder_.cause_ = saved_; }

Builder::Bound::Bound(Builder& builder, const Axes& axes) : builder_(builder), count_(axes.size()) {
  Axes before = builder.bound_axes();
  for (const Axis& axis : axes)
    for (const Axis& other : before)
      require(axis.name != other.name, Code::axis_shadowed,
              "axis '{}' is bound here already by an enclosing shard_map or vmap; give this one another name",
              axis.name);
  builder_.bound_.insert(builder_.bound_.end(), axes.begin(), axes.end());
}

Builder::Bound::~Bound() { builder_.bound_.resize(builder_.bound_.size() - count_); }

Axes Builder::bound_axes() const {
  Axes all = parent_ ? parent_->bound_axes() : Axes{};
  all.insert(all.end(), bound_.begin(), bound_.end());
  return all;
}

TracedProgram ops::trace(const Types& types, const std::function<Arrays(const Arrays&)>& function,
                         const Builder::Differentiated& later) {
  Builder builder(Axes{}, later.often);
  Arrays inputs;
  for (std::size_t i = 0; i < types.size(); ++i)
    inputs.push_back(builder.input(types[i], later.moving.empty() || later.moving[i]));
  Program program = finished_program(builder, [&] { return function(inputs); });
  return {std::move(program), Arrays(builder.captured().begin(), builder.captured().end())};
}

Arrays ops::inline_program(const Program& program, const Arrays& arguments) {
  Builder& builder = Builder::current();
  std::vector<Array> values(program.types.size());
  auto value = [&](Var var) -> Array& { return values[static_cast<std::size_t>(var)]; };
  ensure(arguments.size() == program.inputs.size(), "{} for a program of {}",
         counted(std::ssize(arguments), "argument"), counted(std::ssize(program.inputs), "input"));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ensure(arguments[i].type() == program.type(program.inputs[i]), "argument {} is {}, the program takes {}",
           i, arguments[i].type(), program.type(program.inputs[i]));
    value(program.inputs[i]) = arguments[i];
  }
  for (const Equation& equation : program.equations) {
    auto place = builder.replaying(equation);
    Arrays operands;
    for (Var var : equation.operands) operands.push_back(value(var));
    Arrays results = builder.add(equation.op, operands);
    for (std::size_t i = 0; i < results.size(); ++i) value(equation.results[i]) = results[i];
  }
  Arrays outputs;
  for (Var var : program.outputs) outputs.push_back(value(var));
  return outputs;
}

}  // namespace tutti
