// SPDX-License-Identifier: Apache-2.0
// The part of PJRT's binary interface that a client needs: table, handles, numbers, small structs. These are
// our own declarations of the layouts at version 0.115. abi_calls.hpp declares the arguments of the calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::xla {

// Pointers to types that only the plugin knows: PJRT_Error, PJRT_Event, ..
using ErrorHandle = struct ErrorOfPlugin*;
using EventHandle = struct EventOfPlugin*;
using ClientHandle = struct ClientOfPlugin*;
using DeviceHandle = struct DeviceOfPlugin*;
using DescriptionHandle = struct DescriptionOfPlugin*;  // of a device
using MemoryHandle = struct MemoryOfPlugin*;
using BufferHandle = struct BufferOfPlugin*;
using ExecutableHandle = struct ExecutableOfPlugin*;  // the description of a compiled program
using LoadedHandle = struct LoadedOfPlugin*;          // a compiled program that can run
using SerializedHandle = struct SerializedOfPlugin*;

/// The beginning of every struct. `struct_size` is the size of the caller's struct in bytes. The callee
/// ignores fields that it does not declare.
struct Head {
  std::size_t struct_size = 0;
  void* extension = nullptr;
};
static_assert(sizeof(Head) == 16);

/// A function of the table: Error* f(Arguments*), or void f(Arguments*) for the first two.
struct Function {
  int index;                    // its place in the table
  const char* name;             // "PJRT_Client_Compile"
  std::size_t least_arguments;  // bytes of its arguments at version 0.81; 0.115 asks for no more
};
using AnyFunction = void (*)();

/// The head of the table that GetPjrtApi returns. The table has as many functions as struct_size covers.
struct Table {
  Head head{};
  Head version_head{};
  std::int32_t major = 0;
  std::int32_t minor = 0;
  // the functions follow, 8 bytes each
};
static_assert(offsetof(Table, major) == 32 && sizeof(Table) == 40);
using GetTable = const Table* (*)();
inline constexpr const char* get_table_symbol = "GetPjrtApi";
inline constexpr int only_major = 0, least_minor = 81;  // 0.81 is the oldest that was tried

/// An extension of the table or of arguments, in a list. Unknown types are skipped.
struct Extension {
  std::size_t struct_size = 0;
  std::int32_t type = 0;
  const Extension* next = nullptr;
};
static_assert(sizeof(Extension) == 24);

/// A function of an extension of the table. They follow the extension's head, 8 bytes each.
struct ExtensionFunction {
  std::int32_t extension;  // its type
  int index;
  const char* name;
};

namespace error_code {
inline constexpr std::int32_t cancelled = 1, unknown = 2, invalid_argument = 3, deadline_exceeded = 4,
                              not_found = 5, already_exists = 6, permission_denied = 7,
                              resource_exhausted = 8, failed_precondition = 9, aborted = 10,
                              out_of_range = 11, unimplemented = 12, internal = 13, unavailable = 14,
                              data_loss = 15, unauthenticated = 16;
}

namespace element_type {
inline constexpr std::int32_t boolean = 1, i8 = 2, i16 = 3, i32 = 4, i64 = 5, u8 = 6, u16 = 7, u32 = 8,
                              u64 = 9, f16 = 10, f32 = 11, f64 = 12, bf16 = 13, complex64 = 14,
                              complex128 = 15;
}

/// How long the plugin may read the caller's memory of an upload.
namespace host_memory {
inline constexpr std::int32_t during_call = 0, until_done = 1, while_buffer_lives = 2;
}

namespace value_kind {
inline constexpr std::int32_t string = 0, int64 = 1, int64_list = 2, float32 = 3, boolean = 4;
}

/// An option of a client, or an attribute of a plugin or device.
struct NamedValue {
  Head head{};
  const char* name = nullptr;
  std::size_t name_bytes = 0;
  std::int32_t kind = value_kind::string;
  union {
    const char* string;
    std::int64_t int64 = 0;
    const std::int64_t* int64_list;
    float float32;
    bool boolean;
  };
  std::size_t size = 0;  // bytes of a string, elements of a list, else 1
};
static_assert(sizeof(NamedValue) == 56 && offsetof(NamedValue, kind) == 32 &&
              offsetof(NamedValue, int64) == 40);

/// A program's text, with its format: "mlir".
struct ProgramText {
  Head head{};
  const char* code = nullptr;
  std::size_t code_bytes = 0;
  const char* format = nullptr;
  std::size_t format_bytes = 0;
};
static_assert(sizeof(ProgramText) == 48);

/// Options of one execution. This client sets only the list of arguments to keep.
struct ExecuteOptions {
  Head head{};
  void* send_callbacks = nullptr;
  void* receive_callbacks = nullptr;
  std::size_t sends = 0;
  std::size_t receives = 0;
  std::int32_t launch_id = 0;
  const std::int64_t* kept_arguments = nullptr;  // indices of arguments that are not donated in this call
  std::size_t kept_count = 0;
  void* context = nullptr;
  const char* call_location = nullptr;
  std::size_t task_count = 0;
  void* task_ids = nullptr;
  void* task_incarnations = nullptr;  // the struct of 0.81 ends here
  void* since_then[4] = {};
};
static_assert(offsetof(ExecuteOptions, launch_id) == 48 && offsetof(ExecuteOptions, kept_arguments) == 56);
static_assert(offsetof(ExecuteOptions, since_then) == 112 && sizeof(ExecuteOptions) == 144);

}  // namespace tutti::xla
