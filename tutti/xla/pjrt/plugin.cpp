// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/plugin.hpp"

#include <dlfcn.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/xla/pjrt/library_file.hpp"

namespace tutti::xla {
namespace {

// Functions that every client calls. A plugin without one of them is refused when it is opened.
constexpr std::array required{
    ErrorDestroy::function,
    ErrorMessage::function,
    ErrorGetCode::function,
    PluginInitialize::function,
    PluginAttributes::function,
    EventDestroy::function,
    EventAwait::function,
    ClientCreate::function,
    ClientDestroy::function,
    ClientPlatformName::function,
    ClientProcessIndex::function,
    ClientPlatformVersion::function,
    ClientDevices::function,
    ClientAddressableDevices::function,
    ClientCompile::function,
    ClientUpload::function,
    DescriptionId::function,
    DescriptionProcessIndex::function,
    DescriptionKind::function,
    DeviceGetDescription::function,
    ExecutableDestroy::function,
    ExecutableNumOutputs::function,
    ExecutableOutputTypes::function,
    ExecutableOutputDims::function,
    LoadedDestroy::function,
    LoadedGetExecutable::function,
    LoadedAddressableDevices::function,
    LoadedExecute::function,
    BufferDestroy::function,
    BufferDownload::function,
    BufferReadyEvent::function,
};

std::string loader_message() {
  const char* message =
      dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread, in every libc that we know
  return message ? message : "the loader gives no reason";
}

const Table* load_table(const std::string& path) {
  // Silences warnings of plugins that our users cannot act on. The library reads the variable when it starts.
  setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);  // NOLINT(concurrency-mt-unsafe): open() holds the lock
  // The loader looks for a name without a slash in its own folders only.
  std::error_code unreadable;
  const bool is_in_this_folder = path.find('/') == path.npos && std::filesystem::exists(path, unreadable);
  const std::string file = is_in_this_folder ? "./" + path : path;
  if (file.find('/') != file.npos) require_whole_library(file);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  require(library, Code::device, "xla: {} cannot be opened: {}; name the file of a PJRT plugin", path,
          loader_message());
  const auto get_table = reinterpret_cast<GetTable>(dlsym(library, get_table_symbol));
  require(get_table, Code::device, "xla: {} is no PJRT plugin: {}; name the file of a PJRT plugin", path,
          loader_message());
  const Table* table = get_table();
  require(table, Code::device, "xla: {} of {} returns no table; the plugin cannot be used on this machine",
          get_table_symbol, path);
  return table;
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

std::vector<std::string> later_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (!lines.empty()) lines.erase(lines.begin());
  return lines;
}

Code code_for(std::int32_t code, Code otherwise) {
  switch (code) {
    case error_code::resource_exhausted: return Code::memory;
    case error_code::deadline_exceeded:  // another process did not answer
    case error_code::not_found:
    case error_code::unimplemented:
    case error_code::aborted:
    case error_code::internal:
    case error_code::unavailable:
    case error_code::data_loss: return Code::device;
    default: return otherwise;
  }
}

std::string_view advice_for(std::int32_t code) {
  switch (code) {
    case error_code::resource_exhausted: return "; free memory of the device, or use smaller blocks";
    case error_code::unimplemented: return "; use another plugin, or a newer version of this one";
    default: return "";
  }
}

/// "1.20.0" for the list 1, 20, 0.
std::string version_of(const Value& value) {
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value);
  return numbers ? fmt::format("{}", fmt::join(*numbers, ".")) : to_string(value);
}

Failure is_elsewhere() {
  return {error_code::aborted,
          "the plugin was opened in another process, which this one was forked from: its threads are missing "
          "here; open it only after the fork, or let the child begin anew with exec"};
}

}  // namespace

std::mutex& environment_lock() {
  static std::mutex lock;
  return lock;
}

std::shared_ptr<const Plugin> Plugin::open(const std::string& path) {
  // A table may be initialised only once per process, so both lists stay until it ends.
  static NeverDestroyed<std::set<const Table*>> initialised;
  static NeverDestroyed<std::map<const Table*, std::shared_ptr<const Plugin>>> opened;
  const std::scoped_lock locked(environment_lock());  // also guards the lists
  const Table* table = load_table(path);
  if (const auto found = opened->find(table); found != opened->end()) {
    const std::shared_ptr<const Plugin>& plugin = found->second;
    if (!plugin->is_here_.is_true()) plugin->fail_as(is_elsewhere(), "open the plugin", Code::device);
    return plugin;
  }
  struct Opened : Plugin {
    Opened(const std::string& path, const Table* table) : Plugin(path, table) {}
  };
  const auto plugin = std::make_shared<Opened>(path, table);
  plugin->check_table();
  if (!initialised->contains(table)) {
    PluginInitialize start;
    plugin->call(start, "start the plugin", Code::device);
    initialised->insert(table);
  }
  plugin->read_attributes();
  return opened->emplace(table, plugin).first->second;
}

