// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include <string>

#include "tests/kernels/fake_driver/api.hpp"

using namespace fake_cuda;

namespace {

Event* event_of(void* handle) {
  const auto found = state().events.find(handle);
  return found == state().events.end() ? nullptr : found->second.get();
}

int unknown(const char* function) {
  return state().misuse(std::string(function) + ": no such stream or event", invalid_handle);
}

}  // namespace

extern "C" {

int cuStreamCreate(void** handle, unsigned flags) {
  if (const int error = state().begin_in_context("cuStreamCreate")) return error;
  if (flags != 1) state().misuse("a stream that waits for the default stream");
  auto stream = std::make_unique<Stream>();
  stream->context = state().current();
  stream->number = ++state().streams_made;
  *handle = stream.get();
  state().streams.emplace(*handle, std::move(stream));
  return success;
}

int cuStreamSynchronize(void* handle) {
  if (const int error = state().begin_in_context("cuStreamSynchronize")) return error;
  Stream* stream = stream_of(handle);
  if (!stream) return unknown("cuStreamSynchronize");
  return state().drain(*stream) ? 0 : state().misuse("cuStreamSynchronize waits for ever", 719);
}

int cuStreamQuery(void* handle) {
  if (const int error = state().begin_in_context("cuStreamQuery")) return error;
  Stream* stream = stream_of(handle);
  if (!stream) return unknown("cuStreamQuery");
  if (state().delays > 0) {
    --state().delays;
    return 600;
  }
  return state().drain(*stream) ? 0 : 600;
}

int cuStreamWaitEvent(void* handle, void* awaited, unsigned) {
  if (const int error = state().begin_in_context("cuStreamWaitEvent")) return error;
  Stream* stream = stream_of(handle);
  Event* event = event_of(awaited);
  if (!stream || !event) return unknown("cuStreamWaitEvent");
  stream->queue.push_back({{}, std::pair(event, event->number), {}, false});
  return success;
}

int cuStreamDestroy_v2(void* handle) {
  if (const int error = state().begin_in_context("cuStreamDestroy_v2")) return error;
  Stream* stream = stream_of(handle);
  if (!stream) return unknown("cuStreamDestroy_v2");
  if (!stream->queue.empty() && !stream->queue.front().hangs)
    state().misuse("cuStreamDestroy_v2 while work is queued");
  state().streams.erase(handle);
  return success;
}

int cuEventCreate(void** handle, unsigned) {
  if (const int error = state().begin_in_context("cuEventCreate")) return error;
  auto event = std::make_unique<Event>();
  *handle = event.get();
  state().events.emplace(*handle, std::move(event));
  return success;
}

int cuEventRecord(void* handle, void* on) {
  if (const int error = state().begin_in_context("cuEventRecord")) return error;
  Event* event = event_of(handle);
  Stream* stream = stream_of(on);
  if (!stream || !event) return unknown("cuEventRecord");
  event->stream = stream;
  const int number = ++event->number;
  stream->queue.push_back({[=] { event->reached = number; }, {}, {}, false});
  return success;
}

int cuEventSynchronize(void* handle) {
  if (const int error = state().begin_in_context("cuEventSynchronize")) return error;
  Event* event = event_of(handle);
  if (!event) return unknown("cuEventSynchronize");
  if (event->stream && !state().drain(*event->stream))
    return state().misuse("cuEventSynchronize waits for ever", 719);
  return success;
}

int cuEventElapsedTime(float* milliseconds, void* first, void* second) {
  if (const int error = state().begin("cuEventElapsedTime")) return error;
  if (!event_of(first) || !event_of(second)) return unknown("cuEventElapsedTime");
  *milliseconds = 1;
  return success;
}

int cuEventDestroy_v2(void* handle) {
  if (const int error = state().begin_in_context("cuEventDestroy_v2")) return error;
  if (!event_of(handle)) return unknown("cuEventDestroy_v2");
  state().events.erase(handle);
  return success;
}
}
