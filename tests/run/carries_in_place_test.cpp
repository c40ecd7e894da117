// SPDX-License-Identifier: Apache-2.0
// Carries that the body of a loop updates in place: which carries have only one buffer, and that every plan
// computes the same, whatever else reads the carries.
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

constexpr std::int64_t rows = 6, columns = 6;

/// Small whole numbers again, whatever x is.
Array wrapped(const Array& x) { return maximum(minimum(x, 9.0), -9.0); }
Array row(const Array& x, const Operand& i) { return dynamic_slice_in_dim(x, i, 1); }
Array with_row(const Array& x, const Array& row, const Operand& i) {
  return dynamic_update_slice_in_dim(x, row, i);
}
Array updated(const Array& x, const Operand& i) { return with_row(x, wrapped(1.0 - row(x, i) * 2.0), i); }
/// Adds row 0 to row i twice, and to a row that is not there.
Array added_to(const Array& x, const Array& i) {
  Array places = concatenate({broadcast_in_dim(i, {2, 1}, {}), full({1, 1}, 9, DType::i32)});
  GatherDims dims{.offset_dims = {Dim{1}},
                  .collapsed_slice_dims = {Dim{0}},
                  .start_index_map = {Dim{0}},
                  .index_vector_dim = Dim{1}};
  return scatter_add(x, places, broadcast_in_dim(row(x, 0), {3, columns}, {0, 1}), dims);
}

Array replaced(const Array& x, const Array& row, const Array& i) {
  GatherDims dims{.offset_dims = {Dim{0}},
                  .collapsed_slice_dims = {Dim{0}},
                  .start_index_map = {Dim{0}},
                  .index_vector_dim = Dim{0}};
  return scatter(x, expand_dims(i, 0), row, dims);
}

// ---- loops of five trips

Arrays loop(const Array& x, const std::function<Array(const Array&, const Array&)>& trip) {
  return {fori_loop(0, 5, trip, x)};
}
Arrays loop_over_two(const Array& x, const std::function<Pair(const Array&, const Pair&)>& trip) {
  Pair last = fori_loop(0, 5, trip, Pair{x, rev(x, 0)});
  return {last.first, last.second};
}
/// The trip takes the carry and its number, and returns a y, too.
Arrays loop_with_ys(const Array& x, const std::function<Pair(const Array&, const Array&)>& trip,
                    const ScanOptions& options = {}) {
  auto [last, ys] = scan(trip, x, arange(5, DType::i32), options);
  return {last, reduce_sum(ys * 1.0, 0) + zeros_like(last)};
}

