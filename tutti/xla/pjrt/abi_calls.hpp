// SPDX-License-Identifier: Apache-2.0
// The arguments of each function of a PJRT plugin that a client calls, in the order of the table. The plugin
// fills in `out` fields.
#pragma once

#include "tutti/xla/pjrt/abi.hpp"
#include "tutti/xla/pjrt/abi_store.hpp"

namespace tutti::xla {

// --- Errors and the plugin ---------------------------------------------------------------------------------

struct ErrorDestroy {
  static constexpr Function function{0, "PJRT_Error_Destroy", 24};
  Head head{};
  ErrorHandle error{};
};
static_assert(sizeof(ErrorDestroy) == 24);

struct ErrorMessage {
  static constexpr Function function{1, "PJRT_Error_Message", 40};
  Head head{};
  ErrorHandle error{};
  const char* text{};   // out
  std::size_t bytes{};  // out
};
static_assert(sizeof(ErrorMessage) == 40 && offsetof(ErrorMessage, bytes) == 32);

struct ErrorGetCode {
  static constexpr Function function{2, "PJRT_Error_GetCode", 28};
  Head head{};
  ErrorHandle error{};
  std::int32_t code{};  // out
};
static_assert(sizeof(ErrorGetCode) == 32 && offsetof(ErrorGetCode, code) == 24);

struct PluginInitialize {
  static constexpr Function function{3, "PJRT_Plugin_Initialize", 16};
  Head head{};
};
static_assert(sizeof(PluginInitialize) == 16);

struct PluginAttributes {
  static constexpr Function function{4, "PJRT_Plugin_Attributes", 32};
  Head head{};
  const NamedValue* list{};  // out
  std::size_t count{};       // out
};
static_assert(sizeof(PluginAttributes) == 32 && offsetof(PluginAttributes, count) == 24);

// --- Events ------------------------------------------------------------------------------------------------

struct EventDestroy {
  static constexpr Function function{5, "PJRT_Event_Destroy", 24};
  Head head{};
  EventHandle event{};
};
static_assert(sizeof(EventDestroy) == 24);

struct EventIsReady {
  static constexpr Function function{6, "PJRT_Event_IsReady", 25};
  Head head{};
  EventHandle event{};
  bool is_ready{};  // out
};
static_assert(sizeof(EventIsReady) == 32 && offsetof(EventIsReady, is_ready) == 24);

struct EventAwait {
  static constexpr Function function{8, "PJRT_Event_Await", 24};
  Head head{};
  EventHandle event{};
};
static_assert(sizeof(EventAwait) == 24);

// --- Clients and devices -----------------------------------------------------------------------------------

struct ClientCreate {
  static constexpr Function function{10, "PJRT_Client_Create", 88};
  Head head{};
  const NamedValue* options{};
  std::size_t option_count{};
  GetCallback get{};
  void* get_argument{};
  PutCallback put{};
  void* put_argument{};
  ClientHandle client{};  // out
  TryGetCallback try_get{};
  void* try_get_argument{};
};
static_assert(sizeof(ClientCreate) == 88 && offsetof(ClientCreate, try_get_argument) == 80);

struct ClientDestroy {
  static constexpr Function function{11, "PJRT_Client_Destroy", 24};
  Head head{};
  ClientHandle client{};
};
static_assert(sizeof(ClientDestroy) == 24);

struct ClientPlatformName {
  static constexpr Function function{12, "PJRT_Client_PlatformName", 40};
  Head head{};
  ClientHandle client{};
  const char* text{};   // out
  std::size_t bytes{};  // out
};
static_assert(sizeof(ClientPlatformName) == 40 && offsetof(ClientPlatformName, bytes) == 32);

struct ClientProcessIndex {
  static constexpr Function function{13, "PJRT_Client_ProcessIndex", 28};
  Head head{};
  ClientHandle client{};
  std::int32_t index{};  // out
};
static_assert(sizeof(ClientProcessIndex) == 32 && offsetof(ClientProcessIndex, index) == 24);

struct ClientPlatformVersion {
  static constexpr Function function{14, "PJRT_Client_PlatformVersion", 40};
  Head head{};
  ClientHandle client{};
  const char* text{};   // out
  std::size_t bytes{};  // out
};
static_assert(sizeof(ClientPlatformVersion) == 40 && offsetof(ClientPlatformVersion, bytes) == 32);

struct ClientDevices {
  static constexpr Function function{15, "PJRT_Client_Devices", 40};
  Head head{};
  ClientHandle client{};
  DeviceHandle const* list{};  // out
  std::size_t count{};         // out
};
static_assert(sizeof(ClientDevices) == 40 && offsetof(ClientDevices, count) == 32);

struct ClientAddressableDevices {
  static constexpr Function function{16, "PJRT_Client_AddressableDevices", 40};
  Head head{};
  ClientHandle client{};
  DeviceHandle const* list{};  // out
  std::size_t count{};         // out
};
static_assert(sizeof(ClientAddressableDevices) == 40 && offsetof(ClientAddressableDevices, count) == 32);

struct ClientCompile {
  static constexpr Function function{20, "PJRT_Client_Compile", 56};
  Head head{};
  ClientHandle client{};
  const ProgramText* program{};
  const char* options{};
  std::size_t options_bytes{};
  LoadedHandle loaded{};  // out
};
static_assert(sizeof(ClientCompile) == 56 && offsetof(ClientCompile, loaded) == 48);

struct ClientUpload {
  static constexpr Function function{22, "PJRT_Client_BufferFromHostBuffer", 120};
  Head head{};
  ClientHandle client{};
  const void* data{};
  std::int32_t type{};
  const std::int64_t* dims{};
  std::size_t rank{};
  const std::int64_t* byte_strides{};
  std::size_t stride_count{};
  std::int32_t semantics{};
  DeviceHandle device{};
  MemoryHandle memory{};
  void* layout{};
  EventHandle done{};     // out
  BufferHandle buffer{};  // out
};
static_assert(sizeof(ClientUpload) == 120 && offsetof(ClientUpload, buffer) == 112);

struct DescriptionId {
  static constexpr Function function{23, "PJRT_DeviceDescription_Id", 28};
  Head head{};
  DescriptionHandle description{};
  std::int32_t id{};  // out
};
static_assert(sizeof(DescriptionId) == 32 && offsetof(DescriptionId, id) == 24);

struct DescriptionProcessIndex {
  static constexpr Function function{24, "PJRT_DeviceDescription_ProcessIndex", 28};
  Head head{};
  DescriptionHandle description{};
  std::int32_t index{};  // out
};
static_assert(sizeof(DescriptionProcessIndex) == 32 && offsetof(DescriptionProcessIndex, index) == 24);

struct DescriptionAttributes {
  static constexpr Function function{25, "PJRT_DeviceDescription_Attributes", 40};
  Head head{};
  DescriptionHandle description{};
  std::size_t count{};       // out
  const NamedValue* list{};  // out
};
static_assert(sizeof(DescriptionAttributes) == 40 && offsetof(DescriptionAttributes, list) == 32);

struct DescriptionKind {
  static constexpr Function function{26, "PJRT_DeviceDescription_Kind", 40};
  Head head{};
  DescriptionHandle description{};
  const char* text{};   // out
  std::size_t bytes{};  // out
};
static_assert(sizeof(DescriptionKind) == 40 && offsetof(DescriptionKind, bytes) == 32);

struct DeviceGetDescription {
  static constexpr Function function{29, "PJRT_Device_GetDescription", 32};
  Head head{};
  DeviceHandle device{};
  DescriptionHandle description{};  // out
};
static_assert(sizeof(DeviceGetDescription) == 32 && offsetof(DeviceGetDescription, description) == 24);

/// A statistic that a plugin may lack.
struct OptionalNumber {
  std::int64_t value = 0;
  bool is_set = false;
};
struct DeviceMemoryStats {
  static constexpr Function function{34, "PJRT_Device_MemoryStats", 185};
  Head head{};
  DeviceHandle device{};
  std::int64_t bytes_in_use = 0;  // all out from here on
  OptionalNumber peak_bytes_in_use{}, allocations{}, largest_allocation{}, limit{}, reserved{},
      peak_reserved{};
  OptionalNumber reservable_limit{}, largest_free_block{}, pool{}, peak_pool{};
  OptionalNumber since_then{};
};
static_assert(offsetof(DeviceMemoryStats, limit) == 80 && offsetof(DeviceMemoryStats, since_then) == 192);
static_assert(sizeof(DeviceMemoryStats) == 208);

// --- Compiled programs -------------------------------------------------------------------------------------

struct ExecutableDestroy {
  static constexpr Function function{40, "PJRT_Executable_Destroy", 24};
  Head head{};
  ExecutableHandle executable{};
};
static_assert(sizeof(ExecutableDestroy) == 24);

struct ExecutableNumOutputs {
  static constexpr Function function{44, "PJRT_Executable_NumOutputs", 32};
  Head head{};
  ExecutableHandle executable{};
  std::size_t count{};  // out
};
static_assert(sizeof(ExecutableNumOutputs) == 32 && offsetof(ExecutableNumOutputs, count) == 24);

struct ExecutableGetCostAnalysis {
  static constexpr Function function{46, "PJRT_Executable_GetCostAnalysis", 40};
  Head head{};
  ExecutableHandle executable{};
  std::size_t count{};       // out
  const NamedValue* list{};  // out
};
static_assert(sizeof(ExecutableGetCostAnalysis) == 40 && offsetof(ExecutableGetCostAnalysis, list) == 32);

struct ExecutableSerialize {
  static constexpr Function function{49, "PJRT_Executable_Serialize", 56};
  Head head{};
  ExecutableHandle executable{};
  const char* bytes{};                          // out
  std::size_t count{};                          // out
  SerializedHandle serialized{};                // out
  void (*destroy)(SerializedHandle) = nullptr;  // out
};
static_assert(sizeof(ExecutableSerialize) == 56 && offsetof(ExecutableSerialize, destroy) == 48);

struct LoadedDestroy {
  static constexpr Function function{50, "PJRT_LoadedExecutable_Destroy", 24};
  Head head{};
  LoadedHandle loaded{};
};
static_assert(sizeof(LoadedDestroy) == 24);

struct LoadedGetExecutable {
  static constexpr Function function{51, "PJRT_LoadedExecutable_GetExecutable", 32};
  Head head{};
  LoadedHandle loaded{};
  ExecutableHandle executable{};  // out
};
static_assert(sizeof(LoadedGetExecutable) == 32 && offsetof(LoadedGetExecutable, executable) == 24);

struct LoadedAddressableDevices {
  static constexpr Function function{52, "PJRT_LoadedExecutable_AddressableDevices", 40};
  Head head{};
  LoadedHandle loaded{};
  DeviceHandle const* list{};  // out
  std::size_t count{};         // out
};
static_assert(sizeof(LoadedAddressableDevices) == 40 && offsetof(LoadedAddressableDevices, count) == 32);

struct LoadedExecute {
  static constexpr Function function{55, "PJRT_LoadedExecutable_Execute", 80};
  Head head{};
  LoadedHandle loaded{};
  const ExecuteOptions* options{};
  BufferHandle const* const* arguments{};  // [device][argument]
  std::size_t device_count{};
  std::size_t argument_count{};
  BufferHandle* const* results{};  // [device][result], filled in
  EventHandle* done{};             // [device], filled in; null: not wanted
  DeviceHandle only_device{};
};
static_assert(sizeof(LoadedExecute) == 80 && offsetof(LoadedExecute, only_device) == 72);

struct DeserializeAndLoad {
  static constexpr Function function{56, "PJRT_Executable_DeserializeAndLoad", 64};
  Head head{};
  ClientHandle client{};
  const char* bytes{};
  std::size_t count{};
  LoadedHandle loaded{};  // out
  const char* options{};
  std::size_t options_bytes{};
  void* since_then = nullptr;
};
static_assert(sizeof(DeserializeAndLoad) == 72 && offsetof(DeserializeAndLoad, options_bytes) == 56);

struct ExecutableOutputTypes {
  static constexpr Function function{90, "PJRT_Executable_OutputElementTypes", 40};
  Head head{};
  ExecutableHandle executable{};
  const std::int32_t* types{};  // out
  std::size_t count{};          // out
};
static_assert(sizeof(ExecutableOutputTypes) == 40 && offsetof(ExecutableOutputTypes, count) == 32);

struct ExecutableOutputDims {
  static constexpr Function function{91, "PJRT_Executable_OutputDimensions", 48};
  Head head{};
  ExecutableHandle executable{};
  std::size_t count{};         // out
  const std::int64_t* dims{};  // out
  const std::size_t* ranks{};  // out
};
static_assert(sizeof(ExecutableOutputDims) == 48 && offsetof(ExecutableOutputDims, ranks) == 40);

struct ExecutableMemoryStats {
  static constexpr Function function{96, "PJRT_Executable_GetCompiledMemoryStats", 112};
  Head head{};
  ExecutableHandle executable{};
  // all out: bytes of one device, then of the host
  std::int64_t code = 0, arguments = 0, results = 0, aliased = 0, temporary = 0;
  std::int64_t host_code = 0, host_arguments = 0, host_results = 0, host_aliased = 0, host_temporary = 0;
  std::int64_t peak = 0;  // the struct of 0.81 ends here
  std::int64_t since_then[4] = {};
};
static_assert(offsetof(ExecutableMemoryStats, peak) == 104 && sizeof(ExecutableMemoryStats) == 144);

// --- Buffers -----------------------------------------------------------------------------------------------

struct BufferDestroy {
  static constexpr Function function{58, "PJRT_Buffer_Destroy", 24};
  Head head{};
  BufferHandle buffer{};
};
static_assert(sizeof(BufferDestroy) == 24);

struct BufferIsDeleted {
  static constexpr Function function{68, "PJRT_Buffer_IsDeleted", 25};
  Head head{};
  BufferHandle buffer{};
  bool is_deleted{};  // out
};
static_assert(sizeof(BufferIsDeleted) == 32 && offsetof(BufferIsDeleted, is_deleted) == 24);

struct BufferDownload {
  static constexpr Function function{70, "PJRT_Buffer_ToHostBuffer", 56};
  Head head{};
  BufferHandle buffer{};
  void* layout{};
  void* data{};
  std::size_t bytes{};
  EventHandle done{};  // out
};
static_assert(sizeof(BufferDownload) == 56 && offsetof(BufferDownload, done) == 48);

struct BufferReadyEvent {
  static constexpr Function function{72, "PJRT_Buffer_ReadyEvent", 32};
  Head head{};
  BufferHandle buffer{};
  EventHandle event{};  // out
};
static_assert(sizeof(BufferReadyEvent) == 32 && offsetof(BufferReadyEvent, event) == 24);

struct BufferUnsafePointer {
  static constexpr Function function{73, "PJRT_Buffer_UnsafePointer", 32};
  Head head{};
  BufferHandle buffer{};
  std::uintptr_t address{};  // out
};
static_assert(sizeof(BufferUnsafePointer) == 32 && offsetof(BufferUnsafePointer, address) == 24);

}  // namespace tutti::xla
