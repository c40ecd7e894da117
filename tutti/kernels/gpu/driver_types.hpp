// SPDX-License-Identifier: Apache-2.0
// The types and numbers of the CUDA driver API that we use, as in cuda.h of CUDA 11 to 13. They belong to the
// binary interface of the driver, so the build needs no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::kernels {

using DeviceAddress = std::uint64_t;  // CUdeviceptr
using DriverResult = int;             // CUresult
using DeviceHandle = int;             // CUdevice

// CUcontext, CUmodule, CUfunction, CUstream and CUevent: pointers to types that only the driver knows.
using ContextHandle = struct ContextOfDriver*;
using ModuleHandle = struct ModuleOfDriver*;
using FunctionHandle = struct FunctionOfDriver*;
using StreamHandle = struct StreamOfDriver*;
using EventHandle = struct EventOfDriver*;

namespace driver_result {
inline constexpr DriverResult success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3,
                              stub_library = 34, no_device = 100, invalid_device = 101, invalid_image = 200,
                              invalid_context = 201, no_binary_for_gpu = 209, peer_access_unsupported = 217,
                              invalid_ptx = 218, unsupported_ptx_version = 222, invalid_handle = 400,
                              not_found = 500, not_ready = 600, illegal_address = 700,
                              launch_out_of_resources = 701, peer_access_already_enabled = 704,
                              launch_failed = 719, cooperative_launch_too_large = 720, system_not_ready = 802,
                              system_driver_mismatch = 803;
}

namespace device_attribute {
inline constexpr int multiprocessors = 16, memory_clock_khz = 36, memory_bus_bits = 37, capability_major = 75,
                     capability_minor = 76, cooperative_launch = 95;
}

inline constexpr int native_peer_atomics = 3;            // CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
inline constexpr int most_dynamic_shared_attribute = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
inline constexpr int jit_error_log = 5, jit_error_log_bytes = 6;  // CU_JIT_ERROR_LOG_BUFFER, .._SIZE_BYTES
inline constexpr unsigned non_blocking_stream = 1;                // CU_STREAM_NON_BLOCKING
inline constexpr unsigned event_without_timing = 2;               // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned memory_is_device = 2;                   // CU_MEMORYTYPE_DEVICE

/// CUDA_MEMCPY2D: copies rows of width_bytes. A pitch is the distance from one row to the next.
struct Copy2D {
  std::size_t source_x = 0, source_y = 0;
  unsigned source_kind = memory_is_device;
  const void* source_host = nullptr;
  DeviceAddress source = 0;
  void* source_array = nullptr;
  std::size_t source_pitch = 0;
  std::size_t target_x = 0, target_y = 0;
  unsigned target_kind = memory_is_device;
  void* target_host = nullptr;
  DeviceAddress target = 0;
  void* target_array = nullptr;
  std::size_t target_pitch = 0;
  std::size_t width_bytes = 0, rows = 0;
};
static_assert(sizeof(Copy2D) == 128);

/// CUDA_MEMCPY3D_PEER: copies rows between two contexts.
struct CopyPeer {
  std::size_t source_x = 0, source_y = 0, source_z = 0, source_lod = 0;
  unsigned source_kind = memory_is_device;
  const void* source_host = nullptr;
  DeviceAddress source = 0;
  void* source_array = nullptr;
  ContextHandle source_context = nullptr;
  std::size_t source_pitch = 0, source_height = 0;
  std::size_t target_x = 0, target_y = 0, target_z = 0, target_lod = 0;
  unsigned target_kind = memory_is_device;
  void* target_host = nullptr;
  DeviceAddress target = 0;
  void* target_array = nullptr;
  ContextHandle target_context = nullptr;
  std::size_t target_pitch = 0, target_height = 0;
  std::size_t width_bytes = 0, rows = 0, depth = 1;
};
static_assert(sizeof(CopyPeer) == 200);

}  // namespace tutti::kernels
