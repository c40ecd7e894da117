// SPDX-License-Identifier: Apache-2.0
// Our declarations of PJRT's structs have the sizes that XLA's have.
#include "tutti/xla/pjrt/abi.hpp"

#include <dlfcn.h>

#include <cctype>
#include <regex>

#include "tests/xla/real_plugin.hpp"
#include "tutti/xla/pjrt/abi_calls.hpp"

namespace tutti::xla {
namespace {

using abi = RealXla;

const Table* real_table() {
  Plugin::open(real_plugin_path());  // which also keeps it quiet
  void* library = dlopen(real_plugin_path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return reinterpret_cast<GetTable>(dlsym(library, get_table_symbol))();
}

template <class Arguments>
ErrorHandle call(Arguments& arguments, std::size_t struct_size) {
  arguments.head.struct_size = struct_size;
  const auto* functions = reinterpret_cast<const AnyFunction*>(real_table() + 1);
  return reinterpret_cast<ErrorHandle (*)(Arguments*)>(functions[Arguments::function.index])(&arguments);
}

/// Returns the plugin's message when it refuses arguments of one byte. It looks at the size first.
template <class Arguments>
std::string refusal_of_one_byte() {
  Arguments arguments{};
  ErrorHandle error = call(arguments, 1);
  if (!error) return "accepted";
  ErrorMessage message{.error = error};
  const auto* functions = reinterpret_cast<const AnyFunction*>(real_table() + 1);
  message.head.struct_size = sizeof message;
  reinterpret_cast<void (*)(ErrorMessage*)>(functions[ErrorMessage::function.index])(&message);
  std::string text = text_of(message.text, message.bytes);
  ErrorDestroy destroy{.error = error};
  destroy.head.struct_size = sizeof destroy;
  reinterpret_cast<void (*)(ErrorDestroy*)>(functions[ErrorDestroy::function.index])(&destroy);
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

template <class... Arguments>
void expect_sizes() {
  const auto expect_one = [](const Function& function, const std::string& text) {
    std::smatch found;
    ASSERT_TRUE(
        std::regex_search(text, found, std::regex("Unexpected (\\w+) size: expected (\\d+), got 1\\b")))
        << function.name << ": " << text;
    // XLA misspells some names, as PJRT_CLient_ProcessIndex_Args, and some have no _Args.
    EXPECT_EQ(lower_case(found[1]).substr(0, std::string_view(function.name).size()),
              lower_case(function.name));
    EXPECT_EQ(std::stoul(found[2]), function.least_arguments) << function.name;
  };
  (expect_one(Arguments::function, refusal_of_one_byte<Arguments>()), ...);
}

TEST_F(abi, has_functions_at_their_places_with_arguments_of_their_sizes) {
  expect_sizes<ErrorGetCode, PluginInitialize, PluginAttributes, EventDestroy, EventIsReady, EventAwait,
               ClientCreate, ClientDestroy, ClientPlatformName, ClientProcessIndex, ClientPlatformVersion,
               ClientDevices, ClientAddressableDevices, ClientCompile, ClientUpload, DescriptionId,
               DescriptionProcessIndex, DescriptionAttributes, DescriptionKind, DeviceGetDescription,
               DeviceMemoryStats>();
  expect_sizes<ExecutableDestroy, ExecutableNumOutputs, ExecutableGetCostAnalysis, ExecutableSerialize,
               LoadedDestroy, LoadedGetExecutable, LoadedAddressableDevices, LoadedExecute,
               DeserializeAndLoad, ExecutableOutputTypes, ExecutableOutputDims, BufferDestroy,
               BufferIsDeleted, BufferDownload, BufferReadyEvent, BufferUnsafePointer>();
  // 0.81 compares with the size of another struct here.
  if (Plugin::open(real_plugin_path())->minor_version() > least_minor) expect_sizes<ExecutableMemoryStats>();
}

}  // namespace
}  // namespace tutti::xla
