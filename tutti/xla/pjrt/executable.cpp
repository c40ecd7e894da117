// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/executable.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti::xla {
namespace {

constexpr const char* compile_step = "compile";
constexpr const char* load_step = "load a compiled program";
constexpr const char* run_step = "run";

std::string list_of(const Types& types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return "(" + text + ")";
}

/// Marks arrays as given away. The destructor removes the marks, unless keep() was called.
class Gifts {
 public:
  Gifts() = default;
  ~Gifts() {
    for (bool* mark : marks_) *mark = false;
  }
  Gifts(const Gifts&) = delete;
  Gifts& operator=(const Gifts&) = delete;
  void add(bool& is_given_away) {
    marks_.push_back(&is_given_away);
    is_given_away = true;
  }
  void keep() { marks_.clear(); }

 private:
  std::vector<bool*> marks_;
};

/// A matrix that C functions take as T**.
template <class T>
class Rows {
 public:
  Rows(std::size_t rows, std::size_t columns) : elements_(rows * columns), columns_(columns), rows_(rows) {
    for (std::size_t row = 0; row < rows; ++row) rows_[row] = elements_.data() + row * columns;
  }
  T& at(std::size_t row, std::size_t column) { return elements_[row * columns_ + column]; }
  T* const* data() const { return rows_.data(); }

 private:
  std::vector<T> elements_;
  std::size_t columns_;
  std::vector<T*> rows_;
};

}  // namespace

Executable::Handles::~Handles() {
  const Plugin& plugin = client->plugin();
  if (executable) plugin.destroy(ExecutableDestroy{.executable = executable});
  if (loaded) plugin.destroy(LoadedDestroy{.loaded = loaded});
}

Executable Executable::compile(const std::shared_ptr<const Client>& client,
                               std::shared_ptr<const DeviceList> devices, const Source& source) {
  client->require_alive(compile_step);
  const std::string options = compile_options(devices->ids, source.overrides);
  constexpr std::string_view format = "mlir";
  const Sent<ProgramText> text(ProgramText{.code = source.text.data(),
                                           .code_bytes = source.text.size(),
                                           .format = format.data(),
                                           .format_bytes = format.size()});
  auto handles = std::make_unique<Handles>(client);
  ClientCompile compile{.client = client->handle(),
                        .program = &text.content,
                        .options = options.data(),
                        .options_bytes = options.size()};
  client->plugin().call(compile, compile_step);
  handles->loaded = compile.loaded;
  return Executable(std::move(handles), std::move(devices), source);
}

Executable Executable::load(const std::shared_ptr<const Client>& client,
                            std::shared_ptr<const DeviceList> devices, const Source& source,
                            const std::string& serialised) {
  client->require_alive(load_step);
  auto handles = std::make_unique<Handles>(client);
  const std::string options =
      compile_options(devices->ids, source.overrides);  // without them: the devices in the bytes
  DeserializeAndLoad load{.client = client->handle(),
                          .bytes = serialised.data(),
                          .count = serialised.size(),
                          .options = options.data(),
                          .options_bytes = options.size()};
  client->plugin().call(load, load_step, Code::device);
  handles->loaded = load.loaded;
  return Executable(std::move(handles), std::move(devices), source);
}

Executable::Executable(std::unique_ptr<Handles> handles, std::shared_ptr<const DeviceList> devices,
                       const Source& source)
    : handles_(std::move(handles)),
      devices_(std::move(devices)),
      parameters_(source.parameters),
      results_(source.results) {
  LoadedGetExecutable get{.loaded = handles_->loaded};
  client().plugin().call(get, compile_step);
  handles_->executable = get.executable;
  order_devices();
  check_results();
}

void Executable::order_devices() {
  LoadedAddressableDevices answer{.loaded = handles_->loaded};
  client().plugin().call(answer, compile_step);
  const std::vector<DeviceHandle>& ours = devices_->handles;
  ensure(answer.count == ours.size(), "xla: {}: the program runs on {} instead of {} ({})", compile_step,
         counted(static_cast<std::int64_t>(answer.count), "device"), ours.size(),
         client().plugin().description());
  for (std::size_t i = 0; i < answer.count; ++i) {
    const auto found = std::ranges::find(ours, answer.list[i]);
    ensure(found != ours.end(), "xla: {}: the program runs on another device than was asked for ({})",
           compile_step, client().plugin().description());
    places_.push_back(static_cast<std::size_t>(found - ours.begin()));
  }
}

void Executable::check_results() const {
  const Plugin& plugin = client().plugin();
  ExecutableNumOutputs number{.executable = handles_->executable};
  plugin.call(number, compile_step);
  ExecutableOutputTypes types{.executable = handles_->executable};
  plugin.call(types, compile_step);
  ExecutableOutputDims dims{.executable = handles_->executable};
  plugin.call(dims, compile_step);
  bool are_equal =
      number.count == results_.size() && types.count == number.count && dims.count == number.count;
  const std::int64_t* sizes = dims.dims;
  for (std::size_t i = 0; are_equal && i < results_.size(); ++i) {
    are_equal = types.types[i] == element_type_of(results_[i].dtype()) &&
                std::ranges::equal(std::span(sizes, dims.ranks[i]), results_[i].shape().sizes());
    sizes += dims.ranks[i];
  }
  ensure(are_equal, "xla: {}: {} of the compiled program are not {} ({})", compile_step,
         counted(static_cast<std::int64_t>(number.count), "result"), list_of(results_), plugin.description());
}

