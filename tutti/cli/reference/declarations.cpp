// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/reference/declarations.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "tutti/cli/reference/cpp_text.hpp"

namespace tutti::cli {
namespace {

/// Namespaces whose names are for ourselves.
constexpr std::array own_namespaces{"tree", "detail", "kernel", "half", "threefry", "fold", ""};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Reads a header from front to back.
class HeaderReader {
 public:
  explicit HeaderReader(const Text& header)
      : header_(header.path), text_(header.text), code_(code_alone(header.text)) {}

  std::vector<Declaration> all() {
    while (at_ < code_.size()) read_scope("", true);
    return std::move(found_);
  }

 private:
  std::string_view code() const { return code_; }
  std::string_view word() const { return word_at(code_, at_); }
  std::string_view source(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }
  void skip_spaces() { at_ = after_spaces(code_, at_); }

  /// Reads up to the end of a namespace, or of the class `scope`.
  void read_scope(const std::string& scope, bool is_public) {
    std::size_t last = found_.size();  // of this scope; none yet
    for (;;) {
      const bool is_near = read_comment();
      if (at_ >= code_.size()) return;
      if (code_[at_] == '}') {
        ++at_;
        return;
      }
      if (is_one_of(word(), {"public", "private", "protected"})) {
        is_public = word() == "public";
        at_ = code_.find(':', at_) + 1;
      } else if (word() == "namespace") {
        read_namespace();
      } else {
        const std::size_t before = found_.size();
        read_declaration(scope);
        if (!is_public) found_.resize(before);
        if (found_.size() > before && is_near && comment_.empty() && last < before)
          found_[before].follows = found_[last].scope == scope && found_[last].kind == found_[before].kind;
        if (found_.size() > before) last = before;
        if (is_public) add_comment_behind(last);
      }
    }
  }

  /// Goes to the next code, and keeps the comment that ends in the line above it. True if no empty line comes
  /// between.
  bool read_comment() {
    const std::size_t begin = at_;
    skip_spaces();
    comment_.clear();
    bool is_near = true;
    for (std::size_t line = text_.find('\n', begin); line < at_;) {
      const std::size_t next = std::min(text_.find('\n', line + 1), text_.size());
      const std::string_view words = trimmed(source(line + 1, std::min(next, at_)));
      if (words.starts_with("//")) comment_ += std::string(words) + "\n";
      else if (next < at_) comment_.clear(), is_near = false;
      line = next;
    }
    return is_near;
  }

  void read_namespace() {
    at_ = after_spaces(code_, at_ + std::string_view("namespace").size());
    const std::size_t open = code_.find('{', at_);
    const std::string_view name = trimmed(code().substr(at_, open - at_));
    const std::size_t last = name.rfind(':');
    const std::string_view inner = last == name.npos ? name : name.substr(last + 1);
    at_ = open;
    if (std::ranges::find(own_namespaces, inner) != own_namespaces.end()) {
      at_ = after_brackets(code_, open);
      return;
    }
    const std::string outer = space_;
    if (inner != "tutti") space_ = inner;
    ++at_;
    read_scope("", true);
    space_ = outer;
  }

  void read_declaration(const std::string& scope) {
    const std::size_t begin = at_;
    skip_template_header();
    const std::size_t head = at_;
    if (is_one_of(word(), {"class", "struct", "enum", "union"})) return read_type(scope, begin);
    if (is_one_of(word(), {"friend", "static_assert", "typedef", "extern"})) return skip_declaration();
    if (is_one_of(word(), {"using", "concept"})) {
      const std::string keyword(word());
      const std::string name(word_at(code_, after_spaces(code_, at_ + keyword.size())));
      skip_declaration();
      const bool says_what = code().substr(head, at_ - head).find('=') != std::string_view::npos;
      if (says_what)
        add(keyword == "using" ? Declaration::Kind::alias : Declaration::Kind::type, name, scope,
            without_indentation(source(begin, at_)));
      return;
    }
    read_function_or_constant(scope, begin);
  }

  void skip_template_header() {
    while (word() == "template") {
      at_ = after_angles(code_, code_.find('<', at_));
      skip_spaces();
    }
    if (word() == "requires") skip_requirement();
    skip_spaces();
  }

  /// requires A<X> && (B<X> || ..)
  void skip_requirement() {
    at_ += std::string_view("requires").size();
    for (;;) {
      skip_spaces();
      while (code_[at_] == '!') ++at_;
      while (is_word_letter(code_[at_]) || code_[at_] == ':') ++at_;
      if (code_[at_] == '(') at_ = after_brackets(code_, at_);
      else if (code_[at_] == '<') at_ = after_angles(code_, at_);
      const std::size_t next = after_spaces(code_, at_);
      if (code().substr(next, 2) != "&&" && code().substr(next, 2) != "||") return;
      at_ = next + 2;
    }
  }

  /// Up to the semicolon.
  void skip_declaration() {
    while (at_ < code_.size() && code_[at_] != ';')
      at_ = code_[at_] == '{' ? after_brackets(code_, at_) : at_ + 1;
    ++at_;
  }

  void read_type(const std::string& scope, std::size_t begin) {
    const bool is_enum = word() == "enum", is_class = word() == "class";
    const std::size_t end = code_.find_first_of(";{", at_);
    if (code_[end] == ';') return skip_declaration();  // declared ahead
    std::size_t name_at = after_spaces(code_, at_ + word().size());
    if (is_enum && is_one_of(word_at(code_, name_at), {"class", "struct"}))
      name_at = after_spaces(code_, name_at + word_at(code_, name_at).size());
    const std::string name(word_at(code_, name_at));
    const std::size_t place = found_.size();
    add(Declaration::Kind::type, name, scope, std::string(trimmed(source(begin, end))) + " {\n");
    if (is_enum) {
      at_ = after_brackets(code_, end);
      found_[place].text = without_indentation(source(begin, at_));
    } else {
      at_ = end + 1;
      read_scope(name, !is_class);
      std::string& text = found_[place].text;
      if (is_class) text += " public:\n";
      for (std::size_t i = place + 1; i < found_.size(); ++i)
        if (found_[i].scope == name)
          text += indented(with_whole_sentences(found_[i].comment) + found_[i].text + "\n");
      text += "}";
    }
    found_[place].text += ";";
    at_ = std::min(code_.find(';', at_), code_.size() - 1) + 1;
  }

