// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/fake_plugin/nodes.hpp"

#include <algorithm>
#include <thread>

namespace fake_pjrt {
namespace {

/// Lets other clients work while a callback of this one waits.
class Unlocked {
 public:
  Unlocked() { state().lock.unlock(); }
  ~Unlocked() { state().lock.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
};

ErrorHandle make_error_of_store(std::int32_t code, const char* text, std::size_t bytes) {
  const std::scoped_lock locked(state().lock);
  return state().error(code, std::string(text, bytes));
}
MakeError make_error = make_error_of_store;

/// XLA leaves these fields unset.
const Head unset_head{0xdeadbeef, &make_error};

struct Found {
  ErrorHandle error = nullptr;
  char* value = nullptr;
  std::size_t bytes = 0;
  FreeValue free_value = nullptr;
};

/// Counts the value that a callback has handed out.
template <class Arguments>
Found found(const Arguments& arguments, ErrorHandle error) {
  if (error) return {error};
  const std::scoped_lock locked(state().lock);
  if (!arguments.value || !arguments.free_value) return {state().misuse("a value without memory or deleter")};
  if (!state().handles["value"].insert(arguments.value).second)
    return {state().misuse("the memory of a value is handed out twice")};
  return {nullptr, arguments.value, arguments.value_bytes, arguments.free_value};
}

/// Copies and frees a value.
std::string take(const Found& found) {
  std::string copy(found.value, found.bytes);
  state().handles["value"].erase(found.value);
  found.free_value(found.value);
  return copy;
}

/// The lock is not held.
Found get(const ClientOfPlugin& client, const std::string& key, int timeout_ms) {
  StoreGet arguments{.head = unset_head,
                     .key = key.data(),
                     .key_bytes = key.size(),
                     .timeout_ms = timeout_ms,
                     .make_error = &make_error,
                     .argument = client.store.get_argument};
  const ErrorHandle error = client.store.get(&arguments);
  return found(arguments, error);
}

Found try_get(const ClientOfPlugin& client, const std::string& key) {
  const Unlocked unlocked;
  StoreTryGet arguments{.head = unset_head,
                        .key = key.data(),
                        .key_bytes = key.size(),
                        .make_error = &make_error,
                        .argument = client.store.try_get_argument};
  const ErrorHandle error = client.store.try_get(&arguments);
  return found(arguments, error);
}

ErrorHandle put(const ClientOfPlugin& client, const std::string& key, const std::string& value) {
  const Unlocked unlocked;
  StorePut arguments{.head = unset_head,
                     .key = key.data(),
                     .key_bytes = key.size(),
                     .value = value.data(),
                     .value_bytes = value.size(),
                     .make_error = &make_error,
                     .argument = client.store.put_argument};
  return client.store.put(&arguments);
}

std::string local_key(int node) {
  return "local_topology/" + state().machine.platform + "/" + std::to_string(node);
}
std::string global_key() { return "global_topology/" + state().machine.platform; }

ErrorHandle put_local_topology(const ClientOfPlugin& client, const std::string& topology) {
  const std::string key = local_key(client.node);
  const ErrorHandle error = put(client, key, topology);
  if (!error || error->trouble.code != error_code::already_exists) return error;
  state().remove("error", error);
  const Found before = try_get(client, key);
  if (before.error) return before.error;
  if (take(before) == topology) return nullptr;
  return state().error(error_code::internal, "Different local topology for node " +
                                                 std::to_string(client.node) + " has been set previously");
}

/// Gets the local topologies of all nodes at once, each on a thread, and joins them with commas.
ErrorHandle get_local_topologies(const ClientOfPlugin& client, std::string& joined) {
  std::vector<Found> all(static_cast<std::size_t>(client.nodes));
  {
    const int timeout_ms = state().machine.topology_timeout_ms;
    std::vector<std::thread> pool;
    const Unlocked unlocked;
    for (int node = 0; node < client.nodes; ++node)
      pool.emplace_back([&, node, key = local_key(node)] {
        all[static_cast<std::size_t>(node)] = get(client, key, timeout_ms);
      });
    for (std::thread& thread : pool) thread.join();
  }
  std::string errors;
  for (const Found& one : all) {
    if (one.error) {
      errors += " Error: " + one.error->trouble.message;
      state().remove("error", one.error);
    } else {
      joined += (joined.empty() ? "" : ",") + take(one);
    }
  }
  if (errors.empty()) return nullptr;
  return state().error(error_code::internal, "Getting local topologies failed:" + errors);
}

std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < list.size();) {
    numbers.push_back(std::stoi(list.substr(at)));
    at = std::min(list.find(',', at), list.size() - 1) + 1;
  }
  return numbers;
}

int node_of(const ClientOfPlugin& client, int device_id) {
  for (const DeviceHandle device : client.all)
    if (device->description.made_up.id == device_id) return device->description.made_up.process;
  return -1;
}

}  // namespace

ErrorHandle exchange_topologies(ClientOfPlugin& client, std::vector<int>& devices_of_nodes) {
  const auto& made_up = state().machine.devices_of_nodes;
  const auto node = static_cast<std::size_t>(client.node);
  const int devices = node < made_up.size() ? made_up[node] : 1;
  if (client.nodes == 1) {
    devices_of_nodes = {devices};
    return nullptr;
  }
  if (!client.store.get || !client.store.try_get || !client.store.put)
    return state().error(error_code::invalid_argument, "several nodes need a key-value store");
  if (const ErrorHandle error = put_local_topology(client, std::to_string(devices))) return error;
  std::string topology;
  if (client.node == 0) {
    if (const ErrorHandle error = get_local_topologies(client, topology)) return error;
    if (const ErrorHandle error = put(client, global_key(), topology)) return error;
  } else {
    const auto ask = [&, key = global_key(), timeout_ms = state().machine.topology_timeout_ms] {
      const Unlocked unlocked;
      return get(client, key, timeout_ms);
    };
    const Found global = ask();
    if (global.error) return global.error;
    topology = take(global);
  }
  devices_of_nodes = numbers_of(topology);
  return nullptr;
}

ErrorHandle meet(ClientOfPlugin& client, const std::vector<int>& device_ids) {
  State& s = state();
  std::string clique;
  std::set<int> nodes;
  for (const int id : device_ids) {
    clique += (clique.empty() ? "" : ",") + std::to_string(id);
    nodes.insert(node_of(client, id));
  }
  if (nodes.size() < 2 || client.cliques.contains(clique)) return nullptr;
  const std::string key = "clique/" + clique;
  std::string id;
  if (node_of(client, device_ids.front()) == client.node) {
    id = "id " + std::to_string(++s.last_clique_id) + std::string(1, '\0') + "made by node " +
         std::to_string(client.node);
    if (const ErrorHandle error = put(client, key, id)) return error;
  } else {
    const auto ask = [&, timeout_ms = s.machine.topology_timeout_ms] {
      const Unlocked unlocked;
      return get(client, key, timeout_ms);
    };
    const Found got = ask();
    if (got.error) return got.error;
    id = take(got);
  }
  client.cliques.insert(clique);
  s.met.push_back("node " + std::to_string(client.node) + ", devices " + clique + ": " + id);
  return nullptr;
}

void say_farewell(ClientOfPlugin& client) {
  if (client.nodes == 1) return;
  const Found topology = try_get(client, local_key(client.node));
  if (!topology.error) take(topology);
  else state().remove("error", topology.error);
}

}  // namespace fake_pjrt
