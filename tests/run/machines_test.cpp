// SPDX-License-Identifier: Apache-2.0
// Machines of several processes: where arrays lie, how they move, what each process can read. Each process is
// a thread, and every part is compared with that of one process.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/devices/mailboxes.hpp"
#include "tutti/run/local_backend.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"a", 2}, {"b", 2}, {"c", 2}});

Tensor data(const Shape& shape, int seed = 1) { return test_data(DType::f32, shape, seed); }

/// Every way to use each axis of the mesh for a dim of a matrix, for terms, or not at all.
std::vector<P> specs_of_matrix() {
  std::vector<P> specs;
  for (int way = 0; way < 64; ++way) {
    std::vector<std::string> rows, columns, terms;
    int left = way;
    for (const char* axis : {"a", "b", "c"}) {
      if (left % 4 == 0) rows.emplace_back(axis);
      if (left % 4 == 1) columns.emplace_back(axis);
      if (left % 4 == 2) terms.emplace_back(axis);
      left /= 4;
    }
    const P spec(rows, columns);
    specs.push_back(terms.empty() ? spec : spec.unreduced(terms));
  }
  specs.push_back(P(SpecEntry{"c", "a"}, "b"));  // out of mesh order
  specs.push_back(P(part("a", 1, 2), SpecEntry{"c", "b"}));
  return specs;
}

void expect_same_shards(const Machine& machine, const Array& found, const Array& expected,
                        const std::string& what) {
  for (int device = 0; device < machine.mesh().devices(); ++device) {
    if (!machine.backend().drives(device)) continue;
    ASSERT_EQ(found.shard(device), expected.shard(device)) << what << ", device " << device;
  }
}

TEST(machines, place_arrays_as_one_process_does) {
  const std::vector<P> specs = specs_of_matrix();
  const Machine local = open_local(mesh, {.workers = 1});
  const Array x = data({5, 6});  // nothing divides
  Arrays expected;
  for (const P& spec : specs) expected.push_back(local.place(x, spec));
  for (const Processes::Split& grid : grids_of(mesh))
    on_machines(mesh, {.count = boxes_of(grid), .split = grid}, [&](const Machine& machine) {
      for (std::size_t from = 0; from < specs.size(); from += 5) {
        const Array placed = machine.place(x, specs[from]);
        expect_same_shards(machine, placed, expected[from], grid_name(grid) + ": " + to_string(specs[from]));
        for (std::size_t to = 0; to < specs.size(); ++to)
          expect_same_shards(machine, machine.place(placed, specs[to]), expected[to],
                             grid_name(grid) + ": " + to_string(specs[from]) + " to " + to_string(specs[to]));
      }
    });
}

/// A part for each device; those that must be equal are.
std::map<int, Tensor> parts_for(const Shape& whole, const P& spec) {
  const Array numbered = open_local(mesh, {.workers = 1}).place(data(whole), spec);
  const Sharding sharding = spec.on(mesh, numbered.type({}));
  std::map<int, Tensor> parts;
  for (int device = 0; device < mesh.devices(); ++device) {
    const int term = mesh.position(device, sharding.unreduced);
    const Tensor block = numbered.shard(device);
    std::vector<float> elements(block.as<float>().begin(), block.as<float>().end());
    for (std::size_t i = 0; i < elements.size(); ++i)
      elements[i] = elements[i] * 3 + static_cast<float>(term * 7) / 3;
    parts.emplace(device, Tensor(block.shape(), elements));
  }
  return parts;
}

TEST(machines, sum_terms_in_the_order_of_one_process) {
  const Machine local = open_local(mesh, {.workers = 1});
  for (const P& spec : {P(none, "c").unreduced(SpecEntry{"a", "b"}), P().unreduced(SpecEntry{"c", "b", "a"}),
                        P("b").unreduced("c")}) {
    const std::map<int, Tensor> parts = parts_for({4, 8}, spec);
    const Array terms = local.from_shards({4, 8}, spec, parts);
    for (const Processes::Split& grid : grids_of(mesh))
      on_machines(mesh, {.count = boxes_of(grid), .split = grid}, [&](const Machine& machine) {
        std::map<int, Tensor> own;
        for (const auto& [device, part] : parts)
          if (machine.backend().drives(device)) own.emplace(device, part);
        const Array mine = machine.from_shards({4, 8}, spec, own);
        expect_same_shards(machine, mine, terms, grid_name(grid));
        for (const P& to : {P(), P("a", "c"), P(none, SpecEntry{"b", "a"}).unreduced("c")})
          expect_same_shards(machine, machine.place(mine, to), local.place(terms, to),
                             grid_name(grid) + ": " + to_string(spec) + " to " + to_string(to));
      });
  }
}

