// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/future.hpp"

#include "tutti/base/require.hpp"
#include "tutti/devices/carrier.hpp"

namespace tutti {

void Launch::run(const WorkerStep&, StepContext& context) const {
  ensure(context.crew.transport != nullptr, "a future without a transport");
  Carrier* carrier = context.crew.transport->carrier();
  of_carrier.scratch = scratch.get();
  of_carrier.crew = {nullptr,
                     0,
                     carrier ? context.crew.track_of_carrier : nullptr,
                     context.crew.log,
                     nullptr,  // its steps write no lines
                     context.crew.transport,
                     Transport::Lane::carrier,
                     carrier};
  const auto work = [this] {
    for (const WorkerStep& step : steps) {
      const Track::Span span(of_carrier.crew.track, &step);
      step.code->run(step, of_carrier);
    }
  };
  if (carrier) number = carrier->hand_over(work);
  else work();
}

void Launch::touch(const WorkerStep&, StepContext& context, const OnTouched& on_touched) const {
  StepContext of_carrier{scratch.get(), {}, context.crew};
  for (const WorkerStep& step : steps) step.code->touch(step, of_carrier, on_touched);
}

void Await::run(const WorkerStep&, StepContext& context) const {
  if (Carrier* carrier = context.crew.transport->carrier()) carrier->wait(launch->data.number);
}

void Await::touch(const WorkerStep&, StepContext&, const OnTouched&) const {}

std::span<const WorkerStep> handed_over(const StepCode& code) {
  const auto* launch = dynamic_cast<const CodeOf<Launch>*>(&code);
  return launch ? std::span<const WorkerStep>(launch->data.steps) : std::span<const WorkerStep>();
}

const StepCode* awaited(const StepCode& code) {
  const auto* await = dynamic_cast<const CodeOf<Await>*>(&code);
  return await ? await->data.launch : nullptr;
}

}  // namespace tutti
