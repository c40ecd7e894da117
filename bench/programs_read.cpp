// SPDX-License-Identifier: Apache-2.0
// Times of programs from JAX: to read, compile and run them; and times of the same programs in C++.
// bench/rows.hpp says how they are asked for; bench/read_peer.py is the other side, and writes the texts.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "bench/rows.hpp"
#include "bench/tokens.hpp"
#include "examples/digits_model.hpp"
#include "examples/support/transformer_start.hpp"
#include "tutti/api/load.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/read/program/module_program.hpp"
#include "tutti/tensor/files/npz.hpp"

namespace tutti::bench {
namespace {

namespace fs = std::filesystem;

const Mesh mesh({{"data", 4}, {"model", 2}});
const fs::path folder = "build/bench/read";

/// The path of a file that JAX writes, once: "transformer_unrolled.mlir".
std::string written_by_jax(const std::string& file) {
  const std::string command =
      ".venv/bin/python bench/read_peer.py --write " + folder.string() + " >/dev/null 2>&1";
  if (!fs::exists(folder / "written") && std::system(command.c_str()) == 0)
    std::ofstream(folder / "written") << "all\n";
  return (folder / file).string();
}

std::vector<Array> arguments_of(const std::string& name) {
  std::vector<Array> all;
  for (auto& [argument, tensor] : read_npz(written_by_jax(name + ".in.npz"))) all.emplace_back(tensor);
  return all;
}

/// As tutti check does: the tree, and the program with its types.
void read_and_check(const std::string& text) {
  const ModuleProgram program(std::make_shared<const SourceModule>(text, "text"), {});
  Types types;
  for (const ModuleProgram::Parameter& each : program.parameters()) types.push_back(each.type);
  trace(types, [&](const Arrays& inputs) { return program(inputs); });
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Measure time_to_read(std::string text) {
  return
      [text = std::move(text)] { return Json{{"us", microseconds_a_call([&] { read_and_check(text); })}}; };
}

Measure read_transformer(std::int64_t) {
  return time_to_read(text_of(written_by_jax("transformer_unrolled.mlir")));
}

/// Our own text of a transformer with so many layers.
Measure read_layers(std::int64_t layers) {
  transformer::Sizes sizes;
  sizes.layers = layers;
  const auto params = transformer::unrolled_start(sizes, 1);
  const transformer::Batch batch = tokens();
  return time_to_read(lower_text(transformer::sharded_step(mesh, params), std::tuple{params, params, batch}));
}

/// The constant of read_peer.py: so many bytes as one string in hexadecimal.
Measure read_constant(std::int64_t bytes) {
  std::string digits(static_cast<std::size_t>(2 * bytes), '0');
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = "0123456789ABCDEF"[i * 7 % 16];
  const std::string type = "tensor<" + std::to_string(bytes) + "xui8>";
  return time_to_read("func.func @main() -> " + type + " {\n  %0 = stablehlo.constant dense<\"0x" + digits +
                      "\"> : " + type + "\n  return %0 : " + type + "\n}\n");
}

Measure compile(std::int64_t) {
  const std::string path = written_by_jax("transformer_unrolled.mlir");
  const std::vector<Array> inputs = arguments_of("transformer_unrolled");
  return [=] {
    return Json{
        {"us", microseconds_a_call([&] { open_local(mesh, {.workers = 2}).compile(load(path), inputs); })}};
  };
}

/// A training step: what it gives after the loss goes in again, and is donated; `batch` are the last
/// arguments.
template <class Run>
Measure time_of_steps(Run run, std::vector<Array> state, std::vector<Array> batch) {
  struct Step {
    Run run;
    std::vector<Array> state, batch;
    Array operator()() {
      std::vector<Array> arguments = std::move(state);
      arguments.insert(arguments.end(), batch.begin(), batch.end());
      std::vector<Array> results = run(std::move(arguments));
      state.assign(std::make_move_iterator(results.begin() + 1), std::make_move_iterator(results.end()));
      return results[0];
    }
  };
  const auto step = std::make_shared<Step>(Step{std::move(run), std::move(state), std::move(batch)});
  const double first = (*step)().item();
  check(std::isfinite(first) && first > 0, "the loss");
  for (int warm_up = 0; warm_up < 3; ++warm_up) (*step)();
  return [=] { return Json{{"us", microseconds_a_call(std::ref(*step))}, {"value", first}}; };
}

Measure step_of(const std::string& name) {
  const Loaded program = load(written_by_jax(name + ".mlir"));
  std::vector<Array> inputs = arguments_of(name);
  auto run = open_local(mesh, {.workers = 2}).compile(program, inputs);
  std::vector<Array> batch(inputs.end() - 2, inputs.end());
  inputs.resize(inputs.size() - 2);
  return time_of_steps(std::move(run), std::move(inputs), std::move(batch));
}
template <const char* name>
Measure step(std::int64_t) {
  return step_of(name);
}

/// The program in C++ whose twin JAX has written, from the same numbers.
template <class Params, class Batch, class Function>
Measure twin_of(const std::string& name, const Function& function, const Params& like,
                const Batch& batch_like) {
  std::vector<Array> inputs = arguments_of(name);
  auto run = open_local(mesh, {.workers = 2}).compile(function, like, like, batch_like);
  std::vector<Array> batch(inputs.end() - 2, inputs.end());
  inputs.resize(inputs.size() - 2);
  const auto flat = [=](std::vector<Array> arguments) mutable {
    auto at = arguments.begin();
    const auto next = [&](const Array&) { return std::move(*at++); };
    Params params = tree_map(next, like), momentum = tree_map(next, like);
    Batch examples = tree_map(next, batch_like);
    auto [loss, new_params, new_momentum] = run(std::move(params), std::move(momentum), std::move(examples));
    std::vector<Array> results{loss};
    for (Array& leaf : tree::flatten(std::tuple{new_params, new_momentum}))
      results.push_back(std::move(leaf));
    return results;
  };
  return time_of_steps(flat, std::move(inputs), std::move(batch));
}

constexpr char digits_step[] = "digits_step", unrolled_step[] = "transformer_unrolled",
               scan_step[] = "transformer_scan";

Measure twin_digits(std::int64_t) {
  const auto floats = [](const Shape& shape) { return Array(Tensor(shape, DType::f32)); };
  const digits::Params like{floats({64, 128}), floats({128}), floats({128, 10}), floats({10})};
  const digits::Batch batch{floats({256, 64}), Tensor({256}, DType::i32)};
  return twin_of(digits_step, digits::sharded_step(mesh), like, batch);
}
Measure twin_unrolled(std::int64_t) {
  const auto like = transformer::unrolled_start({}, 1);
  return twin_of(unrolled_step, transformer::sharded_step(mesh, like), like, tokens());
}
Measure twin_scan(std::int64_t) {
  const auto like = transformer::stacked(transformer::unrolled_start({}, 1));
  return twin_of(scan_step, transformer::sharded_step(mesh, like), like, tokens());
}

/// The time of a process from its start to its end.
Measure process(const std::string& arguments) {
  const fs::path tool = fs::read_symlink("/proc/self/exe").parent_path() / "tutti";
  const std::string command = tool.string() + " " + arguments + " >/dev/null";
  check(std::system(command.c_str()) == 0, command);
  return [=] { return Json{{"us", microseconds_a_call([&] { std::system(command.c_str()); })}}; };
}
Measure version(std::int64_t) { return process("--version"); }
Measure check_ten_lines(std::int64_t) {
  fs::create_directories(folder);
  const std::string path = (folder / "ten_lines.mlir").string();
  std::ofstream(path)
      << "module @ten attributes {mhlo.num_partitions = 1 : i32} {\n"
         "  func.func public @main(%x: tensor<4x3xf32>) -> tensor<4xf32> {\n"
         "    %0 = stablehlo.multiply %x, %x : tensor<4x3xf32>\n"
         "    %1 = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : "
         "(tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>\n"
         "    %3 = stablehlo.sqrt %2 : tensor<4xf32>\n"
         "    %4 = stablehlo.negate %3 : tensor<4xf32>\n"
         "    return %4 : tensor<4xf32>\n"
         "  }\n"
         "}\n";
  return process("check " + path);
}

constexpr Row rows[] = {
    {"read_transformer", read_transformer},
    {"read_layers", read_layers},
    {"read_constant", read_constant},
    {"compile", compile},
    {"digits_step", step<digits_step>},
    {"unrolled_step", step<unrolled_step>},
    {"scan_step", step<scan_step>},
    {"twin_digits", twin_digits},
    {"twin_unrolled", twin_unrolled},
    {"twin_scan", twin_scan},
    {"version", version},
    {"check_ten_lines", check_ten_lines},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
