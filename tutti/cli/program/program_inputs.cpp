// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/program/program_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

#include "tutti/base/counted.hpp"
#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/similar_names.hpp"
#include "tutti/cli/program/result_files.hpp"
#include "tutti/cli/words/words.hpp"
#include "tutti/tensor/files/archive.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/types/dtype.hpp"
#include "tutti/types/type.hpp"

namespace tutti::cli {
namespace {

/// "2x3xf32", taken apart.
struct TypeWord {
  std::vector<std::int64_t> sizes;
  std::string_view dtype;  // what follows the sizes, also if it is no dtype
};

TypeWord taken_apart(std::string_view word) {
  std::vector<std::int64_t> sizes;
  while (true) {
    const std::size_t cross = word.find('x');
    if (cross == std::string_view::npos || cross == 0) break;
    std::int64_t size = 0;
    if (!reads(word.substr(0, cross), size) || size < 0) break;
    sizes.push_back(size);
    word.remove_prefix(cross + 1);
  }
  return {std::move(sizes), word};
}

/// The type that a word is: none if it is no type.
std::optional<std::pair<Shape, DType>> type_in(std::string_view word) {
  const TypeWord parts = taken_apart(word);
  const auto dtype = dtype_named(parts.dtype);
  if (!dtype) return std::nullopt;
  return std::pair{Shape(parts.sizes), *dtype};
}

/// True if the dtype, bool or an integer, has this number.
bool has(DType dtype, std::int64_t number) {
  if (dtype == DType::boolean) return number == 0 || number == 1;
  const int bits = static_cast<int>(8 * bytes_per_element(dtype));
  const std::int64_t half = bits == 64 ? 0 : std::int64_t{1} << (bits - 1);
  if (is_unsigned(dtype)) return number >= 0 && (bits == 64 || number < 2 * half);
  return bits == 64 || (number >= -half && number < half);
}

/// "0.5", or one number for each element: "1,2,3".
Tensor written_tensor(const Shape& shape, DType dtype, std::string_view values, const std::string& word) {
  require(!is_complex(dtype), Code::usage, "--in {}: complex numbers come from files", excerpt(word));
  Tensors scalars;
  while (true) {
    const std::size_t end = std::min(values.find_first_of(", "), values.size());
    const std::string_view number = values.substr(0, end);
    double value = 0;
    std::int64_t whole = 0;
    const bool is_bool = dtype == DType::boolean && (number == "true" || number == "false");
    if (is_bool) scalars.push_back(Tensor::scalar_of(dtype, std::int64_t{number == "true"}));
    else if (!is_float(dtype) && reads(number, whole) && has(dtype, whole))
      scalars.push_back(Tensor::scalar_of(dtype, whole));
    else if (is_float(dtype) && reads(number, value)) scalars.push_back(Tensor::scalar_of(dtype, value));
    else fail(Code::usage, "--in {}: '{}' is no number of {}", excerpt(word), excerpt(number), name(dtype));
    if (end == values.size()) break;
    values.remove_prefix(end + 1);
  }
  if (scalars.size() == 1) return Tensor::full(shape, scalars[0], Where{});
  require(std::ssize(scalars) == shape.elements(), Code::usage, "--in {}: {} for {}", excerpt(word),
          counted(std::ssize(scalars), "number"), type_text(shape, dtype));
  Tensor tensor(shape, dtype, Where{});
  for (std::size_t i = 0; i < scalars.size(); ++i)
    std::memcpy(tensor.mutable_bytes() + i * scalars[i].bytes(), scalars[i].data(), scalars[i].bytes());
  return tensor;
}

/// Arrays that one word gives: names only from an archive.
struct Given {
  std::string name;  // empty: the next parameter in order
  Tensor tensor;
  std::string word;
};

/// The colon between an archive and a name in it: "all.npz:w", "all.safetensors:w"; npos if there is none.
std::size_t colon_after_archive(std::string_view path) {
  for (std::size_t at = path.find(':'); at != path.npos; at = path.find(':', at + 1))
    if (is_archive(std::string(path.substr(0, at)))) return at;
  return path.npos;
}

/// The file of "all.npz:w" and of "x.npy".
std::string file_in(const std::string& path) { return path.substr(0, colon_after_archive(path)); }

std::vector<Given> arrays_of_archive(const std::string& path, const std::string& word) {
  const std::size_t colon = colon_after_archive(path);
  const std::string file = file_in(path);
  NamedTensors arrays = read_archive(file, {}, Where{});
  std::vector<Given> given;
  if (colon == std::string::npos) {
    for (auto& [name, tensor] : arrays) given.push_back({name, std::move(tensor), word});
    return given;
  }
  const std::string wanted = path.substr(colon + 1);
  for (auto& [name, tensor] : arrays)
    if (name == wanted) return {{"", std::move(tensor), word}};
  std::vector<std::string> names;
  for (const auto& [name, tensor] : arrays) names.push_back(name);
  fail(Code::file, "'{}' has no array '{}'; it has {}", excerpt(file), excerpt(wanted),
       fmt::format("{}", fmt::join(names, ", ")));
}

/// The parameter of this name; also "arg3" and numpy.savez's "arr_3" for the one with that number.
std::optional<std::size_t> parameter_named(const std::vector<LoadedArray>& parameters,
                                           std::string_view name) {
  const auto named = std::ranges::find(parameters, name, &LoadedArray::name);
  if (named != parameters.end()) return static_cast<std::size_t>(named - parameters.begin());
  for (const std::string_view prefix : {"arg", "arr_"}) {
    std::size_t number = 0;
    if (name.starts_with(prefix) && reads(name.substr(prefix.size()), number) && number < parameters.size())
      return number;
  }
  return std::nullopt;
}

/// The parameters, and below them a command to copy, if there is one.
[[noreturn]] void refuse(const Loaded& program, const std::string& why, const std::string& command = "") {
  std::vector<std::string> notes{"the program takes:"};
  for (const std::string& line : lines_of(program.parameters())) notes.push_back("  " + line);
  if (!command.empty()) notes.push_back(command);
  throw Error(Code::argument, {}, why, std::move(notes));
}

[[noreturn]] void refuse_unknown_name(const Loaded& program, const std::string& word, std::string_view name) {
  std::vector<std::string> names;
  for (const LoadedArray& each : program.parameters()) names.push_back(each.name);
  const std::vector<std::string> similar = similar_names(name, names);
  refuse(program, fmt::format("--in {}: the program has no parameter '{}'{}", excerpt(word), excerpt(name),
                              similar.empty() ? "" : fmt::format("; is it '{}'?", similar[0])));
}

bool begins_with_number(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of(", "));
  double number = 0;
  return first == "true" || first == "false" || reads(first, number);
}

/// Refuses "x=x.npy" and "2x3xf32=1" if what stands before the "=" is neither a parameter nor a type.
[[noreturn]] void refuse_left_of_equals(const Loaded& program, const std::string& word, std::string_view left,
                                        std::string_view right) {
  const TypeWord type = taken_apart(left);
  require(type.sizes.empty() && !begins_with_number(right), Code::usage,
          "--in {}: there is no dtype '{}'; use one of {}", excerpt(word), excerpt(type.dtype),
          dtype_names());
  refuse_unknown_name(program, word, left);
}

/// The arrays of `rest`, which is the word without the name of a parameter.
std::vector<Given> arrays_of(const Loaded& program, const std::string& rest, const std::string& word) {
  const std::size_t equals = rest.find('=');
  if (equals != std::string::npos) {
    const std::string_view left = std::string_view(rest).substr(0, equals);
    const std::string_view right = std::string_view(rest).substr(equals + 1);
    if (const auto type = type_in(left))
      return {{"", written_tensor(type->first, type->second, right, word), word}};
    std::error_code ignored;
    const bool is_path = std::filesystem::exists(file_in(rest), ignored);  // "run=1/x.npy"
    if (!is_path) refuse_left_of_equals(program, word, left, right);
  }
  if (is_archive(file_in(rest))) return arrays_of_archive(rest, word);
  return {{"", read_npy(rest, Where{}), word}};
}

std::vector<Given> given_by(const Loaded& program, const std::string& word) {
  const std::string left = word.substr(0, word.find('='));
  const bool is_named =
      left.size() < word.size() && !type_in(left) && parameter_named(program.parameters(), left);
  if (!is_named) return arrays_of(program, word, word);
  std::vector<Given> all = arrays_of(program, word.substr(left.size() + 1), word);
  if (all.size() == 1) all[0].name = left;
  return all;
}

Tensor random_tensor(const Shape& shape, DType dtype, std::mt19937_64& numbers) {
  Tensor tensor(shape, dtype, Where{});
  const auto bytes = bytes_per_element(dtype);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double uniform = static_cast<double>(numbers() >> 11) * 0x1p-53;
    const auto put = [&](const Tensor& scalar, std::size_t at) {
      std::memcpy(tensor.mutable_bytes() + static_cast<std::size_t>(i) * bytes + at, scalar.data(),
                  scalar.bytes());
    };
    if (is_complex(dtype)) {
      const DType part = dtype == DType::complex64 ? DType::f32 : DType::f64;
      put(Tensor::scalar_of(part, 2 * uniform - 1), 0);
      put(Tensor::scalar_of(part, 2 * static_cast<double>(numbers() >> 11) * 0x1p-53 - 1), bytes / 2);
    } else if (is_float(dtype)) {
      put(Tensor::scalar_of(dtype, 2 * uniform - 1), 0);
    } else {
      put(Tensor::scalar_of(dtype, static_cast<std::int64_t>(uniform * (dtype == DType::boolean ? 2 : 8))),
          0);
    }
  }
  return tensor;
}