struct Case {
  std::string name;
  std::string buffers;  // per loop, outer ones first: per carry, 1 or 2
  std::function<Arrays(const Array&)> body;
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

const Case cases[] = {
    {"a_row_is_updated", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) { return updated(c, i); });
     }},
    {"rows_are_added_to", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) { return added_to(c, i); });
     }},
    {"the_window_is_moved_inside", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return with_row(c, dynamic_slice_in_dim(c, i, 2) - 1.0, i * 2 - 2);
       });
     }},
    {"a_row_is_read_before_it_is_updated", "1",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x, [](const Array& c, const Array& i) {
         Array old = row(c, i);
         return Pair{updated(c, i), old};
       });
     }},
    {"a_row_is_read_after_the_update", "2",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x, [](const Array& c, const Array& i) {
         Array next = updated(c, i);
         return Pair{next, row(c, i + 1)};
       });
     }},
    {"all_is_read_after_the_update", "2",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x, [](const Array& c, const Array& i) {
         Array next = updated(c, i);
         return Pair{next, reduce_sum(c * next, 0)};
       });
     }},
    {"the_old_carry_is_a_y", "2",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x, [](const Array& c, const Array& i) { return Pair{updated(c, i), c}; });
     }},
    {"the_new_carry_is_a_y", "1",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x, [](const Array& c, const Array& i) {
         Array next = updated(c, i);
         return Pair{next, next};
       });
     }},
    {"slices_come_in_reverse", "1",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x,
                           [](const Array& c, const Array& i) {
                             Array next = updated(c, i);
                             return Pair{next, row(next, 2)};
                           },
                           {.reverse = true});
     }},
    {"two_carries_read_each_other_before_the_update", "11",
     [](const Array& x) -> Arrays {
       return loop_over_two(x, [](const Array& i, const Pair& c) {
         Array a = with_row(c.first, row(c.second, i), i);
         return Pair{a, with_row(c.second, row(a, 0), i)};
       });
     }},
    {"the_other_carry_is_read_after_its_update", "21",
     [](const Array& x) -> Arrays {
       return loop_over_two(x, [](const Array& i, const Pair& c) {
         Array a = updated(c.first, i);
         return Pair{a, with_row(c.second, row(c.first, i + 1), i)};
       });
     }},
    {"carries_are_swapped", "21",
     [](const Array& x) -> Arrays {
       return loop_over_two(x, [](const Array&, const Pair& c) { return Pair{c.second, c.first}; });
     }},
    {"carries_are_swapped_and_updated", "12",
     [](const Array& x) -> Arrays {
       return loop_over_two(x, [](const Array& i, const Pair& c) {
         return Pair{c.second, updated(c.first, i)};
       });
     }},
    {"carries_are_swapped_element_by_element", "21",
     [](const Array& x) -> Arrays {
       return loop_over_two(x,
                            [](const Array&, const Pair& c) { return Pair{c.second - 1.0, c.first * -1.0}; });
     }},
    {"one_result_is_both_carries", "11",
     [](const Array& x) -> Arrays {
       return loop_over_two(x, [](const Array& i, const Pair& c) {
         Array next = updated(c.first, i);
         return Pair{next, next};
       });
     }},
    {"one_carry_stays", "11",
     [](const Array& x) -> Arrays {
       return loop_over_two(x, [](const Array& i, const Pair& c) {
         return Pair{c.first, with_row(c.second, row(c.first, i), i)};
       });
     }},
    {"one_side_of_a_branch_updates", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return cond(
             i > 2, [&](const Array& v) { return updated(v, i); }, [](const Array& v) { return v; }, c);
       });
     }},
    {"devices_take_other_sides", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return cond(
             i > axis_index("x"), [&](const Array& v) { return updated(v, i); },
             [](const Array& v) { return v; }, c);
       });
     }},
    {"a_branch_reads_after_its_update", "2",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return cond(
             i > 2,
             [&](const Array& v) {
               Array next = updated(v, i);
               return with_row(next, row(v, 5), 0);
             },
             [](const Array& v) { return v - 1.0; }, c);
       });
     }},
    {"a_branch_decides_by_the_carry", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return cond(
             reduce_sum(row(c, i)) > 3, [&](const Array& v) { return updated(v, i); },
             [](const Array& v) { return v; }, c);
       });
     }},
    {"a_branch_swaps", "21",  // the second one is written when its copy has been made
     [](const Array& x) -> Arrays {
       return loop_over_two(x, [](const Array& i, const Pair& c) {
         return cond(
             i > 2, [](const Array& a, const Array& b) { return Pair{b, a}; },
             [&](const Array& a, const Array& b) { return Pair{updated(a, i), b}; }, c.first, c.second);
       });
     }},
    {"a_loop_inside_updates", "1 1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return fori_loop(0, 3, [&](const Array& j, const Array& v) { return updated(v, i + j); }, c);
       });
     }},
    {"a_carry_is_read_after_the_loop_inside", "2 1",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x, [](const Array& c, const Array& i) {
         Array next = fori_loop(0, 3, [&](const Array& j, const Array& v) { return updated(v, i + j); }, c);
         return Pair{next, row(c, i)};
       });
     }},
    {"the_loop_inside_reads_the_outer_carry", "2 1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array&, const Array& c) {
         return fori_loop(
             0, 3, [&](const Array& j, const Array& v) { return with_row(v, row(c, j + 1), j); }, c);
       });
     }},
    {"a_test_reads_the_carry", "11",
     [](const Array& x) -> Arrays {
       return {while_loop([](const Pair& c) { return (c.first < 5) & (reduce_sum(c.second) < 40); },
                          [](const Pair& c) {
                            Array next = updated(c.second, c.first);
                            return Pair{c.first + 1, next};
                          },
                          Pair{zeros({}, DType::i32), x})
                   .second};
     }},
    {"devices_leave_one_by_one", "11",
     [](const Array& x) -> Arrays {
       return {while_loop([](const Pair& c) { return c.first < axis_index("x") * 2; },
                          [](const Pair& c) {
                            Array next = updated(c.second, c.first);
                            return Pair{c.first + 1, next};
                          },
                          Pair{zeros({}, DType::i32), x})
                   .second};
     }},
    {"there_are_no_trips", "2",
     [](const Array& x) -> Arrays {
       return {fori_loop(0, 0, [](const Array& i, const Array& c) { return updated(c, i); }, x)};
     }},
    {"there_is_one_trip", "1",
     [](const Array& x) -> Arrays {
       return {fori_loop(1, 2, [](const Array& i, const Array& c) { return updated(c, i); }, x)};
     }},
    {"the_start_is_read_later", "1",
     [](const Array& x) -> Arrays {
       Array last = loop(x, [](const Array& i, const Array& c) { return updated(c, i); })[0];
       return {last, x - last};
     }},
    {"the_start_is_both_carries", "11",
     [](const Array& x) -> Arrays {
       Pair last = fori_loop(
           0, 5,
           [](const Array& i, const Pair& c) {
             Array b = with_row(c.second, row(c.first, 0), i);
             return Pair{updated(c.first, i), b};
           },
           Pair{x, x});
       return {last.first, last.second};
     }},
    {"the_start_is_used_in_the_trips", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [&](const Array& i, const Array& c) { return with_row(c, row(x, i), i + 1); });
     }},
    {"the_start_is_the_slices", "1",
     [](const Array& x) -> Arrays {
       auto [last, ys] = scan(
           [](const Array& c, const Array& slice) {
             return Pair{with_row(c, expand_dims(slice, 0) - row(c, 0), 3), slice + 1.0};
           },
           x, x);
       return {last, ys};
     }},
    {"the_start_is_a_constant", "1",
     [](const Array& x) -> Arrays {
       return {fori_loop(
           0, 5, [&](const Array& i, const Array& c) { return with_row(c, row(x, i), i); },
           zeros({rows, columns}, DType::f32))};
     }},
    {"the_start_is_a_part", "1",
     [](const Array& x) -> Arrays {
       return loop(slice_in_dim(concatenate({x, x - 1.0}), 3, 3 + rows),
                   [](const Array& i, const Array& c) { return updated(c, i); });
     }},
    {"the_start_is_used_up", "1",
     [](const Array& x) -> Arrays {
       return loop(x - 1.0, [](const Array& i, const Array& c) { return updated(c, i); });
     }},
    {"devices_add_up_rows", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return with_row(c, wrapped(psum(row(c, i), "x")), i);
       });
     }},
    {"devices_add_up_carries", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return with_row(c, wrapped(row(psum(c, "x"), i)), i);
       });
     }},
    {"devices_read_their_neighbours", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         return with_row(c, row(all_gather(c, "x", {.tiled = true}), i), i);
       });
     }},
    {"devices_read_their_neighbours_after_the_update", "2",
     [](const Array& x) -> Arrays {
       return loop_with_ys(x, [](const Array& c, const Array& i) {
         Array next = updated(c, i);
         return Pair{next, reduce_sum(psum(c, "x") - next, 0)};
       });
     }},
    {"all_elements_are_changed", "1",
     [](const Array& x) -> Arrays {
       return loop(x,
                   [](const Array& i, const Array& c) { return wrapped(c * 2.0 + convert(i, DType::f32)); });
     }},
    {"rows_are_turned_to_columns", "2",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array&, const Array& c) { return wrapped(c * 2.0 - transpose(c)); });
     }},
    {"the_rows_change_their_order", "2",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array&, const Array& c) { return wrapped(rev(c, 0) * 2.0 + c); });
     }},
    {"a_carry_is_updated_twice", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) { return updated(updated(c, i), i + 1); });
     }},
    {"two_rows_are_swapped", "1",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         Array first = row(c, i), second = row(c, i + 1);
         return with_row(with_row(c, second, i), first, i + 1);
       });
     }},
    {"a_carry_is_read_between_two_updates", "2",
     [](const Array& x) -> Arrays {
       return loop(x, [](const Array& i, const Array& c) {
         Array first = updated(c, i);
         return with_row(first, row(c, 5 - i), i + 1);
       });
     }},
    {"rows_are_lanes", "1",
     [](const Array& x) -> Arrays {
       return {vmap([](const Array& of_lane) {
         return fori_loop(0, 5, [](const Array& i, const Array& c) { return updated(c, i); }, of_lane);
       })(x)};
     }},
    {"lanes_leave_one_by_one", "11",
     [](const Array& x) -> Arrays {
       return {vmap([](const Array& of_lane) {
         return while_loop([&](const Pair& c) { return c.first < convert(reduce_max(of_lane), DType::i32); },
                           [](const Pair& c) {
                             Array next = updated(c.second, rem(c.first, 6));
                             return Pair{c.first + 1, next};
                           },
                           Pair{zeros({}, DType::i32), of_lane})
             .second;
       })(x)};
     }},
    {"the_loop_is_differentiated", "1 1",
     [](const Array& x) -> Arrays {
       auto [y, pull] = vjp(
           [](const Array& v) {
             return fori_loop(
                 0, 3,
                 [](const Array& i, const Array& c) { return with_row(c, row(c, i + 1) * row(c, i), i); }, v);
           },
           std::tuple{wrapped(x)});
       return {wrapped(y), wrapped(std::get<0>(pull(wrapped(y))))};
     }},
    {"the_updates_are_differentiated", "1 11",
     [](const Array& x) -> Arrays {
       auto [y, pull] = vjp(
           [](const Array& v, const Array& r) {
             return fori_loop(
                 0, 3, [&](const Array& i, const Array& c) { return with_row(c, row(r, i) * 2.0, i + 1); },
                 v);
           },
           std::tuple{x, x * 2.0});
       auto [of_v, of_r] = pull(y);
       return {y, of_v, of_r};
     }},
    {"scattered_rows_are_differentiated", "1 11",
     [](const Array& x) -> Arrays {
       auto [y, pull] = vjp(
           [&](const Array& v, const Array& r) {
             return fori_loop(
                 0, 3,
                 [&](const Array& i, const Array& c) {
                   return replaced(c, dynamic_index_in_dim(r, i) * 2.0, i + 1);
                 },
                 v);
           },
           std::tuple{x, x * 2.0});
       auto [of_v, of_r] = pull(y);
       return {y, of_v, of_r};
     }},
};

