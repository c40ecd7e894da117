// SPDX-License-Identifier: Apache-2.0
// Training steps on XLA's 8 devices of the CPU; the time that our side of a call takes, and of a compilation,
// by the fake plugin of tests/xla, which computes nothing. bench/rows.hpp says how they are asked for;
// bench/xla_peer.py is the twin in JAX.
#include <dlfcn.h>

#include <chrono>
#include <filesystem>

#include "bench/rows.hpp"
#include "bench/tokens.hpp"
#include "examples/digits_model.hpp"
#include "examples/support/transformer_start.hpp"
#include "tests/xla/fake_plugin/control.hpp"
#include "tutti/xla/open_xla.hpp"

namespace tutti::bench {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});

/// The machine of a plugin. "": the one that open_xla finds.
Machine machine_of(const std::string& plugin) { return open_xla(mesh, {.plugin = plugin}); }
std::string fake_plugin() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libfake_plugin.so").string();
}

/// The fake plugin's own account of its work.
const fake_pjrt::Control& fake_control() {
  void* library = dlopen(fake_plugin().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) throw std::runtime_error(dlerror());
  return *reinterpret_cast<fake_pjrt::Control* (*)()>(dlsym(library, "fake_control"))();
}

struct Digits {
  digits::Params params, momentum;
  digits::Batch batch;
};

/// On the host.
Digits digits_start() {
  constexpr std::int64_t hidden = 128, batch_size = 256;
  const auto zeros = [](const Shape& shape) { return Array(Tensor(shape, DType::f32)); };
  Tensor labels({batch_size}, DType::i32);
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

/// Takes a training step and returns its loss. Parameters and batch lie on the devices.
std::function<Array()> digits_training(const std::string& plugin) {
  const Machine machine = machine_of(plugin);
  auto at = std::make_shared<Digits>(digits_start());
  at->params = machine.place(at->params, digits::by_model);
  at->momentum = machine.place(at->momentum, digits::by_model);
  at->batch = machine.place(at->batch, P("data"));
  auto train = compiled_digits(machine, *at);
  return [=] {
    Array loss;
    std::tie(loss, at->params, at->momentum) =
        train(std::move(at->params), std::move(at->momentum), at->batch);
    return loss;
  };
}
Measure digits_step(std::int64_t) {
  const std::function<Array()> step = digits_training("");
  const double first = step().item();
  return [=] { return Json{{"us", microseconds_a_call(step)}, {"value", first}}; };
}

Measure digits_compile(std::int64_t) {
  const Machine machine = machine_of("");
  const Digits at = digits_start();
  return [=] { return Json{{"us", microseconds_a_call([&] { compiled_digits(machine, at); })}}; };
}

/// Median time of a call less what it spends in the functions of the fake plugin, which keep a log and check
/// all handles.
template <class Call>
double microseconds_outside_of_fake(const Call& call, int calls_a_block) {
  const fake_pjrt::Control& plugin = fake_control();
  std::vector<double> times;
  for (int block = 0; block < 21; ++block) {
    const std::chrono::nanoseconds before = plugin.time_inside();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < calls_a_block; ++i) call();
    const double all = microseconds_since(start);
    const std::chrono::duration<double, std::micro> inside = plugin.time_inside() - before;
    times.push_back((all - inside.count()) / calls_a_block);
  }
  return median(std::move(times));
}

/// 10 arguments and 9 results on 8 devices: 89 calls of the plugin.
Measure own_step(std::int64_t) {
  const std::function<Array()> step = digits_training(fake_plugin());
  return [=] { return Json{{"us", microseconds_outside_of_fake(step, 50)}}; };
}
/// Trace, lower, write, options.
Measure own_compile(std::int64_t) {
  const Machine machine = machine_of(fake_plugin());
  const Digits at = digits_start();
  return [=] { return Json{{"us", microseconds_outside_of_fake([&] { compiled_digits(machine, at); }, 1)}}; };
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
    {"digits_step", digits_step},       {"transformer_step", transformer_step}, {"own_step", own_step},
    {"digits_compile", digits_compile}, {"own_compile", own_compile},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
