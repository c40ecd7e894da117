// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/store_callbacks.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "tutti/xla/pjrt/values.hpp"

namespace tutti::xla {
namespace {

ErrorHandle make_error(MakeError* make, std::int32_t code, std::string_view text) {
  return (*make)(code, text.data(), text.size());
}

/// Runs the body of a callback. Returns its failure, or the exception that it threw, as an error of the
/// plugin.
template <class Arguments, class Body>
ErrorHandle guarded(Arguments* arguments, const Body& body) noexcept {
  try {
    const std::optional<Failure> failure = body(*static_cast<KeyValueStore*>(arguments->argument));
    return failure ? make_error(arguments->make_error, failure->code, failure->message) : nullptr;
  } catch (const std::bad_alloc&) {
    return make_error(arguments->make_error, error_code::resource_exhausted,
                      "key-value store: no memory for the value");
  } catch (const std::exception& exception) {
    return make_error(arguments->make_error, error_code::internal, exception.what());
  } catch (...) {
    return make_error(arguments->make_error, error_code::internal, "key-value store: an unknown exception");
  }
}

void free_value(char* value) { delete[] value; }

/// Gives the plugin a copy of the value.
template <class Arguments>
std::optional<Failure> hand_out(Arguments& arguments, StoreAnswer answer) {
  if (answer.failure) return std::move(answer.failure);
  arguments.value = new char[answer.value.size() + 1];  // never null, and never of size 0
  std::ranges::copy(answer.value, arguments.value);
  arguments.value_bytes = answer.value.size();
  arguments.free_value = free_value;
  return std::nullopt;
}

ErrorHandle get(StoreGet* arguments) noexcept {
  return guarded(arguments, [&](KeyValueStore& store) {
    const std::string key = text_of(arguments->key, arguments->key_bytes);
    return hand_out(*arguments, store.get(key, std::chrono::milliseconds(arguments->timeout_ms)));
  });
}

ErrorHandle try_get(StoreTryGet* arguments) noexcept {
  return guarded(arguments, [&](KeyValueStore& store) {
    return hand_out(*arguments, store.try_get(text_of(arguments->key, arguments->key_bytes)));
  });
}

ErrorHandle put(StorePut* arguments) noexcept {
  return guarded(arguments, [&](KeyValueStore& store) {
    const std::string_view value(arguments->value ? arguments->value : "", arguments->value_bytes);
    return store.put(text_of(arguments->key, arguments->key_bytes), value);
  });
}

}  // namespace

void offer_store(ClientCreate& create, KeyValueStore& store) {
  create.get = get;
  create.try_get = try_get;
  create.put = put;
  create.get_argument = create.try_get_argument = create.put_argument = &store;
}

}  // namespace tutti::xla
