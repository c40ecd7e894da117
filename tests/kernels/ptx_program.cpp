// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/ptx_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace tutti::kernels {
namespace {

struct Line {
  std::string text;  // without comment
  bool is_own = false;
  int number = 0;
};

[[noreturn]] void refuse(const Line& line, std::string_view why) {
  throw std::runtime_error(fmt::format("PTX line {}: {}: {}", line.number, why, line.text));
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t comment = line.find("//");
    const bool is_own =
        comment != std::string::npos && trimmed(std::string_view(line).substr(comment + 2)) == "own";
    const std::string code = trimmed(std::string_view(line).substr(0, comment));
    if (!code.empty()) lines.push_back({code, is_own, number});
  }
  return lines;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<PtxType> type_named(std::string_view part) {
  if (part == "pred") return PtxType{'p', 1};
  if (part == "bf16") return PtxType{'g', 16};
  if (part == "f16") return PtxType{'h', 16};
  constexpr std::string_view letters = "bsuf";
  if (part.size() < 2 || letters.find(part[0]) == std::string_view::npos) return std::nullopt;
  for (const int bits : {8, 16, 32, 64})
    if (part.substr(1) == std::to_string(bits)) return PtxType{part[0], bits};
  return std::nullopt;
}

template <class T>
std::optional<T> named(const std::map<std::string_view, T>& names, std::string_view part) {
  const auto found = names.find(part);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

const std::map<std::string_view, PtxCode> codes{
    {"mov", PtxCode::mov},      {"cvt", PtxCode::convert}, {"add", PtxCode::add},
    {"sub", PtxCode::sub},      {"mul", PtxCode::mul},     {"mad", PtxCode::mad},
    {"div", PtxCode::div},      {"rem", PtxCode::rem},     {"min", PtxCode::min},
    {"max", PtxCode::max},      {"and", PtxCode::bit_and}, {"or", PtxCode::bit_or},
    {"xor", PtxCode::bit_xor},  {"not", PtxCode::bit_not}, {"shl", PtxCode::shl},
    {"shr", PtxCode::shr},      {"setp", PtxCode::setp},   {"selp", PtxCode::selp},
    {"prmt", PtxCode::prmt},    {"ld", PtxCode::load},     {"st", PtxCode::store},
    {"atom", PtxCode::atom},    {"bra", PtxCode::branch},  {"bar", PtxCode::barrier},
    {"shfl", PtxCode::shuffle}, {"vote", PtxCode::vote},   {"nanosleep", PtxCode::sleep},
    {"ret", PtxCode::exit}};
const std::map<std::string_view, PtxOrder> orders{{"relaxed", PtxOrder::relaxed},
                                                  {"acquire", PtxOrder::acquire},
                                                  {"release", PtxOrder::release},
                                                  {"acq_rel", PtxOrder::acq_rel}};
const std::map<std::string_view, PtxAtomic> atomics{{"exch", PtxAtomic::exchange}, {"add", PtxAtomic::add},
                                                    {"min", PtxAtomic::min},       {"max", PtxAtomic::max},
                                                    {"and", PtxAtomic::bit_and},   {"or", PtxAtomic::bit_or},
                                                    {"xor", PtxAtomic::bit_xor}};
const std::map<std::string_view, PtxCompare> compares{{"eq", PtxCompare::eq},   {"ne", PtxCompare::ne},
                                                      {"lt", PtxCompare::lt},   {"le", PtxCompare::le},
                                                      {"gt", PtxCompare::gt},   {"ge", PtxCompare::ge},
                                                      {"num", PtxCompare::num}, {"nan", PtxCompare::nan},
                                                      {"equ", PtxCompare::equ}, {"neu", PtxCompare::neu},
                                                      {"ltu", PtxCompare::ltu}, {"leu", PtxCompare::leu},
                                                      {"gtu", PtxCompare::gtu}, {"geu", PtxCompare::geu}};
const std::map<std::string_view, PtxSpecial> specials{{"%tid.x", PtxSpecial::thread},
                                                      {"%ctaid.x", PtxSpecial::block},
                                                      {"%nctaid.x", PtxSpecial::blocks},
                                                      {"%globaltimer", PtxSpecial::timer}};
/// Modifiers that change nothing that the machine models.
const std::set<std::string_view> neutral{"global", "sync", "bfly", "uni", "lo", "rn", "noftz", "gpu", "cta"};

/// Reads one entry.
class Reader {
 public:
  explicit Reader(const std::vector<Line>& lines) : lines_(lines) {}

  std::vector<PtxEntry> entries() {
    while (at_ < lines_.size()) {
      const std::string& text = lines_[at_].text;
      if (text.starts_with(".visible .entry")) read_entry();
      else if (text.starts_with(".version ") || text.starts_with(".target ") ||
               text.starts_with(".address_size"))
        ++at_;
      else refuse(lines_[at_], "no part of a module");
    }
    return std::move(entries_);
  }

 private:
  void read_entry() {
    entries_.emplace_back();
    registers_.clear();
    labels_.clear();
    parameters_.clear();
    scopes_.assign(1, 0);
    const std::string& head = lines_[at_].text;
    entry().name = head.substr(16, head.find('(') - 16);
    for (++at_; !lines_.at(at_).text.starts_with(')'); ++at_) read_parameter(lines_[at_]);
    for (++at_; lines_.at(at_).text != "{"; ++at_) {
      const std::vector<std::string> words = split(lines_[at_].text, " ,");
      if (words[0] == ".minnctapersm") continue;
      if (words[0] != ".reqntid" || words.at(2) != "1" || words.at(3) != "1") refuse(lines_[at_], "unknown");
      entry().threads = std::stoi(words.at(1));
    }
    for (++at_; lines_.at(at_).text != "}" || scopes_.size() > 1; ++at_) read_statement(lines_[at_]);
    ++at_;
    for (PtxInstruction& instruction : entry().code)
      if (instruction.code == PtxCode::branch) {
        const auto label = labels_.find(instruction.target);
        if (label == labels_.end()) throw std::runtime_error("no label for " + instruction.text);
        instruction.target = label->second;
      }
    entry().registers = static_cast<int>(registers_.size());
  }

  PtxEntry& entry() { return entries_.back(); }

  void read_parameter(const Line& line) {
    const std::vector<std::string> words = split(line.text, " ,");
    const std::optional<PtxType> type = type_named(words.at(1).substr(1));
    if (words[0] != ".param" || !type) refuse(line, "no parameter");
    parameters_[words.back()] = static_cast<int>(entry().parameter_bits.size());
    entry().parameter_bits.push_back(type->bits);
  }

  void read_statement(const Line& line) {
    if (line.text == "{") return scopes_.push_back(++last_scope_);
    if (line.text == "}") return scopes_.pop_back();
    if (line.text.ends_with(':')) {
      labels_[number_of(label_names_, scoped(line.text.substr(0, line.text.size() - 1)))] =
          static_cast<int>(entry().code.size());
      return;
    }
    if (!line.text.ends_with(';')) refuse(line, "no statement");
    if (line.text.starts_with(".reg")) return;
    if (line.text.starts_with(".shared")) {
      entry().shared_bytes = std::stoi(line.text.substr(line.text.find('[') + 1));
      return;
    }
    read_instruction(line);
  }

  /// Names without % belong to the innermost braces.
  std::string scoped(const std::string& name) const {
    return name[0] == '%' ? name : fmt::format("{}#{}", name, scopes_.back());
  }
  static int number_of(std::map<std::string, int>& names, const std::string& name) {
    return names.emplace(name, static_cast<int>(names.size())).first->second;
  }
  int reg(const std::string& name) { return number_of(registers_, scoped(name)); }

  void read_instruction(const Line& line) {
    PtxInstruction instruction;
    instruction.text = line.text;
    instruction.line = line.number;
    instruction.is_own = line.is_own;
    std::string text = line.text.substr(0, line.text.size() - 1);
    if (text[0] == '@') {
      const std::size_t end = text.find(' ');
      instruction.is_guard_negated = text[1] == '!';
      instruction.guard = reg(
          text.substr(instruction.is_guard_negated ? 2 : 1, end - (instruction.is_guard_negated ? 2 : 1)));
      text = trimmed(std::string_view(text).substr(end));
    }
    const std::size_t end = std::min(text.find(' '), text.size());
    read_modifiers(line, split(text.substr(0, end), "."), instruction);
    read_operands(line, text.substr(end), instruction);
    entry().code.push_back(std::move(instruction));
  }

  static void read_modifiers(const Line& line, const std::vector<std::string>& parts, PtxInstruction& to) {
    const std::optional<PtxCode> code = named(codes, parts[0]);
    if (!code) refuse(line, "unknown instruction");
    to.code = *code;
    int types = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::string& part = parts[i];
      const bool may_be_atomic = to.code == PtxCode::atom && !type_named(part);
      if (const auto type = type_named(part)) (types++ == 0 ? to.type : to.from) = *type;
      else if (const auto order = named(orders, part)) to.order = *order;
      else if (const auto atomic = named(atomics, part); atomic && may_be_atomic) to.atomic = *atomic;
      else if (part == "cas" && may_be_atomic) to.code = PtxCode::cas;
      else if (const auto compare = named(compares, part); compare && to.code == PtxCode::setp)
        to.compare = *compare;
      else if (part == "sys") to.is_system = true;
      else if (part == "nc") to.is_coherent = false;
      else if (part == "NaN") to.prefers_nan = true;
      else if (part == "rz") to.toward_zero = true;
      else if (part == "v2" || part == "v4") to.words = part[1] - '0';
      else if (part == "wide") to.code = PtxCode::mul_wide;
      else if (part == "param") to.code = PtxCode::load_param;
      else if (part == "shared")
        to.code = to.code == PtxCode::load ? PtxCode::load_shared : PtxCode::store_shared;
      else if (part == "red") to.code = PtxCode::barrier_reduce;
      else if (to.code == PtxCode::barrier_reduce && (part == "and" || part == "or"))
        to.is_all = part == "and";
      else if (to.code == PtxCode::vote && (part == "all" || part == "any")) to.is_all = part == "all";
      else if (!neutral.contains(part)) refuse(line, "unknown modifier ." + part);
    }
  }

  PtxOperand operand_of(const Line& line, const std::string& word) {
    if (const auto special = named(specials, word)) return {-1, 0, *special};
    if (word == "exchange") return {};  // the one buffer in shared memory lies at 0
    const bool is_number = std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word[0] == '-';
    if (!is_number) return {reg(word)};
    std::size_t used = 0;
    const std::uint64_t value =
        word[0] == '-' ? static_cast<std::uint64_t>(std::stoll(word, &used, 0)) : std::stoull(word, &used, 0);
    if (used != word.size()) refuse(line, "no operand '" + word + "'");
    return {-1, value};
  }

  void read_address(const Line& line, const std::string& word, PtxInstruction& to) {
    const std::string inner = word.substr(1, word.size() - 2);
    if (to.code == PtxCode::load_param) {
      to.target = parameters_.at(inner);
      return;
    }
    const std::size_t sign = inner.find_first_of("+-");
    if (sign != std::string::npos) to.offset = std::stoll(inner.substr(sign + (inner[sign] == '+' ? 1 : 0)));
    to.operands.push_back(operand_of(line, inner.substr(0, sign)));
  }

  /// A load has its words before the address, a store after it: the operands become words, then the address.
  void read_operands(const Line& line, const std::string& text, PtxInstruction& to) {
    if (to.code == PtxCode::branch) {
      to.target = number_of(label_names_, scoped(trimmed(text)));
      return;
    }
    std::vector<std::string> words = split(text, " ,{}");
    const bool is_store = to.code == PtxCode::store || to.code == PtxCode::store_shared;
    if (is_store) std::rotate(words.begin(), words.begin() + 1, words.end());
    if (to.code == PtxCode::mov && text.find('{') != std::string::npos)
      to.code = text.find('{') < text.find(',') ? PtxCode::unpack : PtxCode::pack;
    for (const std::string& word : words)
      if (word[0] == '[') read_address(line, word, to);
      else to.operands.push_back(operand_of(line, word));
    if (to.operands.size() != operands_wanted(to)) refuse(line, "another number of operands");
  }

  static std::size_t operands_wanted(const PtxInstruction& i) {
    switch (i.code) {
      case PtxCode::exit: return 0;
      case PtxCode::sleep:
      case PtxCode::barrier:
      case PtxCode::load_param: return 1;
      case PtxCode::mov:
      case PtxCode::convert:
      case PtxCode::bit_not: return 2;
      case PtxCode::load:
      case PtxCode::store:
      case PtxCode::load_shared:
      case PtxCode::store_shared: return static_cast<std::size_t>(i.words) + 1;
      case PtxCode::selp:
      case PtxCode::prmt:
      case PtxCode::mad:
      case PtxCode::cas: return 4;
      case PtxCode::shuffle: return 5;
      default: return 3;
    }
  }

  const std::vector<Line>& lines_;
  std::size_t at_ = 0;
  std::vector<PtxEntry> entries_;
  std::map<std::string, int> registers_, label_names_, parameters_;
  std::map<int, int> labels_;
  std::vector<int> scopes_;
  int last_scope_ = 0;
};

}  // namespace

std::vector<PtxEntry> ptx_entries(const std::string& text) {
  const std::vector<Line> lines = lines_of(text);
  return Reader(lines).entries();
}

}  // namespace tutti::kernels
