// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <concepts>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {
namespace {

using Json = nlohmann::ordered_json;
constexpr int format_version = 2;

constexpr Target all_targets[] = {Target::nvidia, Target::amd};
constexpr ReduceKind all_reductions[] = {ReduceKind::sum, ReduceKind::max, ReduceKind::min};
constexpr ArgumentKind all_arguments[] = {ArgumentKind::input,         ArgumentKind::output,
                                          ArgumentKind::rank,          ArgumentKind::sequence,
                                          ArgumentKind::half,          ArgumentKind::signal_table,
                                          ArgumentKind::staging_table, ArgumentKind::inbox_table,
                                          ArgumentKind::output_table,  ArgumentKind::wait_limit,
                                          ArgumentKind::error};

Json json_of(const CollectiveSpec& spec) {
  Json groups = Json::array(), pairs = Json::array();
  for (const std::vector<int>& group : spec.groups) groups.push_back(group);
  for (const auto& [source, target] : spec.pairs) pairs.push_back({source, target});
  return {{"kind", name(spec.kind)},
          {"reduction", spec.reduction ? Json(ops::name(*spec.reduction)) : Json()},
          {"dtype", tutti::name(spec.dtype)},
          {"shape", spec.shape.sizes()},
          {"dim", spec.dim.index},
          {"concat", spec.concat ? Json(spec.concat->index) : Json()},
          {"world", spec.world},
          {"groups", groups},
          {"pairs", pairs},
          {"variant", name(spec.variant)}};
}

Json json_of(const Launch& launch) {
  return {{"grid", launch.grid},
          {"warps", launch.warps},
          {"unroll", launch.unroll},
          {"elements", launch.elements},
          {"tile_elements", launch.tile_elements}};
}

Json json_of(const Staging& staging) {
  return {{"bytes_per_half", staging.bytes_per_half}, {"halves", staging.halves}};
}

[[noreturn]] void refuse(const std::string& path, std::string_view found, std::string_view expected) {
  fail(Code::file, "manifest: {} is {}; expected {}", path.empty() ? "the whole" : path, found, expected);
}

// Prints a value for an error message; a long value is cut.
std::string shown(const Json& json) {
  constexpr std::size_t longest = 80;
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > longest) text.replace(longest, text.npos, "..");
  return text;
}

