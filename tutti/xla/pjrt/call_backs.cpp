// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/call_backs.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "tutti/base/never_destroyed.hpp"

namespace tutti::xla {
namespace {

// The number of the type of our data. Plugins number other types from 1 on.
constexpr std::int64_t handler_type = 0x7475747469;
constexpr std::string_view handler_type_name = "tutti call handler";

/// Writes the version of XLA's interface that this code follows, if the frame asks for it.
bool answers_metadata(const CallFrame& frame) {
  for (auto* extension = static_cast<Extension*>(frame.head.extension); extension;
       extension = const_cast<Extension*>(extension->next)) {
    if (extension->type != metadata_extension) continue;
    FrameMetadata& metadata = *reinterpret_cast<MetadataExtension*>(extension)->metadata;
    metadata.major = 0;
    metadata.minor = 1;
    metadata.traits = 0;
    return true;
  }
  return false;
}

/// The function behind every custom call.
FrameError handle(CallFrame* frame) {
  if (answers_metadata(*frame) || frame->stage != execute_stage) return nullptr;
  GetUserData get{.head = {.struct_size = sizeof get}, .context = frame->context, .type = &handler_type};
  if (FrameError error = frame->table->user_data(&get)) return error;
  const auto buffers = [](const FrameBuffers& given) {
    return std::span(given.list, static_cast<std::size_t>(given.count));
  };
  try {
    CallOperands call;
    for (const FrameBuffer* operand : buffers(frame->operands))
      call.operands.push_back(static_cast<const std::byte*>(operand->data));
    for (const FrameBuffer* result : buffers(frame->results))
      call.results.push_back(static_cast<std::byte*>(result->data));
    (*static_cast<const CallHandler*>(get.data))(call);
    return nullptr;
  } catch (...) {  // no memory; an exception must not pass through the plugin
    MakeFrameError error{.head = {.struct_size = sizeof error},
                         .message = "a call back failed",
                         .code = error_code::internal};
    return frame->table->make_error(&error);
  }
}

bool registers(const Plugin& plugin, std::string_view target) {
  if (!plugin.has(ContextCreate::function) || !plugin.has(ContextDestroy::function)) return false;
  const TypeFunctions none;
  RegisterType type{.name = handler_type_name.data(),
                    .name_bytes = handler_type_name.size(),
                    .type = handler_type,
                    .type_functions = &none};
  constexpr std::string_view platform = "Host";
  RegisterHandler handler{.target = target.data(),
                          .target_bytes = target.size(),
                          .handler = handle,
                          .platform = platform.data(),
                          .platform_bytes = platform.size()};
  return !plugin.attempt(type) && !plugin.attempt(handler);
}

}  // namespace

bool can_call_back(const Plugin& plugin, std::string_view target) {
  static std::mutex lock;
  using Registered = std::map<std::pair<const Plugin*, std::string>, bool>;
  static NeverDestroyed<Registered> known;  // plugins live as long as the process
  const std::scoped_lock locked(lock);
  const auto [at, is_new] = known->try_emplace({&plugin, std::string(target)}, false);
  if (is_new) at->second = registers(plugin, target);
  return at->second;
}

CallContext::CallContext(const Plugin& plugin, const CallHandler& handler) : plugin_(plugin), handle_() {
  ContextCreate create;
  plugin.call(create, "prepare calls back", Code::device);
  handle_ = create.context;
  AddUserData add{.context = handle_, .type = handler_type, .data = &handler};
  if (const std::optional<Failure> failure = plugin.attempt(add)) {
    plugin.destroy(ContextDestroy{.context = handle_});
    plugin.fail_as(*failure, "prepare calls back", Code::device);
  }
}

CallContext::~CallContext() { plugin_.destroy(ContextDestroy{.context = handle_}); }

}  // namespace tutti::xla
