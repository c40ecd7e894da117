// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/program_cache.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tutti/xla/new_file.hpp"

namespace tutti::xla {
namespace {

namespace fs = std::filesystem;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

fs::path path_of(const std::string& folder, const std::string& key) {
  return fs::path(folder) / fmt::format("{:016x}.pjrt", fnv1a(key));
}

/// The head of a cache file: the key, then the size and checksum of the program. The file's name is only a
/// hash of the key, so the key in the head tells programs with the same hash apart.
std::string head_of(const std::string& key, std::string_view bytes) {
  return fmt::format("{}\n{} bytes, checksum {:016x}\n", key, bytes.size(), fnv1a(bytes));
}

/// The processor's model and features, for which XLA compiles on CPUs.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text, line;
  while (std::getline(file, line) && !line.empty())  // the first processor
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features"))
      text += line + "\n";
  return text;
}

}  // namespace

std::string cache_key(const Client& client, const DeviceList& devices, const Source& source) {
  const Plugin& plugin = client.plugin();
  std::string key = fmt::format("Tutti's compiled program 2\n{}\n{} {}\n", plugin.description(),
                                client.platform(), client.platform_version());
  const auto add = [&](const Values& values) {
    for (const auto& [name, value] : values) key += fmt::format("{}={}\n", name, to_string(value));
  };
  add(plugin.attributes());
  add(client.options());
  std::error_code error;
  key += fmt::format("{} bytes, written {}\n", fs::file_size(plugin.path(), error),  // differ between builds
                     fs::last_write_time(plugin.path(), error).time_since_epoch().count());
  const char* flags = std::getenv("XLA_FLAGS");  // NOLINT(concurrency-mt-unsafe): nobody writes it here
  key += fmt::format("XLA_FLAGS={}\n", flags ? flags : "");
  if (client.platform() == "cpu") key += processor();
  key += compile_options(devices.ids, source.overrides);
  for (const DeviceInfo& device : client.devices()) key += "\n" + device.kind;
  return key + "\n" + source.text;
}

std::optional<std::string> cached_program(const std::string& folder, const std::string& key) {
  std::ifstream file(path_of(folder, key), std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  const std::string text = std::move(content).str();
  if (!text.starts_with(key + "\n")) return std::nullopt;
  const std::size_t end_of_head = text.find('\n', key.size() + 1);
  if (end_of_head == std::string::npos) return std::nullopt;
  std::string bytes = text.substr(end_of_head + 1);
  if (!text.starts_with(head_of(key, bytes))) return std::nullopt;
  return bytes;
}

void cache_program(const std::string& folder, const std::string& key, const std::string& bytes) {
  std::error_code error;
  fs::create_directories(folder, error);
  const std::optional<fs::path> draft =
      write_new_file(folder, "draft-", ".pjrt", head_of(key, bytes) + bytes);
  if (!draft) return;
  fs::rename(*draft, path_of(folder, key), error);
  if (error) fs::remove(*draft, error);
}

}  // namespace tutti::xla
