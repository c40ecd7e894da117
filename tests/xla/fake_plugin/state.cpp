// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/fake_plugin/state.hpp"

#include <algorithm>
#include <cstdlib>

namespace fake_pjrt {
namespace {

/// The size of arguments, and whether the bytes behind the known fields are zeros.
struct Given {
  std::size_t bytes;
  bool has_zeros_behind;
};
Given given(const void* arguments, std::size_t known_bytes) {
  Head head;
  std::memcpy(&head, arguments, sizeof head);
  const auto* bytes = static_cast<const char*>(arguments);
  const std::size_t from = std::min(known_bytes, head.struct_size);
  return {head.struct_size,
          std::all_of(bytes + from, bytes + head.struct_size, [](char c) { return c == 0; })};
}

void destroy_error(ErrorDestroy* arguments) {
  const std::scoped_lock locked(state().lock);
  state().remove("error", arguments->error);
}

void tell_message(ErrorMessage* arguments) {
  arguments->text = arguments->error->trouble.message.data();
  arguments->bytes = arguments->error->trouble.message.size();
}

ErrorHandle tell_code(ErrorGetCode* arguments) {
  if (arguments->head.struct_size < ErrorGetCode::function.least_arguments + state().machine.larger)
    return state().misuse("a question about an error of another size");
  arguments->code = arguments->error->trouble.code;
  return nullptr;
}

std::vector<std::byte> make_table(const Machine& machine) {
  Entries entries;
  entries[ErrorDestroy::function.index] = reinterpret_cast<AnyFunction>(&destroy_error);
  entries[ErrorMessage::function.index] = reinterpret_cast<AnyFunction>(&tell_message);
  entries[ErrorGetCode::function.index] = reinterpret_cast<AnyFunction>(&tell_code);
  add_client_entries(entries);
  add_buffer_entries(entries);
  add_executable_entries(entries);
  entries.erase(machine.missing_function);
  std::vector<std::byte> bytes(sizeof(Table) +
                               static_cast<std::size_t>(machine.functions) * sizeof(AnyFunction));
  Table head;
  head.head.struct_size = bytes.size();
  head.version_head.struct_size = 24;
  head.major = machine.major;
  head.minor = machine.minor;
  std::memcpy(bytes.data(), &head, sizeof head);
  for (const auto& [index, function] : entries)
    if (index < machine.functions)
      std::memcpy(bytes.data() + sizeof head + static_cast<std::size_t>(index) * sizeof function, &function,
                  sizeof function);
  return bytes;
}

}  // namespace

State& state() {
  static State the_state;
  return the_state;
}

void State::reset(const Machine& new_machine) {
  machine = new_machine;
  is_initialised = false;
  inside = {};
  calls.clear();
  wrong.clear();
  options_of_client.clear();
  met.clear();
  threads_of_client.clear();
  failures.clear();
  late_failures.clear();
  exceptions.clear();
  watches.clear();
  handles.clear();
  tables.push_back(make_table(machine));
  table = &tables.back();
}

int State::live(const std::string& kind) const {
  int sum = 0;
  for (const auto& [name, set] : handles)
    if (kind.empty() || kind == name) sum += static_cast<int>(set.size());
  return sum;
}

std::optional<Trouble> State::take(Plans& plans, const std::string& function) {
  const auto planned = plans.find(function);
  if (planned == plans.end() || --planned->second.nth > 0) return std::nullopt;
  const Trouble trouble = planned->second.trouble;
  plans.erase(planned);
  return trouble;
}

ErrorHandle State::error(int code, const std::string& message) {
  return add("error", ErrorOfPlugin{{code, message}});
}

ErrorHandle State::misuse(const std::string& what) {
  wrong.push_back(what);
  return error(error_code::invalid_argument, what);
}

ErrorHandle State::begin(const Function& function, const void* arguments, std::size_t known_bytes) {
  calls.emplace_back(function.name);
  if (const auto watch = watches.find(function.name); watch != watches.end()) watch->second();
  const std::size_t least = function.least_arguments + machine.larger;
  const Given found = given(arguments, known_bytes);
  if (found.bytes < least)
    return misuse(std::string("Unexpected ") + function.name + " size: expected " + std::to_string(least) +
                  ", got " + std::to_string(found.bytes));
  if (!found.has_zeros_behind)
    return misuse(std::string(function.name) + ": the arguments end without zeros");
  if (take(exceptions, function.name)) throw std::length_error("vector::reserve");
  if (const auto planned = take(failures, function.name)) return error(planned->code, planned->message);
  if (!is_initialised && function.index != PluginInitialize::function.index)
    return misuse(std::string(function.name) + " before PJRT_Plugin_Initialize");
  return nullptr;
}

}  // namespace fake_pjrt

extern "C" fake_pjrt::Control* fake_control() { return &fake_pjrt::state(); }
extern "C" const void* GetPjrtApi() {
  fake_pjrt::State& state = fake_pjrt::state();
  const char* machine = std::getenv("FAKE_PJRT");
  if (!state.table) state.reset(fake_pjrt::machine_named(machine ? machine : "cpu"));
  return state.table->data();
}