TEST(machines, place_arrays_on_other_meshes_of_their_devices) {
  const Machine local = open_local(mesh, {.workers = 1});
  const Mesh turned({{"x", 4}, {"y", 2}}, {.devices = {7, 2, 5, 0, 3, 6, 1, 4}}),
      some({{"x", 3}}, {.devices = {6, 1, 3}});
  const Array x = data({7, 5});
  for (const Processes::Split& grid : grids_of(mesh))
    on_machines(mesh, {.count = boxes_of(grid), .split = grid}, [&](const Machine& machine) {
      const Array there = machine.place(machine.place(x, P("b", "a")), turned, P(none, SpecEntry{"y", "x"}));
      const Array few = machine.place(there, some, P("x"));
      const Array back = machine.place(few, P(SpecEntry{"c", "b"}));
      expect_same_shards(machine, back, local.place(x, P(SpecEntry{"c", "b"})), grid_name(grid));
      EXPECT_EQ(machine.place(few, P()).tensor(), x.tensor()) << grid_name(grid);
    });
}

TEST(machines, take_arrays_as_they_lie_and_move_others_in_every_call) {
  const Machine local = open_local(mesh, {.workers = 1});
  const auto rows = shard_map([](Array x, Array y) { return std::pair(psum(x * y, "a"), x + y); },
                              {.mesh = mesh, .in = {P("a"), P("a")}, .out = {P(), P("a")}});
  const Array x = data({4, 6}, 1), y = data({4, 6}, 2);
  const auto [sum, total] = local.compile(rows, x, y)(x, y);
  const Array twice = std::get<1>(local.compile(rows, x, y)(total, x));
  on_machines(mesh, {.count = 4}, [&, &sum = sum, &total = total](const Machine& machine) {
    EXPECT_EQ(machine.processes(), 4);
    const Array by_rows = machine.place(x, P("a")), by_columns = machine.place(y, P(none, "a"));
    const auto run = machine.compile(rows, x, y);
    for (int time = 0; time < 3; ++time) {
      const auto [found_sum, found_total] = run(by_rows, by_columns);
      EXPECT_EQ(found_sum.tensor(), sum.tensor());
      expect_same_shards(machine, found_total, total, "x + y");
      EXPECT_NE(run.explain().find("argument 1 as P(a) from other processes, in every call; Machine::place"),
                std::string::npos)
          << run.explain();
      const auto [again, other] = run(found_total, x);  // results are arguments, and a host array is one
      expect_same_shards(machine, other, twice, "x + y + x");
    }
  });
}

TEST(machines, read_what_they_hold) {
  on_machines(mesh, {.count = 2}, [&](const Machine& machine) {  // a is divided
    const Array spread = machine.place(data({4, 4}), P("a", "b"));
    expect_refused(
        [&] { spread.tensor(); },  // refused
        "R004 {file}:{line}: tensor: the array is spread over the processes of its machine, and this one "
        "holds some parts of it: "
        "read those with shard(device), or let all processes call machine.place(x, P()), which gives each "
        "the whole");
    const int other = machine.process() == 0 ? 7 : 0;
    expect_refused([&] { spread.shard(other); },  // refused
                   "R004 {file}:{line}: shard: another process drives device " + std::to_string(other) +
                       "; look at its part there");
    EXPECT_EQ(machine.place(data({4, 4}), P("b", "c")).tensor(),
              data({4, 4}));  // each process holds all blocks
    EXPECT_EQ(machine.place(spread, P()).tensor(), data({4, 4}));
  });
}

