// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/admission.hpp"

#include <fmt/core.h>

#include "tutti/xla/store/local_store.hpp"

namespace tutti::xla {
namespace {

template <class... A>
Failure refused(fmt::format_string<A...> format, A&&... values) {
  return {error_code::failed_precondition, fmt::format(format, std::forward<A>(values)...)};
}

/// Takes equally long wherever two texts of one length differ, so that nobody can find a secret byte by byte.
bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differing |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differing == 0;
}

}  // namespace

std::optional<Failure> Admission::refusal(const protocol::GreetingHead& greeting, std::string_view name,
                                          std::string_view secret) {
  if (greeting.version != protocol::version)
    return refused("process 0 speaks version {} of the protocol, and this process version {}; use one "
                   "version of Tutti for "
                   "all",
                   protocol::version, greeting.version);
  if (!are_equal(secret, job_.secret))
    return refused("another job runs at this address, or its secret is another one; give all processes of a "
                   "job one secret, and each job a port of its own");
  if (name != job_.name)
    return refused("the job {} runs at this address, and this process belongs to the job {}; give each job a "
                   "port of its own",
                   shown(job_.name), shown(name));
  if (greeting.processes != static_cast<std::uint32_t>(job_.processes))
    return refused("process 0 expects {} processes, and this process {}; give all the same number",
                   job_.processes, greeting.processes);
  if (greeting.process == 0 || greeting.process >= greeting.processes)
    return refused("process {} cannot connect to process 0 of {}; give each process a number of its own",
                   greeting.process, job_.processes);
  const auto known = instances_.emplace(greeting.process, greeting.instance).first;
  if (known->second != greeting.instance)
    return Failure{error_code::already_exists,
                   fmt::format("process {} has connected before; give each process a number of its own, and "
                               "start all processes of a job again if one has ended",
                               greeting.process)};
  return std::nullopt;
}

}  // namespace tutti::xla
