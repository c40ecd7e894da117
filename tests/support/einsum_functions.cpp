// SPDX-License-Identifier: Apache-2.0
// The twins of jax_einsum.py: one for each row, named by its subscripts.
#include "tests/support/functions.hpp"

namespace tutti {
namespace {

struct Row {
  std::string subscripts;
  std::vector<Shape> shapes;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> rows{
      {"ii->i", {{3, 3}}},
      {"ii", {{3, 3}}},
      {"iij->ji", {{3, 3, 2}}},
      {"iii->i", {{2, 2, 2}}},
      {"ij->ji", {{2, 3}}},
      {"ba", {{2, 3}}},
      {"ij->j", {{2, 3}}},
      {"...i->...", {{2, 2, 3}}},
      {"i,i->", {{4}, {4}}},
      {"i,j->ji", {{2}, {3}}},
      {"ij,j->i", {{2, 3}, {3}}},
      {"ij,jk->ik", {{2, 3}, {3, 4}}},
      {"ij,jk", {{2, 3}, {3, 4}}},
      {"ij,kj->ki", {{2, 3}, {4, 3}}},
      {"ij,ij->", {{2, 3}, {2, 3}}},
      {"ij,ij->ij", {{2, 3}, {2, 3}}},
      {"ab,bc->ac", {{2, 1}, {3, 4}}},  // b broadcasts
      {"ab,cb->c", {{2, 3}, {4, 3}}},   // a is summed first
      {"bi,bj->bij", {{2, 3}, {2, 2}}},
      {"bij,bjk->ibk", {{2, 2, 3}, {2, 3, 2}}},
      {"bhqd,bhkd->bhqk", {{2, 1, 3, 2}, {2, 1, 4, 2}}},
      {"ijk,jil->kl", {{2, 3, 2}, {3, 2, 4}}},
      {"...ij,...jk", {{2, 2, 3}, {3, 2}}},
      {"...,i->...i", {{2, 2}, {3}}},
      {"i...,i...->...", {{2, 3}, {2, 1}}},
      {"i,j,k->ijk", {{2}, {3}, {2}}},
      {"i,ij,j->", {{2}, {2, 3}, {3}}},
      {"ij,jk,ki->", {{2, 3}, {3, 2}, {2, 2}}},
      {"abc,cd,de->abe", {{2, 2, 3}, {3, 4}, {4, 2}}},
      {"bij,bjk,bkl->bil", {{2, 2, 3}, {2, 3, 2}, {2, 2, 3}}},
      {"ab,bc,cd,de->ae", {{2, 3}, {3, 2}, {2, 4}, {4, 2}}},
  };
  return rows;
}

std::string name_of(const std::string& subscripts) {
  std::string name = "einsum_";
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    char c = subscripts[i];
    if (c == '-') name += "_to";
    else if (c == ',' || c == '>') name += "_";
    else if (c != '.') name += c;
    else if (subscripts.compare(i, 3, "...") == 0) name += "dots";
  }
  return name;
}

}  // namespace

std::vector<Function> einsum_functions() {
  std::vector<Function> functions;
  for (const Row& row : rows()) {
    Function function{name_of(row.subscripts), {}, row.shapes, {}};
    bool is_alone = row.shapes.size() == 1;
    if (is_alone) function.shapes.push_back({2});  // a function has two arguments
    function.body = [&row, is_alone](const Arrays& a) {
      Array sum = reduce_sum(sin(is_alone ? einsum(row.subscripts, a[0]) : einsum(row.subscripts, a)));
      return is_alone ? sum * reduce_sum(a[1]) : sum;
    };
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace tutti
