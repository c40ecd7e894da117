// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/local_store.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"

namespace tutti::xla {
namespace {

constexpr std::size_t shown_bytes = 100;

std::string size_text(std::size_t bytes) { return in_bytes(static_cast<std::int64_t>(bytes)); }

}  // namespace

StoreAnswer LocalStore::get(std::string_view key, std::chrono::milliseconds timeout) {
  if (auto failure = too_large(key.size(), 0)) return {.value = {}, .failure = std::move(failure)};
  const std::chrono::milliseconds wait = bounded(timeout);
  const auto end = std::chrono::steady_clock::now() + wait;
  std::unique_lock locked(lock_);
  auto found = values_.end();
  const auto is_there = [&] { return (found = values_.find(key)) != values_.end(); };
  if (changed_.wait_until(locked, end, is_there)) return {*found->second};
  return {.value = {}, .failure = not_put_in_time(key, wait)};
}

StoreAnswer LocalStore::try_get(std::string_view key) {
  if (auto failure = too_large(key.size(), 0)) return {.value = {}, .failure = std::move(failure)};
  if (const Value found = find(key)) return {*found};
  return {.value = {}, .failure = not_put_yet(key)};
}

std::optional<Failure> LocalStore::put(std::string_view key, std::string_view value) {
  if (auto failure = too_large(key.size(), value.size())) return failure;
  const std::scoped_lock locked(lock_);
  if (const auto found = values_.find(key); found != values_.end()) {
    if (*found->second == value) return std::nullopt;
    return Failure{error_code::already_exists,
                   fmt::format("key-value store: the key {} has another value already; each client needs a "
                               "store of its own",
                               shown(key))};
  }
  const std::size_t added = key.size() + value.size();
  if (added > most_bytes_ - bytes_) return no_space(added, key);
  const auto put = values_.emplace(key, std::make_shared<const std::string>(value)).first;
  bytes_ += added;
  changed_.notify_all();
  std::erase_if(watchers_, [&](const auto& entry) {
    const Watcher& watcher = entry.second;
    if (watcher.key != key) return false;
    watcher.then(put->second);
    return true;
  });
  return std::nullopt;
}

LocalStore::Value LocalStore::find(std::string_view key) {
  const std::scoped_lock locked(lock_);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : found->second;
}

bool LocalStore::reserve(std::size_t bytes) {
  const std::scoped_lock locked(lock_);
  if (bytes > most_bytes_ - bytes_) return false;
  bytes_ += bytes;
  return true;
}

void LocalStore::release(std::size_t bytes) {
  const std::scoped_lock locked(lock_);
  bytes_ -= bytes;
}

Failure LocalStore::no_space(std::size_t bytes, std::string_view key) const {
  return {error_code::resource_exhausted,
          fmt::format("key-value store: no space for {} at the key {}; the store holds at most {}",
                      size_text(bytes), shown(key), size_text(most_bytes_))};
}

std::uint64_t LocalStore::watch(std::string_view key, Then then) {
  const std::scoped_lock locked(lock_);
  const std::uint64_t number = ++last_watch_;
  if (const auto found = values_.find(key); found != values_.end()) then(found->second);
  else watchers_.emplace(number, Watcher{std::string(key), std::move(then)});
  return number;
}

void LocalStore::forget(std::uint64_t watch) {
  const std::scoped_lock locked(lock_);
  watchers_.erase(watch);
}

std::chrono::milliseconds bounded(std::chrono::milliseconds timeout) {
  // XLA's infinite duration arrives as -1.
  return timeout.count() < 0 ? longest_wait : std::min(timeout, longest_wait);
}

std::optional<Failure> too_large(std::size_t key_bytes, std::size_t value_bytes) {
  if (key_bytes > most_key_bytes)
    return Failure{error_code::invalid_argument,
                   fmt::format("key-value store: a key has {}, and at most {} is allowed",
                               size_text(key_bytes), size_text(most_key_bytes))};
  if (value_bytes > most_value_bytes)
    return Failure{error_code::invalid_argument,
                   fmt::format("key-value store: a value has {}, and at most {} is allowed",
                               size_text(value_bytes), size_text(most_value_bytes))};
  return std::nullopt;
}

Failure not_put_yet(std::string_view key) {
  return {error_code::not_found, fmt::format("key-value store: nobody has put the key {} yet", shown(key))};
}

Failure not_put_in_time(std::string_view key, std::chrono::milliseconds timeout) {
  return {error_code::deadline_exceeded,
          fmt::format("key-value store: no process has put the key {} within {} ms; check that all "
                      "processes of the job run, and run the same programs",
                      shown(key), timeout.count())};
}

std::string shown(std::string_view key) {
  std::string text = "'";
  for (const char c : key.substr(0, shown_bytes)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (key.size() > shown_bytes ? "..'" : "'");
}

}  // namespace tutti::xla
