// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>

#include "tutti/base/namespaces.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/watch/report.hpp"
#include "tutti/tree/flat_call.hpp"
#include "tutti/tree/host_leaves.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {

/// Options of open_local.
struct MachineOptions {
  /// Number of worker threads. 0: one or two, from the CPU affinity of the opening thread, at most one per
  /// device; fewer if the system starts no more threads (ulimit -u). With fewer CPUs than workers the calling
  /// thread runs every program alone. explain() says both.
  int workers = 0;
  Storage storage = Storage::by_type;  // per_device checks types; slower, same results
  bool check_assumptions = false;      // throws T004 where assume_invariant does not hold; slower
  std::string trace = {};  // file for a timeline of the workers, for ui.perfetto.dev (run/watch/timeline.hpp)
  bool measure = false;    // measures every step, as `trace` does; explain() shows the times
  /// Throws R006 at the first equation that makes a NaN or an infinity from finite operands, with its line,
  /// the device and the operands. Programs run unfused, by one worker; slow.
  bool check_nans = false;
  /// Takes each line that debug_print writes, on the thread of the call. Empty: the standard output. The
  /// function may call other programs, but not the one whose line it takes (R004), and none of a machine of
  /// several processes.
  std::function<void(std::string_view line)> print = {};
  /// Calls keep the numbers of every equation on every device, for report() and its page. Arguments have at
  /// most 64 elements each. Each call runs the program a second time, one equation after the other; slow.
  bool values = false;
  /// Binds each helper thread to a core that the calling thread does not use. Without, the operating system
  /// moves them, which suits a process that has threads of its own.
  bool bind = true;
  /// The most bytes that the memory of one program may take, as explain() counts it. A program that takes
  /// more is refused when it is compiled (R003), at the equation with the largest value.
  std::optional<std::int64_t> memory = {};
  /// Calls check it between steps, also inside of loops. Once a stop is requested, this call and all later
  /// ones throw R008; open another machine to go on.
  std::stop_token stop = {};
};

class Machine;
class EmptyArray;

}  // namespace tutti

namespace tutti::internal {

class Backend;

/// A compiled program whose arguments and results are lists of arrays, not trees.
class CompiledProgram {
 public:
  /// Runs the program. Arguments without another owner are donated to the results.
  /// Throws T012 for arguments of another structure than the program was compiled for, T015 for another shape
  /// or dtype, T011 for arguments without values, R004 in a forked child and inside of a call of this
  /// program.
  Arrays operator()(Arrays arguments, const Structure& structure, Where where = Where::here()) const;

  const Program& program() const;
  /// Describes the plan: steps with bytes and times (estimated and, if recorded, measured), memory, copies.
  std::string explain() const;
  /// The program and its plan as data; explain() is the plan as text.
  Report report() const;

 private:
  friend class tutti::Machine;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tutti::internal

namespace tutti {

/// A compiled function of trees. May be copied, outlive its Machine, and be called from several threads. A
/// call copies an argument without the program's layout, such as an array on the host that is split over
/// devices; Machine::place copies an array once for all calls. The last array of an argument is not copied
/// again: the program keeps the copy, but not the array. explain() says what the last call copied. An
/// argument passed by rvalue is donated: params = update(std::move(params), batch) runs in place if result
/// and argument have the same layout and the program allows it, with the same bits. The arrays are empty
/// afterwards, also if the call fails. Memory with another owner, of the array or of its
/// internal::ShardedBuffer, is not reused. A bare pointer to donated memory sees it overwritten.
template <class Result, class... A>
class Compiled {
 public:
  Compiled(internal::CompiledProgram program, Result result)
      : program_(std::move(program)), result_(std::move(result)) {}

  /// Runs the program on trees of the structure that it was compiled for. Returns its results, as the
  /// function does. Arguments are taken by value, so that an array moved in has no other owner.
  /// Throws T012 for another structure, T015 for another shape or dtype, T011 for arguments without values,
  /// R004 in a forked child and inside of a call of this program, R005 and R006 for values that the program
  /// refuses, R007 if another process fails, R008 if it is stopped.
  Result operator()(tree::Parameter<A>... arguments,  // NOLINT(performance-unnecessary-value-param)
                    Where where = Where::here()) const {
    std::tuple<A&...> tree{arguments...};
    internal::Structure structure = tree::structure_of(tree);
    Arrays leaves;
    tree::for_each_leaf(tree, [&](Array& leaf) { leaves.push_back(std::move(leaf)); });
    return tree::rebuild(result_, program_(std::move(leaves), structure, where));
  }
  /// The traced program, optimised; to_string() prints it.
  const ops::Program& program() const { return program_.program(); }
  /// Describes the plan: steps with bytes and times (estimated and, if recorded, measured), memory, copies.
  std::string explain() const { return program_.explain(); }
  /// The program and its plan as data; explain() is the plan as text.
  Report report() const { return program_.report(); }

