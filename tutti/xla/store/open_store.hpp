// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "tutti/xla/store/store_client.hpp"

namespace tutti::xla {

/// The store of a job: process 0 serves it at the coordinator "host:port", and the others connect to it.
/// Each client needs a store of its own, so two that live at the same time need two ports.
/// A job of one process has its store in memory, and ignores the coordinator.
/// Throws R004 as StoreServer and StoreClient do, or if the coordinator is no address.
std::shared_ptr<KeyValueStore> open_store(const Job& job, std::string_view coordinator,
                                          std::chrono::milliseconds wait = usual_wait_for_server);

}  // namespace tutti::xla
