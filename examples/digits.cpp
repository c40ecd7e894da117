// SPDX-License-Identifier: Apache-2.0
// Trains a network on real handwritten digits, data and model parallel. digits_model.hpp and
// digits_conv_model.hpp have the function of one device. `make demo` runs it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "examples/digits_conv_model.hpp"
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

/// Two layers: digits_model.hpp.
struct Dense {
  using Params = digits::Params;
  static constexpr bool moves_images = false;
  static constexpr auto sharded_step = digits::sharded_step;
  static constexpr auto sharded_logits = digits::sharded_logits;

  static Params initial_params() {
    Random random(seed);
    return {random.uniform({64, hidden}, std::sqrt(6.0 / 64)), Tensor({hidden}, DType::f32),
            random.uniform({hidden, 10}, std::sqrt(6.0 / hidden)), Tensor({10}, DType::f32)};
  }
};

/// Four convolutions: digits_conv_model.hpp.
struct Conv {
  using Params = conv::Params;
  static constexpr bool moves_images = true;
  static constexpr auto sharded_step = conv::sharded_step;
  static constexpr auto sharded_logits = conv::sharded_logits;

  static Params initial_params() {
    Random random(seed);
    const auto kernel = [&](std::int64_t side, std::int64_t in, std::int64_t out) {
      return random.uniform({side, side, in, out}, std::sqrt(6.0 / static_cast<double>(side * side * in)));
    };
    const auto bias = [](std::int64_t features) { return Tensor({features}, DType::f32); };
    // One after another: each draws numbers.
    Params p;
    p.k1 = kernel(3, 1, 16);
    p.k2 = kernel(3, 16, 32);
    p.k3 = kernel(3, 32, 64);
    p.k4 = kernel(2, 64, 10);
    std::tie(p.b1, p.b2, p.b3, p.b4) = std::tuple{bias(16), bias(32), bias(64), bias(10)};
    return p;
  }
};

/// Zeros in the shapes of the parameters.
template <class Params>
Params zeros_like_params(const Params& params) {
  return tree_map([](const Array& p) -> Array { return Tensor(p.shape(), DType::f32); }, params);
}

// Batches of shuffled training rows, epoch after epoch; the rest of an epoch that fills no batch is left out.
class Batches {
 public:
  /// `moves`: each batch is moved by at most one pixel in each direction.
  Batches(const Data& data, std::vector<std::size_t> rows, bool moves)
      : data_(data), rows_(std::move(rows)), next_(rows_.size()), moves_(moves) {}
  Batch next() {
    if (next_ + batch_size > rows_.size()) {
      random_.shuffle(rows_);
      next_ = 0;
    }
    std::span chosen(rows_.data() + next_, batch_size);
    next_ += batch_size;
    Tensor images = data_.images_of(chosen);
    if (moves_) {
      const std::int64_t down = step_aside(), right = step_aside();
      images = moved(images, down, right);
    }
    return {images, data_.labels_of(chosen)};
  }

 private:
  std::int64_t step_aside() { return static_cast<std::int64_t>(of_moves_.below(3)) - 1; }

  const Data& data_;
  std::vector<std::size_t> rows_;
  std::size_t next_;
  bool moves_;
  Random random_{seed + 1}, of_moves_{seed + 2};
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
template <class Model>
int run_on(const Machine& machine, const Options& options) {
  const Mesh& mesh = machine.mesh();
  Data data = read_data(options.data);
  Split rows = split(data);
  if (rows.training.size() < batch_size)
    throw Error(Code::file, {},
                fmt::format("{}: {} digits, of which {} are for training; a step takes {}", options.data,
                            data.size(), rows.training.size(), batch_size));
  Batches batches(data, rows.training, Model::moves_images);
  typename Model::Params params = Model::initial_params(), momentum = zeros_like_params(params);
  const int steps_taken = examples::load(machine, options, params, momentum);

  Batch first = batches.next();
  for (int i = 0; i < steps_taken; ++i) batches.next();
  auto step = machine.compile(Model::sharded_step(mesh), params, momentum, first);
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
  report(data, rows.held_out,
         machine.compile(Model::sharded_logits(mesh), params, images)(params, images).tensor());
  return 0;
}

// Shapes are enough: no data is read, no machine is opened.
template <class Model>
void write_stablehlo(const Options& options) {
  if (const int started = tutti::cli::started_processes(); started > 1)
    throw Error(Code::device, {},
                fmt::format("--stablehlo: {} processes were started, and each would write it; start one",
                            started));
  auto floats = [](const Shape& shape) { return abstract(shape, DType::f32); };
  const auto params = tree_map([&](const Array& p) { return floats(p.shape()); }, Model::initial_params());
  const Batch batch{floats({batch_size, 64}), abstract({batch_size}, DType::i32)};
  const std::string text =
      lower_text(Model::sharded_step(parse_mesh(options.mesh)), std::tuple{params, params, batch});
  if (options.stablehlo == "-") fmt::print("{}", text);
  else examples::write_text(options.stablehlo, ".mlir", text);
}

template <class Model>
int run(const Options& options) {
  if (!options.stablehlo.empty()) {
    write_stablehlo<Model>(options);
    return 0;
  }
  Machine machine = examples::open_machine(parse_mesh(options.mesh), options);
  const int status = run_on<Model>(machine, options);
  examples::warn_of_left_out("digits", machine, options);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("digits", [&] {
    const std::optional<Options> options = digits::parse(argc, argv);
    if (!options) return 0;
    return options->model == "conv" ? run<Conv>(*options) : run<Dense>(*options);
  });
}