/// A program of an array [rows, columns] on each device, with results of the same shape.
Program over(const Mesh& mesh, const std::function<Arrays(const Array&)>& body) {
  const Axes& axes = mesh.axes();
  return test_program(mesh, {{DType::f32, {rows * mesh.devices(), columns}, {axes}}},
                      [&](const Arrays& x) { return body(x[0]); }, {{axes}, {axes}, {axes}});
}

std::string buffers_of_carries(const Plan& plan) {
  std::string text;
  auto add = [&](const std::string& more) { text += (text.empty() || more.empty() ? "" : " ") + more; };
  for (const Step& step : plan.steps().list)
    if (const SubWork* work = sub_work(plan.graph(), step)) {
      std::string own;
      for (std::size_t c = 0; c < work->sub.carries; ++c) own += work->over[c] ? '1' : '2';
      add(own);
      for (const std::shared_ptr<Plan>& sub : work->plans) add(buffers_of_carries(*sub));
    }
  return text;
}
Plan planned(const Mesh& mesh, const std::function<Arrays(const Array&)>& body) {
  return Plan(localised(over(mesh, body), mesh).program, mesh, {});
}

class carries_in_place : public testing::TestWithParam<Case> {};

TEST_P(carries_in_place, have_one_buffer_unless_they_are_read_after_the_update) {
  for (int devices : {1, 4}) {
    SCOPED_TRACE(devices);
    EXPECT_EQ(buffers_of_carries(planned(Mesh({{"x", devices}}), GetParam().body)), GetParam().buffers);
  }
}

