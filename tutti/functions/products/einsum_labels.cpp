// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/einsum_labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr Label first_of_ellipsis = 256;
constexpr std::string_view ellipsis = "...";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string text_of(Label label) {
  if (label < first_of_ellipsis) return fmt::format("'{}'", static_cast<char>(label));
  return fmt::format("dim {} from the right in '...'", label - first_of_ellipsis + 1);
}

// A term as it is written: letters around an ellipsis, or letters alone.
struct WrittenTerm {
  std::string_view text;
  std::string front, back;
  bool has_ellipsis = false;

  int letters() const { return static_cast<int>(front.size() + back.size()); }
};

WrittenTerm written(std::string_view text) {
  WrittenTerm term{text, {}, {}};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text.substr(i).starts_with(ellipsis)) {
      require(!term.has_ellipsis, Code::dim, "'{}' has two '...'; write one for all dims without a letter",
              text);
      term.has_ellipsis = true;
      i += ellipsis.size() - 1;
      continue;
    }
    require(is_letter(text[i]), Code::dim,
            "'{}' in '{}' names no dim; write a letter for each, '...' for the others, and ',' and '->'",
            text[i], text);
    (term.has_ellipsis ? term.back : term.front) += text[i];
  }
  return term;
}

std::vector<WrittenTerm> written_operands(std::string_view text) {
  std::vector<WrittenTerm> terms;
  while (true) {
    std::size_t comma = text.find(',');
    terms.push_back(written(text.substr(0, comma)));
    if (comma == std::string_view::npos) return terms;
    text.remove_prefix(comma + 1);
  }
}

// `hidden` dims stand in the place of "...".
Labels labels_of(const WrittenTerm& term, int hidden) {
  Labels labels(term.front.begin(), term.front.end());
  if (term.has_ellipsis)
    for (int i = hidden; i-- > 0;) labels.push_back(first_of_ellipsis + i);
  labels.insert(labels.end(), term.back.begin(), term.back.end());
  return labels;
}

int hidden_dims(const WrittenTerm& term, Type x, std::size_t number) {
  int hidden = x.rank() - term.letters();
  require(term.has_ellipsis ? hidden >= 0 : hidden == 0, Code::shape,
          "'{}' names {} of operand {}, {}, which has {}; write a letter for each, or '...'", term.text,
          counted(term.letters(), "dim"), number, x, x.rank());
  return hidden;
}

Labels implied_result(const std::vector<Labels>& operands, int hidden) {
  std::map<Label, int> times;
  for (const Labels& labels : operands)
    for (Label label : labels) ++times[label];
  Labels result = labels_of({{}, {}, {}, true}, hidden);
  for (const auto& [label, n] : times)
    if (label < first_of_ellipsis && n == 1) result.push_back(label);
  return result;
}

void require_result(const Labels& result, const std::vector<Labels>& operands) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    bool is_known =
        std::ranges::any_of(operands, [&](const Labels& labels) { return contains(labels, result[i]); });
    require(is_known, Code::dim, "{} of the result is a label of no operand; take it out or name a dim so",
            text_of(result[i]));
    require(place_of(result, result[i]) == static_cast<int>(i), Code::dim,
            "{} stands twice in the result; a diagonal is made by diag", text_of(result[i]));
  }
}

}  // namespace

EinsumTerms read_einsum(std::string_view subscripts, const Types& operands) {
  std::size_t arrow = subscripts.find("->");
  std::vector<WrittenTerm> terms = written_operands(subscripts.substr(0, arrow));
  require(terms.size() == operands.size(), Code::shape,
          "'{}' has {} for {}; write one for each, with ',' between them", subscripts,
          counted(std::ssize(terms), "term"), counted(std::ssize(operands), "operand"));
  EinsumTerms read;
  int most_hidden = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    int hidden = hidden_dims(terms[i], operands[i], i);
    most_hidden = std::max(most_hidden, hidden);
    read.operands.push_back(labels_of(terms[i], hidden));
  }
  read.result = arrow == std::string_view::npos
                    ? implied_result(read.operands, most_hidden)
                    : labels_of(written(subscripts.substr(arrow + 2)), most_hidden);
  require_result(read.result, read.operands);
  return read;
}

LabelSizes label_sizes(const std::vector<Labels>& terms, const Types& operands) {
  LabelSizes sizes;
  std::map<Label, std::size_t> from;  // the operand that the size is from
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t d = 0; d < terms[i].size(); ++d) {
      Label label = terms[i][d];
      std::int64_t size = operands[i].shape().sizes()[d];
      std::int64_t first = operands[i].shape()[place_of(terms[i], label)];
      require(size == first, Code::shape, "{} is {} and {} in operand {}, {}; a diagonal has equal sizes",
              text_of(label), first, size, i, operands[i]);
      auto [known, is_new] = sizes.try_emplace(label, size);
      if (is_new || (known->second == 1 && size != 1)) {
        known->second = size;
        from[label] = i;
      }
      require(size == 1 || size == known->second, Code::shape,
              "{} is {} in operand {}, {}, and {} in operand {}, {}; dims of one label are equal, or 1",
              text_of(label), known->second, from[label], operands[from[label]], size, i, operands[i]);
    }
  return sizes;
}

bool contains(const Labels& labels, Label label) { return std::ranges::find(labels, label) != labels.end(); }

Labels joined(Labels labels, const Labels& more) {
  for (Label label : more)
    if (!contains(labels, label)) labels.push_back(label);
  return labels;
}

Labels common(const Labels& labels, const Labels& others) {
  Labels some;
  std::ranges::copy_if(labels, std::back_inserter(some),
                       [&](Label label) { return contains(others, label); });
  return some;
}

Labels without(const Labels& labels, const Labels& others) {
  Labels some;
  std::ranges::copy_if(labels, std::back_inserter(some),
                       [&](Label label) { return !contains(others, label); });
  return some;
}

int place_of(const Labels& labels, Label label) {
  return static_cast<int>(std::ranges::find(labels, label) - labels.begin());
}

}  // namespace tutti
