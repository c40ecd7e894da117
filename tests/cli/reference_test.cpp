// SPDX-License-Identifier: Apache-2.0
// The tool reads headers and pages as they are: declarations, names of JAX, similar names.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "tests/support/file_text.hpp"
#include "tutti/base/similar_names.hpp"
#include "tutti/cli/reference/cpp_text.hpp"
#include "tutti/cli/reference/declarations.hpp"
#include "tutti/cli/reference/jax_names.hpp"
#include "tutti/cli/reference/lookup.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/functions/made_of_ops.hpp"

namespace tutti::cli {
namespace {

std::vector<std::string> texts_of(std::string_view header) {
  std::vector<std::string> texts;
  for (const Declaration& found : declarations_in({"tutti/some.hpp", header})) texts.push_back(found.text);
  return texts;
}

using Lines = std::vector<std::string>;

TEST(reference_texts, are_those_of_the_repository) {
  ASSERT_GT(all_texts().size(), 100U);
  for (const Text& text : all_texts())
    EXPECT_TRUE(text.text == tutti::text_of_file(std::string(text.path))) << text.path;
}

// tutti/tutti.hpp includes them one by one, and those include others.
TEST(reference_texts, have_every_header_that_users_include) {
  const std::string umbrella = tutti::text_of_file("tutti/tutti.hpp");
  const std::regex include("#include \"([^\"]+)\"");
  int count = 0;
  for (std::sregex_iterator at(umbrella.begin(), umbrella.end(), include), end; at != end; ++at, ++count)
    EXPECT_FALSE(text_of_file((*at)[1].str()).empty());
  EXPECT_GT(count, 70);
  EXPECT_FALSE(text_of_file("tutti/tree/flat_call.hpp").empty());
}

TEST(declarations, have_neither_bodies_nor_initializers) {
  EXPECT_EQ(texts_of("namespace tutti {\n"
                     "inline int twice(int n = f({1, 2})) { return n * 2; }  // of n\n"
                     "struct Pair {\n"
                     "  Pair(int a, int b) : a_{a}, b_(b) { check(); }\n"
                     "  bool operator()(int) const { return true; }\n"
                     "  bool operator==(const Pair&) const = default;\n"
                     "  explicit operator bool() const { return a_; }\n"
                     "  int a_ = 0, b_{};\n"
                     "};\n"
                     "}\n"),
            (Lines{"inline int twice(int n = f({1, 2}));  // of n",
                   "struct Pair {\n"
                   "  Pair(int a, int b);\n"
                   "  bool operator()(int) const;\n"
                   "  bool operator==(const Pair&) const = default;\n"
                   "  explicit operator bool() const;\n"
                   "  int a_ = 0, b_{};\n"
                   "};",
                   "Pair(int a, int b);", "bool operator()(int) const;",
                   "bool operator==(const Pair&) const = default;", "explicit operator bool() const;",
                   "int a_ = 0, b_{};"}));
}

TEST(declarations, keep_what_templates_ask_for) {
  EXPECT_EQ(texts_of("namespace tutti {\n"
                     "template <class F, class X = std::tuple<>>\n"
                     "  requires(sizeof(X) > 0 && Fine<X>)\n"
                     "auto scan(F f, const std::function<int(X)>& g = {}) -> int {\n  return f;\n}\n"
                     "template <class T>\nconcept Fine = requires(T t) { t.tie(); };\n"
                     "using Table = std::map<int, std::function<int(char)>>;\n"
                     "}\n"),
            (Lines{"template <class F, class X = std::tuple<>> requires(sizeof(X) > 0 && Fine<X>)\n"
                   "auto scan(F f, const std::function<int(X)>& g = {}) -> int;",
                   "template <class T>\nconcept Fine = requires(T t) { t.tie(); };",
                   "using Table = std::map<int, std::function<int(char)>>;"}));
}

TEST(declarations, leave_out_what_is_for_ourselves) {
  EXPECT_EQ(texts_of(
                "#include \"a.hpp\"\n"
                "namespace tutti {\n"
                "class Ahead;\n"
                "namespace tree {\nint hidden();\n}\n"
                "namespace detail {\nint hidden();\n}\n"
                "class Box {\n  int hidden();\n public:\n  int seen();\n private:\n  int also_hidden_;\n};\n"
                "template <bool never = false>\nint max(int) {\n  static_assert(never, \"use amax\");\n}\n"
                "Box& operator=(int) = delete;\n"
                "static_assert(sizeof(Box) > 0);\n"
                "}  // namespace tutti\n"),
            (Lines{"class Box {\n public:\n  int seen();\n};", "int seen();"}));
}

TEST(declarations, are_not_found_in_comments_and_literals) {
  EXPECT_EQ(texts_of("namespace tutti {\n"
                     "/* int a(); */\n"
                     "// int b();\n"
                     "std::string c(std::string_view = \"}; int d(); // {\", char = '{', int = 1'000);\n"
                     "}\n"),
            Lines{"std::string c(std::string_view = \"}; int d(); // {\", char = '{', int = 1'000);"});
}

TEST(declarations, share_the_comment_above_a_group) {
  const std::vector<Declaration> found =
      declarations_in({"tutti/some.hpp", "namespace tutti {\n"
                                         "/// The larger.\n/// There are two.\n"
                                         "int most(int);\n"
                                         "int least(int);\n"
                                         "\n"
                                         "int apart(int);\n"
                                         "}\n"});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].comment, "/// The larger.\n/// There are two.\n");
  EXPECT_TRUE(found[1].follows);
  EXPECT_FALSE(found[2].follows);
}

