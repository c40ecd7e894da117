// SPDX-License-Identifier: Apache-2.0
// Errors, devices and contexts.
#include <algorithm>
#include <cstring>

#include "tests/kernels/fake_driver/api.hpp"

namespace fake_cuda {
namespace {

struct Name {
  int error;
  const char *name, *text;
};
constexpr Name names[]{{0, "CUDA_SUCCESS", "no error"},
                       {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
                       {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
                       {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
                       {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
                       {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
                       {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
                       {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
                       {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
                       {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
                       {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
                       {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
                        "too many blocks in cooperative launch"}};

const Name* find_name(int error) {
  const auto* found = std::ranges::find(names, error, &Name::error);
  return found == std::end(names) ? nullptr : found;
}

bool is_device(int device) { return 0 <= device && device < state().machine.devices; }

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

int cuGetErrorName(int error, const char** name) {
  const Name* found = find_name(error);
  *name = found ? found->name : nullptr;
  return found ? success : invalid_value;
}

int cuGetErrorString(int error, const char** text) {
  const Name* found = find_name(error);
  *text = found ? found->text : nullptr;
  return found ? success : invalid_value;
}

int cuInit(unsigned) {
  const int error = state().begin("cuInit");
  state().is_initialized = error == 0;
  return error;
}

int cuDriverGetVersion(int* version) {
  *version = state().machine.version;
  return success;
}

int cuDeviceGetCount(int* count) {
  *count = state().machine.devices;
  return state().begin("cuDeviceGetCount");
}

int cuDeviceGet(int* device, int ordinal) {
  if (const int error = state().begin("cuDeviceGet")) return error;
  *device = ordinal;
  return is_device(ordinal) ? 0 : 101;
}

int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "a fake GPU", static_cast<std::size_t>(length));
  return success;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  if (const int error = state().begin("cuDeviceGetAttribute")) return error;
  const std::map<int, int> values{{16, state().machine.multiprocessors},
                                  {36, 1'000'000},
                                  {37, 512},
                                  {75, state().machine.capability / 10},
                                  {76, state().machine.capability % 10},
                                  {95, state().machine.has_cooperative_launch ? 1 : 0}};
  if (!values.contains(attribute)) return state().misuse("an unknown attribute");
  *value = values.at(attribute);
  return success;
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = state().machine.has_peer_access && device != peer ? 1 : 0;
  return state().begin("cuDeviceCanAccessPeer");
}

int cuDeviceGetP2PAttribute(int* value, int attribute, int device, int peer) {
  if (const int error = state().begin("cuDeviceGetP2PAttribute")) return error;
  if (attribute != 3 || device == peer) return state().misuse("an unknown attribute of two devices");
  *value = state().machine.has_peer_atomics ? 1 : 0;
  return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (const int error = state().begin("cuDevicePrimaryCtxRetain")) return error;
  Context& retained = state().contexts[device];
  retained.device = device;
  ++retained.retained;
  *context = &retained;
  return success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (const int error = state().begin("cuDevicePrimaryCtxRelease_v2")) return error;
  if (state().contexts[device].retained == 0) return state().misuse("a context is released twice");
  --state().contexts[device].retained;
  return success;
}

int cuCtxPushCurrent_v2(void* context) {
  for (auto& [device, known] : state().contexts)
    if (&known == context && known.retained > 0) {
      context_stack().push_back(&known);
      return success;
    }
  return state().misuse("a context is used that is not retained", invalid_context);
}

int cuCtxPopCurrent_v2(void** context) {
  if (context_stack().empty()) return state().misuse("cuCtxPopCurrent without a context", invalid_context);
  *context = context_stack().back();
  context_stack().pop_back();
  return success;
}

int cuCtxEnablePeerAccess(void* peer, unsigned) {
  if (const int error = state().begin_in_context("cuCtxEnablePeerAccess")) return error;
  const int device = static_cast<Context*>(peer)->device;
  if (!state().machine.has_peer_access) return 217;
  return state().current()->peers.insert(device).second ? 0 : 704;
}
}
