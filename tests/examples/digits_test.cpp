// SPDX-License-Identifier: Apache-2.0
// The digits example: its model on several meshes, and the program as a user runs it.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "examples/digits_model.hpp"
#include "examples/support/digits_data.hpp"
#include "examples/support/interrupts.hpp"
#include "examples/support/random.hpp"
#include "tests/examples/bad_command.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/tensor/files/npz.hpp"

namespace {

using namespace digits;
using examples::BadCommand;
using examples::Random;

const std::string data_path = "examples/data/digits.csv.gz";

struct Problem {
  Params params, momentum;
  Batch batch;
};

Problem problem() {
  Random random(7);
  Data data = read_data(data_path);
  std::vector<std::size_t> rows = split(data).training;
  rows.resize(256);
  auto zeros = [](Shape shape) { return Array(Tensor(std::move(shape), DType::f32)); };
  return {{random.uniform({64, 128}, 0.3), random.uniform({128}, 0.3), random.uniform({128, 10}, 0.3),
           random.uniform({10}, 0.3)},
          {zeros({64, 128}), zeros({128}), zeros({128, 10}), zeros({10})},
          {data.images_of(rows), data.labels_of(rows)}};
}

// Losses of `steps` steps on one batch, and the first step's gradient (with momentum zero it is the first
// velocity).
struct Training {
  std::vector<double> losses;
  Tensors gradient, params;
};

Training train(const std::string& mesh_text, int steps, const MachineOptions& options = {}) {
  Mesh mesh = parse_mesh(mesh_text);
  auto [params, momentum, batch] = problem();
  auto step = open_local(mesh, options).compile(sharded_step(mesh), params, momentum, batch);
  Training run;
  for (int i = 0; i < steps; ++i) {
    Array loss;
    std::tie(loss, params, momentum) = step(params, momentum, batch);
    run.losses.push_back(loss.item());
    if (i > 0) continue;
    for (const Array& leaf : tree::flatten(momentum)) run.gradient.push_back(leaf.tensor());
  }
  for (const Array& leaf : tree::flatten(params)) run.params.push_back(leaf.tensor());
  return run;
}

TEST(digits, has_the_same_bits_on_one_and_two_workers_and_again) {
  Training one = train("data=4,model=2", 20, {.workers = 1}),
           two = train("data=4,model=2", 20, {.workers = 2});
  Training again = train("data=4,model=2", 20, {.workers = 2});
  EXPECT_EQ(one.losses, two.losses);
  EXPECT_EQ(one.params, two.params);
  EXPECT_EQ(two.losses, again.losses);
  EXPECT_EQ(two.params, again.params);
}

TEST(digits, has_the_same_bits_with_a_buffer_per_device) {
  Training by_type = train("data=4,model=2", 5),
           per_device = train("data=4,model=2", 5, {.storage = Storage::per_device});
  EXPECT_EQ(by_type.losses, per_device.losses);
  EXPECT_EQ(by_type.params, per_device.params);
}

// Sums over other groupings of the same terms. A gradient element is a sum over 256 examples of terms below 2
// in size, divided by 256, behind products of at most 128 terms: the bound 2 * ceil(log2 n) * eps * sum|x| of
// each sum, added up.
class digits_on : public testing::TestWithParam<const char*> {};

TEST_P(digits_on, has_the_first_gradient_within_the_bound_of_its_sums) {
  Training expected = train("data=4,model=2", 1), found = train(GetParam(), 1);
  double eps = std::ldexp(1.0, -23), bound = 2 * (8 + 7 + 7) * eps * 2;
  EXPECT_NEAR(found.losses[0], expected.losses[0], bound * expected.losses[0]);
  for (std::size_t k = 0; k < expected.gradient.size(); ++k)
    for (std::int64_t i = 0; i < expected.gradient[k].elements(); ++i)
      ASSERT_NEAR(found.gradient[k].at(i), expected.gradient[k].at(i), bound)
          << "leaf " << k << ", element " << i;
}

TEST_P(digits_on, has_the_loss_of_50_steps_within_a_thousandth) {
  Training expected = train("data=4,model=2", 50), found = train(GetParam(), 50);
  for (std::size_t i = 0; i < expected.losses.size(); ++i)
    ASSERT_NEAR(found.losses[i], expected.losses[i], 1e-3 * expected.losses[i]) << "step " << i + 1;
}

INSTANTIATE_TEST_SUITE_P(another_mesh, digits_on,
                         testing::Values("data=2,model=4", "data=1,model=1", "data=8,model=1"));

void expect_that_it_learned(const Finished& run, double least = 0.96) {
  ASSERT_EQ(run.status, 0) << run.err;
  std::size_t last = run.out.rfind("accuracy ");
  ASSERT_NE(last, std::string::npos) << run.out;
  EXPECT_GE(std::stod(run.out.substr(last + 9)), least);
  EXPECT_NE(run.out.find(" on 360 held-out digits\n", last), std::string::npos) << run.out;
}

TEST(digits, program_learns_what_it_has_not_seen) {
  expect_that_it_learned(run_command(program_folder() + "/digits"));
}

TEST(digits, convolutions_learn_more_of_it) {
  expect_that_it_learned(run_command(program_folder() + "/digits --model conv"), 0.98);
}

// A processor without AVX, that qemu makes: every library chooses other kernels.
TEST(digits, program_learns_on_a_processor_of_2008) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers do not run under qemu";
  if (run_command("command -v qemu-x86_64").status != 0) {
    const char* required = std::getenv("TUTTI_REQUIRE_ORACLES");  // as tests/support/oracle.hpp takes it
    if (required && std::string(required) == "1") FAIL() << "qemu-user is not installed; run tools/setup";
    GTEST_SKIP() << "qemu-user is not installed";
  }
  expect_that_it_learned(run_command("qemu-x86_64 -cpu Nehalem " + program_folder() + "/digits"));
}