TEST(machines, refuse_programs_that_differ) {
  std::atomic<int> refused = 0;
  on_machines(mesh, {.count = 4}, [&](const Machine& machine) {
    const double factor = machine.process() == 2 ? 3.0 : 2.0;
    const Array x = data({4});
    const std::string line = std::to_string(Where::here().line + 2);
    const auto scaled =
        shard_map([&](Array part) { return part * factor; }, {.mesh = mesh, .in = P("a"), .out = P("a")});
    const std::string found = refusal([&] { machine.compile(scaled, x); });  // refused
    EXPECT_EQ(found,
              "R007 {file}:{line}: compile: process 2 compiles another program than process 0: line 3 is "
              "`%2: f32[] = constant{value=3} // machines_test.cpp:" +
                  line +
                  "`, there `%2: f32[] = constant{value=2} "
                  "// machines_test.cpp:" +
                  line + "`");
    ++refused;
  });
  EXPECT_EQ(refused, 4);
}

/// Prints x on each device and checks that it is small; then says what was printed, by which process, and the
/// error.
struct Spoken {
  std::vector<std::string> lines;  // by process 0
  int lines_of_others = 0;
  std::vector<std::string> errors;  // of each process
};

Spoken speak(int processes, const std::function<Array(Array)>& body, const Tensor& x) {
  Spoken spoken;
  std::mutex lock;
  as_processes(processes, [&](int self, std::unique_ptr<Transport> transport) {
    const auto print = [&, self](std::string_view line) {
      const std::lock_guard guard(lock);
      if (self == 0) spoken.lines.emplace_back(line);
      else ++spoken.lines_of_others;
    };
    const Machine machine(std::make_shared<LocalBackend>(Processes::of(mesh, processes, self),
                                                         std::move(transport),
                                                         MachineOptions{.workers = 1, .print = print}));
    const auto run =
        machine.compile(shard_map(body, {.mesh = mesh, .in = P("a", "b"), .out = P("a", "b")}), x);
    const std::string error = refusal([&] { run(x); });
    const std::string again = refusal([&] { run(x); });  // the machine is as it was
    const std::lock_guard guard(lock);
    spoken.errors.push_back(error);
    EXPECT_EQ(again, error);
  });
  return spoken;
}

// Process 1 passes another argument, or another part.
TEST(machines, compare_what_should_be_equal_if_they_check_assumptions) {
  const Mesh pair({{"a", 2}});
  for (const bool checks : {false, true})
    on_machines(
        pair, {.count = 2},
        [&](const Machine& machine) {
          const float own = machine.process() == 0 ? 1.0F : 2.0F;
          const auto run = machine.compile(shard_map([](Array x, Array y) { return psum(x * y, "a"); },
                                                     {.mesh = pair, .in = {P("a"), P()}, .out = P()}),
                                           abstract({2}, DType::f32), abstract({1}, DType::f32));
          const Tensor same({2}, {3.0F, 4.0F});
          EXPECT_EQ(refusal([&] { run(same, Tensor({1}, {5.0F})); }), "accepted");
          const auto parts = [&](const Tensor& part) {
            return refusal([&] { machine.from_shards({1}, P(), {{machine.process(), part}}, Where{}); });
          };
          EXPECT_EQ(parts(Tensor({1}, {5.0F})), "accepted");
          EXPECT_EQ(parts(Tensor({1}, {own})),
                    checks
                        ? "T015 from_shards: devices 0 and 1 hold the same part under P(), but theirs differ"
                        : "accepted");
          EXPECT_EQ(parts(Tensor({1}, {5.0F})), "accepted");  // the machine goes on
          const std::string found = refusal([&] { run(same, Tensor({1}, {own})); });
          const std::string differ =
              "process 1 passes another argument than process 0: line 2 is `argument 1 with the hash ";
          if (!checks) EXPECT_EQ(found, "accepted");
          else EXPECT_NE(found.find(differ), std::string::npos) << found;
        },
        {.check_assumptions = checks});
}

// Lines travel with all their bytes, which need be no UTF-8.
TEST(machines, print_the_bytes_of_lines_as_they_are) {
  const auto body = [](Array x) {
    debug_print("\xff\xfe is {}", x);
    return x;
  };
  const Spoken spoken = speak(2, body, data({2, 2}));
  ASSERT_EQ(spoken.lines.size(), 2U * 4);
  for (const std::string& line : spoken.lines) EXPECT_TRUE(line.starts_with("\xff\xfe is ")) << line;
}

