// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/executable.hpp"

#include <algorithm>
#include <charconv>

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
class Donations {
 public:
  Donations() = default;
  ~Donations() {
    for (bool* mark : marks_) *mark = false;
  }
  Donations(const Donations&) = delete;
  Donations& operator=(const Donations&) = delete;
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

/// Throws an error of the compiler. An error that names an override is the user's: R004.
[[noreturn]] void fail_to_compile(const Plugin& plugin, Failure failure,
                                  std::span<const Override> overrides) {
  const auto is_named = [&](const Override& override) {
    const std::string& name = override.first;
    return failure.message.find(name.empty() ? "''" : name) != std::string::npos;
  };
  if (failure.code != error_code::invalid_argument || std::ranges::none_of(overrides, is_named))
    plugin.fail_as(failure, compile_step, Code::internal);
  failure.message.insert(std::min(failure.message.find('\n'), failure.message.size()),
                         "; give an option that this plugin has, and a value of its type");
  plugin.fail_as(failure, compile_step, Code::device);
}

// PJRT does not report the number of devices of a serialised program. Plugin 0.115 loads it for any number,
// and fails when it runs the program.
constexpr std::string_view replicas_label = "tutti-xla replicas ";

std::string with_replicas(std::size_t replicas, std::string_view bytes) {
  return std::string(replicas_label) + std::to_string(replicas) + "\n" + std::string(bytes);
}

/// Removes the line of with_replicas. Throws R004 unless it names this number.
std::string_view without_replicas(std::string_view bytes, std::size_t replicas) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  std::size_t found = 0;
  const bool has_label =
      bytes.starts_with(replicas_label) && end < bytes.size() &&
      std::from_chars(bytes.data() + replicas_label.size(), bytes.data() + end, found).ptr ==
          bytes.data() + end;
  require(has_label, Code::device, "xla: {}: these bytes are no serialised program; compile it again",
          load_step);
  require(found == replicas, Code::device, "xla: {}: the program is for {} instead of {}; compile it again",
          load_step, counted(static_cast<std::int64_t>(found), "device"), replicas);
  return bytes.substr(end + 1);
}

/// The bytes that a plugin serialised. The destructor frees them, and ignores exceptions of the plugin.
struct SerializedBytes {
  explicit SerializedBytes(const ExecutableSerialize& from) : answer(from) {}
  ~SerializedBytes() {
    try {
      if (answer.destroy) answer.destroy(answer.serialized);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the bytes are copied, and nobody reads the error
    }
  }
  SerializedBytes(const SerializedBytes&) = delete;
  SerializedBytes& operator=(const SerializedBytes&) = delete;
  const ExecutableSerialize& answer;
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
  const PaddedStruct<ProgramText> text(ProgramText{.code = source.text.data(),
                                                   .code_bytes = source.text.size(),
                                                   .format = format.data(),
                                                   .format_bytes = format.size()});
  auto handles = std::make_unique<Handles>(client);
  ClientCompile compile{.client = client->handle(),
                        .program = &text.content,
                        .options = options.data(),
                        .options_bytes = options.size()};
  if (auto failure = client->plugin().attempt(compile))
    fail_to_compile(client->plugin(), std::move(*failure), source.overrides);
  handles->loaded = compile.loaded;
  return Executable(std::move(handles), std::move(devices), source);
}

Executable Executable::load(const std::shared_ptr<const Client>& client,
                            std::shared_ptr<const DeviceList> devices, const Source& source,
                            const std::string& serialised) {
  client->require_alive(load_step);
  const std::string_view bytes = without_replicas(serialised, devices->ids.size());
  auto handles = std::make_unique<Handles>(client);
  const std::string options =
      compile_options(devices->ids, source.overrides);  // else the plugin uses those in the bytes
  DeserializeAndLoad load{.client = client->handle(),
                          .bytes = bytes.data(),
                          .count = bytes.size(),
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
  const SerializedBytes owned(serialise);
  return with_replicas(devices_->ids.size(), text_of(serialise.bytes, serialise.count));
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

// Runs at every call, so it formats text only for errors.
void Executable::check(std::span<const Argument> arguments) const {
  if (arguments.size() != parameters_.size())
    fail(Code::internal, "xla: {}: {} for {}", run_step, counted(std::ssize(arguments), "argument"),
         counted(std::ssize(parameters_), "parameter"));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Buffers* buffers = arguments[k].buffers;
    ensure(buffers && buffers->client_, "xla: {}: argument {} has no buffers", run_step, k);
    if (buffers->is_given_away_)
      fail(Code::internal, "xla: {}: argument {}, {}, was given away before", run_step, k,
           to_string(buffers->type_));
    if (buffers->type_ != parameters_[k])
      fail(Code::internal, "xla: {}: argument {} is {} instead of {}", run_step, k, to_string(buffers->type_),
           to_string(parameters_[k]));
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
                        std::span<Buffers> results, const CallHandler* handler) const {
  const std::size_t devices = places_.size();
  Rows<BufferHandle> inputs(devices, arguments.size()), outputs(devices, results.size());
  for (std::size_t i = 0; i < devices; ++i)
    for (std::size_t k = 0; k < arguments.size(); ++k)
      inputs.at(i, k) = arguments[k].buffers->handles_[places_[i]];
  const bool waits = client().waits() || results.empty();
  std::optional<CallContext> context;
  if (handler) {
    ensure(waits, "xla: {}: a call that returns early cannot call back", run_step);
    context.emplace(client().plugin(), *handler);
  }
  const PaddedStruct<ExecuteOptions> options(
      ExecuteOptions{.kept_arguments = kept.data(),
                     .kept_count = kept.size(),
                     .context = context ? context->handle() : nullptr});
  std::vector<EventHandle> done(waits ? devices : 0);
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

std::vector<Buffers> Executable::run(std::span<const Argument> arguments, const CallHandler* handler) const {
  client().require_alive(run_step);
  const std::scoped_lock one_at_a_time(client().launches());  // also guards the marks of arrays given away
  check(arguments);
  Donations gifts;
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
  launch(arguments, kept, results, handler);
  return results;
}

}  // namespace tutti::xla
