// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/compile.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

#include "tutti/xla/new_file.hpp"
#include "tutti/xla/program_cache.hpp"

namespace tutti::xla {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Writes the module's text to a temporary file. Returns a sentence for the error, which names the file.
std::string where_it_is(const std::string& text) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  const auto file = error ? std::nullopt : write_new_file(folder, "tutti-refused-", ".mlir", text);
  return file ? "the module is in " + file->string()
              : "the module is not kept: no temporary file can be written in " + folder.string();
}

Executable compiled_now(const std::shared_ptr<const Client>& client,
                        const std::shared_ptr<const DeviceList>& devices, const Source& source) {
  client->require_alive("compile");  // else the module is not to blame
  try {
    return Executable::compile(client, devices, source);
  } catch (const Error& error) {
    if (error.code() == Code::memory) throw;
    std::vector<std::string> notes = error.notes();
    notes.push_back(where_it_is(source.text));
    throw Error(error.code(), error.where(), error.message(), std::move(notes));
  }
}

/// The program in the folder. None if it is not there, or the plugin refuses its bytes.
std::optional<Executable> loaded(const std::shared_ptr<const Client>& client,
                                 const std::shared_ptr<const DeviceList>& devices, const Source& source,
                                 const std::string& folder, const std::string& key) try {
  const std::optional<std::string> bytes = cached_program(folder, key);
  return bytes ? std::optional(Executable::load(client, devices, source, *bytes)) : std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

/// The bytes of a program. None if the plugin cannot serialise it.
std::optional<std::string> bytes_of(const Executable& executable) try {
  return executable.serialised();
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace

Compiled compiled(const std::shared_ptr<const Client>& client,
                  const std::shared_ptr<const DeviceList>& devices, const Source& source,
                  const std::string& cache) {
  const auto start = std::chrono::steady_clock::now();
  const auto made = [&](Executable executable, bool is_from_cache) {
    return Compiled{std::move(executable), seconds_since(start), is_from_cache, source.text.size()};
  };
  if (cache.empty()) return made(compiled_now(client, devices, source), false);
  const std::string key = cache_key(*client, *devices, source);
  if (std::optional<Executable> known = loaded(client, devices, source, cache, key))
    return made(*std::move(known), true);
  Executable executable = compiled_now(client, devices, source);
  if (const std::optional<std::string> bytes = bytes_of(executable)) cache_program(cache, key, *bytes);
  return made(std::move(executable), false);
}

}  // namespace tutti::xla
