// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>

#include "tutti/devices/layout.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/tree/flat_call.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {

struct MachineOptions {
  /// Threads. 0: two if the thread that opens the machine may use two processors. If it may use fewer than there are
  /// workers, these are never used: whoever calls a program runs all of it alone, as explain() then says.
  int workers = 0;
  Storage storage = Storage::by_type;  // per_device is for checking types: slower, the same results
  bool check_assumptions = false;      // refuse to run on (T004) where assume_invariant is not true: slower
  std::string trace = {};  // a file: what each worker does when, for ui.perfetto.dev; see run/timeline.hpp
  bool measure = false;    // time every step, as with `trace`: then explain() tells what they took
};

/// A compiled program, flat.
class CompiledProgram {
 public:
  /// Runs it. Throws T012 for arguments of another structure than it was compiled for, T015 for another shape or dtype,
  /// T011 for arguments without values. The memory of arrays that nobody else has is used for the results.
  Arrays operator()(Arrays arguments, const Structure& structure, Where where = Where::here()) const;

  const Program& program() const;
  /// The steps it runs in, with bytes, estimates and, if measured, times; memory; then what moved at the border.
  std::string explain() const;

 private:
  friend class Machine;
  struct State;
  std::shared_ptr<State> state_;
};

/// A compiled function of trees. May be copied, kept after its Machine, and called from several threads.
/// A call copies an argument that lies otherwise than the program takes it, so an array on the host that is split over
/// devices; Machine::place copies it once for all calls. The last array handed in for an argument is not copied again:
/// the copy is kept, the array is not. explain() says what the last call copied.
/// An argument passed by rvalue gives its memory away: params = update(std::move(params), batch) runs in place where
/// the result lies like the argument and the program allows it, with the same bits. The arrays are empty afterwards,
/// also if the call fails. The memory of an array that has another owner, or of which somebody has the ShardedBuffer,
/// is left alone; through a bare pointer one sees it written over.
template <class Result, class... A>
class Compiled {
 public:
  Compiled(CompiledProgram program, Result result)
      : program_(std::move(program)), result_(std::move(result)) {}

  Result operator()(A... arguments, Where where = Where::here()) const {
    std::tuple<A&...> tree{arguments...};
    Structure structure = tree::structure_of(tree);
    Arrays leaves;
    tree::for_each_leaf(tree, [&](Array& leaf) { leaves.push_back(std::move(leaf)); });
    return tree::rebuild(result_, program_(std::move(leaves), structure, where));
  }
  const Program& program() const { return program_.program(); }
  std::string explain() const { return program_.explain(); }

 private:
  CompiledProgram program_;
  Result result_;  // the structure of the results
};

/// Devices that programs are compiled for and run on. A small value; copies are the same machine. Calls on one machine
/// queue.
class Machine {
 public:
  const Mesh& mesh() const;
  int workers() const;
  /// Events that are not in the file of MachineOptions::trace: it has the first 262,144, fewer if it fails. Without a
  /// file those that were not measured: of every call all after that many.
  std::int64_t events_left_out() const;
  /// Why that file ends before the calls do, for example "'t.json' cannot be written: No space left on device". Empty:
  /// it does not.
  std::string trace_failure() const;

  /// The arrays of a tree, copied onto the mesh as their specs say (one for all, or one per part, as in shard_map): a call
  /// of a program that takes them so copies nothing. Those that lie so already are handed back as they are.
  /// Peak memory of one that lies otherwise on a mesh: the array, its whole and the copy, all at the same time.
  /// Throws T011 for an array without a value, T012, T001, T013, T005 for specs that do not fit, R003 (memory).
  Array place(const Array& array, const Specs& spec, Where where = Where::here()) const {
    return place_flat({array}, tree::structure_of(array), spec, where)[0];
  }
  template <class T>
    requires(!std::convertible_to<const T&, Array>)
  T place(const T& tree, const Specs& specs, Where where = Where::here()) const {
    return tree::rebuild(tree, place_flat(tree::flatten(tree), tree::structure_of(tree), specs, where));
  }
  Arrays place_flat(const Arrays& leaves, const Structure& structure, const Specs& specs, Where where) const;

  /// Traces `function` at once with arguments like these (values are not read; `abstract(shape, dtype)` will do),
  /// optimises and plans. Data that the function closes over becomes a hidden argument.
  /// Throws what the function's program is refused with, T014 if it is for another mesh. Written out up to 6 arguments,
  /// because a pack leaves no room for the place of the caller; more go into a struct or tuple.
  template <class F>
  auto compile(const F& function, Where where = Where::here()) const {
    return compile_at(where, function);
  }
  template <class F, class A1>
  auto compile(const F& function, const A1& a1, Where where = Where::here()) const {
    return compile_at(where, function, a1);
  }
  template <class F, class A1, class A2>
  auto compile(const F& function, const A1& a1, const A2& a2, Where where = Where::here()) const {
    return compile_at(where, function, a1, a2);
  }
  template <class F, class A1, class A2, class A3>
  auto compile(const F& function, const A1& a1, const A2& a2, const A3& a3,
               Where where = Where::here()) const {
    return compile_at(where, function, a1, a2, a3);
  }
  template <class F, class A1, class A2, class A3, class A4>
  auto compile(const F& function, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
               Where where = Where::here()) const {
    return compile_at(where, function, a1, a2, a3, a4);
  }
  template <class F, class A1, class A2, class A3, class A4, class A5>
  auto compile(const F& function, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
               Where where = Where::here()) const {
    return compile_at(where, function, a1, a2, a3, a4, a5);
  }
  template <class F, class A1, class A2, class A3, class A4, class A5, class A6>
  auto compile(const F& function, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
               const A6& a6, Where where = Where::here()) const {
    return compile_at(where, function, a1, a2, a3, a4, a5, a6);
  }
  template <class F, class... A>
    requires(sizeof...(A) > 6 && !(std::same_as<A, Where> || ...))
  void compile(const F&, const A&...) const {
    static_assert(sizeof...(A) == 0, "compile: more than 6 arguments; put some into a struct or a tuple");
  }
  CompiledProgram compile_flat(const std::function<Arrays(const Arrays&)>& function, const Arrays& arguments,
                               const Structure& structure, Where where) const;

 private:
  template <class F, class... A>
  auto compile_at(Where where, const F& function, const A&... arguments) const {
    tree::FlatCall call(function, std::tuple<A...>{arguments...});
    CompiledProgram program = compile_flat(std::ref(call), call.leaves(), call.structure(), where);
    return Compiled<typename decltype(call)::Result, A...>(std::move(program), call.result());
  }

  friend Machine open_local(const Mesh& mesh, const MachineOptions& options, Where where);
  struct State;
  explicit Machine(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// All devices of `mesh` as virtual devices in this process.
/// Throws R004 for a number of workers that cannot be, R001 for a `trace` that cannot be written or that another
/// machine writes.
Machine open_local(const Mesh& mesh, const MachineOptions& options = {}, Where where = Where::here());

}  // namespace tutti