template <std::signed_integral T>
T number(const Json& json, const std::string& path) {
  const bool is_int = json.is_number_integer() &&
                      (!json.is_number_unsigned() ||
                       json.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  const std::int64_t value = is_int ? json.get<std::int64_t>() : 0;
  if (!is_int || value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
    refuse(path, shown(json), "an integer of " + std::to_string(8 * sizeof(T)) + " bits");
  return static_cast<T>(value);
}

// Collects f(element, its path) for each element of a list.
template <class F>
auto list(const Json& json, const std::string& path, F&& f) {
  if (!json.is_array()) refuse(path, shown(json), "a list");
  std::vector<decltype(f(json, path))> values;
  for (const Json& element : json)
    values.push_back(f(element, path + "[" + std::to_string(values.size()) + "]"));
  return values;
}

std::vector<int> ints(const Json& json, const std::string& path) { return list(json, path, number<int>); }

std::string string_in(const Json& json, const std::string& path) {
  if (!json.is_string()) refuse(path, shown(json), "a string");
  return json.get<std::string>();
}

// The enumerator that a JSON string names.
template <class Values>
auto named(const Json& json, const std::string& path, const Values& all) {
  const std::string wanted = string_in(json, path);
  std::string names;
  for (const auto value : all) {
    if (name(value) == wanted) return value;
    names += (names.empty() ? "one of " : ", ") + std::string(name(value));
  }
  refuse(path, shown(json), names);
}

/// Reads each key of a JSON object once; finish() refuses the keys that were not read.
class Fields {
 public:
  Fields(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) refuse(path_, shown(json), "an object");
  }
  std::string path(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  const Json& at(const std::string& key) {
    read_.insert(key);
    const auto found = json_.find(key);
    if (found == json_.end()) refuse(path(key), "missing", "the key '" + key + "'");
    return *found;
  }
  template <std::signed_integral T>
  void read(const std::string& key, T& value) {
    value = number<T>(at(key), path(key));
  }
  void read(const std::string& key, bool& value) {
    if (!at(key).is_boolean()) refuse(path(key), shown(at(key)), "true or false");
    value = at(key).get<bool>();
  }
  template <class Values>
  auto named_value(const std::string& key, const Values& all) {
    return named(at(key), path(key), all);
  }
  void finish() const {
    for (const auto& [key, value] : json_.items())
      if (!read_.contains(key)) fail(Code::file, "manifest: unknown key {}; leave it out", path(key));
  }

 private:
  const Json& json_;
  std::string path_;
  std::set<std::string> read_;
};

CollectiveSpec spec_in(Fields fields) {
  CollectiveSpec spec;
  spec.kind = fields.named_value("kind", all_collectives());
  if (!fields.at("reduction").is_null()) spec.reduction = fields.named_value("reduction", all_reductions);
  spec.dtype = fields.named_value("dtype", all_dtypes());
  spec.shape = Shape(list(fields.at("shape"), fields.path("shape"), number<std::int64_t>));
  fields.read("dim", spec.dim.index);
  if (!fields.at("concat").is_null()) fields.read("concat", spec.concat.emplace().index);
  fields.read("world", spec.world);
  spec.groups = list(fields.at("groups"), fields.path("groups"), ints);
  for (const std::vector<int>& pair : list(fields.at("pairs"), fields.path("pairs"), ints)) {
    if (pair.size() != 2)
      refuse(fields.path("pairs"), shown(fields.at("pairs")), "a list of [source, target]");
    spec.pairs.emplace_back(pair[0], pair[1]);
  }
  spec.variant = fields.named_value("variant", all_variants());
  fields.finish();
  return spec;
}

LaunchArgument argument_in(const Json& json, const std::string& path) {
  Fields fields(json, path);
  LaunchArgument argument{fields.named_value("kind", all_arguments),
                          fields.named_value("dtype", all_dtypes()), 0};
  fields.read("alignment", argument.alignment);
  fields.finish();
  return argument;
}

Launch launch_in(Fields fields) {
  Launch launch;
  fields.read("grid", launch.grid);
  fields.read("warps", launch.warps);
  fields.read("unroll", launch.unroll);
  fields.read("elements", launch.elements);
  fields.read("tile_elements", launch.tile_elements);
  fields.finish();
  return launch;
}

Staging staging_in(Fields fields) {
  Staging staging;
  fields.read("bytes_per_half", staging.bytes_per_half);
  fields.read("halves", staging.halves);
  fields.finish();
  return staging;
}

void read_buffers(Fields& fields, Manifest& manifest) {
  Fields pads(fields.at("pads"), "pads");
  pads.read("rows", manifest.pads.rows);
  pads.read("row_bytes", manifest.pads.row_bytes);
  pads.read("slots", manifest.pads.slots);
  pads.finish();
  manifest.staging = staging_in(Fields(fields.at("staging"), "staging"));
  manifest.inboxes = staging_in(Fields(fields.at("inboxes"), "inboxes"));
  Fields sequence(fields.at("sequence"), "sequence");
  sequence.read("signals", manifest.sequence.signals);
  sequence.read("refresh", manifest.sequence.refresh);
  sequence.finish();
  Fields needs(fields.at("needs"), "needs");
  needs.read("hidden_pointers", manifest.needs.hidden_pointers);
  needs.read("shared_bytes", manifest.needs.shared_bytes);
  needs.read("scratch_bytes", manifest.needs.scratch_bytes);
  needs.finish();
}

// The version is checked before the keys, because a newer version may have other keys.
Manifest manifest_in(const Json& json) {
  Fields fields(json, "");
  int version = 0;
  fields.read("version", version);
  require(version == format_version, Code::file, "manifest: version {}, but this library reads {}; {}",
          version, format_version, version > format_version ? "use a newer library" : "write it again");
  Manifest manifest;
  manifest.name = string_in(fields.at("name"), "name");
  manifest.target = fields.named_value("target", all_targets);
  manifest.encoding = fields.named_value("encoding", all_encodings());
  manifest.spec = spec_in(Fields(fields.at("spec"), "spec"));
  manifest.entries = list(fields.at("entries"), "entries", string_in);
  manifest.arguments = list(fields.at("arguments"), "arguments", argument_in);
  manifest.launch = launch_in(Fields(fields.at("launch"), "launch"));
  read_buffers(fields, manifest);
  fields.read("cooperative", manifest.cooperative);
  fields.read("error_bytes", manifest.error_bytes);
  fields.finish();
  return manifest;
}

}  // namespace

std::string text_of(const Manifest& manifest) {
  require_valid(manifest);
  Json arguments = Json::array();
  for (const LaunchArgument& argument : manifest.arguments)
    arguments.push_back({{"kind", name(argument.kind)},
                         {"dtype", tutti::name(argument.dtype)},
                         {"alignment", argument.alignment}});
  const auto& [pads, sequence] = std::tie(manifest.pads, manifest.sequence);
  const Json json{{"version", format_version},
                  {"name", manifest.name},
                  {"target", name(manifest.target)},
                  {"encoding", name(manifest.encoding)},
                  {"spec", json_of(manifest.spec)},
                  {"entries", manifest.entries},
                  {"arguments", arguments},
                  {"pads", {{"rows", pads.rows}, {"row_bytes", pads.row_bytes}, {"slots", pads.slots}}},
                  {"staging", json_of(manifest.staging)},
                  {"inboxes", json_of(manifest.inboxes)},
                  {"launch", json_of(manifest.launch)},
                  {"cooperative", manifest.cooperative},
                  {"error_bytes", manifest.error_bytes},
                  {"needs",
                   {{"hidden_pointers", manifest.needs.hidden_pointers},
                    {"shared_bytes", manifest.needs.shared_bytes},
                    {"scratch_bytes", manifest.needs.scratch_bytes}}},
                  {"sequence", {{"signals", sequence.signals}, {"refresh", sequence.refresh}}}};
  return json.dump(2) + "\n";
}

Manifest manifest_from_text(std::string_view text) {
  std::vector<std::set<std::string>> open;  // the keys of each object that has not ended
  auto has_no_key_twice = [&](int, Json::parse_event_t event, const Json& key) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(key.get<std::string>()).second)
      fail(Code::file, "manifest: the key {} stands twice in one object; leave one out", shown(key));
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, has_no_key_twice);
  } catch (const Json::parse_error& error) {
    fail(Code::file, "manifest: {}; expected JSON as text_of writes it", error.what());
  }
  Manifest manifest = manifest_in(json);
  require_valid(manifest);
  return manifest;
}

}  // namespace tutti::kernels
