// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "tutti/api/load.hpp"
#include "tutti/base/counted.hpp"
#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/program/program_inputs.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/cli/words/open_machine.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/run/machine.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"
#include "tutti/tensor/print.hpp"

namespace tutti::cli {
namespace {

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string type_text(const Tensor& tensor) { return to_string(Type(tensor.dtype(), tensor.shape())); }

bool is_archive(const std::string& path) { return path.ends_with(".npz"); }

/// Refuses names of files before anything is computed.
void require_files(const std::vector<std::string>& files, std::size_t results, const char* option) {
  const bool one_archive = files.size() == 1 && is_archive(files[0]);
  require(one_archive || files.size() <= results, Code::usage, "{} is given {} times; the program has {}",
          option, files.size(), counted(static_cast<std::int64_t>(results), "result"));
  for (const std::string& file : files)
    require(is_archive(file) ? one_archive : file.ends_with(".npy"), Code::usage,
            "{} {}: write results to .npy files, one each in order, or all to one .npz", option,
            excerpt(file));
}

void write_results(const std::vector<std::string>& files, const std::vector<LoadedArray>& names,
                   const Tensors& results) {
  if (files.size() == 1 && is_archive(files[0])) {
    NamedTensors arrays;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const bool is_new =
          std::ranges::none_of(arrays, [&](const auto& each) { return each.first == names[i].name; });
      arrays.emplace_back(is_new ? names[i].name : fmt::format("result{}", i), results[i]);
    }
    return write_npz(files[0], arrays);
  }
  for (std::size_t i = 0; i < files.size(); ++i) write_npy(files[i], results[i]);
}

struct Tolerance {
  double relative, absolute;
};

/// Compares a result with what was expected. Returns false if it differs by more than the tolerance.
bool as_expected(const std::string& name, const Tensor& found, Tensor wanted, const Tolerance& tolerance) {
  if (found.dtype() == DType::bf16 && wanted.dtype() == DType::u16) {
    Tensor bits(wanted.shape(), DType::bf16);
    std::memcpy(bits.mutable_bytes(), wanted.data(), bits.bytes());
    wanted = bits;
  }
  if (found == wanted) {
    fmt::print("{}: equal in all bits\n", name);
    return true;
  }
  if (found.dtype() != wanted.dtype() || found.shape() != wanted.shape()) {
    fmt::print("{}: {}, expected {}\n", name, type_text(found), type_text(wanted));
    return false;
  }
  const bool of_parts = is_complex(found.dtype());
  const auto part = [&](const Tensor& tensor, std::int64_t i) {
    if (!of_parts) return tensor.at(i);
    return tensor.dtype() == DType::complex64
               ? static_cast<double>(reinterpret_cast<const float*>(tensor.data())[i])
               : reinterpret_cast<const double*>(tensor.data())[i];
  };
  const std::int64_t count = found.elements() * (of_parts ? 2 : 1);
  double largest = 0, worst = 0;
  std::int64_t where = 0;
  for (std::int64_t i = 0; i < count; ++i)
    if (std::isfinite(part(wanted, i))) largest = std::max(largest, std::abs(part(wanted, i)));
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = part(found, i), y = part(wanted, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::abs(x - y);
    if (difference > worst || std::isnan(difference)) {
      worst = std::isnan(difference) ? HUGE_VAL : difference;
      where = i;
    }
  }
  const double allowed = tolerance.absolute + tolerance.relative * largest;
  fmt::print("{}: the largest difference is {:.3g}, at element {}: {:.9g}, expected {:.9g}; allowed {:.3g}\n",
             name, worst, of_parts ? where / 2 : where, part(found, where), part(wanted, where), allowed);
  return worst <= allowed;
}

bool all_as_expected(const RunArguments& arguments, const std::vector<LoadedArray>& names,
                     const Tensors& results) {
  Tensors wanted;
  if (arguments.expect.size() == 1 && is_archive(arguments.expect[0]))
    for (auto& [name, tensor] : read_npz(arguments.expect[0])) wanted.push_back(tensor);
  else
    for (const std::string& file : arguments.expect) wanted.push_back(read_npy(file));
  require(wanted.size() <= results.size(), Code::usage, "--expect has {}, the program has {}",
          counted(std::ssize(wanted), "array"), counted(std::ssize(results), "result"));
  bool all = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool of_floats = is_inexact(results[i].dtype());
    const Tolerance tolerance{arguments.rtol.value_or(of_floats ? 1e-5 : 0), arguments.atol};
    all = as_expected(names[i].name, results[i], wanted[i], tolerance) && all;
  }
  return all;
}

