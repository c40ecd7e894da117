// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/job.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"

namespace tutti::xla {

void check(const Job& job) {
  require(job.processes >= 1 && job.process >= 0 && job.process < job.processes, Code::device,
          "xla: there is no process {} of {}; give process = 0 .. processes - 1, another in each process",
          job.process, job.processes);
  require(job.name.size() <= most_name_bytes, Code::device,
          "xla: the name of a job has {} bytes; give one of at most {}", job.name.size(), most_name_bytes);
  require(job.secret.size() <= most_secret_bytes, Code::device,
          "xla: the secret of a job has {} bytes; give one of at most {}", job.secret.size(),
          most_secret_bytes);
}

}  // namespace tutti::xla
