// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.hpp"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/child.hpp"
#include "tests/support/command.hpp"

namespace tutti {
namespace {

using nlohmann::json;

std::string hex(const Tensor& tensor) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < tensor.bytes(); ++i) {
    auto byte = static_cast<unsigned>(tensor.data()[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

json to_json(const Tensor& tensor) {
  return {{"dtype", name(tensor.dtype())}, {"shape", tensor.shape().sizes()}, {"data", hex(tensor)}};
}

json to_json(const std::vector<Tensors>& values) {
  json all = json::array();
  for (const Tensors& parts : values) {
    json& list = all.emplace_back(json::array());
    for (const Tensor& part : parts) list.push_back(to_json(part));
  }
  return all;
}

std::string python() {
  const char* named = std::getenv("TUTTI_PYTHON");
  return named ? named : ".venv/bin/python";
}

Tensor tensor_from(const json& from) {
  Tensor tensor(Shape(from.at("shape").get<std::vector<std::int64_t>>()),
                dtype_named(from.at("dtype").get<std::string>()).value());
  auto digits = from.at("data").get<std::string>();
  for (std::size_t i = 0; i < tensor.bytes(); ++i)
    tensor.mutable_bytes()[i] = static_cast<std::byte>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  return tensor;
}

std::vector<Tensors> tensors_from(const json& from) {
  std::vector<Tensors> all;
  for (const json& parts : from) {
    Tensors& list = all.emplace_back();
    for (const json& part : parts) list.push_back(tensor_from(part));
  }
  return all;
}

}  // namespace

Oracle::Oracle(std::vector<std::string> command, int limit_ms, std::vector<std::string> environment)
    : command_(std::move(command)), environment_(std::move(environment)), limit_ms_(limit_ms) {}
Oracle::~Oracle() = default;

Oracle& Oracle::shared() {
  static Oracle oracle({python(), "tests/oracle/oracles.py"});
  return oracle;
}

Oracle& Oracle::interpreter() {
  static Oracle oracle({python(), "tests/oracle/interpreter.py"}, default_limit_ms,
                       {"LD_PRELOAD=" + program_folder() + "/libmany_cpus.so"});
  return oracle;
}

std::string Oracle::missing() {
  for (const std::string& file : command_)
    if (!std::filesystem::exists(file))
      return "there is no " + file + " here; run tools/setup, and the tests in the root of the repository";
  return child_ ? "" : start();
}

Verdict Oracle::check(const std::string& text) { return verdict_on(json{{"text", text}}.dump()); }

Verdict Oracle::run(const std::string& text, int devices, const std::vector<Tensors>& inputs) {
  return verdict_on(json{{"text", text}, {"devices", devices}, {"inputs", to_json(inputs)}}.dump());
}

Verdict Oracle::run_jax(const std::string& function, const Tensors& arguments) {
  std::vector<Tensors> inputs;
  for (const Tensor& argument : arguments) inputs.push_back({argument});
  return verdict_on(json{{"jax", function}, {"inputs", to_json(inputs)}}.dump());
}

std::vector<std::string> Oracle::without_twin(const std::vector<std::string>& functions) {
  Verdict verdict = verdict_on(json{{"twins", functions}}.dump());
  if (!verdict.failure.empty()) verdict.errors.push_back(verdict.failure);
  return verdict.errors;
}

std::vector<std::string> Oracle::reshards(const std::string& text) {
  Verdict verdict = verdict_on(json{{"reshards", text}}.dump());
  if (!verdict.failure.empty()) verdict.errors = {verdict.failure};
  return verdict.errors;
}

std::vector<std::string> Oracle::differences(const std::vector<std::string>& texts) {
  Verdict verdict = verdict_on(json{{"same", texts}}.dump());
  if (!verdict.failure.empty()) verdict.errors = {verdict.failure};
  return verdict.errors;
}

/// Why it did not start; empty if it did.
std::string Oracle::start() {
  child_ = std::make_unique<Child>(command_, environment_);
  Child::Reply hello = child_->ask("", limit_ms_);
  std::string why = hello.failure.empty() ? json::parse(hello.line).value("missing", "") : hello.failure;
  if (!why.empty()) child_.reset();
  return why;
}

Verdict Oracle::verdict_on(const std::string& question) {
  if (!child_)
    if (std::string why = start(); !why.empty()) return {{}, why, {}};
  Child::Reply reply = child_->ask(question, limit_ms_);
  if (!reply.failure.empty()) {
    child_.reset();
    return {{}, reply.failure, {}};
  }
  json answer = json::parse(reply.line);
  return {answer.at("errors"), answer.value("failure", ""),
          tensors_from(answer.value("results", json::array()))};
}

void OracleTest::SetUp() {
  std::string why = Oracle::shared().missing();
  if (why.empty()) return;
  const char* required = std::getenv("TUTTI_REQUIRE_ORACLES");
  if (required && std::string(required) == "1") FAIL() << why;
  GTEST_SKIP() << why;
}

}  // namespace tutti
