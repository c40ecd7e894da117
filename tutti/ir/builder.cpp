// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/builder.hpp"

#include <algorithm>
#include <atomic>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/pending.hpp"

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

}  // namespace

Builder::Builder() : Builder(Axes{}) {}

Builder::Builder(Axes captures_vary_over)
    : trace_(next_trace++), parent_(innermost), captures_vary_over_(std::move(captures_vary_over)) {
  if (parent_) cause_ = parent_->cause_;
  innermost = this;
}

Builder::~Builder() { innermost = parent_; }

Builder& Builder::current() {
  require(innermost != nullptr, Code::trace,
          "nothing is traced here; call it in a function that a machine compiles: auto run = "
          "machine.compile([](Array x) {{ return x + x; }}, x); Array y = run(x)");
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

Array Builder::input(Type type) {
  program_.inputs.push_back(new_variable(type));
  return var_array(program_.inputs.back());
}

Arrays Builder::add(const Op& op, const Arrays& operands) {
  Cause cause = cause_.value_or(Cause{{}, op->name()});
  Equation equation{op, {}, {}, cause.where};
  Arrays results;
  try {
    for (const Array& array : operands) equation.operands.push_back(resolve(array));
    for (Type type : op->infer(program_.types_of(equation.operands))) {
      equation.results.push_back(new_variable(type));
      results.push_back(var_array(equation.results.back()));
    }
  } catch (const Error& error) {
    throw error.at(cause.where, cause.name);
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
    return captured_values_[key] = capture(parent_->var_array(outer), parent_->program_.type(outer));
  }
  std::shared_ptr<const GlobalArray> data = array.finished();
  if (parent_) return resolve(parent_->own(array));
  if (auto it = captured_data_.find(data.get()); it != captured_data_.end()) return it->second;
  return captured_data_[data.get()] = capture(array, data->type());
}

void Builder::refuse_futures(const Arrays& arguments) {
  for (const Array& array : arguments)
    if (array.traced() && type_of(*array.traced()).in_flight()) refuse_future(program_, resolve(array));
}

Var Builder::capture(const Array& outer, Type type) {
  if (type.in_flight()) refuse_future(parent_->program_, outer.traced()->var);
  captured_.push_back(outer);
  program_.inputs.push_back(new_variable(type.with(captures_vary_over_, State::varying)));
  return program_.inputs.back();
}

Var Builder::new_variable(Type type) {
  program_.types.push_back(type);
  return static_cast<Var>(program_.types.size()) - 1;
}

Program Builder::finish(const Arrays& outputs) {
  for (const Array& array : outputs) program_.outputs.push_back(resolve(array));
  return std::move(program_);
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

TracedProgram trace(const Types& types, const std::function<Arrays(const Arrays&)>& function) {
  Builder builder;
  Arrays inputs;
  for (Type type : types) inputs.push_back(builder.input(type));
  Program program = builder.finish(function(inputs));
  require_finished(program);
  return {std::move(program), Arrays(builder.captured().begin(), builder.captured().end())};
}

Arrays inline_program(const Program& program, const Arrays& arguments) {
  Builder& builder = Builder::current();
  std::vector<Array> values(program.types.size());
  auto value = [&](Var var) -> Array& { return values[static_cast<std::size_t>(var)]; };
  ensure(arguments.size() == program.inputs.size(), "{} for a program of {}",
         counted(std::ssize(arguments), "argument"), counted(std::ssize(program.inputs), "input"));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ensure(arguments[i].type() == program.type(program.inputs[i]), "argument {} is {}, the program takes {}",
           i, to_string(arguments[i].type()), to_string(program.type(program.inputs[i])));
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
