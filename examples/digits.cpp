// SPDX-License-Identifier: Apache-2.0
// Trains a network of two layers on real handwritten digits, data and model parallel; see digits_model.hpp
// for what one device does. `make demo` runs it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "examples/digits_model.hpp"
#include "examples/support/digits_data.hpp"
#include "examples/support/digits_options.hpp"
#include "examples/support/interrupts.hpp"
#include "examples/support/random.hpp"
#include "examples/support/text_file.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/cli/words/program.hpp"

namespace {

using namespace digits;
using examples::Random;

constexpr std::size_t batch_size = 256;
constexpr std::uint64_t seed = 2026;  // fixed before the first run
constexpr std::int64_t hidden = 128;
constexpr int interrupted = 130;  // the exit status after Ctrl-C, as shells have it

Params initial_params() {
  Random random(seed);
  return {random.uniform({64, hidden}, std::sqrt(6.0 / 64)), Tensor({hidden}, DType::f32),
          random.uniform({hidden, 10}, std::sqrt(6.0 / hidden)), Tensor({10}, DType::f32)};
}

Params zeros_like_params() {
  return {Tensor({64, hidden}, DType::f32), Tensor({hidden}, DType::f32), Tensor({hidden, 10}, DType::f32),
          Tensor({10}, DType::f32)};
}

// Batches of shuffled training rows, epoch after epoch; the rest of an epoch that fills no batch is left out.
class Batches {
 public:
  Batches(const Data& data, std::vector<std::size_t> rows)
      : data_(data), rows_(std::move(rows)), next_(rows_.size()) {}
  Batch next() {
    if (next_ + batch_size > rows_.size()) {
      random_.shuffle(rows_);
      next_ = 0;
    }
    std::span chosen(rows_.data() + next_, batch_size);
    next_ += batch_size;
    return {data_.images_of(chosen), data_.labels_of(chosen)};
  }

 private:
  const Data& data_;
  std::vector<std::size_t> rows_;
  std::size_t next_;
  Random random_{seed + 1};
};

std::vector<std::int32_t> predictions(const Tensor& logits) {
  std::vector<std::int32_t> best;
  for (std::int64_t row = 0; row < logits.shape()[0]; ++row) {
    std::span<const float> scores = logits.as<float>().subspan(static_cast<std::size_t>(row) * 10, 10);
    best.push_back(static_cast<std::int32_t>(std::ranges::max_element(scores) - scores.begin()));
  }
  return best;
}

void report(const Data& data, std::span<const std::size_t> rows, const Tensor& logits) {
  std::vector<std::int32_t> predicted = predictions(logits), wrong_as;
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (predicted[i] != data.labels[rows[i]]) {
      wrong.push_back(rows[i]);
      wrong_as.push_back(predicted[i]);
    }
  std::size_t shown = std::min<std::size_t>(wrong.size(), 5);
  if (shown > 0)
    fmt::print("some that it got wrong:\n{}",
               drawn(data, std::span(wrong).first(shown), std::span(wrong_as).first(shown)));
  double accuracy = 1 - static_cast<double>(wrong.size()) / static_cast<double>(rows.size());
  fmt::print("accuracy {:.4f} on {} held-out digits\n", accuracy, rows.size());
}

// Ctrl-C ends the training between two steps. MachineOptions::stop would end it inside of a step, which has
// already overwritten a part of the parameters then. mpirun tells its processes itself. Without --save
// nothing would be kept, and the thread that waits for Ctrl-C takes 8 MiB of address space.
examples::Ending train(const Machine& machine, const Options& options, examples::Training training) {
  std::optional<examples::Interrupts> interrupts;
  if (machine.processes() == 1 && !options.save.empty()) training.stop = interrupts.emplace().token();
  return examples::train(machine, options, training);
}

// Returns the exit status.
int run_on(const Machine& machine, const Options& options) {
  const Mesh& mesh = machine.mesh();
  Data data = read_data(options.data);
  Split rows = split(data);
  if (rows.training.size() < batch_size)
    throw Error(Code::file, {},
                fmt::format("{}: {} digits, of which {} are for training; a step takes {}", options.data,
                            data.size(), rows.training.size(), batch_size));
  Batches batches(data, rows.training);
  Params params = initial_params(), momentum = zeros_like_params();
  const int steps_taken = examples::load(machine, options, params, momentum);

  Batch first = batches.next();
  for (int i = 0; i < steps_taken; ++i) batches.next();
  auto step = machine.compile(sharded_step(mesh), params, momentum, first);
  auto take_step = [&] {
    Array loss;
    std::tie(loss, params, momentum) =
        step(std::move(params), std::move(momentum), batches.next());  // in their memory
    return loss.item();
  };
  if (options.explain) {
    examples::explain(step, take_step);
    examples::show(machine, options, step);
    return 0;
  }

  fmt::print("{} training digits on {}\n", rows.training.size(), machine.description());
  const auto save = [&](int steps) { examples::save(machine, options, params, momentum, steps); };
  const examples::Ending ending = train(machine, options, {steps_taken, take_step, save});
  examples::show(machine, options, step);
  if (ending == examples::Ending::stopped) return interrupted;

  Array images = data.images_of(rows.held_out);
  report(data, rows.held_out, machine.compile(sharded_logits(mesh), params, images)(params, images).tensor());
  return 0;
}

// Shapes are enough: no data is read, no machine is opened.
void write_stablehlo(const Options& options) {
  if (const int started = tutti::cli::started_processes(); started > 1)
    throw Error(Code::device, {},
                fmt::format("--stablehlo: {} processes were started, and each would write it; start one",
                            started));
  auto floats = [](const Shape& shape) { return abstract(shape, DType::f32); };
  const Params params{floats({64, hidden}), floats({hidden}), floats({hidden, 10}), floats({10})};
  const Batch batch{floats({batch_size, 64}), abstract({batch_size}, DType::i32)};
  const std::string text =
      lower_text(sharded_step(parse_mesh(options.mesh)), std::tuple{params, params, batch});
  if (options.stablehlo == "-") fmt::print("{}", text);
  else examples::write_text(options.stablehlo, ".mlir", text);
}

int run(const Options& options) {
  if (!options.stablehlo.empty()) {
    write_stablehlo(options);
    return 0;
  }
  Machine machine = examples::open_machine(parse_mesh(options.mesh), options);
  const int status = run_on(machine, options);
  examples::warn_of_left_out("digits", machine, options);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("digits", [&] {
    const std::optional<Options> options = digits::parse(argc, argv);
    return options ? run(*options) : 0;
  });
}
