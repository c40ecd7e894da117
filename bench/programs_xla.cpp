// SPDX-License-Identifier: Apache-2.0
// Training steps on XLA's 8 devices of the CPU (plugin A), the call of a step through the fake plugin, which does next to
// nothing, and compilation by either. bench/rows.hpp says how they are asked for; bench/xla_peer.py does the steps in JAX.
#include <filesystem>

#include "bench/rows.hpp"
#include "examples/digits_model.hpp"
#include "examples/support/transformer_start.hpp"
#include "tutti/xla/open_xla.hpp"

namespace tutti::bench {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});

/// The machine of a plugin. "": the one that open_xla finds.
Machine machine_of(const std::string& plugin) { return open_xla(mesh, {.plugin = plugin}); }
std::string fake_plugin() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libfake_plugin.so").string();
}

struct Digits {
  digits::Params params, momentum;
  digits::Batch batch;
};

/// On the host.
Digits digits_start() {
  constexpr std::int64_t hidden = 128, batch_size = 256;
  const auto zeros = [](const Shape& shape) { return Array(Tensor(DType::f32, shape)); };
  Tensor labels(DType::i32, {batch_size});
  for (std::int64_t i = 0; i < batch_size; ++i)
    labels.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i % 10);
  return {{values({64, hidden}, 0.3F), values({hidden}, 0.3F), values({hidden, 10}, 0.3F),
           values({10}, 0.3F)},
          {zeros({64, hidden}), zeros({hidden}), zeros({hidden, 10}), zeros({10})},
          {values({batch_size, 64}), labels}};
}

auto compiled_digits(const Machine& machine, const Digits& at) {
  return machine.compile(digits::sharded_step(mesh), at.params, at.momentum, at.batch);
}

/// A call of the training step; the answer's value is the first loss. Parameters and batch lie on the devices.
Measure digits_step_on(const std::string& plugin) {
  const Machine machine = machine_of(plugin);
  auto at = std::make_shared<Digits>(digits_start());
  at->params = machine.place(at->params, digits::by_model);
  at->momentum = machine.place(at->momentum, digits::by_model);
  at->batch = machine.place(at->batch, P("data"));
  auto train = compiled_digits(machine, *at);
  const auto step = [=] {
    Array loss;
    std::tie(loss, at->params, at->momentum) =
        train(std::move(at->params), std::move(at->momentum), at->batch);
    return loss;
  };
  const double first = step().item();
  return [=] { return Json{{"us", microseconds_a_call(step)}, {"value", first}}; };
}
Measure digits_step(std::int64_t) { return digits_step_on(""); }
Measure fake_step(std::int64_t) {
  const Measure step = digits_step_on(fake_plugin());
  return [=] { return Json{{"us", step()["us"]}}; };  // its loss is zero
}

Measure digits_compile_by(const std::string& plugin) {
  const Machine machine = machine_of(plugin);
  const Digits at = digits_start();
  return [=] { return Json{{"us", microseconds_a_call([&] { compiled_digits(machine, at); })}}; };
}
Measure digits_compile(std::int64_t) { return digits_compile_by(""); }
/// Ours: trace, lower, write, options. The fake plugin reads the types of @main.
Measure fake_compile(std::int64_t) { return digits_compile_by(fake_plugin()); }

transformer::Batch tokens() {
  Tensor seen(DType::i32, {32, 32}), next = seen;
  for (std::int64_t i = 0; i < seen.elements(); ++i) {
    seen.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i * 7 % 96);
    next.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>((i + 1) * 7 % 96);
  }
  return {seen, next};
}

/// 12 layers, written out; batch 32, context 32.
Measure transformer_step(std::int64_t) {
  struct State {
    transformer::Params<std::vector<transformer::Layer>> params, momentum;
    transformer::Batch batch;
  };
  const Machine machine = machine_of("");
  auto at = std::make_shared<State>();
  at->params = transformer::unrolled_start({}, 1);
  at->momentum = transformer::zeros_like_tree(at->params);
  at->batch = machine.place(tokens(), P("data"));
  auto train =
      machine.compile(transformer::sharded_step(mesh, at->params), at->params, at->momentum, at->batch);
  const auto step = [=] {
    Array loss;
    std::tie(loss, at->params, at->momentum) =
        train(std::move(at->params), std::move(at->momentum), at->batch);
    return loss;
  };
  const double first = step().item();
  check(std::isfinite(first) && first > 0, "the loss of a transformer");
  return [=] { return Json{{"us", microseconds_a_call(step)}}; };
}

constexpr Row rows[] = {
    {"digits_step", digits_step},       {"transformer_step", transformer_step}, {"fake_step", fake_step},
    {"digits_compile", digits_compile}, {"fake_compile", fake_compile},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