/// The command with what is missing: "tutti run step.mlir --in w.npy --in arg1=FILE.npy".
std::string completed_command(const InputWords& words, const std::vector<LoadedArray>& parameters,
                              const std::vector<std::optional<Tensor>>& found) {
  std::string command = words.command;
  for (const std::string& word : words.in) command += " --in " + shell_word(word);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (found[i]) continue;
    const std::string& name = parameters[i].name;
    const bool can_be_named = name.find('=') == std::string::npos && name == excerpt(name) &&
                              !type_in(name) && parameter_named(parameters, name) == i;
    command += " --in " + shell_word((can_be_named ? name : fmt::format("arg{}", i)) + "=FILE.npy");
  }
  return command;
}

/// The arrays that were found, and those that stand for missing ones.
Tensors completed(const Loaded& program, const InputWords& words,
                  const std::vector<std::optional<Tensor>>& found) {
  const std::vector<LoadedArray> parameters = program.parameters();
  std::mt19937_64 numbers(words.seed);
  Tensors inputs;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const LoadedArray& parameter = parameters[i];
    if (found[i]) inputs.push_back(*found[i]);
    else if (words.missing == Missing::random)
      inputs.push_back(random_tensor(parameter.shape, parameter.dtype, numbers));
    else if (words.missing == Missing::zeros) inputs.emplace_back(parameter.shape, parameter.dtype, Where{});
    else
      refuse(program,
             fmt::format("'{}' is not given; say --in once per argument, in order or by name, or --random",
                         parameter.name),
             completed_command(words, parameters, found));
  }
  return inputs;
}

}  // namespace