TEST(digits, program_writes_the_same_curve_on_one_and_two_workers) {
  std::string file = std::filesystem::temp_directory_path() / ("digits_curve_" + std::to_string(getpid()));
  auto curve = [&](const std::string& options) {
    Finished run = run_command(program_folder() + "/digits --steps 30 --curve " + file + options);
    EXPECT_EQ(run.status, 0) << run.err;
    std::string content = text_of_file(file);
    std::filesystem::remove(file);
    return content;
  };
  std::string one = curve(" --workers 1");
  EXPECT_EQ(one.substr(0, 4), "1 0x");
  EXPECT_EQ(one, curve(" --workers 2"));
  const std::string of_convolutions = curve(" --model conv --workers 1");
  EXPECT_NE(of_convolutions, one);
  EXPECT_EQ(of_convolutions, curve(" --model conv --workers 2"));
}

// On another mesh the same parameters tell the same digits apart, without a step.
TEST(digits, program_goes_on_with_the_parameters_that_it_saved) {
  std::string file = std::filesystem::temp_directory_path() / ("digits_" + std::to_string(getpid()) + ".npz");
  auto verdict = [&](const std::string& options) {
    Finished run = run_command(program_folder() + "/digits" + options);
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out.substr(std::min(run.out.find('\n'), run.out.size()));  // without the line on the mesh
  };
  std::string untrained = verdict(" --steps 0"), trained = verdict(" --steps 30 --save " + file);
  EXPECT_NE(trained, untrained);
  EXPECT_EQ(verdict(" --steps 0 --mesh data=2,model=4 --load " + file), trained);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : read_npz(file)) names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"params.w1", "params.b1", "params.w2", "params.b2", "momentum.w1",
                                      "momentum.b1", "momentum.w2", "momentum.b2", "step"}));
  std::filesystem::remove(file);
}

