// SPDX-License-Identifier: Apache-2.0
// The callbacks of PJRT_Client_Create: a plugin calls them to reach the key-value store of its processes.
// Here the plugin is the caller, and `out` fields are ours.
//
// XLA leaves struct_size and extension of these structs unset (pjrt_c_api_wrapper_impl.cc), so they must not
// be read.
// It ignores the store unless all three callbacks are given.
#pragma once

#include "tutti/xla/pjrt/abi.hpp"

namespace tutti::xla {

/// A function of the plugin. It makes the error that a callback returns, and copies the text.
using MakeError = ErrorHandle (*)(std::int32_t code, const char* text, std::size_t bytes);
/// A function of ours. The plugin copies a value, and then calls this function once.
using FreeValue = void (*)(char* value);

struct StoreGet {
  Head head{};
  const char* key{};
  std::size_t key_bytes{};
  std::int32_t timeout_ms{};
  MakeError* make_error{};
  void* argument{};
  char* value{};              // out
  std::size_t value_bytes{};  // out
  FreeValue free_value{};     // out
};
static_assert(sizeof(StoreGet) == 80 && offsetof(StoreGet, make_error) == 40 &&
              offsetof(StoreGet, free_value) == 72);

struct StoreTryGet {
  Head head{};
  const char* key{};
  std::size_t key_bytes{};
  MakeError* make_error{};
  void* argument{};
  char* value{};              // out
  std::size_t value_bytes{};  // out
  FreeValue free_value{};     // out
};
static_assert(sizeof(StoreTryGet) == 72 && offsetof(StoreTryGet, make_error) == 32 &&
              offsetof(StoreTryGet, free_value) == 64);

struct StorePut {
  Head head{};
  const char* key{};
  std::size_t key_bytes{};
  const char* value{};
  std::size_t value_bytes{};
  MakeError* make_error{};
  void* argument{};
};
static_assert(sizeof(StorePut) == 64 && offsetof(StorePut, make_error) == 48);

using GetCallback = ErrorHandle (*)(StoreGet*);
using TryGetCallback = ErrorHandle (*)(StoreTryGet*);
using PutCallback = ErrorHandle (*)(StorePut*);

}  // namespace tutti::xla
