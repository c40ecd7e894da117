// SPDX-License-Identifier: Apache-2.0
// Clients of several processes that share devices. The fake plugin uses the key-value store as XLA's plugin
// for GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <future>

#include "tests/support/command.hpp"
#include "tests/xla/fake_xla.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/xla/store/local_store.hpp"
#include "tutti/xla/store/open_store.hpp"
#include "tutti/xla/store/store_server.hpp"

namespace tutti::xla {
namespace {

using namespace std::chrono_literals;
using Store = std::shared_ptr<KeyValueStore>;
using Clients = std::vector<std::shared_ptr<const Client>>;

constexpr const char* coordinator_variable = "TUTTI_TEST_COORDINATOR";

Values node(int id, int count) { return {{"node_id", std::int64_t{id}}, {"num_nodes", std::int64_t{count}}}; }

/// Runs a function for each process at the same time. Rethrows the first exception.
template <class Result>
std::vector<Result> in_processes(int count, const std::function<Result(int process)>& run) {
  std::vector<std::future<Result>> running;
  for (int process = 0; process < count; ++process)
    running.push_back(std::async(std::launch::async, run, process));
  std::vector<Result> results;
  for (auto& one : running) one.wait();
  for (auto& one : running) results.push_back(one.get());
  return results;
}

class xla_nodes : public FakeXla {
 protected:
  xla_nodes() { machine({.platform = "cuda"}); }
  /// The clients of all processes, with one store each.
  static Clients open(const std::vector<Store>& stores) {
    const int count = static_cast<int>(stores.size());
    return in_processes<std::shared_ptr<const Client>>(count, [&](int process) {
      return Client::create(plugin(), {.options = node(process, count),
                                       .store = stores[static_cast<std::size_t>(process)]});
    });
  }
  static Clients open(int count) {
    return open(std::vector<Store>(static_cast<std::size_t>(count), std::make_shared<LocalStore>()));
  }
};

/// Runs this process's part of `doubled` on all devices of all processes.
void run_on_all(const std::shared_ptr<const Client>& client, int times = 1) {
  std::vector<int> ids;
  for (const DeviceInfo& device : client->devices()) ids.push_back(device.id);
  const auto list = client->choose(ids);
  const Executable program = Executable::compile(client, list, doubled());
  Buffers x = upload_parts(client, list, parts_of_four(static_cast<int>(list->local.size())));
  for (int i = 0; i < times; ++i) program.run(std::vector<Argument>{{&x}});
}

void expect_devices(const Client& client, int process, const std::vector<int>& per_process) {
  std::vector<std::pair<int, int>> expected, found;
  for (int p = 0, id = 0; p < static_cast<int>(per_process.size()); ++p)
    for (int i = 0; i < per_process[static_cast<std::size_t>(p)]; ++i) expected.emplace_back(id++, p);
  for (const DeviceInfo& device : client.devices()) {
    found.emplace_back(device.id, device.process);
    EXPECT_EQ(device.is_addressable, device.process == process);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(client.process(), process);
}

TEST_F(xla_nodes, have_the_devices_of_all_processes_and_drive_their_own) {
  for (const int count : {2, 3}) {
    machine({.platform = "cuda"});
    const Clients clients = open(count);
    for (int process = 0; process < count; ++process)
      expect_devices(*clients[static_cast<std::size_t>(process)], process,
                     count == 2 ? std::vector{2, 1} : std::vector{2, 1, 3});
  }
}

TEST_F(xla_nodes, agree_on_an_id_when_they_first_run_on_a_group_of_devices) {
  const Clients clients = open(3);
  in_processes<int>(3, [&](int process) {
    run_on_all(clients[static_cast<std::size_t>(process)], 2);
    run_on_all(clients[static_cast<std::size_t>(process)]);
    return 0;
  });
  std::vector<std::string> met = control.meetings();
  std::ranges::sort(met);
  const std::string id = ", devices 0,1,2,3,4,5: id 1" + std::string(1, '\0') + "made by node 0";
  EXPECT_EQ(met, (std::vector{"node 0" + id, "node 1" + id, "node 2" + id}));
}

TEST_F(xla_nodes, upload_run_and_download_their_own_parts) {
  const Clients clients = open(3);
  const auto results = in_processes<Tensors>(3, [&](int process) {
    const auto& client = clients[static_cast<std::size_t>(process)];
    const auto list = client->choose({5, 0, 2, 1});  // two of process 0, one of each other
    EXPECT_EQ(list->handles.size(), process == 0 ? 2U : 1U);
    const int parts = static_cast<int>(list->local.size());
    Buffers x = upload_parts(client, list, parts_of_four(parts));
    const Executable program = Executable::compile(client, list, doubled());
    const std::vector<Buffers> y = program.run(std::vector<Argument>{{&x}});
    EXPECT_EQ(x.download(first(parts)), parts_of_four(parts));
    return y.front().download(first(parts));
  });
  EXPECT_EQ(results[0].size(), 2U);
  EXPECT_EQ(results[2].size(), 1U);
  EXPECT_NE(control.meetings().front().find("made by node 2"), std::string::npos);  // of the first device, 5
}

TEST_F(xla_nodes, keep_their_store_alive_until_their_client_is_destroyed) {
  auto store = std::make_shared<LocalStore>();
  const std::weak_ptr<KeyValueStore> watched = store;
  Clients clients = open({store, store});
  store.reset();
  EXPECT_FALSE(watched.expired());
  clients.clear();  // the fake plugin uses the store once more
  EXPECT_TRUE(watched.expired());
}

TEST_F(xla_nodes, fail_in_time_if_a_process_is_missing) {
  machine({.platform = "cuda", .topology_timeout_ms = 50});
  const auto store = std::make_shared<LocalStore>();
  expect_refusal([&] { Client::create(plugin(), {.options = node(0, 3), .store = store}); }, Code::device,
                 {"create a client: Getting local topologies failed", "'local_topology/cuda/1' within 50 ms",
                  "'local_topology/cuda/2'", "check that all processes of the job run"});
  // The global topology is missing here. The failure keeps the code of the store.
  expect_refusal([&] { Client::create(plugin(), {.options = node(1, 3), .store = store}); }, Code::device,
                 {"create a client: key-value store: no process has put the key 'global_topology/cuda'"});
}

TEST_F(xla_nodes, fail_if_two_processes_have_one_number) {
  machine({.platform = "cuda", .topology_timeout_ms = 50});
  const auto store = std::make_shared<LocalStore>();
  store->put("local_topology/cuda/1", "8");
  expect_refusal([&] { Client::create(plugin(), {.options = node(1, 2), .store = store}); }, Code::device,
                 {"Different local topology for node 1"});
}

TEST_F(xla_nodes, that_start_again_with_the_same_devices_find_their_topology) {
  const auto store = std::make_shared<LocalStore>();
  open({store, store});
  open({store, store});
}

TEST_F(xla_nodes, need_a_store) {
  expect_refusal([] { Client::create(plugin(), {.options = node(0, 2)}); }, Code::device,
                 {"several nodes need a key-value store"});
}

TEST_F(xla_nodes, that_lose_process_0_fail_when_they_run) {
  machine({.platform = "cuda", .topology_timeout_ms = 300});
  const Clients clients = open(2);
  expect_refusal([&] { run_on_all(clients[1]); }, Code::device,
                 {"run: key-value store: no process has put", "'clique/0,1,2' within 300 ms"});
}

TEST_F(xla_nodes, leave_the_environment_as_it_is) {
  open(2);
  EXPECT_EQ(control.threads(), "");
}

TEST_F(xla_nodes, reach_each_other_over_tcp) {
  const auto server = std::make_shared<StoreServer>(Address{"127.0.0.1", 0}, Job{"tcp", 0, 3});
  const auto client = [&](int process) {
    return std::make_shared<StoreClient>(server->address(), Job{"tcp", process, 3});
  };
  const Clients clients = open({server, client(1), client(2)});
  expect_devices(*clients[2], 2, {2, 1, 3});
  in_processes<int>(3, [&](int process) {
    run_on_all(clients[static_cast<std::size_t>(process)]);
    return 0;
  });
  EXPECT_EQ(control.meetings().size(), 3U);
}

/// Process 1 of the next test, which starts it as a separate program.
TEST_F(xla_nodes, DISABLED_process_1) {
  const char* coordinator = std::getenv(coordinator_variable);
  ASSERT_NE(coordinator, nullptr) << "this test is started by another one";
  const auto store = open_store({"two programs", 1, 2}, coordinator, 20s);
  const auto client = Client::create(plugin(), {.options = node(1, 2), .store = store});
  expect_devices(*client, 1, {2, 1});
  run_on_all(client);
  ASSERT_EQ(control.meetings().size(), 1U);
  EXPECT_NE(control.meetings()[0].find("made by node 0"), std::string::npos);
  EXPECT_FALSE(store->put("process 1 is done", control.meetings()[0]));
}

TEST_F(xla_nodes, may_be_two_programs) {
  const auto server = std::make_shared<StoreServer>(Address{"127.0.0.1", 0}, Job{"two programs", 0, 2});
  const std::string command = fmt::format(
      "{}={} {}/xla_tests --gtest_also_run_disabled_tests --gtest_filter=xla_nodes.DISABLED_process_1",
      coordinator_variable, to_string(server->address()), program_folder());
  auto other = std::async(std::launch::async, [&] { return run_command(command); });
  {
    const auto client = Client::create(plugin(), {.options = node(0, 2), .store = server});
    expect_devices(*client, 0, {2, 1});
    run_on_all(client);
  }
  const StoreAnswer answer = server->get("process 1 is done", 20s);
  const Finished finished = other.get();
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  ASSERT_EQ(control.meetings().size(), 1U);
  EXPECT_EQ(answer.value, "node 1" + control.meetings()[0].substr(6));  // the same id
}

using xla_real_nodes = RealXla;

TEST_F(xla_real_nodes, of_the_cpu_plugin_ignore_the_store) {
  const auto store = std::make_shared<LocalStore>();
  const auto client = Client::create(Plugin::open(real_plugin_path()), {.cpu_devices = 2, .store = store});
  EXPECT_EQ(client->devices().size(), 2U);
}

}  // namespace
}  // namespace tutti::xla
