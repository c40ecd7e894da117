// SPDX-License-Identifier: Apache-2.0
// shard_map in shard_map, vmap and loops; vmap of collectives and of control flow; specs of axes that are not
// bound.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array same(Array x) { return x; }
Array terms(const Array& x, const char* axis) { return pcast(x, axis, unreduced); }
const Mesh& mesh() {
  static const Mesh grid({{"data", 4}, {"model", 2}});
  return grid;
}

// --- shard_map ---------------------------------------------------------------------------------------------

TEST(nested_shard_map, binds_no_axis_again) {
  expect_refused(traced([](Array x) {
                   auto inner = [](Array y) {
                     ShardMapOptions options{.mesh = mesh(),
                                             .in = P(),
                                             .out = P(),
                                             .axes = {"model", "data"}};
                     return shard_map(same, options)(y);  // refused
                   };
                   return shard_map(inner, {.mesh = mesh(), .in = P(), .out = P(), .axes = {"data"}})(x);
                 }),
                 "T002 {file}:{line}: shard_map: axis 'data' is bound here already by an enclosing shard_map "
                 "or vmap; leave it out of .axes, or give the other one another name");
}

TEST(nested_shard_map, has_specs_of_its_own_axes) {
  expect_refused(traced([](Array x) {
                   auto inner = [](Array y) {
                     ShardMapOptions options{.mesh = mesh(),
                                             .in = P("data"),
                                             .out = P("data"),
                                             .axes = {"model"}};
                     return shard_map(same, options)(y);  // refused
                   };
                   return shard_map(inner, {.mesh = mesh(), .in = P(), .out = P(), .axes = {"data"}})(x);
                 }),
                 "T013 {file}:{line}: shard_map: argument 0: the spec P(data) names axis 'data', but .axes "
                 "has 'model'; drop it from the spec: an enclosing shard_map has bound it");
}

TEST(nested_shard_map, sees_only_axes_that_are_bound) {
  expect_refused(traced([](Array x) {
                   auto body = [](Array y) {
                     return psum(y, "model");  // refused
                   };
                   return shard_map(body, {.mesh = mesh(), .in = P(), .out = P(), .axes = {"data"}})(x);
                 }),
                 "T001 {file}:{line}: psum: axis 'model' is not bound here; bound: 'data'. Bind it with "
                 "shard_map over a mesh that has it, or with vmap(f, {.axis = \"model\"})");
}

TEST(nested_shard_map, unbinds_its_axes_behind_it) {
  expect_refused(traced([](Array x) {
                   auto body = [](Array y) {
                     ShardMapOptions options{.mesh = mesh(), .in = P(), .out = P(), .axes = {"model"}};
                     return psum(shard_map(same, options)(y), "model");  // refused
                   };
                   return shard_map(body, {.mesh = mesh(), .in = P(), .out = P(), .axes = {"data"}})(x);
                 }),
                 "T001 {file}:{line}: psum: axis 'model' is not bound here; bound: 'data'. Bind it with "
                 "shard_map over a mesh that has it, or with vmap(f, {.axis = \"model\"})");
}