std::string type_text(const Shape& shape, DType dtype) { return to_string(Type(dtype, shape)); }

std::vector<std::string> lines_of(const std::vector<LoadedArray>& arrays) {
  std::vector<std::string> lines;
  for (const LoadedArray& each : arrays)
    lines.push_back(fmt::format("{}: {}{}", each.name, type_text(each.shape, each.dtype),
                                each.spec ? " " + to_string(*each.spec) : ""));
  return lines;
}

Tensor with_bf16(Tensor tensor, DType wanted) {
  if (wanted != DType::bf16 || tensor.dtype() != DType::u16) return tensor;
  Tensor numbers(tensor.shape(), DType::bf16);
  std::memcpy(numbers.mutable_bytes(), tensor.data(), numbers.bytes());
  return numbers;
}

Tensors inputs_of(const Loaded& program, const InputWords& words) {
  const std::vector<LoadedArray> parameters = program.parameters();
  std::vector<std::optional<Tensor>> found(parameters.size());
  std::size_t next = 0;
  for (const std::string& word : words.in)
    for (Given& given : given_by(program, word)) {
      std::size_t at = next;
      if (!given.name.empty()) {
        const std::optional<std::size_t> named = parameter_named(parameters, given.name);
        if (!named) refuse_unknown_name(program, word, given.name);
        at = *named;
      } else {
        while (at < found.size() && found[at]) ++at;
        next = at + 1;
      }
      if (at >= found.size())
        refuse(program, fmt::format("--in {}: the program takes {}", excerpt(word),
                                    counted(std::ssize(parameters), "argument")));
      if (found[at])
        refuse(program, fmt::format("--in {}: '{}' is given twice", excerpt(word), parameters[at].name));
      Tensor tensor = with_bf16(std::move(given.tensor), parameters[at].dtype);
      if (tensor.shape() != parameters[at].shape || tensor.dtype() != parameters[at].dtype)
        refuse(program, fmt::format("--in {}: it is {}, but '{}' is {}", excerpt(word),
                                    type_text(tensor.shape(), tensor.dtype()), parameters[at].name,
                                    type_text(parameters[at].shape, parameters[at].dtype)));
      found[at] = std::move(tensor);
    }
  return completed(program, words, found);
}

}  // namespace tutti::cli
