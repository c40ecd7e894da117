// SPDX-License-Identifier: Apache-2.0
// Clients of several nodes: the messages of a plugin for GPUs to its other nodes through the key-value store.
#pragma once

#include "tests/xla/fake_plugin/state.hpp"

namespace fake_pjrt {

/// Puts this node's number of devices. Returns those of all nodes, in order of nodes.
/// Source: xla/pjrt/distributed/topology_util.cc, ExchangeTopologies.
ErrorHandle exchange_topologies(ClientOfPlugin& client, std::vector<int>& devices_of_nodes);

/// Makes or gets the id of the communicator of these devices, once per client. The node of the first device
/// makes it.
/// Source: xla/backends/gpu/collectives, nccl_id_store.cc.
ErrorHandle meet(ClientOfPlugin& client, const std::vector<int>& device_ids);

/// Uses the store once more, as plugins may while a client lives.
void say_farewell(ClientOfPlugin& client);

}  // namespace fake_pjrt