TEST(nested_shard_map, says_where_results_differ_along_its_own_axes) {
  expect_refused(traced([](Array x) {
                   auto body = [](Array y) {
                     ShardMapOptions options{.mesh = mesh(), .in = P("model"), .out = P(), .axes = {"model"}};
                     return shard_map(same, options)(y);  // refused
                   };
                   return shard_map(body, {.mesh = mesh(), .in = P(), .out = P(), .axes = {"data"}})(x);
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[2]{V:model} is different on each device along "
                 "'model', but the out-spec P() says equal on all devices. Name 'model' in the out-spec, or "
                 "make the devices equal, for example with psum(x, \"model\") if they are terms of a sum, or "
                 "pmean(x, \"model\")");
}

TEST(nested_shard_map, does_not_split_what_is_split_outside) {
  expect_refused(traced([](Array x) {
                   auto body = [](Array y) {
                     ShardMapOptions options{.mesh = mesh(),
                                             .in = P("model"),
                                             .out = P("model"),
                                             .axes = {"model"}};
                     return shard_map(same, options)(y);  // refused
                   };
                   ShardMapOptions outer{.mesh = mesh(), .in = P("data"), .out = P("data"), .axes = {"data"}};
                   return shard_map(body, outer)(x);
                 }),
                 "T005 {file}:{line}: shard_map: argument 0: dim 0 of f32[1]{V:data} does not split over the "
                 "2 devices of 'model'; pad it or use another dim");
}

TEST(shard_map, has_axes_of_its_mesh) {
  expect_refused(traced([](Array x) {
                   ShardMapOptions options{.mesh = mesh(), .in = P(), .out = P(), .axes = {"rows"}};
                   return shard_map(same, options)(x);  // refused
                 }),
                 "T001 {file}:{line}: shard_map: .axes names axis 'rows', but the mesh is data=4,model=2; "
                 "use one of its axes");
}

TEST(shard_map, has_each_of_its_axes_once) {
  expect_refused(traced([](Array x) {
                   ShardMapOptions options{.mesh = mesh(), .in = P(), .out = P(), .axes = {"data", "data"}};
                   return shard_map(same, options)(x);  // refused
                 }),
                 "T003 {file}:{line}: shard_map: .axes names axis 'data' twice; name each axis once");
}

TEST(shard_map, in_a_vmap_binds_no_name_of_it) {
  expect_refused(traced([](Array x) {
                   auto lane = [](Array y) {
                     return shard_map(same, {.mesh = mesh(), .in = P(), .out = P()})(y);  // refused
                   };
                   return vmap(lane, {.axis = "model"})(x);
                 }),
                 "T002 {file}:{line}: shard_map: axis 'model' is bound here already by an enclosing "
                 "shard_map or vmap; leave it out of .axes, or give the other one another name");
}

TEST(shard_map, in_a_loop_is_refused_at_its_own_line) {
  expect_refused(traced([](Array x) {
                   auto trip = [](Array, Array y) {
                     return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = P()})(y);  // refused
                   };
                   return fori_loop(0, 3, trip, x);
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[1]{V:data} is different on each device along "
                 "'data', but the out-spec P() says equal on all devices. Name 'data' in the out-spec, or "
                 "make the devices equal, for example with psum(x, \"data\") if they are terms of a sum, or "
                 "pmean(x, \"data\")");
}

TEST(shard_map, keeps_its_parts_to_itself) {
  expect_refused(traced([](Array x) {
                   Array kept;
                   auto body = [&](Array y) { return kept = y; };
                   shard_map(body, {.mesh = mesh(), .in = P("data"), .out = P("data")})(x);
                   return x + kept;  // refused
                 }),
                 "T011 {file}:{line}: add: this array is from a function whose trace has ended; return it "
                 "from there instead of storing it");
}

// --- Specs -------------------------------------------------------------------------------------------------

TEST(out_specs, are_not_longer_than_the_rank) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) { return reduce_sum(y); };
                   return shard_map(loss, {.mesh = mesh(), .in = P("data"), .out = P("data")})(x);  // refused
                 }),
                 "T013 {file}:{line}: shard_map: result: the spec names 1 dim, but f32[]{V:data} has 0; "
                 "drop the last 1, or give it a dim: expand_dims(x, 0)");
}

TEST(out_specs, name_axes_of_the_mesh) {
  expect_refused(traced([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P(), .out = P("rows")})(x);  // refused
                 }),
                 "T001 {file}:{line}: shard_map: result: the spec names axis 'rows', but the mesh is "
                 "data=4,model=2; use one of its axes");
}

TEST(out_specs, name_an_axis_once) {
  expect_refused(traced([](Array x) {
                   P twice = P("data").reduced({"data"});
                   return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = twice})(x);  // refused
                 }),
                 "T013 {file}:{line}: shard_map: result: P(data)+R(data) names axis 'data' twice; "
                 "name it once");
}

