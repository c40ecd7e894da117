// SPDX-License-Identifier: Apache-2.0
// XLA's foreign function interface (FFI): custom calls of a compiled program run functions of this process. A
// plugin has an extension of its table to register them. These are our own declarations; the frame is that of
// version 0.1, which XLA extends only at the ends of structs.
#pragma once

#include "tutti/xla/pjrt/abi.hpp"

namespace tutti::xla {

using ContextHandle = struct ContextOfPlugin*;  // of one execution, for the plugin
using FrameContext = struct ContextOfFrame*;    // the same, for a handler
using FrameError = struct ErrorOfFrame*;

// --- Calls of the plugin -----------------------------------------------------------------------------------

struct ContextCreate {
  static constexpr Function function{98, "PJRT_ExecuteContext_Create", 24};
  Head head{};
  ContextHandle context{};  // out
};
static_assert(sizeof(ContextCreate) == 24);

struct ContextDestroy {
  static constexpr Function function{99, "PJRT_ExecuteContext_Destroy", 24};
  Head head{};
  ContextHandle context{};
};
static_assert(sizeof(ContextDestroy) == 24);

/// The type number of the extension. Its functions follow its head, 8 bytes each.
inline constexpr std::int32_t ffi_extension = 5;

/// Functions by which XLA handles the data of a type. They may all be null.
struct TypeFunctions {
  void* functions[8] = {};
};

struct RegisterType {
  static constexpr ExtensionFunction function{ffi_extension, 0, "PJRT_FFI_Type_Register"};
  Head head{};
  const char* name{};
  std::size_t name_bytes{};
  std::int64_t type{};  // in: the number wanted; 0: any. out: the number
  const TypeFunctions* type_functions{};
};
static_assert(sizeof(RegisterType) == 48 && offsetof(RegisterType, type) == 32);

struct AddUserData {
  static constexpr ExtensionFunction function{ffi_extension, 1, "PJRT_FFI_UserData_Add"};
  Head head{};
  ContextHandle context{};
  std::int64_t type{};
  const void* data{};
};
static_assert(sizeof(AddUserData) == 40 && offsetof(AddUserData, data) == 32);

struct CallFrame;
using FrameHandler = FrameError (*)(CallFrame*);

/// Its head has no pointer to an extension.
struct RegisterHandler {
  static constexpr ExtensionFunction function{ffi_extension, 2, "PJRT_FFI_Register_Handler"};
  std::size_t struct_size{};
  const char* target{};
  std::size_t target_bytes{};
  FrameHandler handler{};
  const char* platform{};
  std::size_t platform_bytes{};
  std::uint32_t traits{};
};
static_assert(offsetof(RegisterHandler, handler) == 24 && offsetof(RegisterHandler, traits) == 48);

// --- What a handler gets -----------------------------------------------------------------------------------

struct FrameBuffer {
  Head head{};
  std::int32_t type{};  // a number of XLA, not of PJRT
  void* data{};
  std::int64_t rank{};
  const std::int64_t* dims{};
};
static_assert(sizeof(FrameBuffer) == 48 && offsetof(FrameBuffer, data) == 24);

/// Operands or results. `kinds` are 1 for buffers.
struct FrameBuffers {
  Head head{};
  std::int64_t count{};
  const std::int32_t* kinds{};
  FrameBuffer* const* list{};
};
static_assert(sizeof(FrameBuffers) == 40 && offsetof(FrameBuffers, list) == 32);

struct MakeFrameError {
  Head head{};
  const char* message{};
  std::int32_t code{};  // of error_code
};
static_assert(offsetof(MakeFrameError, code) == 24);

struct GetUserData {
  Head head{};
  FrameContext context{};
  const std::int64_t* type{};
  void* data{};  // out
};
static_assert(sizeof(GetUserData) == 40);

/// The functions that a handler may call.
struct FrameTable {
  Head head{};
  Head version_head{};
  std::int32_t major{}, minor{};
  const void* internal{};
  FrameError (*make_error)(MakeFrameError*){};
  void* error_message{};
  void* destroy_error{};
  void* register_handler{};
  void* stream{};
  void* register_type{};
  FrameError (*user_data)(GetUserData*){};
};
static_assert(offsetof(FrameTable, make_error) == 48 && offsetof(FrameTable, user_data) == 96);

/// A frame with this extension asks for the version of the handler, and for nothing else.
inline constexpr std::int32_t metadata_extension = 1;
struct FrameMetadata {
  std::size_t struct_size;
  Head version_head;
  std::int32_t major, minor;
  std::uint32_t traits;
};
static_assert(offsetof(FrameMetadata, major) == 24 && offsetof(FrameMetadata, traits) == 32);
struct MetadataExtension {
  Extension head;
  FrameMetadata* metadata;
};
static_assert(offsetof(MetadataExtension, metadata) == 24);

/// One call of a handler.
struct CallFrame {
  Head head{};
  const FrameTable* table{};
  FrameContext context{};
  std::int32_t stage{};
  FrameBuffers operands{}, results{};
};
static_assert(offsetof(CallFrame, stage) == 32 && offsetof(CallFrame, operands) == 40 &&
              offsetof(CallFrame, results) == 80);
inline constexpr std::int32_t execute_stage = 3;

}  // namespace tutti::xla