void Plugin::check_table() const {
  require(
      table_->head.struct_size >= sizeof(Table), Code::device,
      "xla: the table of {} has {} bytes, which is too few for any plugin; name the file of a PJRT plugin",
      path_, table_->head.struct_size);
  require(table_->major == only_major && table_->minor >= least_minor, Code::device,
          "xla: {} has version {}.{} of PJRT, and {}.{} or a later {}.x is needed; install a newer plugin",
          path_, table_->major, table_->minor, only_major, least_minor, only_major);
  for (const Function& function : required)
    require(has(function), Code::device, "xla: {}, PJRT {}.{}, has no function {}; install a newer plugin",
            path_, table_->major, table_->minor, function.name);
}

bool Plugin::has(const Function& function) const {
  const std::size_t end = sizeof(Table) + (function.index + 1UL) * sizeof(AnyFunction);
  return table_->head.struct_size >= end && function_at(function.index);
}

void Plugin::read_attributes() {
  PluginAttributes attributes;
  call(attributes, "read the plugin's attributes", Code::device);
  attributes_ = values_of(attributes.list, attributes.count);
  for (const auto& [name, value] : attributes_) {
    if (name == "stablehlo_current_version") stablehlo_ = version_of(value);
    if (name == "stablehlo_minimum_version") oldest_stablehlo_ = version_of(value);
  }
}

AnyFunction Plugin::function_at(const ExtensionFunction& function) const {
  for (const auto* extension = static_cast<const Extension*>(table_->head.extension); extension;
       extension = extension->next) {
    const std::size_t end =
        sizeof(Extension) + (static_cast<std::size_t>(function.index) + 1) * sizeof(AnyFunction);
    if (extension->type == function.extension && extension->struct_size >= end)
      return reinterpret_cast<const AnyFunction*>(extension + 1)[function.index];
  }
  return nullptr;
}

std::optional<Failure> Plugin::invoke(const Function& function, void* arguments) const {
  return invoke(has(function) ? function_at(function.index) : nullptr, function.name, arguments);
}

std::optional<Failure> Plugin::invoke(const ExtensionFunction& function, void* arguments) const {
  return invoke(function_at(function), function.name, arguments);
}

std::optional<Failure> Plugin::invoke(AnyFunction function, const char* name, void* arguments) const {
  if (!function)
    return Failure{error_code::unimplemented, fmt::format("the plugin has no function {}", name)};
  if (!is_here_.is_true()) return is_elsewhere();
  try {
    ErrorHandle error = reinterpret_cast<ErrorHandle (*)(void*)>(function)(arguments);
    if (!error) return std::nullopt;
    return take(error);
  } catch (const std::exception& exception) {  // plugins let C++ exceptions pass through their C functions
    return Failure{error_code::internal, fmt::format("{} threw {}", name, exception.what()), true};
  } catch (...) {
    return Failure{error_code::internal, fmt::format("{} threw an exception of another kind", name), true};
  }
}

Failure Plugin::take(ErrorHandle error) const {
  const auto ask = [&]<class Question>(Question& question) {
    question.error = error;
    PaddedStruct<Question> sent(question);
    reinterpret_cast<void (*)(void*)>(function_at(Question::function.index))(&sent);
    question = sent.content;
  };
  ErrorGetCode code;
  ask(code);
  ErrorMessage message;
  ask(message);
  Failure failure{code.code, text_of(message.text, message.bytes)};
  ErrorDestroy destroyed;
  ask(destroyed);
  return failure;
}

void Plugin::destroy_by(const Function& function, void* arguments) const noexcept {
  try {
    invoke(function, arguments);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for the text of an error that nobody reads
  }
}

void Plugin::fail_as(const Failure& failure, std::string_view step, Code otherwise) const {
  const Code code = code_for(failure.code, otherwise);
  std::string what = first_line(failure.message);
  if (what.ends_with('.')) what.pop_back();  // advice follows
  throw Error(code, {},
              fmt::format("xla: {}: {}{} ({})", step, what, advice_for(failure.code), description()),
              later_lines(failure.message));
}

std::string Plugin::description() const {
  return fmt::format("plugin {}, PJRT {}.{}{}{}", path_, table_->major, table_->minor,
                     stablehlo_.empty() ? "" : ", StableHLO ", stablehlo_);
}

}  // namespace tutti::xla