TEST_P(carries_in_place, compute_the_same_by_all_plans) {
  for (const Mesh& mesh : {Mesh({{"x", 4}}), Mesh({{"x", 1}}), Mesh({{"x", 3}, {"y", 2}})}) {
    SCOPED_TRACE(to_string(mesh));
    expect_all_plans_compute(over(mesh, GetParam().body), mesh);
  }
}

INSTANTIATE_TEST_SUITE_P(all, carries_in_place, testing::ValuesIn(cases),
                         [](const auto& instance) { return instance.param.name; });

// ---- what moves in a trip

/// An opaque update: adds 1 to the first element. Counts the calls whose result lies elsewhere than the
/// operand.
struct Counts {
  int calls = 0, elsewhere = 0;
};
Opaque counted(Counts& counts) {
  constexpr std::size_t bytes = rows * columns * sizeof(float);
  return {.run =
              [&counts](const kernel::Unit& unit) {
                ++counts.calls;
                counts.elsewhere += unit.results[0] != unit.operands[0] ? 1 : 0;
                if (unit.results[0] != unit.operands[0])
                  std::memcpy(unit.results[0], unit.operands[0], bytes);
                float first = 0;
                std::memcpy(&first, unit.results[0], sizeof first);
                first += 1;
                std::memcpy(unit.results[0], &first, sizeof first);
              },
          .changes = 0};
}
Array update_of(const Opaque& op, const Array& x) { return Builder::current().add(op, {x})[0]; }

