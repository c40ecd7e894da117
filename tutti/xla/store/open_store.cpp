// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/open_store.hpp"

#include "tutti/base/require.hpp"
#include "tutti/xla/store/local_store.hpp"
#include "tutti/xla/store/store_server.hpp"

namespace tutti::xla {

std::shared_ptr<KeyValueStore> open_store(const Job& job, std::string_view coordinator,
                                          std::chrono::milliseconds wait) {
  check(job);
  if (job.processes == 1) return std::make_shared<LocalStore>();
  const Address address = read_address(coordinator);
  require(address.port != 0, Code::device, "xla: the coordinator {} has no port; give one from 1 to 65535",
          coordinator);
  if (job.process == 0) return std::make_shared<StoreServer>(address, job);
  return std::make_shared<StoreClient>(address, job, wait);
}

}  // namespace tutti::xla