TEST(digits, program_explains_types_places_and_plan_with_measured_times) {
  Finished run = run_command(program_folder() + "/digits --explain");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part : {"f32[64,64]{V:data, V:model} = dot_general", "digits_model.hpp:",
                           "all_reduce{kind=sum, axes='data'}", "phase", "(median of 32 calls)\n"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part;
  std::istringstream plan(run.out.substr(run.out.find("about us")));
  for (std::string line; std::getline(plan, line);) {
    EXPECT_LE(line.size(), 120U) << line;
    EXPECT_EQ(line.find(" -  "), std::string::npos) << line;  // not measured
  }
}

// In training a step's parameters lie where the last step's were: each is one buffer, not two by turns.
TEST(digits, program_explains_steps_as_training_takes_them) {
  Finished run = run_command(program_folder() + "/digits --explain");
  std::smatch results, buffers;
  ASSERT_TRUE(std::regex_search(run.out, results, std::regex("\n  results +(\\S+ KiB)\n"))) << run.out;
  ASSERT_TRUE(std::regex_search(run.out, buffers, std::regex("buffers of results (\\S+ KiB)\n"))) << run.out;
  EXPECT_EQ(buffers[1], results[1]);
}

// Files end after 64 blocks of 512 bytes, as on a full disk.
TEST(digits, program_says_why_its_trace_ends_before_it_does) {
  for (const char* options : {" --steps 40", " --explain"}) {
    TemporaryName trace("full.json");
    Finished run = run_command("trap '' XFSZ; ulimit -f 64; " + program_folder() +
                               "/digits --workers 2 --trace " + trace.path() + options);
    EXPECT_EQ(run.status, 0);
    const std::string said = "digits: '" + trace.path() + "' cannot be written: File too large; ";
    const std::size_t begin = run.err.find(said);
    ASSERT_NE(begin, std::string::npos) << run.err;
    char* rest = nullptr;
    EXPECT_GT(std::strtol(run.err.c_str() + begin + said.size(), &rest, 10), 500);
    EXPECT_STREQ(rest, " events are not in it\n");
    TimelineFile file = read_timeline(trace.path(), 2);
    EXPECT_FALSE(file.of_category("call").empty());
    EXPECT_GT(file.left_out, 0);
  }
}

TEST(digits, program_traces_every_step_and_computes_the_same) {
  TemporaryName trace("digits.json"), traced("traced"), untraced("untraced");
  std::string program = program_folder() + "/digits --workers 2 --steps 20 --curve ";
  Finished run = run_command(program + traced.path() + " --trace " + trace.path());
  ASSERT_EQ(run.status, 0) << run.err;
  run_command(program + untraced.path());
  auto text = [](const TemporaryName& file) { return text_of_file(file.path()); };
  EXPECT_EQ(text(traced).substr(0, 4), "1 0x");
  EXPECT_EQ(text(traced), text(untraced));
  TimelineFile file = read_timeline(trace.path(), 2);
  EXPECT_EQ(file.named("program 1", 0).size(), 20U);
  EXPECT_EQ(file.named("program 2", 0).size(), 1U);  // tells the held-out digits apart
  for (const TimelineEvent& product : file.named("dot_general", 0))
    EXPECT_TRUE(product.line().starts_with("examples/digits_model.hpp:")) << product.line();
}

// A step that forgets the pmean: each device has a loss of its own.
std::string refusal_of_a_varying_loss() {
  auto loss = [](const Params& params, const Batch& batch) {
    return cross_entropy(logits(params, batch.images), batch.labels);
  };
  auto step = [&](const Params& params, const Params&, const Batch& batch) {
    auto [value, gradient] = value_and_grad(loss)(params, batch);
    return std::tuple{value, params, gradient};
  };
  Mesh mesh = parse_mesh("data=4,model=2");
  auto [params, momentum, batch] = problem();
  try {
    auto sharded =
        shard_map(step,
                  {.mesh = mesh, .in = {by_model, by_model, P("data")}, .out = {P(), by_model, by_model}});
    open_local(mesh).compile(sharded, params, momentum, batch);
    return "accepted";
  } catch (const Error& error) {
    return "\ntrain.cpp:29" + std::string(error.what()).substr(to_string(error.where()).size()) + "\n";
  }
}

TEST(digits, that_forgets_the_mean_is_refused_as_the_readme_says) {
  std::string text = text_of_file("README.md");
  std::string said = refusal_of_a_varying_loss();
  EXPECT_NE(text.find(said), std::string::npos) << said;
}

class digits_refuses : public testing::TestWithParam<BadCommand> {};

TEST_P(digits_refuses, with_one_clear_line) { expect_refused(program_folder() + "/digits", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    bad, digits_refuses,
    testing::Values(
        BadCommand{"--mesh data:4",
                   "digits: error[T014]: mesh: 'data:4' is not an axis and its size; write for example "
                   "data=4,model=2\n",
                   2},
        BadCommand{"--mesh data=99999,model=2",
                   "digits: error[T014]: mesh: axis 'data' of size 99999 makes more than 65536 devices; make "
                   "the mesh smaller\n",
                   2},
        BadCommand{"--mesh data=4",
                   ": shard_map: argument 0.0: the spec names axis 'model', but the mesh is data=4; use one "
                   "of its axes\n",
                   2},
        BadCommand{"--mesh data=3,model=2",
                   ": shard_map: argument 2.0: dim 0 of f32[256,64] does not split over the 3 devices of "
                   "'data'; pad it or use another dim\n",
                   2},
        BadCommand{"--data nowhere.csv",
                   "digits: error[R001]: nowhere.csv: cannot be opened; give the path of digits.csv.gz with "
                   "--data\n",
                   4},
        BadCommand{"--data README.md",
                   "digits: error[R001]: README.md:1: '# Tutti' is not a pixel; a line is 64 pixels from 0 "
                   "to 16 and a "
                   "label from 0 to 9, with commas between\n",
                   4},
        BadCommand{"--data examples", "digits: error[R001]: examples: cannot be read: ", 4},
        BadCommand{"--steps 3 --curve /dev/full",
                   "digits: error[R001]: '/dev/full' cannot be written: No space left on device; free some "
                   "space or write elsewhere\n",
                   4},
        BadCommand{"--steps 3 --curve no/folder/c.txt",
                   "digits: error[R001]: 'no/folder/c.txt' cannot be written: No such file or directory\n",
                   4},
        BadCommand{"--steps 1 --save /dev/null",
                   "digits: error[R001]: '/dev/null' is a device or pipe, which holds no archive; name a "
                   ".npz file\n",
                   4},
        BadCommand{"--load \"\"",
                   "digits: error[R002]: --load: the value is empty; give one, or leave the option out\n", 1},
        BadCommand{"--save \"$NO_SUCH_VARIABLE\"", "digits: error[R002]: --save: the value is empty", 1},
        BadCommand{"--curve=", "digits: error[R002]: --curve: 1 required TEXT missing", 1},
        BadCommand{
            "--load nowhere.npz",
            "digits: error[R001]: load_tree: 'nowhere.npz' cannot be read: No such file or directory\n", 4},
        BadCommand{"--trace no/folder/t.json",
                   "digits: error[R001]: open_local: 'no/folder/t.json' cannot be written: No such file or "
                   "directory\n",
                   4},
        BadCommand{"--steps 1 --save no/folder/p.npz",
                   "digits: error[R001]: 'no/folder/p.npz' cannot be written: ", 4},
        BadCommand{"--steps 1 > /dev/full", "digits: error[R001]: the output cannot be written", 4},
        BadCommand{
            "--stablehlo no/folder/step.mlir",
            "digits: error[R001]: 'no/folder/step.mlir' cannot be written: No such file or directory\n", 4},
        BadCommand{"--stablehlo /dev/full",
                   "digits: error[R001]: '/dev/full' cannot be written: No space left on device; free some "
                   "space or write elsewhere\n",
                   4},
        BadCommand{"--stablehlo - > /dev/full", "digits: error[R001]: the output cannot be written", 4},
        BadCommand{"--workers many", "--workers", 1}, BadCommand{"--nonsense", "--nonsense", 1}));

TEST(digits, writes_its_step_as_stablehlo_and_stops) {
  const std::string digits = program_folder() + "/digits --mesh data=2,model=2 --stablehlo ";
  const Finished printed = run_command(digits + "-");
  ASSERT_EQ(printed.status, 0) << printed.err;
  EXPECT_TRUE(printed.out.starts_with("module attributes {mhlo.num_partitions = 4 : i32")) << printed.out;
  EXPECT_NE(printed.out.find("tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}"),
            std::string::npos);
  EXPECT_EQ(printed.out.find("step"), std::string::npos);  // nothing was trained
  const std::string path =
      std::filesystem::temp_directory_path() / ("digits_step_" + std::to_string(getpid()) + ".mlir");
  const Finished written = run_command(digits + path);
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(text_of_file(path), printed.out);
  std::filesystem::remove(path);
}

TEST(digits, goes_on_from_a_file_to_the_same_bits) {
  const std::string base = std::filesystem::temp_directory_path() / ("digits_on_" + std::to_string(getpid()));
  const auto train = [&](const std::string& options) {
    const Finished run = run_command(program_folder() + "/digits " + options);
    EXPECT_EQ(run.status, 0) << run.err;
  };
  train("--steps 30 --save " + base + ".npz --curve " + base + ".txt");
  train("--steps 14 --save " + base + ".half.npz");
  train("--steps 30 --load " + base + ".half.npz --save " + base + ".on.npz --curve " + base + ".on.txt");
  EXPECT_EQ(text_of_file(base + ".on.npz"), text_of_file(base + ".npz"));
  const std::string curve = text_of_file(base + ".txt"), rest = text_of_file(base + ".on.txt");
  EXPECT_EQ(rest.substr(0, 3), "15 ");
  EXPECT_TRUE(curve.ends_with(rest)) << rest;
  for (const char* ending : {".npz", ".txt", ".half.npz", ".on.npz", ".on.txt"})
    std::filesystem::remove(base + ending);
}

// The file is that of some step, whole, whenever the program ends.
TEST(digits, goes_on_where_it_was_killed) {
  const std::string base =
      std::filesystem::temp_directory_path() / ("digits_killed_" + std::to_string(getpid()));
  const std::string digits = program_folder() + "/digits ";
  run_command("sh -c '" + digits + "--steps 1000000 --every 3 --save " + base + ".npz >/dev/null 2>&1 & " +
              "n=0; until [ $n -gt 3000 ] || [ -e " + base +
              ".npz ]; do sleep 0.01; n=$((n + 1)); done; sleep 0.05; kill -9 $!; wait $! 2>/dev/null'");
  std::int32_t taken = 0;
  for (const auto& [name, tensor] : read_npz(base + ".npz"))
    if (name == "step") taken = tensor.as<std::int32_t>()[0];
  EXPECT_GT(taken, 0);
  EXPECT_EQ(taken % 3, 0);
  const std::string steps = "--steps " + std::to_string(taken + 2);
  EXPECT_EQ(run_command(digits + steps + " --save " + base + ".whole.npz").status, 0);
  EXPECT_EQ(run_command(digits + steps + " --load " + base + ".npz --save " + base + ".npz").status, 0);
  EXPECT_EQ(text_of_file(base + ".npz"), text_of_file(base + ".whole.npz"));
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string name = std::filesystem::path(base).filename();
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(name)) std::filesystem::remove(entry.path());
}

std::int32_t step_in(const std::string& saved) {
  for (const auto& [name, tensor] : read_npz(saved))
    if (name == "step") return tensor.as<std::int32_t>()[0];
  return -1;
}

/// Starts digits, presses Ctrl-C once it has saved, and returns what it says and its status.
Finished interrupted_digits(const std::string& options, const std::string& saved) {
  const std::string errors = saved + ".err";
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    const std::string command =
        "exec " + program_folder() + "/digits " + options + " 2>" + errors + " >/dev/null";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  for (int tries = 0; tries < 3000 && !std::filesystem::exists(saved); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), "", text_of_file(errors)};
}