TEST(comments, keep_the_lines_of_examples) {
  EXPECT_EQ(with_whole_sentences(
                "/// Twice\n/// as much.\n/// Example:\n///     a = f(b,\n///     c);\n/// Throws\n"
                "/// nothing.\n"),
            "/// Twice as much.\n/// Example:\n///     a = f(b,\n///     c);\n/// Throws nothing.\n");
}

TEST(lookup, shows_options_with_their_defaults) {
  const Declarations types = named_types(declared("scan"));
  ASSERT_EQ(types.size(), 1U);
  EXPECT_NE(types[0]->text.find("std::optional<std::int64_t> length = {};  // needed only"),
            std::string::npos)
      << types[0]->text;
  std::set<std::string> of_at;
  for (const Declaration* type : named_types(declared_members("At::set"))) of_at.insert(type->name);
  EXPECT_EQ(of_at, (std::set<std::string>{"AtOptions", "IndexMode"}));  // the enum of an option as well
}

TEST(lookup, finds_names_of_other_namespaces_with_theirs_or_alone) {
  EXPECT_EQ(declared("kernels::Collective").size(), 1U);
  EXPECT_EQ(declared("Collective"), declared("kernels::Collective"));
  EXPECT_TRUE(declared("kernels::psum").empty());
  for (const Declaration* found : declared("check")) EXPECT_EQ(found->space, "") << found->header;
}

TEST(lookup, finds_members_by_class_and_by_object) {
  EXPECT_EQ(declared_members("Machine::place"), declared_members("machine.place"));
  EXPECT_EQ(declared_members("place"), declared_members("Machine::place"));
  EXPECT_EQ(declared_members("place").size(), 3U);
  EXPECT_TRUE(declared_members("Mesh::place").empty());
  EXPECT_TRUE(declared_members("transpose").empty());  // rules of ops
}

/// The text without the namespaces that are for ourselves.
std::string for_users(std::string text) {
  for (const char* name : {"tree", "detail", "kernel", "half", "threefry", "fold"}) {
    for (const std::string& full : {std::string(name), "tutti::" + std::string(name)}) {
      const std::string open = "\nnamespace " + full + " {", close = "}  // namespace " + full;
      for (std::size_t begin; (begin = text.find(open)) != text.npos;)
        text.erase(begin, text.find(close, begin) + close.size() - begin);
    }
  }
  return text;
}

