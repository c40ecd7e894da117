// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tutti/kernels/gpu/driver_types.hpp"
#include "tutti/kernels/gpu/library.hpp"

namespace tutti::kernels {

inline constexpr std::string_view default_driver = "libcuda.so.1";

/// The functions of the CUDA driver API that we call, found by name in a shared library.
/// driver.name(..) throws if the function fails: R003 if memory is short, else R004. The message has the
/// function, CUDA's name of the error, and advice. driver.name.result(..) returns the CUresult instead.
class Driver {
 public:
  /// Opens the library and calls cuInit. Throws R004 if the library or a symbol is missing, or if there is no
  /// device.
  static std::shared_ptr<const Driver> open(const std::string& path = std::string(default_driver));
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// One function of the driver.
  template <class... A>
  class Call {
   public:
    Call(const Driver& driver, const char* symbol)
        : driver_(&driver),
          symbol_(symbol),
          function_(reinterpret_cast<DriverResult (*)(A...)>(driver.library_.symbol(symbol))) {}
    /// Calls the function, and throws if it fails.
    void operator()(A... arguments) const { driver_->check(function_(arguments...), symbol_); }
    /// Calls the function, and returns the CUresult.
    DriverResult result(A... arguments) const { return function_(arguments...); }
    /// The name of the function in the library.
    const char* symbol() const { return symbol_; }

   private:
    const Driver* driver_;
    const char* symbol_;
    DriverResult (*function_)(A...);
  };

  /// Throws unless `result` is success. The message contains `note`: "3 bytes on device 0".
  void check(DriverResult result, std::string_view function, std::string_view note = {}) const;
  int version() const { return version_; }  // 12040 is CUDA 12.4
  /// The file of the library.
  const std::string& path() const { return library_.path(); }

 private:
  explicit Driver(const std::string& path);
  Library library_;
  int version_ = 0;

  using Launch = Call<FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      StreamHandle, void**, void**>;
  using LaunchTogether = Call<FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, StreamHandle, void**>;

 public:
  Call<DriverResult, const char**> error_name{*this, "cuGetErrorName"};
  Call<DriverResult, const char**> error_string{*this, "cuGetErrorString"};
  Call<unsigned> init{*this, "cuInit"};
  Call<int*> driver_version{*this, "cuDriverGetVersion"};

  Call<int*> device_count{*this, "cuDeviceGetCount"};
  Call<DeviceHandle*, int> device_get{*this, "cuDeviceGet"};
  Call<char*, int, DeviceHandle> device_name{*this, "cuDeviceGetName"};
  Call<int*, int, DeviceHandle> device_attribute{*this, "cuDeviceGetAttribute"};
  Call<int*, DeviceHandle, DeviceHandle> can_access_peer{*this, "cuDeviceCanAccessPeer"};
  Call<int*, int, DeviceHandle, DeviceHandle> peer_attribute{*this, "cuDeviceGetP2PAttribute"};

  Call<ContextHandle*, DeviceHandle> context_retain{*this, "cuDevicePrimaryCtxRetain"};
  Call<DeviceHandle> context_release{*this, "cuDevicePrimaryCtxRelease_v2"};
  Call<ContextHandle> context_push{*this, "cuCtxPushCurrent_v2"};
  Call<ContextHandle*> context_pop{*this, "cuCtxPopCurrent_v2"};
  Call<ContextHandle, unsigned> enable_peer{*this, "cuCtxEnablePeerAccess"};

  Call<ModuleHandle*, const void*, unsigned, int*, void**> module_load{*this, "cuModuleLoadDataEx"};
  Call<ModuleHandle> module_unload{*this, "cuModuleUnload"};
  Call<FunctionHandle*, ModuleHandle, const char*> module_function{*this, "cuModuleGetFunction"};
  Call<FunctionHandle, int, int> function_set{*this, "cuFuncSetAttribute"};
  Call<int*, FunctionHandle, int, std::size_t> resident_blocks{*this,
                                                               "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  Launch launch{*this, "cuLaunchKernel"};
  LaunchTogether launch_cooperative{*this, "cuLaunchCooperativeKernel"};

  Call<DeviceAddress*, std::size_t> memory_allocate{*this, "cuMemAlloc_v2"};
  Call<DeviceAddress> memory_free{*this, "cuMemFree_v2"};
  Call<void**, std::size_t, unsigned> host_allocate{*this, "cuMemHostAlloc"};
  Call<void*> host_free{*this, "cuMemFreeHost"};
  Call<DeviceAddress, unsigned char, std::size_t, StreamHandle> fill_bytes{*this, "cuMemsetD8Async"};
  Call<DeviceAddress, unsigned, std::size_t, StreamHandle> fill_words{*this, "cuMemsetD32Async"};
  Call<DeviceAddress, const void*, std::size_t, StreamHandle> copy_to_device{*this, "cuMemcpyHtoDAsync_v2"};
  Call<void*, DeviceAddress, std::size_t, StreamHandle> copy_to_host{*this, "cuMemcpyDtoHAsync_v2"};
  Call<DeviceAddress, DeviceAddress, std::size_t, StreamHandle> copy{*this, "cuMemcpyDtoDAsync_v2"};
  Call<const Copy2D*, StreamHandle> copy_rows{*this, "cuMemcpy2DAsync_v2"};
  Call<DeviceAddress, ContextHandle, DeviceAddress, ContextHandle, std::size_t, StreamHandle> copy_peer{
      *this, "cuMemcpyPeerAsync"};
  Call<const CopyPeer*, StreamHandle> copy_rows_peer{*this, "cuMemcpy3DPeerAsync"};

  Call<StreamHandle*, unsigned> stream_create{*this, "cuStreamCreate"};
  Call<StreamHandle> stream_synchronize{*this, "cuStreamSynchronize"};
  Call<StreamHandle> stream_query{*this, "cuStreamQuery"};
  Call<StreamHandle, EventHandle, unsigned> stream_wait{*this, "cuStreamWaitEvent"};
  Call<StreamHandle> stream_destroy{*this, "cuStreamDestroy_v2"};
  Call<EventHandle*, unsigned> event_create{*this, "cuEventCreate"};
  Call<EventHandle, StreamHandle> event_record{*this, "cuEventRecord"};
  Call<EventHandle> event_synchronize{*this, "cuEventSynchronize"};
  Call<float*, EventHandle, EventHandle> event_elapsed{*this, "cuEventElapsedTime"};
  Call<EventHandle> event_destroy{*this, "cuEventDestroy_v2"};
};

}  // namespace tutti::kernels