 private:
  internal::CompiledProgram program_;
  Result result_;  // the structure of the results
};

/// Devices that programs are compiled for and run on. A small value; copies are the same machine. Concurrent
/// calls on one machine run one after another.
class Machine {
 public:
  explicit Machine(std::shared_ptr<internal::Backend> backend);  // for open_local and open_xla
  /// The mesh that it was opened with.
  const Mesh& mesh() const;
  internal::Backend& backend() const;  // for run_on_machine; lives as long as a copy of this machine
  /// "8 virtual devices (data=4,model=2), 2 workers"; "8 cpu devices of XLA (data=4,model=2)"
  std::string description() const;
  /// Number of worker threads; 0 if a plugin computes.
  int workers() const;
  /// The number of this process among those that share the machine; 0 on a machine of one process. What only
  /// one should do, such as printing a result: if (machine.process() == 0) ..
  int process() const;
  /// How many processes share the machine.
  int processes() const;
  /// Number of events missing from the trace file, which keeps the first 262,144, fewer if writing fails.
  /// Without a file: number of events not measured, those after the first 262,144 of each call.
  std::int64_t events_left_out() const;
  /// Why writing the trace file failed, for example "'t.json' cannot be written: No space left on device";
  /// else empty.
  std::string trace_failure() const;

  /// Copies the arrays of a tree onto the mesh as their specs say (one for all, or one per part, as in
  /// shard_map). A program that takes arrays in this layout copies nothing. Arrays in this layout are
  /// returned as they are. If a dim does not divide, the last blocks are shorter or empty; shard_map does not
  /// take such an array.
  /// Throws T011 for an array without a value, T012, T001, T013 for specs that do not fit, R003
  /// (memory).
  Array place(const Array& array, const Specs& spec, Where where = Where::here()) const {
    return place_flat({array}, tree::structure_of(array), spec, where)[0];
  }
  /// The same on another mesh of the machine's devices: a pipeline stage, some of the devices, another order.
  /// A program that takes such an array moves it to its own mesh at each call.
  /// Throws R004 for a device that the machine does not have.
  Array place(const Array& array, const Mesh& mesh, const P& spec, Where where = Where::here()) const;
  template <class T>
    requires(!std::convertible_to<const T&, Array>)
  T place(const T& tree, const Specs& specs, Where where = Where::here()) const {
    return tree::rebuild(tree, place_flat(tree::flatten(tree), tree::structure_of(tree), specs, where));
  }
  /// Makes an array of the shape `whole`, sharded by `spec`, whose part on device d of the mesh is parts[d].
  /// Parts on devices of other processes may be absent, so each process passes only its own.
  /// Throws T015 if a part is missing, has another shape or dtype, or differs from a part that the spec says
  /// is equal; T005 if a dim does not divide; T012, T001, T013 for specs that do not fit; R003 (memory).
  Array from_shards(const Shape& whole, const P& spec, const std::map<int, Tensor>& parts,
                    Where where = Where::here()) const;
  /// Memory for an array on the mesh, to be filled without a copy (tutti/run/empty_array.hpp).
  /// Throws T005 for a dim that does not divide, T001, T013 for a spec that does not fit, R003 (memory), R004
  /// for a machine of open_xla.
  EmptyArray empty(const Shape& shape, DType dtype, const P& spec, Where where = Where::here()) const;
  /// Places a list of leaves; `structure` says which tree they are of. See place.
  Arrays place_flat(const Arrays& leaves, const internal::Structure& structure, const Specs& specs,
                    Where where) const;

  /// Traces `function` with arguments of these types, optimises and plans the program. Values are not read,
  /// so `abstract(shape, dtype)` will do. An argument that lies on the machine's mesh in even blocks, without
  /// terms, is not copied if only shard_maps use it.
  /// A Tensor counts as an Array, also inside of tuples, pairs, optionals, vectors and maps; in a call, too.
  /// Data that the function closes over becomes a hidden argument. Throws the errors of the traced ops, and
  /// T014 for a program for another mesh. There is one overload per number of arguments, up to 6, because
  /// `where` cannot follow a parameter pack; put more into a struct or tuple.
  /// Example:
  ///     auto distance = [](const Array& p, const Array& q) { return reduce_sum(square(p - q)); };
  ///     auto run = machine.compile(distance, a, b);
  ///     Array result = run(a, b);
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
  /// Compiles a function of lists of leaves; `structure` says which tree the arguments are. See compile.
  internal::CompiledProgram compile_flat(const std::function<Arrays(const Arrays&)>& function,
                                         const Arrays& arguments, const internal::Structure& structure,
                                         Where where) const;

 private:
  template <class F, class... A>
  auto compile_at(Where where, const F& function, const A&... arguments) const {
    using Arguments = std::tuple<tree::AsArgument<A>...>;
    tree::FlatCall call(function, Arguments{tree::as_argument(arguments)...});
    internal::CompiledProgram program = compile_flat(std::ref(call), call.leaves(), call.structure(), where);
    using Result = typename decltype(call)::Result;
    return Compiled<Result, tree::AsArgument<A>...>(std::move(program), call.result());
  }

  std::shared_ptr<internal::Backend> backend_;
};

/// Opens a machine: all devices of `mesh` as virtual devices in this process.
/// Throws R004 for a number of workers that is negative or cannot be started, R001 for a `trace` that cannot
/// be written or that another machine writes.
Machine open_local(const Mesh& mesh, const MachineOptions& options = {}, Where where = Where::here());

}  // namespace tutti