/// The names of functions that the headers declare at the beginning of a line, as a regular expression finds
/// them.
std::set<std::string> roughly_declared() {
  static const std::regex form(
      R"(\n(?!using|return|template|static_assert|class|struct)[A-Za-z][\w:<>,&*. ]*[ &*](\w+)\()");
  std::set<std::string> names;
  for (const Text& text : all_texts()) {
    if (!text.path.ends_with(".hpp")) continue;
    const std::string code = for_users(std::string(text.text));
    for (std::sregex_iterator at(code.begin(), code.end(), form), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  return names;
}

/// The names that are called in code on pages: in marks, and in C++.
std::set<std::string> called_on_pages() {
  static const std::regex call(R"(([A-Za-z_]\w*)\()");
  std::set<std::string> names;
  for (const auto& page : std::filesystem::directory_iterator("docs")) {
    if (page.path().extension() != ".md") continue;
    const std::string text = tutti::text_of_file(page.path());
    for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  return names;
}

bool is_known(const std::string& name) {
  const auto has_front_end = [&](const OpRow& row) {
    const std::string list(row.examples[0].op->about().front_ends);
    return row.name == name || (", " + list + ",").find(", " + name + ",") != std::string::npos;
  };
  return !declared(name).empty() || !declared_members(name).empty() || !rows_of(name).empty() ||
         std::ranges::any_of(all_ops(), has_front_end);
}

TEST(lookup, knows_every_public_function_that_a_page_names) {
  const std::set<std::string> ours = roughly_declared(), on_pages = called_on_pages();
  std::vector<std::string> named;
  std::ranges::set_intersection(ours, on_pages, std::back_inserter(named));
  EXPECT_GT(named.size(), 200U);
  for (const std::string& name : named) EXPECT_TRUE(is_known(name)) << name;
  for (const FunctionRow& row : functions_made_of_ops()) EXPECT_FALSE(declared(row.name).empty()) << row.name;
}

TEST(jax_names, are_as_many_as_the_page_counts) {
  std::map<std::string, std::array<std::size_t, 3>> counts;
  for (const JaxRow& row : jax_rows())
    if (!row.module.empty() && !row.ours.empty())
      counts[row.module][row.is_refused() ? 2 : row.is_composed() ? 1 : 0] += row.names.size();
  const std::string page(text_of_file("docs/numpy.md"));
  const std::regex form(R"(\n\| (jax\.[\w.]+) \| (\d+) \| (\d+) \| (\d+) \|)");
  int modules = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), form), end; at != end; ++at, ++modules)
    EXPECT_EQ(counts[(*at)[1]],
              (std::array<std::size_t, 3>{std::stoul((*at)[2]), std::stoul((*at)[3]), std::stoul((*at)[4])}))
        << (*at)[1];
  EXPECT_EQ(modules, 8);
}

TEST(jax_names, lead_to_functions_of_ours) {
  for (const char* name : {"std", "jnp.std", "numpy.std", "jax.numpy.std"}) {
    const std::vector<const JaxRow*> rows = rows_of(name);
    ASSERT_EQ(rows.size(), 1U) << name;
    EXPECT_EQ(in_a_sentence(*rows[0], name), "jax.numpy.std is stddev(x) here.");
    EXPECT_EQ(leads_to(*rows[0], name), Lines{"stddev"});
  }
  EXPECT_EQ(rows_of("max").size(), 2U);  // of jax.numpy and of jax.lax
  ASSERT_EQ(rows_of("lax.max").size(), 1U);
  EXPECT_EQ(leads_to(*rows_of("lax.max")[0], "max"), Lines{"maximum"});
  for (const JaxRow& row : jax_rows())
    for (const std::string& lead : leads_to(row, row.names[0])) {
      const bool is_called = (row.ours + row.note).find(lead + "(") != std::string::npos;
      const bool is_the_users = lead == "run";
      EXPECT_TRUE(!is_called || is_the_users || is_known(lead)) << row.ours << ": " << lead;
    }
  for (const JaxRow* row : rows_of("jit"))
    EXPECT_EQ(row->theirs_of("jit"), "jax.jit(f)");  // "outside of `jit`"
  const JaxRow& casts = *rows_of("pvary")[0];        // one row, two codes
  EXPECT_TRUE(in_a_sentence(casts, "pvary").starts_with("core.pvary is pcast(x, \"i\", varying) here. As "));
}

TEST(similar_names, count_an_exchange_of_two_letters_once) {
  EXPECT_EQ(letters_apart("nrom", "norm"), 1U);
  EXPECT_EQ(letters_apart("scater", "scatter"), 1U);
  EXPECT_EQ(letters_apart("", "abc"), 3U);
  EXPECT_EQ(letters_apart("psum", "psum"), 0U);
}

TEST(similar_names, are_the_nearest_and_then_words_of_the_name) {
  const Lines names{"norm", "not", "prod", "layer_norm", "relu", "scatter", "permutation", "permute"};
  EXPECT_EQ(similar_names("nrom", names), Lines{"norm"});
  EXPECT_EQ(similar_names("batch_norm", names), Lines{"norm"});
  EXPECT_EQ(similar_names("permut", names), (Lines{"permute", "permutation"}));
  EXPECT_EQ(similar_names("relu6", names), Lines{"relu"});
  EXPECT_EQ(similar_names("qqqqqqqq", names), Lines{});
}

}  // namespace
}  // namespace tutti::cli
