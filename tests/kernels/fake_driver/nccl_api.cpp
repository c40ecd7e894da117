// SPDX-License-Identifier: Apache-2.0
// NCCL's reductions of u8, i32, f32 and f64, in the order of the ranks.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/kernels/fake_driver/api.hpp"

using namespace fake_cuda;

namespace {

struct Communicator {
  int rank = 0, size = 0, device = 0;
};

struct Part {
  const void* send;
  void* receive;
  std::size_t count;
  int type, op;
  bool scatters;
  Communicator* communicator;
  Stream* stream;
};

std::vector<Part> parts;  // since ncclGroupStart
bool is_grouped = false;

template <class T>
T reduced(int op, T x, T y) {
  return op == 0 ? static_cast<T>(x + y) : op == 2 ? std::max(x, y) : std::min(x, y);
}

template <class T>
void run_of(const std::vector<Part>& all) {
  const std::size_t world = all.size(), count = all[0].count;
  const std::size_t sent = all[0].scatters ? count * world : count;
  std::vector<T> sum(sent), values(sent);
  for (std::size_t rank = 0; rank < world; ++rank) {
    std::memcpy(values.data(), all[rank].send, sent * sizeof(T));
    for (std::size_t i = 0; i < sent; ++i)
      sum[i] = rank == 0 ? values[i] : reduced(all[0].op, sum[i], values[i]);
  }
  for (std::size_t rank = 0; rank < world; ++rank)
    std::memcpy(all[rank].receive, sum.data() + (all[0].scatters ? rank * count : 0), count * sizeof(T));
}

void run(const std::vector<Part>& all) {
  switch (all[0].type) {
    case 1: return run_of<std::uint8_t>(all);
    case 2: return run_of<std::int32_t>(all);
    case 7: return run_of<float>(all);
    case 8: return run_of<double>(all);
    default: state().misuse("a type of NCCL that the fake does not reduce");
  }
}

int add(const char* function, Part part, void* stream) {
  if (const int error = state().begin(function)) return error;
  part.stream = stream_of(stream);
  if (!part.stream || !state().communicators.contains(part.communicator))
    return state().misuse(std::string(function) + ": no such stream or communicator", 4);
  if (!is_grouped) return state().misuse(std::string(function) + " outside of a group", 5);
  if (part.stream->context->device != part.communicator->device)
    return state().misuse(std::string(function) + ": stream of another device", 4);
  parts.push_back(part);
  return 0;
}

}  // namespace

extern "C" {

const char* ncclGetErrorString(int error) {
  return error == 2 ? "unhandled system error" : "some NCCL error";
}

int ncclGetVersion(int* version) {
  *version = 22809;
  return 0;
}

int ncclCommInitAll(void** communicators, int count, const int* devices) {
  if (const int error = state().begin("ncclCommInitAll")) return error;
  for (int rank = 0; rank < count; ++rank) {
    if (std::count(devices, devices + count, devices[rank]) > 1) return 5;
    communicators[rank] = new Communicator{rank, count, devices[rank]};
    state().communicators.insert(communicators[rank]);
  }
  return 0;
}

int ncclCommDestroy(void* communicator) {
  if (state().communicators.erase(communicator) != 1)
    return state().misuse("a communicator is destroyed twice", 4);
  delete static_cast<Communicator*>(communicator);
  return 0;
}

int ncclGroupStart() {
  is_grouped = true;
  parts.clear();
  return state().begin("ncclGroupStart");
}

int ncclGroupEnd() {
  if (const int error = state().begin("ncclGroupEnd")) return error;
  is_grouped = false;
  std::vector<Part> all = std::move(parts);
  if (all.empty() || static_cast<int>(all.size()) != all[0].communicator->size)
    return state().misuse("a group of NCCL calls without all of its ranks", 5);
  std::ranges::sort(all, {}, [](const Part& part) { return part.communicator->rank; });
  auto meeting = std::make_shared<Meeting>();
  for (const Part& part : all) meeting->streams.push_back(part.stream);
  meeting->run = [all] { run(all); };
  for (const Part& part : all) part.stream->queue.push_back({{}, {}, meeting, false});
  return 0;
}

int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int op, void* communicator,
                  void* stream) {
  return add("ncclAllReduce",
             {send, receive, count, type, op, false, static_cast<Communicator*>(communicator), nullptr},
             stream);
}

int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int op,
                      void* communicator, void* stream) {
  return add("ncclReduceScatter",
             {send, receive, count, type, op, true, static_cast<Communicator*>(communicator), nullptr},
             stream);
}
}