TEST(digits, saves_on_ctrl_c_and_goes_on_from_there_to_the_same_bits) {
  const std::string base =
      std::filesystem::temp_directory_path() / ("digits_interrupted_" + std::to_string(getpid()));
  const std::string file = base + ".npz";
  const Finished run =
      interrupted_digits("--steps 1000000 --every 3 --save " + file + " --curve " + base + ".txt", file);
  EXPECT_EQ(run.status, 130) << run.err;
  std::smatch said;
  ASSERT_TRUE(
      std::regex_search(run.err, said,
                        std::regex("stopped after step ([0-9]+) of 1000000; go on with --load (.*)\n$")))
      << run.err;
  EXPECT_EQ(said[2], file);
  const int taken = std::stoi(said[1]);
  EXPECT_GT(taken, 3);
  EXPECT_EQ(step_in(file), taken);

  const std::string digits = program_folder() + "/digits --steps " + std::to_string(taken + 5);
  const auto files = [&](const std::string& name) {
    return " --save " + base + name + ".npz --curve " + base + name + ".txt";
  };
  EXPECT_EQ(run_command(digits + " --load " + file + files(".on")).status, 0);
  EXPECT_EQ(run_command(digits + files(".whole")).status, 0);
  EXPECT_EQ(text_of_file(base + ".on.npz"), text_of_file(base + ".whole.npz"));
  EXPECT_EQ(text_of_file(base + ".txt") + text_of_file(base + ".on.txt"), text_of_file(base + ".whole.txt"));
  for (const char* ending : {".npz", ".txt", ".npz.err", ".on.npz", ".on.txt", ".whole.npz", ".whole.txt"})
    std::filesystem::remove(base + ending);
}

