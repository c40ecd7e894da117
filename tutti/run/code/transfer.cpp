// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/transfer.hpp"

#include <cstring>

#include "tutti/base/require.hpp"

namespace tutti {

void Transfer::run(const WorkerStep&, StepContext& context) const {
  Transport* transport = context.crew.transport;
  ensure(transport != nullptr, "a transfer without a transport");
  Carrier* carrier = context.crew.carrier;
  const Transport::Ticket ticket = transport->post(sends, receives, place, context.crew.lane);
  for (const Own& part : own)
    if (part.bytes > 0) std::memcpy(part.to, part.from, part.bytes);
  if (carrier) transport->finish(ticket, carrier->may_rest());
  else transport->finish(ticket);
}

void Transfer::touch(const WorkerStep&, StepContext&, const OnTouched& on_touched) const {
  const auto touched = [&](const std::byte* at, std::size_t bytes, bool written) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    if (bytes > 0) on_touched({begin, begin + bytes, written});
  };
  for (const Transport::Part& part : sends) touched(part.at, part.bytes, false);
  for (const Transport::Part& part : receives) touched(part.at, part.bytes, true);
  for (const Own& part : own) {
    touched(part.from, part.bytes, false);
    touched(part.to, part.bytes, true);
  }
}

}  // namespace tutti