TEST(machines, print_on_the_first_process_in_the_order_of_one) {
  const auto body = [](Array x) {
    debug_print("x is {}", x);
    const Array sum = psum(x, "a");
    debug_print("its sum is {}", sum);
    return x + sum;
  };
  const Spoken one = speak(1, body, data({2, 2}));
  EXPECT_EQ(one.lines.size(), 2U * (4 + 2));
  for (const int processes : {2, 4, 8}) {
    const Spoken spoken = speak(processes, body, data({2, 2}));
    EXPECT_EQ(spoken.lines, one.lines) << processes;
    EXPECT_EQ(spoken.lines_of_others, 0) << processes;
    for (const std::string& error : spoken.errors) EXPECT_EQ(error, "accepted");
  }
}

TEST(machines, throw_the_first_failure_on_all_processes) {
  const auto body = [](Array x) {
    check(x < 3.0F, "x is {}", x);
    const Array sum = psum(x, "b");
    check(sum < 1.0F, "the sum is {}", sum);
    return x * sum;
  };
  const Tensor x({2, 2}, {1.0F, 2.0F, 3.5F, 4.0F});  // the devices of a=1 fail
  const Spoken one = speak(1, body, x);
  ASSERT_NE(one.errors[0].find("check: x is [[3.5]], on a=1, b=0"), std::string::npos) << one.errors[0];
  for (const int processes : {2, 4, 8}) {
    const Spoken spoken = speak(processes, body, x);
    EXPECT_EQ(spoken.errors.size(), static_cast<std::size_t>(processes));
    for (const std::string& error : spoken.errors) EXPECT_EQ(error, one.errors[0]) << processes;
  }
}

TEST(machines, print_and_check_inside_of_branches_and_loops) {
  const auto prints = [](Array x) {
    const Array sum = reduce_sum(x);  // differs between devices
    Array y = cond(
        sum > 2.0F,
        [&] {
          debug_print("x is {}", x);
          return x * 2.0F;
        },
        [&] { return x; });
    return while_loop([](const Array& v) { return reduce_sum(v) < 8.0F; },
                      [](const Array& v) {
                        debug_print("v is {}", v);
                        return v + v;
                      },
                      y);
  };
  const Tensor x({2, 2}, {1.0F, 2.0F, 3.0F, 4.0F});
  const Spoken one = speak(1, prints, x);
  EXPECT_EQ(one.lines.size(), 2U * (2 + 3 + 2 + 1)) << one.errors[0];
  for (const int processes : {2, 4, 8}) EXPECT_EQ(speak(processes, prints, x).lines, one.lines) << processes;

  const auto fails = [](Array v) {
    return cond(
        reduce_sum(v) > 1.5F,
        [&] {
          check(reduce_sum(v) < 2.5F, "v is {}", v);
          return v * 2.0F;
        },
        [&] { return v; });
  };
  const Spoken failed = speak(1, fails, x);
  ASSERT_NE(failed.errors[0].find("check: v is [[3.]], on a=1, b=0"), std::string::npos) << failed.errors[0];
  for (const int processes : {2, 4, 8})
    for (const std::string& error : speak(processes, fails, x).errors)
      EXPECT_EQ(error, failed.errors[0]) << processes;
}

// After a failure the test of a loop would hold for ever.
TEST(machines, leave_loops_that_have_failed) {
  const auto in_circles = [](const char* axis) {
    return [axis](Array x) {
      return while_loop(
          [axis](const Array& v) {
            const Array sum = reduce_sum(v);
            return (axis ? psum(sum, axis) : sum) > 0.0F;
          },
          [](const Array& v) {
            check(reduce_sum(v) < 100.0F, "v is {}", v);
            return v * 2.0F;
          },
          x);
    };
  };
  const Tensor x({2, 2}, {1.0F, 2.0F, 3.0F, 4.0F});
  for (const char* axis : {static_cast<const char*>(nullptr), "a", "b"}) {
    const Spoken one = speak(1, in_circles(axis), x);
    ASSERT_NE(one.errors[0].find("check: v is "), std::string::npos) << one.errors[0];
    for (const int processes : {2, 4, 8})
      for (const std::string& error : speak(processes, in_circles(axis), x).errors)
        EXPECT_EQ(error.substr(0, 4), "R006") << processes;
  }
}