void print_results(const std::vector<LoadedArray>& names, const Tensors& results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    fmt::print("{}: {}\n{}\n", names[i].name, type_text(results[i]), to_string(results[i]));
}

void print_times(std::vector<double> calls) {
  std::ranges::sort(calls);
  const auto at = [&](double share) {
    return calls[static_cast<std::size_t>(share * static_cast<double>(calls.size() - 1))];
  };
  fmt::print("{}: min {:.3f} ms, median {:.3f} ms, p90 {:.3f} ms, max {:.3f} ms\n",
             counted(std::ssize(calls), "call"), calls.front(), at(0.5), at(0.9), calls.back());
}

std::vector<Array> placed(const Machine& machine, const std::vector<LoadedArray>& parameters,
                          const Tensors& inputs) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Array array(inputs[i]);
    arrays.push_back(parameters[i].spec ? machine.place(array, *parameters[i].spec) : array);
  }
  return arrays;
}

/// A result that lies on the processes of a machine comes to each of them.
Tensor whole(const Machine& machine, const Array& result) {
  return machine.processes() > 1 ? machine.place(result, P()).tensor() : result.tensor();
}

}  // namespace

int run(const RunArguments& arguments) {
  const MachineChoice choice = machine_of(arguments.machine);
  const auto start = Clock::now();
  LoadOptions options{.function = arguments.function, .platform_index = arguments.platform_index};
  if (!arguments.mesh.empty()) options.mesh = parse_mesh(arguments.mesh);
  const Loaded program = load(arguments.file, options);
  const double read = milliseconds_since(start);
  const std::vector<LoadedArray> parameters = program.parameters(), names = program.results();
  require_files(arguments.out, names.size(), "--out");
  require_files(arguments.expect, names.size(), "--expect");
  const Missing missing = arguments.random  ? Missing::random
                          : arguments.zeros ? Missing::zeros
                                            : Missing::refused;
  const Tensors inputs = inputs_of(program, {arguments.in, missing, arguments.seed});

  MachineOptions machine_options{.workers = arguments.workers,
                                 .storage = arguments.per_device ? Storage::per_device : Storage::by_type,
                                 .check_assumptions = arguments.check_assumptions,
                                 .trace = arguments.trace,
                                 .measure = arguments.explain,
                                 .check_nans = arguments.check_nans};
  const Machine machine = open_machine(choice, options.mesh.value_or(program.mesh()), machine_options);
  const auto before_compile = Clock::now();
  const std::vector<Array> arrays = placed(machine, parameters, inputs);
  const auto compiled = machine.compile(program, arrays);
  const double compile = milliseconds_since(before_compile);
  const auto before_call = Clock::now();
  std::vector<Array> results = compiled(arrays);
  Tensors tensors;
  for (const Array& result : results) tensors.push_back(whole(machine, result));
  const double first = milliseconds_since(before_call);

  std::vector<double> calls;
  for (int i = 1; i < arguments.repeat; ++i) {
    const auto before = Clock::now();
    results = compiled(arrays);
    if (!results.empty()) whole(machine, results[0]);
    calls.push_back(milliseconds_since(before));
  }
  if (machine.process() != 0) return 0;
  if (!arguments.out.empty()) write_results(arguments.out, names, tensors);
  else if (arguments.expect.empty() && arguments.repeat == 1) print_results(names, tensors);
  if (arguments.explain) fmt::print("{}", compiled.explain());
  if (arguments.repeat > 1) {
    fmt::print("read {:.1f} ms, compile {:.1f} ms, first call {:.3f} ms\n", read, compile, first);
    print_times(calls);
  }
  if (arguments.random) fmt::print("seed {}\n", arguments.seed);
  if (arguments.expect.empty() || all_as_expected(arguments, names, tensors)) return 0;
  return info(Code::check).exit_status;
}

}  // namespace tutti::cli
