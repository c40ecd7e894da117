// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/xla/pjrt/abi_calls.hpp"
#include "tutti/xla/pjrt/key_value_store.hpp"

namespace tutti::xla {

/// Sets the callbacks through which the plugin reaches the store. The store must outlive the client.
/// The callbacks return the store's failures as errors of the plugin, and let no exception pass.
void offer_store(ClientCreate& create, KeyValueStore& store);

}  // namespace tutti::xla