std::optional<std::string> Executable::serialised() const {
  ExecutableSerialize serialise{.executable = handles_->executable};
  if (const auto failure = client().plugin().attempt(serialise)) {
    if (failure->code == error_code::unimplemented) return std::nullopt;
    client().plugin().fail_as(*failure, "serialise", Code::device);
  }
  std::string bytes = text_of(serialise.bytes, serialise.count);
  if (serialise.destroy) serialise.destroy(serialise.serialized);
  return bytes;
}

std::optional<CompiledMemory> Executable::memory() const {
  ExecutableMemoryStats statistics{.executable = handles_->executable};
  if (client().plugin().attempt(statistics)) return std::nullopt;
  return CompiledMemory{.arguments = statistics.arguments,
                        .results = statistics.results,
                        .aliased = statistics.aliased,
                        .temporary = statistics.temporary,
                        .peak = statistics.peak,
                        .code = statistics.code};
}

std::optional<Values> Executable::cost() const {
  ExecutableGetCostAnalysis analysis{.executable = handles_->executable};
  if (client().plugin().attempt(analysis)) return std::nullopt;
  return values_of(analysis.list, analysis.count);
}

void Executable::check(std::span<const Argument> arguments) const {
  ensure(arguments.size() == parameters_.size(), "xla: {}: {} for {}", run_step,
         counted(static_cast<std::int64_t>(arguments.size()), "argument"),
         counted(static_cast<std::int64_t>(parameters_.size()), "parameter"));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Buffers* buffers = arguments[k].buffers;
    ensure(buffers && buffers->client_, "xla: {}: argument {} has no buffers", run_step, k);
    ensure(!buffers->is_given_away_, "xla: {}: argument {}, {}, was given away before", run_step, k,
           to_string(buffers->type_));
    ensure(buffers->type_ == parameters_[k], "xla: {}: argument {} is {} instead of {}", run_step, k,
           to_string(buffers->type_), to_string(parameters_[k]));
    ensure(buffers->client_ == handles_->client, "xla: {}: argument {} is an array of another client",
           run_step, k);
    ensure(buffers->devices_ == devices_ || buffers->devices_->ids == devices_->ids,
           "xla: {}: argument {} lies on other devices than the program", run_step, k);
  }
}

std::vector<Buffers> Executable::unfilled_results() const {
  std::vector<Buffers> results;
  results.reserve(results_.size());
  for (const Type& type : results_) results.push_back(Buffers(handles_->client, devices_, type));
  return results;
}

void Executable::launch(std::span<const Argument> arguments, std::span<const std::int64_t> kept,
                        std::span<Buffers> results) const {
  const std::size_t devices = places_.size();
  Rows<BufferHandle> inputs(devices, arguments.size()), outputs(devices, results.size());
  for (std::size_t i = 0; i < devices; ++i)
    for (std::size_t k = 0; k < arguments.size(); ++k)
      inputs.at(i, k) = arguments[k].buffers->handles_[places_[i]];
  const Sent<ExecuteOptions> options(
      ExecuteOptions{.kept_arguments = kept.data(), .kept_count = kept.size()});
  std::vector<EventHandle> done(client().waits() ? devices : 0);
  LoadedExecute execute{.loaded = handles_->loaded,
                        .options = &options.content,
                        .arguments = inputs.data(),
                        .device_count = devices,
                        .argument_count = arguments.size(),
                        .results = outputs.data(),
                        .done = done.empty() ? nullptr : done.data()};
  std::optional<Failure> failure = client().plugin().attempt(execute);
  if (failure) client().fail_at_device(*failure, run_step, Code::internal);
  for (std::size_t i = 0; i < devices; ++i)
    for (std::size_t r = 0; r < results.size(); ++r) results[r].handles_[places_[i]] = outputs.at(i, r);
  for (const EventHandle handle : done)
    if (auto late = Event(client().plugin(), handle).await(); late && !failure) failure = std::move(late);
  if (failure) client().fail_at_device(*failure, run_step, Code::internal);
}

std::vector<Buffers> Executable::run(std::span<const Argument> arguments) const {
  client().require_alive(run_step);
  const std::scoped_lock one_at_a_time(client().launches());  // also guards the marks of arrays given away
  check(arguments);
  Gifts gifts;
  std::vector<std::int64_t> kept;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    bool& is_given_away = arguments[k].buffers->is_given_away_;
    ensure(!is_given_away, "xla: {}: argument {} is given away by another argument of the same call",
           run_step, k);
    if (arguments[k].use == Use::keep) kept.push_back(static_cast<std::int64_t>(k));
    else gifts.add(is_given_away);
  }
  for (const std::int64_t k : kept)
    ensure(!arguments[static_cast<std::size_t>(k)].buffers->is_given_away_,
           "xla: {}: argument {} is given away by another argument of the same call", run_step, k);
  std::vector<Buffers> results = unfilled_results();
  gifts.keep();  // after an error we cannot know which arrays the plugin has taken
  launch(arguments, kept, results);
  return results;
}

}  // namespace tutti::xla