TEST(machines, save_and_load_trees) {
  const std::string base = testing::TempDir() + "machines_tree." + std::to_string(getpid());
  const std::map<std::string, Array> tree{{"bias", data({5})}, {"weight", data({6, 4})}};
  const std::map<std::string, Array> zeros{{"bias", Tensor({5}, DType::f32)},
                                           {"weight", Tensor({6, 4}, DType::f32)}};
  save_tree(base + ".one.npz", tree);
  for (const int processes : {1, 2, 4, 8}) {
    const std::string path = base + "." + std::to_string(processes) + ".npz";
    on_machines(mesh, {.count = processes}, [&](const Machine& machine) {
      const std::map<std::string, Array> spread{{"bias", machine.place(tree.at("bias"), P("b"))},
                                                {"weight", machine.place(tree.at("weight"), P("a", "c"))}};
      save_tree(machine, path, spread);
      const std::map<std::string, Array> again = load_tree(machine, path, zeros);
      for (const auto& [name, array] : tree) EXPECT_EQ(again.at(name).tensor(), array.tensor()) << name;
      if (processes == 1) return;

      const bool is_first = machine.process() == 0;
      const std::string lost = refusal([&] { save_tree(machine, base + "/no/folder.npz", spread); }),
                        absent = refusal(
                            [&] { load_tree(machine, is_first ? path : base + ".absent.npz", zeros); });
      EXPECT_EQ(lost.substr(0, 4), is_first ? "R001" : "R007") << lost;
      EXPECT_NE(lost.find("folder.npz"), std::string::npos) << lost;
      EXPECT_EQ(absent.substr(0, 4), is_first ? "R007" : "R001") << absent;
      const std::string other =
          refusal([&] { load_tree(machine, machine.process() == 1 ? base + ".one.npz" : path, zeros); });
      EXPECT_NE(other.find("load_tree: process 1 reads another file than process 0: line 1 is"),
                std::string::npos)
          << other;
      EXPECT_EQ(load_tree(machine, path, zeros).at("bias").tensor(), tree.at("bias").tensor());
    });
    EXPECT_EQ(text_of_file(path), text_of_file(base + ".one.npz"));
    std::filesystem::remove(path);
  }
  std::filesystem::remove(base + ".one.npz");
}

TEST(machines, refuse_calls_of_the_function_that_takes_lines) {
  std::atomic<int> refused = 0;
  as_processes(2, [&](int self, std::unique_ptr<Transport> transport) {
    std::function<void()> inside = [] {};
    const Machine machine(
        std::make_shared<LocalBackend>(Processes::of(mesh, 2, self), std::move(transport),
                                       MachineOptions{.workers = 1,
                                                      .print = [&](std::string_view) { inside(); }}));
    const Array x = machine.place(data({2, 2}), P("a"));
    const auto run = machine.compile(shard_map(
                                         [](Array v) {
                                           debug_print("v");
                                           return psum(v, "a");
                                         },
                                         {.mesh = mesh, .in = P("a"), .out = P()}),
                                     x);
    inside = [&] {
      const std::string found = refusal([&] { static_cast<void>(machine.place(x, P())); });
      EXPECT_EQ(found.find("place: array: the function that takes lines runs on process 0 alone") ==
                    std::string::npos,
                false)
          << found;
      ++refused;
    };
    EXPECT_EQ(refusal([&] { run(x); }), "accepted");
    EXPECT_EQ(refusal([&] { run(x); }), "accepted");  // the machine is as it was
  });
  EXPECT_GT(refused, 0);
}

// Boxes of two devices of six: a digit of three devices counts neither devices of a box nor boxes.
TEST(machines, move_arrays_between_axes_that_no_box_divides) {
  for (const Mesh& uneven : {Mesh({{"a", 6}, {"b", 2}}), Mesh({{"a", 6}, {"b", 6}})}) {
    const Array x = data({36, 36});
    const std::vector<P> specs{
        P("a"),      P("b"), P(SpecEntry{"a", "b"}), P(SpecEntry{"b", "a"}), P(none, "a"), P("b", "a"),
        P("a", "b"), P()};
    const Machine local = open_local(uneven, {.workers = 1});
    for (const P& from : specs)
      for (const P& to : specs) {
        const auto same = [](Array v) { return v; };
        const auto moves = [&](const Machine& machine) {
          const auto first = shard_map(same, {.mesh = uneven, .in = from, .out = from}),
                     second = shard_map(same, {.mesh = uneven, .in = to, .out = to});
          return machine.compile([=](const Array& v) { return second(first(v)); }, x)(x);
        };
        const Array expected = moves(local);
        for (const Processes::Split& grid : grids_of(uneven)) {
          if (boxes_of(grid) > 9) continue;  // as many threads
          on_machines(uneven, {.count = boxes_of(grid), .split = grid}, [&](const Machine& machine) {
            expect_same_shards(machine, moves(machine), expected,
                               grid_name(grid) + ": " + to_string(from) + " to " + to_string(to));
          });
        }
      }
  }
}