TEST(out_specs, of_gathered_values_name_the_other_gather) {
  expect_refused(traced([](Array x) {
                   auto gathered = [](Array y) { return all_gather(y, "data", {.tiled = true}); };
                   return shard_map(gathered, {.mesh = mesh(), .in = P("data"), .out = P()})(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[4]{V:data} is different on each device along "
                 "'data', but the out-spec P() says equal on all devices. It comes from an all_gather: let "
                 "that say it, all_gather(x, \"data\", {.to = invariant})");
}

TEST(out_specs, of_positions_that_differ_do_not_advise_a_mean) {
  expect_refused(traced([](Array x) {
                   auto position = [](Array) { return axis_index("data"); };
                   return shard_map(position, {.mesh = mesh(), .in = P(), .out = P()})(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: i32[]{V:data} is different on each device along "
                 "'data', but the out-spec P() says equal on all devices. Name 'data' in the out-spec, or "
                 "make the devices equal, for example with psum(x, \"data\") if they are terms of a sum, or "
                 "pmax(x, \"data\")");
}

TEST(out_specs, of_bools_that_differ_do_not_advise_a_mean) {
  expect_refused(traced([](Array x) {
                   auto positive = [](Array y) { return y > 0; };
                   return shard_map(positive, {.mesh = mesh(), .in = P("data"), .out = P()})(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: bool[1]{V:data} is different on each device along "
                 "'data', but the out-spec P() says equal on all devices. Name 'data' in the out-spec, or "
                 "make the devices equal, for example with pmax(x, \"data\")");
}

TEST(out_specs, that_ask_for_a_reduced_value_get_one) {
  expect_refused(
      traced([](Array x) {
        P reduced_spec = P().reduced({"data"});
        return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = reduced_spec})(x);  // refused
      }),
      "T004 {file}:{line}: shard_map: result: f32[1]{V:data} is different on each device along 'data', but "
      "the out-spec P()+R(data) says equal on all devices, with a partial gradient. Name 'data' in the "
      "out-spec, or make the devices equal, for example with psum(x, \"data\") if they are terms of a sum, "
      "or pmean(x, \"data\")");
}

TEST(in_specs, of_terms_are_not_of_bools) {
  expect_refused(traced([](Array x) {
                   P sum = P().unreduced({"data"});
                   return shard_map(same, {.mesh = mesh(), .in = sum, .out = sum})(x > 0);  // refused
                 }),
                 "T007 {file}:{line}: shard_map: argument 0: bool[4] is bool, which has no sum; convert it "
                 "to i32 first");
}

// --- vmap --------------------------------------------------------------------------------------------------

TEST(vmap, binds_the_axis_only_if_it_has_a_name) {
  expect_refused(traced([](Array x) {
                   auto lane = [](Array y) {
                     return y / psum(y, "lanes");  // refused
                   };
                   return vmap(lane)(x);
                 }),
                 "T001 {file}:{line}: psum: axis 'lanes' is not bound here; bound: none. Bind it with "
                 "shard_map over a mesh that has it, or with vmap(f, {.axis = \"lanes\"})");
}

TEST(vmap, has_no_axis_without_letters) {
  expect_refused(traced([](Array x) {
                   return vmap(same, {.axis = ""})(x);  // refused
                 }),
                 "T014 {file}:{line}: vmap: the axis has no name; give it one, or leave .axis out");
}

TEST(vmap, returns_no_terms) {
  expect_refused(traced([](Array x) {
                   auto lane = [](Array y) { return terms(y, "lanes"); };
                   return vmap(lane, {.axis = "lanes"})(x);  // refused
                 }),
                 "T004 {file}:{line}: vmap: a result is f32[]{U:lanes}, an unreduced sum over 'lanes'; psum "
                 "it over that axis, or return the terms as varying values");
}

TEST(vmap, counts_in_dims_from_the_end_no_further_than_the_start) {
  expect_refused(traced([](Array x) {
                   return vmap(same, {.in = {-2}})(x);  // refused
                 }),
                 "T006 {file}:{line}: vmap: dim -2 is out of range for f32[4], which has dims -1 to 0");
}

TEST(vmap, counts_out_dims_from_the_end_no_further_than_the_start) {
  expect_refused(
      traced([](Array x) {
        return vmap(same, {.out = -2})(x);  // refused
      }),
      "T006 {file}:{line}: vmap: dim -2 is out of range for the result (.out), which has dims -1 to 0");
}

TEST(vmap, of_a_loop_binds_its_axis_in_the_loop) {
  expect_refused(traced([](Array x) {
                   auto lane = [](Array y) {
                     auto trip = [](Array, Array v) {
                       return v + psum(v, "lane");  // refused
                     };
                     return fori_loop(0, 3, trip, y);
                   };
                   return vmap(lane, {.axis = "lanes"})(x);
                 }),
                 "T001 {file}:{line}: psum: axis 'lane' is not bound here; bound: 'lanes'. Bind it with "
                 "shard_map over a mesh that has it, or with vmap(f, {.axis = \"lane\"})");
}

TEST(vmap, of_a_scan_has_lanes_beside_the_slices) {
  expect_refused(
      traced([](Array x) {
        auto lane = [](Array y) {
          auto step = [](Array c, Array v) { return std::pair{c + v, v}; };
          return scan(step, y, y).first;  // refused
        };
        return vmap(lane, {.axis = "lanes"})(x);
      }),
      "T005 {file}:{line}: scan: f32[]{V:lanes} has no dim to go through; xs are stacked along dim 0");
}

TEST(vmap, has_results_that_agree_if_they_have_no_out_dim) {
  expect_refused(traced([](Array x) {
                   auto lane = [](Array y) { return cond(y > 0, same, same, zeros({}, DType::f32)); };
                   return vmap(lane, {.axis = "lanes", .out = none})(x);  // refused
                 }),
                 "T004 {file}:{line}: vmap: a result differs between the lanes of 'lanes'; give .out a dim, "
                 "or make the lanes equal, for example with pmean");
}

TEST(vmap, has_groups_of_its_lanes) {
  expect_refused(
      traced([](Array x) {
        auto lane = [](Array y) {
          return psum(y, "lanes", {.groups = {{0, 1}, {2, 4}}});  // refused
        };
        return vmap(lane, {.axis = "lanes"})(x);
      }),
      "T009 {file}:{line}: psum: groups [[0, 1], [2, 4]] name device 4, but 'lanes' has devices 0 to 3");
}

TEST(vmap, permutes_its_lanes) {
  expect_refused(on_devices([](Array x) {
                   auto lane = [](Array y) {
                     return ppermute(y, {"data", "lanes"}, {{8, 0}});  // refused
                   };
                   return vmap(lane, {.axis = "lanes"})(x);
                 }),
                 "T009 {file}:{line}: ppermute: there is no device 8 along ('data', 'lanes') ([(8, 0)]); it "
                 "has devices 0 to 7");
}

}  // namespace
}  // namespace tutti
