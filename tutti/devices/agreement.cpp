// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <sstream>
#include <utility>

#include "tutti/base/hash.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr const char* place = "the comparison of processes";

std::vector<int> others_than(int process, int count) {
  std::vector<int> others;
  for (int other = 0; other < count; ++other)
    if (other != process) others.push_back(other);
  return others;
}

/// Sends the same bytes to several processes.
void send(Transport& transport, const std::vector<int>& to, void* bytes, std::size_t size) {
  std::vector<Transport::Part> parts;
  for (int process : to) parts.push_back({process, static_cast<std::byte*>(bytes), size});
  transport.finish(transport.post(parts, {}, place));
}

void receive(Transport& transport, int from, void* bytes, std::size_t size) {
  const Transport::Part part{from, static_cast<std::byte*>(bytes), size};
  transport.finish(transport.post({}, {&part, 1}, place));
}

/// Receives from several processes, as many bytes from each as its row of `into` has.
void receive(Transport& transport, const std::vector<int>& from, std::vector<std::string>& into) {
  std::vector<Transport::Part> parts;
  for (std::size_t i = 0; i < from.size(); ++i)
    parts.push_back({from[i], reinterpret_cast<std::byte*>(into[i].data()), into[i].size()});
  transport.finish(transport.post({}, parts, place));
}

/// The number in the bytes of a text.
std::uint64_t number_in(const std::string& bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

/// The first process whose text has another hash than that of process 0; 0 if there is none. Process 0 finds
/// it.
int first_that_differs(Transport& transport, const std::string& text) {
  std::uint64_t own = hash_of(text), found = 0;
  if (transport.self() > 0) {
    send(transport, {0}, &own, sizeof own);
    receive(transport, 0, &found, sizeof found);
    return static_cast<int>(found);
  }
  const std::vector<int> others = others_than(0, transport.count());
  std::vector<std::string> hashes(others.size(), std::string(sizeof own, '\0'));
  receive(transport, others, hashes);
  const auto differs =
      std::ranges::find_if(hashes, [&](const std::string& hash) { return number_in(hash) != own; });
  if (differs != hashes.end())
    found = static_cast<std::uint64_t>(others[static_cast<std::size_t>(differs - hashes.begin())]);
  send(transport, others, &found, sizeof found);
  return static_cast<int>(found);
}

/// Without the spaces that make columns.
std::string narrow(const std::string& line) {
  std::string text;
  for (const char letter : line)
    if (letter != ' ' || (!text.empty() && text.back() != ' ')) text += letter;
  return text;
}

/// "line 3 is `..`, there `..`": where `text` first differs from that of process 0.
std::string difference(const std::string& text, const std::string& first) {
  std::istringstream own(text), there(first);
  for (int number = 1;; ++number) {
    std::string line, line_there;
    const bool has = static_cast<bool>(std::getline(own, line)),
               has_there = static_cast<bool>(std::getline(there, line_there));
    if (!has && !has_there) return "one ends in another way";
    const std::string here = narrow(line), other = narrow(line_there);
    if (!has) return fmt::format("it ends after line {}, there follows `{}`", number - 1, other);
    if (!has_there) return fmt::format("line {} is `{}`, there is none", number, here);
    if (line != line_there) return fmt::format("line {} is `{}`, there `{}`", number, here, other);
  }
}

}  // namespace

std::vector<std::string> gathered(Transport& transport, std::string text) {
  std::uint64_t size = text.size();
  if (transport.self() > 0) {
    send(transport, {0}, &size, sizeof size);
    send(transport, {0}, text.data(), text.size());
    return {};
  }
  const std::vector<int> others = others_than(0, transport.count());
  std::vector<std::string> sizes(others.size(), std::string(sizeof size, '\0')), texts;
  receive(transport, others, sizes);
  for (const std::string& bytes : sizes) texts.emplace_back(number_in(bytes), '\0');
  receive(transport, others, texts);
  texts.insert(texts.begin(), std::move(text));
  return texts;
}

std::string told_by(Transport& transport, int process, const std::string& text) {
  std::uint64_t size = text.size();
  std::string told = text;
  if (transport.self() == process) {
    const std::vector<int> others = others_than(process, transport.count());
    send(transport, others, &size, sizeof size);
    send(transport, others, told.data(), told.size());
    return told;
  }
  receive(transport, process, &size, sizeof size);
  told.resize(size);
  receive(transport, process, told.data(), told.size());
  return told;
}

void require_same_outcome(Transport& transport, const std::function<void()>& f) {
  std::exception_ptr own;
  std::string said;
  try {
    f();
  } catch (const std::exception& error) {
    own = std::current_exception();
    said = fmt::format("process {} has failed here: {}", transport.self(), error.what());
  }
  std::string first;  // that has failed
  for (const std::string& text : gathered(transport, said))
    if (first.empty()) first = text;
  first = told_by(transport, 0, first);
  transport.agree();
  if (own) std::rethrow_exception(own);
  if (!first.empty()) fail(Code::peer, "{}", first);
}

std::optional<std::pair<int, int>> devices_that_differ(Transport& transport,
                                                       const std::vector<PartOnDevice>& own) {
  std::string said;
  for (const PartOnDevice& part : own) said += fmt::format("{} {} {}\n", part.device, part.part, part.hash);
  std::map<int, PartOnDevice> first;  // by part
  std::string found;
  for (const std::string& text : gathered(transport, said)) {
    std::istringstream numbers(text);
    for (PartOnDevice part{}; found.empty() && numbers >> part.device >> part.part >> part.hash;) {
      const PartOnDevice& known = first.try_emplace(part.part, part).first->second;
      if (known.hash != part.hash) found = fmt::format("{} {}", known.device, part.device);
    }
  }
  std::istringstream numbers(told_by(transport, 0, found));
  transport.agree();
  std::pair<int, int> devices;
  return numbers >> devices.first >> devices.second ? std::optional(devices) : std::nullopt;
}

void require_agreement(Transport& transport, const std::string& text, std::string_view differs) {
  if (transport.count() == 1) return;
  const int other = first_that_differs(transport, text);
  if (other == 0) return;
  const std::string first = told_by(transport, 0, text);
  const std::string found =
      told_by(transport, other, transport.self() == other ? difference(text, first) : std::string());
  transport.agree();
  fail(Code::peer, "process {} {} process 0: {}", other, differs, found);
}

}  // namespace tutti