// A wrong argument is refused before anything is sent: the machine is as it was. A kernel that throws without
// having said that it may leaves others without what they wait for.
TEST(machines, name_a_process_that_fails_alone) {
  std::atomic<int> told = 0;
  on_machines(mesh, {.count = 2}, [&](const Machine& machine) {
    bool fails = false;
    const auto body = [&](Array x) {
      const auto run = [&](const kernel::Unit& unit) {
        if (fails) throw Error(Code::device, {}, "the disk is gone");
        std::memcpy(unit.results[0], unit.operands[0], 8);
      };
      return psum(Builder::current().add(Opaque{.run = run}, {x})[0], "a");
    };
    const Array x = data({4});
    const auto run = machine.compile(shard_map(body, {.mesh = mesh, .in = P("a"), .out = P()}), x);
    EXPECT_EQ(run(x).tensor().elements(), 2);
    if (machine.process() == 1) {
      EXPECT_EQ(refusal([&] { run(data({5})); }).substr(0, 4), "T015");
    }
    EXPECT_EQ(run(x).tensor().elements(), 2);
    fails = machine.process() == 1;
    const std::string found = refusal([&] { run(x); }), later = refusal([&] { run(x); });
    if (fails) {
      EXPECT_NE(found.find("opaque: the disk is gone"), std::string::npos) << found;
      EXPECT_EQ(later.substr(0, 4), "R007") << later;
      return;
    }
    EXPECT_NE(found.find("all_reduce: process 1 has left: "), std::string::npos) << found;
    EXPECT_NE(found.find("the disk is gone"), std::string::npos) << found;
    EXPECT_NE(later.find("call: the machine can do nothing more, because process 1 has left"),
              std::string::npos)
        << later;
    ++told;
  });
  EXPECT_EQ(told, 1);
}

TEST(machines, wait_for_others_as_long_as_they_are_told) {
  Mailboxes mail;
  const std::unique_ptr<Transport> first = mail.transport(0, 3, 0.2), second = mail.transport(1, 3, 0.2),
                                   third = mail.transport(2, 3, 60);
  std::byte bytes[8] = {};
  const Transport::Part from_1{1, bytes, 8}, from_2{2, bytes, 8};
  for (Transport* transport : {first.get(), second.get(), third.get()}) transport->begin();
  std::thread waits_elsewhere([&] {
    const Transport::Part from_0{0, bytes, 8};
    refusal([&] { second->finish(second->post({}, {&from_0, 1}, "sin, model.cpp:9")); });
  });
  EXPECT_EQ(
      refusal([&] {
        const Transport::Part parts[] = {from_1, from_2};
        first->finish(first->post({}, parts, "all_reduce, model.cpp:7"));
      }),
      "R007 process 1 has not come here for 0.2 s and waits elsewhere: at sin, model.cpp:9; process 2 has "
      "not "
      "come here for 0.2 s and does not answer: it has ended, is stopped, or computes for longer than that "
      "(see "
      "limit_seconds)");
  waits_elsewhere.join();
}

TEST(machines, explain_what_they_send) {
  on_machines(mesh, {.count = 2}, [&](const Machine& machine) {
    const Array x = machine.place(data({8, 2}), P("a"));
    const auto run =
        machine.compile(shard_map([](Array v) { return std::pair(psum(v, "a"), psum(v * v, "a")); },
                                  {.mesh = mesh, .in = P("a"), .out = P()}),
                        x);
    const std::string text = run.explain();
    EXPECT_NE(text.find("\nsends 64 B to other processes and receives 64 B, in 1 transfer a call\n"),
              std::string::npos)
        << text;
  });
}

TEST(machines, say_who_they_are) {
  on_machines(mesh, {.count = 2}, [&](const Machine& machine) {
    EXPECT_EQ(machine.description(), "process " + std::to_string(machine.process()) +
                                         " of 2 with 4 of 8 virtual devices (a=2,b=2,c=2), 1 worker");
  });
}

}  // namespace
}  // namespace tutti
