// SPDX-License-Identifier: Apache-2.0
// open_xla in several processes, on the fake plugin. Each process is a thread with its own client.
#include <fmt/format.h>

#include <future>

#include "tests/xla/fake_xla.hpp"
#include "tutti/tutti.hpp"
#include "tutti/xla/store/store_server.hpp"

namespace tutti::xla {
namespace {

const std::string secret = "known to the processes";
const Mesh three({{"x", 3}});  // process 0 of two drives two of them, process 1 one

class xla_processes : public FakeXla {
 protected:
  static std::string free_address() {
    return to_string(StoreServer({"127.0.0.1", 0}, Job{"free port", 0, 2}).address());
  }
  /// Opens a machine in each of two processes, and does `work` there.
  static void in_two(const std::function<void(const tutti::Machine&, int process)>& work) {
    const std::string coordinator =
        to_string(StoreServer({"127.0.0.1", 0}, Job{"free port", 0, 2}).address());
    const auto run = [&](int process) {
      const tutti::Machine machine = open_xla(three, {.plugin = fake_plugin_path(),
                                                      .process = process,
                                                      .processes = 2,
                                                      .coordinator = coordinator,
                                                      .secret = secret});
      work(machine, process);
      return machine;  // process 0 serves the store until both are done
    };
    auto first = std::async(std::launch::async, run, 0), second = std::async(std::launch::async, run, 1);
    const tutti::Machine serving = first.get(), other = second.get();
  }
  static Array counted() { return Tensor(Shape{3}, {1.0F, 2.0F, 3.0F}); }
};

TEST_F(xla_processes, see_the_parts_of_their_own_devices) {
  machine({.platform = "cuda"});
  in_two([](const tutti::Machine& machine, int process) {
    EXPECT_EQ(machine.description(),
              fmt::format("3 cuda devices of XLA (x=3), {} of them of this process", process == 0 ? 2 : 1));
    const Array x = machine.place(counted(), P("x"));
    for (int device = 0; device < 3; ++device) {
      if (device / 2 == process) EXPECT_EQ(x.data()->shard(device).at(0), device + 1.0);
      else
        expect_refusal([&] { x.data()->shard(device); }, Code::device,
                       {fmt::format("another process drives device {}", device)});
    }
    expect_refusal([&] { x.tensor(); }, Code::device, {"shard(device)", "all_gather"});
    EXPECT_EQ(machine.place(counted(), P()).values<float>(), (std::vector<float>{1, 2, 3}));
  });
}

TEST_F(xla_processes, run_one_program_together) {
  machine({.platform = "cuda"});
  in_two([](const tutti::Machine& machine, int process) {
    const auto sum = machine.compile(shard_map([](Array x) { return psum(x, "x"); },
                                               {.mesh = three, .in = P("x"), .out = P()}),
                                     counted());
    EXPECT_EQ(sum(counted()).values<float>(), std::vector<float>{0}) << process;  // the fake computes zeros
  });
}

TEST_F(xla_processes, hand_in_what_they_have) {
  machine({.platform = "cuda"});
  in_two([](const tutti::Machine& machine, int process) {
    const Tensor five(Shape{1}, {5.0F});
    const std::map<int, Tensor> mine =
        process == 0 ? std::map<int, Tensor>{{0, five}, {1, five}} : std::map<int, Tensor>{{2, five}};
    const Array x = machine.from_shards({3}, P("x"), mine);
    EXPECT_EQ(x.data()->shard(process == 0 ? 1 : 2), five);
    expect_refusal([&] { machine.from_shards({3}, P("x"), {{process == 0 ? 2 : 0, five}}); }, Code::argument,
                   {"has no part; hand in one of f32[1]"});
  });
}

TEST_F(xla_processes, drive_a_device_of_the_mesh_each) {
  machine({.platform = "cuda"});
  const std::string coordinator = free_address();
  const auto open = [&](int process) {
    return open_xla(Mesh({{"x", 2}}), {.plugin = fake_plugin_path(),
                                       .process = process,
                                       .processes = 2,
                                       .coordinator = coordinator,
                                       .secret = secret});
  };
  auto first = std::async(std::launch::async, open, 0);
  expect_refusal([&] { open(1); }, Code::device, {"open_xla: process 1 drives no device of the mesh x=2"});
  first.get();
}

TEST_F(xla_processes, need_a_coordinator) {
  const auto open = [](int process, int processes, const std::string& coordinator) {
    open_xla(three, {.plugin = fake_plugin_path(),
                     .process = process,
                     .processes = processes,
                     .coordinator = coordinator,
                     .secret = secret});
  };
  expect_refusal([&] { open(0, 2, ""); }, Code::device, {"open_xla: process 0 of 2 needs a coordinator"});
  expect_refusal([&] { open(1, 1, ""); }, Code::device, {"open_xla: "});
  expect_refusal([&] { open(0, 0, ""); }, Code::device, {"open_xla: "});
  expect_refusal([&] { open(2, 2, "127.0.0.1:1"); }, Code::device, {"open_xla: "});
  expect_refusal([&] { open(0, 2, "127.0.0.1"); }, Code::device, {"open_xla: "});
}

TEST_F(xla_processes, need_a_secret) {
  for (const std::string& short_one : {std::string(), std::string(15, 's')})
    expect_refusal(
        [&] {
          open_xla(three, {.plugin = fake_plugin_path(),
                           .processes = 2,
                           .coordinator = "127.0.0.1:1",
                           .secret = short_one});
        },
        Code::device,
        {"open_xla: process 0 of 2 needs a secret of at least 16 bytes", "openssl rand -hex 16"});
}

}  // namespace
}  // namespace tutti::xla
