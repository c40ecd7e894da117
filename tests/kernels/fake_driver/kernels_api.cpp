// SPDX-License-Identifier: Apache-2.0
// Modules and launches. A module's text is searched for `.entry name(.param .u64 a, ..)`.
#include <cstring>
#include <regex>
#include <string>

#include "tests/kernels/fake_driver/api.hpp"

using namespace fake_cuda;

namespace {

/// Bytes of each .param of an entry. None if the text has no such entry.
std::optional<std::vector<int>> parameters_of(const std::string& text, const std::string& entry) {
  std::smatch list;
  if (!std::regex_search(text, list, std::regex("\\.entry\\s+" + entry + "\\s*\\(([^)]*)\\)")))
    return std::nullopt;
  const std::string inside = list[1];
  const std::regex parameter("\\.param\\s+\\.[a-z]+(\\d+)");
  std::vector<int> bytes;
  for (std::sregex_iterator at(inside.begin(), inside.end(), parameter); at != std::sregex_iterator(); ++at)
    bytes.push_back(std::stoi((*at)[1]) / 8);
  return bytes;
}

Function* function_at(void* handle) {
  for (const auto& [key, module] : state().modules)
    for (const auto& [name, function] : module->functions)
      if (function.get() == handle) return function.get();
  return nullptr;
}

struct Shape {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
};

int launch(const char* name, void* handle, const Shape& shape, void* on, void** parameters,
           bool cooperative) {
  State& s = state();
  if (const int error = s.begin_in_context(name)) return error;
  const Function* function = function_at(handle);
  Stream* stream = stream_of(on);
  if (!function || !stream) return s.misuse("a launch of an unknown function or stream", invalid_handle);
  if (function->device != stream->context->device || s.current() != stream->context)
    return s.misuse("a launch with function, stream and context of different devices", invalid_handle);
  if (shape.grid_x == 0 || shape.grid_y != 1 || shape.grid_z != 1 || shape.block_y != 1 ||
      shape.block_z != 1 || shape.block_x == 0 || shape.block_x > 1024 ||
      static_cast<int>(shape.shared) > function->most_shared_bytes)
    return s.misuse("a grid or block that a GPU refuses");
  const int resident = s.machine.multiprocessors * s.machine.blocks_per_multiprocessor;
  if (cooperative && static_cast<int>(shape.grid_x) > resident) return 720;
  Launch launched{function->name, function->device, stream->number, shape.grid_x,
                  shape.block_x,  shape.shared,     cooperative,    {}};
  for (std::size_t i = 0; i < function->parameter_bytes.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, parameters[i], static_cast<std::size_t>(function->parameter_bytes[i]));
    launched.arguments.push_back(bits);
  }
  s.launched.push_back(launched);
  const auto run = [launched = std::move(launched)] {
    if (state().kernel) state().kernel(launched);
  };
  stream->queue.push_back({run, {}, {}, !s.hanging.empty() && s.hanging == function->name, true});
  return success;
}

}  // namespace

extern "C" {

int cuModuleLoadDataEx(void** handle, const void* image, unsigned count, int* options, void** values) {
  State& s = state();
  if (const int error = s.begin_in_context("cuModuleLoadDataEx")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char*>(values[i]), "ptxas fake, line 7; error: no such op\n");
    return error;
  }
  auto module = std::make_unique<Module>();
  module->device = s.current()->device;
  module->text = static_cast<const char*>(image);
  if (module->text.find(".entry") == std::string::npos) return 200;
  *handle = module.get();
  s.modules.emplace(*handle, std::move(module));
  return success;
}

int cuModuleUnload(void* handle) {
  if (const int error = state().begin_in_context("cuModuleUnload")) return error;
  if (state().has_work()) state().misuse("cuModuleUnload while work is queued");
  return state().modules.erase(handle) == 1 ? 0
                                            : state().misuse("a module is unloaded twice", invalid_handle);
}

int cuModuleGetFunction(void** function, void* handle, const char* name) {
  if (const int error = state().begin_in_context("cuModuleGetFunction")) return error;
  const auto found = state().modules.find(handle);
  if (found == state().modules.end()) return state().misuse("no such module", invalid_handle);
  Module& module = *found->second;
  std::optional<std::vector<int>> bytes = parameters_of(module.text, name);
  if (!bytes) return 500;
  std::unique_ptr<Function>& made = module.functions[name];
  if (!made) made = std::make_unique<Function>(Function{name, std::move(*bytes), module.device});
  *function = made.get();
  return success;
}

int cuFuncSetAttribute(void* handle, int attribute, int value) {
  if (const int error = state().begin_in_context("cuFuncSetAttribute")) return error;
  Function* function = function_at(handle);
  if (!function || attribute != 8)
    return state().misuse("cuFuncSetAttribute of something else", invalid_handle);
  function->most_shared_bytes = value;
  return success;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int, std::size_t) {
  if (const int error = state().begin_in_context("cuOccupancyMaxActiveBlocksPerMultiprocessor")) return error;
  if (!function_at(handle)) return state().misuse("occupancy of an unknown function", invalid_handle);
  *blocks = state().machine.blocks_per_multiprocessor;
  return success;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** parameters, void**) {
  return launch("cuLaunchKernel", function, {gx, gy, gz, bx, by, bz, shared}, stream, parameters, false);
}

int cuLaunchCooperativeKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, void* stream, void** parameters) {
  return launch("cuLaunchCooperativeKernel", function, {gx, gy, gz, bx, by, bz, shared}, stream, parameters,
                true);
}
}
