// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/options.hpp"
#include "tutti/base/inside.hpp"

#include <bit>
#include <set>

#include "tutti/base/overloaded.hpp"
#include "tutti/base/require.hpp"

namespace tutti::xla {
namespace {

// The field numbers of XLA's messages. Source: xla/pjrt/proto/compile_options.proto, xla/xla_data.proto.
namespace field {
constexpr int build_options = 3, overrides = 7;                           // CompileOptionsProto
constexpr int replicas = 4, partitions = 5, assignment = 9;               // ExecutableBuildOptionsProto
constexpr int replica_count = 1, computation_count = 2, computation = 3;  // DeviceAssignmentProto
constexpr int replica_device_ids = 1;                                     // its ComputationDevice
constexpr int key = 1, value = 2;                                         // an entry of a map
constexpr int as_string = 1, as_bool = 2, as_int64 = 3, as_double = 4;    // OptionOverrideProto
}  // namespace field

/// A protocol buffer message, written field by field.
class Message {
 public:
  Message& number(int name, std::uint64_t value) {
    tag(name, 0);
    varint(value);
    return *this;
  }
  Message& fixed64(int name, std::uint64_t bits) {
    tag(name, 1);
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>((bits >> shift) & 0xff);
    return *this;
  }
  Message& bytes(int name, const std::string& content) {
    tag(name, 2);
    varint(content.size());
    bytes_ += content;
    return *this;
  }
  Message& varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
    return *this;
  }
  const std::string& text() const { return bytes_; }

 private:
  void tag(int name, int kind) {
    varint(static_cast<std::uint64_t>(name) * 8 + static_cast<std::uint64_t>(kind));
  }
  std::string bytes_;
};

std::string device_assignment(std::span<const int> ids) {
  Message list;
  for (const int id : ids) list.varint(static_cast<std::uint64_t>(id));
  return Message()
      .number(field::replica_count, ids.size())
      .number(field::computation_count, 1)
      .bytes(field::computation, Message().bytes(field::replica_device_ids, list.text()).text())
      .text();
}

std::string override_value(const Override& override) {
  Message message;
  std::visit(Overloaded{[&](const std::string& text) { message.bytes(field::as_string, text); },
                        [&](bool flag) { message.number(field::as_bool, flag ? 1 : 0); },
                        [&](std::int64_t number) {
                          message.number(field::as_int64, static_cast<std::uint64_t>(number));
                        },
                        [&](double number) {
                          message.fixed64(field::as_double, std::bit_cast<std::uint64_t>(number));
                        }},
             override.second);
  return message.text();
}

}  // namespace

std::vector<Override> exact_numbers(std::string_view platform) {
  std::vector<Override> options{{"xla_allow_excess_precision", false}};
  if (platform == "cpu") options.emplace_back("xla_cpu_enable_fast_min_max", false);
  return options;
}

std::string compile_options(std::span<const int> device_ids, std::span<const Override> overrides) {
  ensure(!device_ids.empty(), "xla: a program is compiled for no device");
  std::set<int> seen;
  for (const int id : device_ids)
    ensure(id >= 0 && seen.insert(id).second,
           "xla: a program is compiled for device {}, which is negative or named twice", id);
  const std::string build = Message()
                                .number(field::replicas, device_ids.size())
                                .number(field::partitions, 1)
                                .bytes(field::assignment, device_assignment(device_ids))
                                .text();
  Message options;
  options.bytes(field::build_options, build);
  for (const Override& override : overrides)
    options.bytes(
        field::overrides,
        Message().bytes(field::key, override.first).bytes(field::value, override_value(override)).text());
  return options.text();
}

}  // namespace tutti::xla