TEST(interrupts, are_one_request_to_stop_and_then_the_end) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_DFL);
        const examples::Interrupts interrupts;
        std::raise(SIGINT);
        while (!interrupts.token().stop_requested()) std::this_thread::yield();
        std::raise(SIGINT);
        _exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(interrupts, are_what_they_were_before_once_nobody_looks) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, [](int) { _exit(7); });
        examples::Interrupts().token();
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(7), "");
}

TEST(interrupts, stay_ignored_in_the_background_of_a_script) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        const examples::Interrupts interrupts;
        std::raise(SIGINT);
        std::raise(SIGINT);
        _exit(interrupts.token().stop_requested() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

// The curve is written after the last step: where there is none, no step was taken.
TEST(digits, takes_no_step_if_the_parameters_cannot_be_saved) {
  const std::string curve =
      std::filesystem::temp_directory_path() / ("digits_no_curve_" + std::to_string(getpid()));
  for (const std::string file : {"no/folder/p.npz", "tests", "/dev/null"}) {
    const Finished run =
        run_command(program_folder() + "/digits --steps 3 --curve " + curve + " --save " + file);
    EXPECT_EQ(run.status, 4) << run.err;
    EXPECT_NE(run.err.find("'" + file + "' "), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(curve)) << file;
  }
}

TEST(digits, leaves_the_old_curve_if_training_fails) {
  const std::string curve =
      std::filesystem::temp_directory_path() / ("digits_old_curve_" + std::to_string(getpid()));
  std::ofstream(curve) << "old";
  EXPECT_EQ(run_command(program_folder() + "/digits --steps 3 --save tests --curve " + curve).status, 4);
  EXPECT_EQ(text_of_file(curve), "old");
  std::filesystem::remove(curve);
}

TEST(digits, data_that_was_cut_off_is_refused) {
  std::string bytes = text_of_file(data_path);
  std::string path =
      std::filesystem::temp_directory_path() / ("digits_cut_" + std::to_string(getpid()) + ".gz");
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_THROW(read_data(path), Error);
  std::filesystem::remove(path);
}

TEST(digits, quotes_100_characters_of_its_data_and_no_control_characters) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("digits_long_" + std::to_string(getpid()) + ".csv");
  std::ofstream(path) << "\x1b[2J" << std::string(1 << 20, 'x') << '\n';
  try {
    read_data(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(
        error.message().starts_with(path + ":1: '\\x1b[2J" + std::string(96, 'x') + "..' is not a pixel"))
        << error.message().substr(0, 300);
  }
  std::filesystem::remove(path);
}

TEST(digits, data_of_fewer_digits_than_a_step_takes_is_refused) {
  std::string path =
      std::filesystem::temp_directory_path() / ("digits_few_" + std::to_string(getpid()) + ".csv");
  {
    std::ofstream file(path);
    for (int row = 0; row < 100; ++row) {
      for (int pixel = 0; pixel < 64; ++pixel) file << row % 17 << ',';
      file << row % 10 << '\n';
    }
  }
  Finished run = run_command(program_folder() + "/digits --data " + path);
  std::filesystem::remove(path);
  EXPECT_EQ(run.status, 4);
  EXPECT_EQ(run.err, "digits: error[R001]: " + path +
                         ": 100 digits, of which 80 are for training; a step takes 256\n");
}

}  // namespace