  static std::string indented(const std::string& lines) {
    std::string text;
    for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
      end = lines.find('\n', at);
      text += "  " + lines.substr(at, end - at) + "\n";
    }
    return text;
  }

  /// The head of a function or constant, as far as it is read.
  struct Head {
    std::string name;
    bool is_function = false, has_value = false;
    std::size_t end = 0;  // of what is shown
  };

  void read_function_or_constant(const std::string& scope, std::size_t begin) {
    Head head;
    const std::size_t start = at_;  // behind template <..>
    while (at_ < code_.size() && !read_part(head)) {
    }
    const std::string_view text = source(begin, head.end),
                           body = trimmed(code().substr(head.end, at_ - head.end));
    const bool is_deleted = trimmed(text).ends_with("= delete");
    if (is_deleted || refuses(head.name, body)) return;
    const auto kind = head.is_function ? Declaration::Kind::function : Declaration::Kind::constant;
    add(kind, head.name, scope, in_lines(begin, start, head.end) + ";");
  }

  /// template <..> in a line of its own, then the rest. Where comments stand inside, as the header has it.
  std::string in_lines(std::size_t begin, std::size_t start, std::size_t end) const {
    const std::string_view rest = source(start, end);
    const std::string first = begin == start ? "" : in_one_line(source(begin, start)) + "\n";
    return first + (rest.find("//") == rest.npos ? in_one_line(rest) : without_indentation(trimmed(rest)));
  }

  /// Goes on by one part of a declaration: a word, a bracket. True at its end.
  bool read_part(Head& head) {
    const char letter = code_[at_];
    if (letter == ';' || (letter == '{' && head.is_function && !head.has_value)) {
      name_before(head);
      head.end = at_;
      at_ = letter == ';' ? at_ + 1 : after_brackets(code_, at_);
      return true;
    }
    if (letter == ':' && code_[at_ + 1] != ':' && head.is_function) {
      head.end = at_;
      skip_initializers();
      return true;
    }
    if (word() == "operator") return read_operator(head), false;
    if (letter == '(' && !head.is_function && !head.has_value) read_parameters(head);
    else if (letter == '<' && at_ > 0 && is_word_letter(code_[at_ - 1])) at_ = after_angles(code_, at_);
    else if (letter == '(' || letter == '[' || letter == '{')
      name_before(head), at_ = after_brackets(code_, at_);
    else if (letter == ':') at_ += 2;
    else if (letter == '=') name_before(head), head.has_value = true, ++at_;
    else at_ += std::max<std::size_t>(1, word().size());
    return false;
  }

  void name_before(Head& head) const {
    if (head.name.empty()) head.name = word_before(code_, at_);
  }

  void read_parameters(Head& head) {
    const std::string_view name = word_before(code_, at_);
    head.is_function = !is_one_of(name, {"decltype", "alignas", "noexcept", "explicit", "requires", ""});
    if (head.is_function) head.name = name;
    at_ = after_brackets(code_, at_);
  }

  void read_operator(Head& head) {
    const std::size_t begin = at_;
    std::size_t open = code_.find('(', at_);
    const bool is_call = trimmed(code().substr(begin, open - begin)) == "operator";
    if (is_call) open = code_.find('(', open + 1);  // operator()(..)
    head = {.name = in_one_line(code().substr(begin, open - begin)), .is_function = true};
    at_ = after_brackets(code_, open);
  }

  /// From the colon of a constructor to the end of its body.
  void skip_initializers() {
    for (;;) {
      at_ = code_.find_first_of("({", at_);
      const bool is_body = code_[at_] == '{' && !is_word_letter(code_[at_ - 1]);
      at_ = after_brackets(code_, at_);
      if (is_body) return;
    }
  }

  /// An overload that is there to say what to write instead.
  bool refuses(const std::string& name, std::string_view body) const {
    const std::string first = in_one_line(body);
    return first.starts_with("{ static_assert(never") ||
           first.starts_with("{ static_assert(sizeof...(A) == 0") ||
           first.starts_with("{ return " + name + " <");
  }

  void add(Declaration::Kind kind, std::string name, const std::string& scope, std::string text) {
    found_.push_back({kind, std::move(name), space_, scope, comment_, std::move(text), header_});
  }

  /// The rest of the line, if it is a comment, belongs to what stands before it.
  void add_comment_behind(std::size_t declaration) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view rest = trimmed(source(at_, end));
    if (declaration < found_.size() && rest.starts_with("//"))
      found_[declaration].text += "  " + std::string(rest);
  }

  std::string_view header_, text_;
  std::string code_;
  std::size_t at_ = 0;
  std::string comment_, space_;
  std::vector<Declaration> found_;
};

}  // namespace

std::vector<Declaration> declarations_in(const Text& header) { return HeaderReader(header).all(); }

const std::vector<Declaration>& all_declarations() {
  static const std::vector<Declaration> all = [] {
    std::vector<Declaration> found;
    for (const Text& text : all_texts())
      if (text.path.ends_with(".hpp")) std::ranges::move(declarations_in(text), std::back_inserter(found));
    return found;
  }();
  return all;
}

}  // namespace tutti::cli