/// Per device: the first element after the program, less that before.
double grown_by(const Mesh& mesh, const std::function<Arrays(const Array&)>& body) {
  Program program = over(mesh, body);
  Tensors inputs = test_data(program);
  Team team(1);
  Executable executable(program, mesh, team, {.check_races = true});
  Tensor result = executable.run({std::make_shared<const GlobalArray>(inputs[0])})[0]->whole();
  return result.at(0) - inputs[0].at(0);
}

TEST(carries_in_place_of_opaque_updates, lie_at_one_place_from_the_second_trip_on) {
  Counts counts;
  Opaque op = counted(counts);
  auto body = [&](const Array& x) {
    return loop(x, [&](const Array&, const Array& c) { return update_of(op, c); });
  };
  EXPECT_EQ(grown_by(Mesh({{"x", 4}}), body), 5);
  EXPECT_EQ(counts.calls, 4 * 5);
  EXPECT_LE(counts.elsewhere, 4);
}

TEST(carries_in_place_of_opaque_updates, lie_at_one_place_if_a_trip_has_several) {
  Counts counts;
  Opaque op = counted(counts);
  auto body = [&](const Array& x) {
    return loop(x,
                [&](const Array&, const Array& c) { return update_of(op, update_of(op, update_of(op, c))); });
  };
  EXPECT_EQ(grown_by(Mesh({{"x", 4}}), body), 15);
  EXPECT_LE(counts.elsewhere, 4);
}

TEST(carries_in_place_of_opaque_updates, lie_at_one_place_in_a_branch_of_a_loop_in_a_loop) {
  Counts counts;
  Opaque op = counted(counts);
  auto inner = [&](const Array& i, const Array& c) {
    return cond(i > 1, [&](const Array& v) { return update_of(op, v); }, [](const Array& v) { return v; }, c);
  };
  auto body = [&](const Array& x) {
    return loop(x, [&](const Array&, const Array& c) { return fori_loop(0, 4, inner, c); });
  };
  EXPECT_EQ(grown_by(Mesh({{"x", 4}}), body), 10);
  EXPECT_EQ(counts.calls, 4 * 10);
  EXPECT_LE(counts.elsewhere, 4);
}

TEST(carries_in_place_of_opaque_updates, lie_where_the_start_did_that_nobody_reads_any_more) {
  Counts counts;
  Opaque op = counted(counts);
  auto body = [&](const Array& x) {
    Array start = update_of(op, x),
          last = loop(start, [&](const Array&, const Array& c) { return update_of(op, c); })[0];
    return Arrays{last * 1.0};
  };
  EXPECT_EQ(grown_by(Mesh({{"x", 4}}), body), 6);
  EXPECT_EQ(counts.elsewhere, 4);  // the first, of the caller's array
}

TEST(carries_in_place_of_opaque_updates, have_a_second_place_if_they_are_read_later) {
  Counts counts;
  Opaque op = counted(counts);
  auto body = [&](const Array& x) {
    return loop_with_ys(x, [&](const Array& c, const Array&) { return Pair{update_of(op, c), c}; });
  };
  EXPECT_EQ(grown_by(Mesh({{"x", 4}}), body), 5);
  EXPECT_EQ(counts.elsewhere, 4 * 5);
}

}  // namespace
}  // namespace tutti
