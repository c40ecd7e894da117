// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tutti/api/load.hpp"
#include "tutti/base/counted.hpp"
#include "tutti/base/error.hpp"
#include "tutti/cli/program/expected.hpp"
#include "tutti/cli/program/program_inputs.hpp"
#include "tutti/cli/program/result_files.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/cli/words/open_machine.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/cli/words/words.hpp"
#include "tutti/page/save_page.hpp"
#include "tutti/run/machine.hpp"
#include "tutti/tensor/files/whole_file.hpp"
#include "tutti/tensor/print.hpp"

namespace tutti::cli {
namespace {

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void print_results(const std::vector<LoadedArray>& names, const Tensors& results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    fmt::print("{}: {}\n{}\n", names[i].name, type_text(results[i].shape(), results[i].dtype()),
               to_string(results[i]));
}

struct Times {
  double read = 0, compile = 0, first_call = 0;
  std::vector<double> calls = {};  // those after the first
};

void print_times(Times times) {
  fmt::print("read {:.1f} ms, compile {:.1f} ms, first call {:.3f} ms\n", times.read, times.compile,
             times.first_call);
  std::ranges::sort(times.calls);
  const auto at = [&](double share) {
    return times.calls[static_cast<std::size_t>(share * static_cast<double>(times.calls.size() - 1))];
  };
  fmt::print("{}: min {:.3f} ms, median {:.3f} ms, p90 {:.3f} ms, max {:.3f} ms\n",
             counted(std::ssize(times.calls), "call"), times.calls.front(), at(0.5), at(0.9),
             times.calls.back());
}

std::vector<Array> placed(const Machine& machine, const std::vector<LoadedArray>& parameters,
                          const Tensors& inputs) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Array array(inputs[i]);
    arrays.push_back(parameters[i].spec ? machine.place(array, *parameters[i].spec, Where{}) : array);
  }
  return arrays;
}

/// A result that lies on the processes of a machine comes to each of them.
Tensor whole(const Machine& machine, const Array& result) {
  return machine.processes() > 1 ? machine.place(result, P(), Where{}).tensor(Where{})
                                 : result.tensor(Where{});
}

/// The command line without --in: "tutti run step.mlir".
std::string command_of(const RunArguments& arguments) {
  std::string command = "tutti run " + shell_word(arguments.file);
  if (arguments.function != "main") command += " --function " + shell_word(arguments.function);
  if (!arguments.mesh.empty()) command += " --mesh " + shell_word(arguments.mesh);
  return command;
}

InputWords input_words(const RunArguments& arguments) {
  const Missing missing = arguments.random  ? Missing::random
                          : arguments.zeros ? Missing::zeros
                                            : Missing::refused;
  return {arguments.in, missing, arguments.seed, command_of(arguments)};
}

MachineOptions machine_options(const RunArguments& arguments) {
  return {.workers = arguments.workers,
          .storage = arguments.per_device ? Storage::per_device : Storage::by_type,
          .check_assumptions = arguments.check_assumptions,
          .trace = arguments.trace,
          .measure = arguments.explain || !arguments.page.empty(),
          .check_nans = arguments.check_nans};
}

int run_program(const RunArguments& arguments) {
  const MachineChoice choice = machine_of(arguments.machine);
  const auto start = Clock::now();
  LoadOptions options{.function = arguments.function, .platform_index = arguments.platform_index};
  if (!arguments.mesh.empty()) options.mesh = parse_mesh(arguments.mesh);
  const Loaded program = load(arguments.file, options);
  Times times{.read = milliseconds_since(start)};
  const std::vector<LoadedArray> parameters = program.parameters(), names = program.results();
  require_files(arguments.out, names.size(), "--out");
  require_files(arguments.expect, names.size(), "--expect");
  require_different(arguments.out);
  if (number_of_started_process() == 0) {
    require_writable_results(arguments.out);
    if (!arguments.page.empty()) require_writable(arguments.page, ".html", SpecialFile::allowed, Where{});
  }
  const Tensors inputs = inputs_of(program, input_words(arguments));
  const Expected expected = read_expected(arguments.expect, names);

  const Machine machine =
      open_machine(choice, options.mesh.value_or(program.mesh()), machine_options(arguments));
  const auto before_compile = Clock::now();
  const std::vector<Array> arrays = placed(machine, parameters, inputs);
  const auto compiled = machine.compile(program, arrays, Where{});
  times.compile = milliseconds_since(before_compile);
  const auto before_call = Clock::now();
  std::vector<Array> results = compiled(arrays, Where{});
  Tensors tensors;
  for (const Array& result : results) tensors.push_back(whole(machine, result));
  times.first_call = milliseconds_since(before_call);
  for (int i = 1; i < arguments.repeat; ++i) {
    const auto before = Clock::now();
    results = compiled(arrays, Where{});
    if (!results.empty()) whole(machine, results[0]);
    times.calls.push_back(milliseconds_since(before));
  }

  if (machine.process() != 0) return 0;
  if (!arguments.out.empty()) write_results(arguments.out, names, tensors);
  else if (arguments.expect.empty() && arguments.repeat == 1) print_results(names, tensors);
  if (arguments.explain) fmt::print("{}", compiled.explain());
  if (!arguments.page.empty()) save_page(arguments.page, compiled, Where{});
  if (arguments.repeat > 1) print_times(times);
  if (arguments.random) fmt::print("seed {}\n", arguments.seed);
  const Tolerance tolerance{arguments.rtol, arguments.atol};
  if (arguments.expect.empty() || all_as_expected(expected, names, tensors, tolerance)) return 0;
  return info(Code::check).exit_status;
}

}  // namespace

int run(const RunArguments& arguments) try { return run_program(arguments); } catch (const Error& error) {
  const bool is_of_program = error.label().starts_with('T') || error.label().starts_with('S');
  if (!arguments.page.empty() && is_of_program && number_of_started_process() == 0) try {
      save_page(arguments.page, error, Where{});
    } catch (const Error& of_page) {
      std::vector<std::string> notes = error.notes();
      notes.push_back("its page is missing: " + of_page.message());
      throw Error(error.code(), error.where(), error.message(), notes);
    }
  throw;
}

}  // namespace tutti::cli
