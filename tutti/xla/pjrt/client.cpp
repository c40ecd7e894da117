// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/client.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/xla/pjrt/store_callbacks.hpp"

namespace tutti::xla {
namespace {

constexpr const char* create_step = "create a client";
constexpr const char* cpu_devices_option = "cpu_device_count";
constexpr const char* threads_variable = "PJRT_NPROC";
constexpr int default_cpu_devices = 4;  // of the CPU plugins 0.81 to 0.115

/// Sets PJRT_NPROC while a client is created, unless the user has set it.
class ThreadsVariable {
 public:
  explicit ThreadsVariable(int devices)
      : is_ours_(!std::getenv(threads_variable)) {  // NOLINT(concurrency-mt-unsafe)
    const int threads = std::max(2 * devices, static_cast<int>(std::thread::hardware_concurrency()));
    if (is_ours_)
      setenv(threads_variable, std::to_string(threads).c_str(), 0);  // NOLINT(concurrency-mt-unsafe)
  }
  ~ThreadsVariable() {
    if (is_ours_) unsetenv(threads_variable);  // NOLINT(concurrency-mt-unsafe)
  }
  ThreadsVariable(const ThreadsVariable&) = delete;
  ThreadsVariable& operator=(const ThreadsVariable&) = delete;

 private:
  bool is_ours_;
};

/// Refuses numbers of devices that plugins do not survive: 0.81 throws at a text, 0.115 at -1.
void require_cpu_devices(const Value& value) {
  const auto* count = std::get_if<std::int64_t>(&value);
  require(count && *count >= 1 && *count <= most_cpu_devices, Code::device,
          "xla: {}: {} = {} is no number of devices; give a whole number of at least 1 and at most {}",
          create_step, cpu_devices_option, to_string(value), most_cpu_devices);
}

std::optional<Failure> attempt_create(const Plugin& plugin, const Values& options, KeyValueStore* store,
                                      ClientHandle& client) {
  const std::vector<NamedValue> named = named_values(options);
  ClientCreate create{.options = named.data(), .option_count = named.size()};
  if (store) offer_store(create, *store);
  std::optional<Failure> failure = plugin.attempt(create);
  client = create.client;
  return failure;
}

struct ElementType {
  DType dtype;
  std::int32_t type;
};
constexpr std::array element_types{ElementType{DType::boolean, element_type::boolean},
                                   ElementType{DType::u8, element_type::u8},
                                   ElementType{DType::i8, element_type::i8},
                                   ElementType{DType::u16, element_type::u16},
                                   ElementType{DType::i16, element_type::i16},
                                   ElementType{DType::u32, element_type::u32},
                                   ElementType{DType::i32, element_type::i32},
                                   ElementType{DType::u64, element_type::u64},
                                   ElementType{DType::i64, element_type::i64},
                                   ElementType{DType::f16, element_type::f16},
                                   ElementType{DType::bf16, element_type::bf16},
                                   ElementType{DType::f32, element_type::f32},
                                   ElementType{DType::f64, element_type::f64},
                                   ElementType{DType::complex64, element_type::complex64},
                                   ElementType{DType::complex128, element_type::complex128}};

std::vector<DeviceHandle> list_of(const auto& answer) {
  return std::vector<DeviceHandle>(answer.list, answer.list + answer.count);
}

}  // namespace

std::shared_ptr<const Client> Client::create(std::shared_ptr<const Plugin> plugin,
                                             const ClientOptions& options) {
  Values all = options.options;
  std::erase_if(all, [&](const auto& option) {
    return options.cpu_devices && option.first == cpu_devices_option;
  });
  const Values without_count = all;
  if (options.cpu_devices) all.emplace_back(cpu_devices_option, std::int64_t{*options.cpu_devices});
  int cpu_devices = default_cpu_devices;
  for (const auto& [name, value] : all)
    if (name == cpu_devices_option) {
      require_cpu_devices(value);
      cpu_devices = static_cast<int>(std::get<std::int64_t>(value));
    }
  std::unique_lock locked(environment_lock(), std::defer_lock);
  std::optional<ThreadsVariable> threads;
  if (!options.store) {  // with a store, the call may wait for another client, whose thread needs this lock
    locked.lock();
    threads.emplace(cpu_devices);
  }
  ClientHandle handle{};
  std::optional<Failure> failure = attempt_create(*plugin, all, options.store.get(), handle);
  // Plugins for other devices may refuse the name of the option for CPUs.
  if (failure && failure->code == error_code::invalid_argument && options.cpu_devices)
    failure = attempt_create(*plugin, without_count, options.store.get(), handle);
  if (failure) plugin->fail_as(*failure, create_step, Code::device);
  struct Created : Client {
    Created(std::shared_ptr<const Plugin> plugin, std::shared_ptr<KeyValueStore> store, ClientHandle handle)
        : Client(std::move(plugin), std::move(store), handle) {}
  };
  const auto client = std::make_shared<Created>(std::move(plugin), options.store, handle);
  client->options_ = options.options;
  client->describe();
  return client;
}

Client::Client(std::shared_ptr<const Plugin> plugin, std::shared_ptr<KeyValueStore> store,
               ClientHandle handle)
    : plugin_(std::move(plugin)), store_(std::move(store)), handle_(handle) {}

Client::~Client() { plugin_->destroy(ClientDestroy{.client = handle_}); }

void Client::describe() {
  constexpr const char* step = "describe the devices";
  ClientPlatformName name{.client = handle_};
  plugin_->call(name, step);
  platform_ = text_of(name.text, name.bytes);
  ClientPlatformVersion version{.client = handle_};
  plugin_->call(version, step);
  platform_version_ = text_of(version.text, version.bytes);
  ClientProcessIndex index{.client = handle_};
  plugin_->call(index, step);
  process_ = index.index;
  ClientDevices all{.client = handle_};
  plugin_->call(all, step);
  for (const DeviceHandle device : list_of(all)) devices_.push_back(described(device));
  ClientAddressableDevices ours{.client = handle_};
  plugin_->call(ours, step);
  const std::vector<DeviceHandle> addressable = list_of(ours);
  for (DeviceInfo& device : devices_)
    device.is_addressable = std::ranges::find(addressable, device.handle) != addressable.end();
  require(!addressable.empty(), Code::device,
          "xla: {}: the plugin finds no device; look at its messages ({})", create_step,
          plugin_->description());
}

DeviceInfo Client::described(DeviceHandle device) const {
  constexpr const char* step = "describe a device";
  DeviceGetDescription description{.device = device};
  plugin_->call(description, step);
  DescriptionId id{.description = description.description};
  plugin_->call(id, step);
  DescriptionProcessIndex process{.description = description.description};
  plugin_->call(process, step);
  DescriptionKind kind{.description = description.description};
  plugin_->call(kind, step);
  DescriptionAttributes attributes{.description = description.description};
  if (plugin_->attempt(attributes)) attributes.count = 0;  // a plugin need not have any
  return {.id = id.id,
          .process = process.index,
          .kind = text_of(kind.text, kind.bytes),
          .attributes = values_of(attributes.list, attributes.count),
          .handle = device};
}

std::shared_ptr<const DeviceList> Client::choose(std::vector<int> ids) const {
  require(!ids.empty(), Code::device, "xla: no device is chosen; name at least one");
  DeviceList list;
  std::set<int> seen;
  for (const int id : ids) {
    const auto found = std::ranges::find(devices_, id, &DeviceInfo::id);
    if (found == devices_.end()) {
      std::vector<int> known;
      for (const DeviceInfo& device : devices_) known.push_back(device.id);
      fail(Code::device, "xla: there is no device {}; platform {} has {}: {}", id, platform_,
           counted(static_cast<std::int64_t>(known.size()), "device"),
           fmt::format("{}", fmt::join(known, ", ")));
    }
    require(seen.insert(id).second, Code::device, "xla: device {} is named twice; name each device once", id);
    if (!found->is_addressable) continue;
    list.local.push_back(static_cast<int>(seen.size()) - 1);
    list.handles.push_back(found->handle);
  }
  list.ids = std::move(ids);
  return std::make_shared<const DeviceList>(std::move(list));
}

std::optional<DeviceMemory> Client::memory(int device_id) const {
  const auto found = std::ranges::find(devices_, device_id, &DeviceInfo::id);
  if (found == devices_.end() || !found->is_addressable) return std::nullopt;
  DeviceMemoryStats statistics{.device = found->handle};
  if (plugin_->attempt(statistics)) return std::nullopt;
  const auto number = [](const OptionalNumber& value) {
    return value.is_set ? std::optional(value.value) : std::nullopt;
  };
  return DeviceMemory{statistics.bytes_in_use, number(statistics.peak_bytes_in_use),
                      number(statistics.limit)};
}

void Client::fail_at_device(const Failure& failure, std::string_view step, Code otherwise) const {
  const bool is_lost = failure.code == error_code::unavailable || failure.code == error_code::data_loss ||
                       (failure.code == error_code::internal && !waits() && !failure.is_exception);
  if (is_lost) {
    const std::scoped_lock locked(lost_lock_);
    if (lost_.empty()) lost_ = failure.message.substr(0, failure.message.find('\n'));
  }
  plugin_->fail_as(failure, step, otherwise);
}

void Client::require_alive(std::string_view step) const {
  const std::scoped_lock locked(lost_lock_);
  if (!lost_.empty())
    fail(Code::device, "xla: {}: a device was lost before: {}; open the machine again in a new process ({})",
         step, lost_, plugin_->description());
}

std::int32_t element_type_of(DType dtype) {
  return std::ranges::find(element_types, dtype, &ElementType::dtype)->type;
}

}  // namespace tutti::xla
