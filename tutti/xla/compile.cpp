// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/compile.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "tutti/base/require.hpp"

namespace tutti::xla {
namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A name that no other file of this or another process has.
std::string unique_name() {
  static std::atomic<int> count{0};
  return fmt::format("{}-{}", getpid(), ++count);
}

/// Returns false if the file cannot be written completely.
bool write_file(const fs::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  return file.good();
}

/// Writes the module's text to a temporary file. Returns a sentence for the error, which names the file.
std::string where_it_is(const std::string& text) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) return "the module is not kept: there is no folder for temporary files";
  const fs::path path = folder / fmt::format("tutti-refused-{}.mlir", unique_name());
  if (!write_file(path, text))
    return fmt::format("the module is not kept: {} cannot be written", path.string());
  return "the module is in " + path.string();
}

Executable compiled_now(const std::shared_ptr<const Client>& client,
                        const std::shared_ptr<const DeviceList>& devices, const Source& source) try {
  return Executable::compile(client, devices, source);
} catch (const Error& error) {
  if (error.code() == Code::memory) throw;
  throw Error(error.code(), error.where(), error.message(), {where_it_is(source.text)});
}

// ---- the cache: each file holds a key, then the serialised program. The key tells programs with the same hash apart.

/// Lists everything that the compiled program depends on.
std::string key_of(const Client& client, const DeviceList& devices, const Source& source) {
  const Plugin& plugin = client.plugin();
  std::string key = fmt::format("Tutti's compiled program 1\n{}\n{} {}\n", plugin.description(),
                                client.platform(), client.platform_version());
  for (const auto& [name, value] : plugin.attributes()) key += fmt::format("{}={}\n", name, to_string(value));
  std::error_code error;
  key += fmt::format("{} bytes\n", fs::file_size(plugin.path(), error));  // differs between builds
  key += compile_options(devices.ids, source.overrides);
  for (const DeviceInfo& device : client.devices()) key += "\n" + device.kind;
  return key + "\n" + source.text;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Returns the serialised program in a file of the cache. None if there is no such file, or its key differs.
std::optional<std::string> cached(const fs::path& path, const std::string& key) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  std::string bytes = std::move(content).str();
  if (!bytes.starts_with(key)) return std::nullopt;
  return bytes.substr(key.size());
}

/// Writes a draft and renames it, so that other processes read a complete file or none.
void put(const fs::path& path, const std::string& key, const Executable& executable) {
  const std::optional<std::string> bytes = executable.serialised();
  if (!bytes) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path draft = path.parent_path() / ("draft-" + unique_name());
  if (write_file(draft, key + *bytes)) fs::rename(draft, path, error);
  fs::remove(draft, error);
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
  const std::string key = key_of(*client, *devices, source);
  const fs::path path = fs::path(cache) / fmt::format("{:016x}.pjrt", fnv1a(key));
  if (const std::optional<std::string> bytes = cached(path, key)) try {
      return made(Executable::load(client, devices, source, *bytes), true);
    } catch (const Error&) {  // the plugin refuses the bytes: compile again
    }
  Executable executable = compiled_now(client, devices, source);
  try {
    put(path, key, executable);
  } catch (const Error&) {  // the plugin cannot serialise this program
  }
  return made(std::move(executable), false);
}

}  // namespace tutti::xla
