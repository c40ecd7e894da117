// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/code.hpp"

#include <algorithm>
#include <numeric>

#include "tutti/base/overloaded.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/check/registers.hpp"

namespace tutti::kernels {
namespace {

int bytes_of(Scalar scalar) { return std::max(bits(scalar), 8) / 8; }

/// Writes the instructions of one kernel, region by region.
class Writer {
 public:
  Writer(const Function& function, int threads)
      : function_(function),
        threads_(static_cast<std::uint32_t>(threads)),
        registers_(function),
        differs_(function.types.size()) {}

  KernelCode code() {
    code_.name = function_.name;
    code_.program_id = registers_.make_constant({0});
    code_.num_programs = registers_.make_constant({0});
    for (std::size_t i = 0; i < function_.arguments.size(); ++i) {
      const std::uint32_t reg = registers_.make_constant({0});
      registers_.bind(Value{static_cast<int>(i)}, reg, 1, false);
      code_.arguments.push_back(reg);
    }
    write(function_.body);
    code_.image = std::move(registers_).image();
    return std::move(code_);
  }

 private:
  void write(const Region& region) {
    const LastUses uses = registers_.last_uses(region);
    for (std::size_t i = 0; i < region.ops.size(); ++i) {
      const Op& op = region.ops[i];
      site_ = static_cast<std::uint32_t>(code_.sites.size());
      code_.sites.push_back(label(function_, op));
      note_threads(op);
      std::visit([&](const auto& kind) { write(op, kind); }, op.kind);
      // What the terminator takes is copied after it.
      if (i + 1 < region.ops.size())
        for (int id : uses[i]) registers_.release(id);
    }
  }

  void note_threads(const Op& op) {
    bool differs = std::holds_alternative<ThreadId>(op.kind);
    for (Value value : op.operands) differs |= differs_[static_cast<std::size_t>(value.id)];
    for (Value value : op.results) differs_[static_cast<std::size_t>(value.id)] = differs;
  }
  bool differs(Value value) const { return differs_[static_cast<std::size_t>(value.id)]; }

  std::uint32_t lanes_of_type(Value value) const {
    if (differs(value)) return threads_;
    return static_cast<std::uint32_t>(elements_of(type_of(function_, value).dims));
  }
  Scalar scalar(Value value) const { return type_of(function_, value).scalar; }

  Instruction& emit(Step step) {
    Instruction& instruction = code_.instructions.emplace_back();
    instruction.step = step;
    instruction.site = site_;
    return instruction;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.instructions.size()); }
  void land(std::uint32_t jump) { code_.instructions[jump].target = here(); }

  std::uint32_t result(const Op& op) {
    const Value value = op.results.front();
    const std::uint32_t n = lanes_of_type(value);
    const std::uint32_t reg = registers_.make(n);
    registers_.bind(value, reg, n, true);
    return reg;
  }

  /// The register of an operand, with a lane for each thread if n says so.
  std::uint32_t in(Value value, std::uint32_t n) {
    const std::uint32_t reg = registers_.of(value);
    if (registers_.lanes(value) == n) return reg;
    const std::uint32_t wide = registers_.make(n);
    Instruction& splat = emit(Step::splat);
    splat.n = n;
    splat.dst = wide;
    splat.x = reg;
    temporaries_.push_back({wide, n});
    return wide;
  }
  std::uint32_t in(const Op& op, std::size_t operand, std::uint32_t n) {
    return operand < op.operands.size() ? in(op.operands[operand], n) : 0;
  }
  void free_temporaries() {
    for (const auto& [reg, n] : temporaries_) registers_.give_back(reg, n);
    temporaries_.clear();
  }

  /// dst = fn(operands), with as many lanes as the result has.
  Instruction& lanes(const Op& op, LaneFn fn, Step step = Step::lanes) {
    const std::uint32_t n = lanes_of_type(op.results.front());
    const std::uint32_t x = in(op, 0, n), y = in(op, 1, n), z = in(op, 2, n);
    const std::uint32_t dst = result(op);
    Instruction& made = emit(step);
    made.fn = fn;
    made.n = n;
    made.dst = dst;
    made.x = x;
    made.y = y;
    made.z = z;
    free_temporaries();
    return made;
  }

  void constant(const Op& op, const std::vector<LaneWord>& lanes) {
    const std::uint32_t reg = registers_.make_constant(lanes);
    registers_.bind(op.results.front(), reg, static_cast<std::uint32_t>(lanes.size()), false);
  }
  void alias(const Op& op) { registers_.alias(op.results.front(), op.operands.front()); }

  void write(const Op& op, const GetProgramId&) {
    registers_.bind(op.results.front(), code_.program_id, 1, false);
  }
  void write(const Op& op, const GetNumPrograms&) {
    registers_.bind(op.results.front(), code_.num_programs, 1, false);
  }
  void write(const Op& op, const MakeRange& range) {
    std::vector<LaneWord> numbers(static_cast<std::size_t>(range.end - range.start));
    std::iota(numbers.begin(), numbers.end(), static_cast<LaneWord>(range.start));
    constant(op, numbers);
  }
  void write(const Op& op, const ThreadId&) {
    std::vector<LaneWord> numbers(threads_);
    std::iota(numbers.begin(), numbers.end(), 0);
    constant(op, numbers);
  }
  void write(const Op& op, const Constant& c) {
    const auto n = static_cast<std::size_t>(elements_of(c.type.dims));
    constant(op, std::vector<LaneWord>(n, word_of(c.type.scalar, c.value)));
  }

  void write(const Op& op, const Splat&) {
    const std::uint32_t dst = result(op);
    Instruction& made = emit(Step::splat);
    made.n = lanes_of_type(op.results.front());
    made.dst = dst;
    made.x = registers_.of(op.operands.front());
  }
  void write(const Op& op, const ExpandDims&) { alias(op); }
  void write(const Op& op, const Reshape&) { alias(op); }
  void write(const Op& op, const PtrToInt&) { alias(op); }
  void write(const Op& op, const Broadcast& broadcast) {
    const Dims& from = type_of(function_, op.operands.front()).dims;
    std::vector<std::uint32_t> table(static_cast<std::size_t>(elements_of(broadcast.dims)));
    for (std::size_t i = 0; i < table.size(); ++i) {
      auto left = static_cast<std::int64_t>(i);
      std::int64_t source = 0, stride = 1;
      for (std::size_t dim = from.size(); dim-- > 0;) {
        if (from[dim] != 1) source += left % broadcast.dims[dim] * stride;
        left /= broadcast.dims[dim];
        stride *= from[dim];
      }
      table[i] = static_cast<std::uint32_t>(source);
    }
    const std::uint32_t dst = result(op);
    Instruction& made = emit(Step::gather);
    made.n = static_cast<std::uint32_t>(table.size());
    made.dst = dst;
    made.x = registers_.of(op.operands.front());
    made.target = static_cast<std::uint32_t>(code_.tables.size());
    code_.tables.push_back(std::move(table));
  }

  void write(const Op& op, const AddPtr&) {
    lanes(op, nullptr, Step::add_address).size =
        static_cast<std::uint8_t>(bytes_of(scalar(op.operands.front())));
  }
  void write(const Op& op, const IntToPtr& cast) {
    if (cast.divisibility.value_or(1) > 1) {
      Instruction& made = emit(Step::hinted);
      made.n = lanes_of_type(op.results.front());
      made.x = registers_.of(op.operands.front());
      made.extra = static_cast<std::uint32_t>(*cast.divisibility);
    }
    alias(op);
  }
  void write(const Op& op, const Bitcast& cast) {
    if (type_of(function_, op.operands.front()).pointer) return alias(op);
    lanes(op, lanes_of_bitcast(scalar(op.operands.front()), cast.to));
  }
  void write(const Op& op, const Arith& arith) {
    const Scalar type = scalar(op.operands.front());
    const bool is_partial = may_be_undefined(arith.op);
    Instruction& made = lanes(op, lanes_of(arith.op, type), is_partial ? Step::partial : Step::lanes);
    made.arith = arith.op;
    made.scalar = type;
  }
  void write(const Op& op, const CompareInts& compare) {
    lanes(op, lanes_of(compare.predicate, scalar(op.operands.front())));
  }
  void write(const Op& op, const CompareFloats& compare) {
    lanes(op, lanes_of(compare.predicate, scalar(op.operands.front())));
  }
  void write(const Op& op, const Convert& convert) {
    lanes(op, lanes_of(convert.op, scalar(op.operands.front()), convert.to));
  }
  void write(const Op& op, const Select&) {
    const std::uint32_t n = lanes_of_type(op.results.front());
    const bool is_one = registers_.lanes(op.operands[0]) == 1;
    const std::uint32_t x = registers_.of(op.operands[0]), y = in(op, 1, n), z = in(op, 2, n);
    const std::uint32_t dst = result(op);
    Instruction& made = emit(Step::select);
    made.fn = lanes_of_select(is_one);
    made.flag = is_one;
    made.n = n;
    made.dst = dst;
    made.x = x;
    made.y = y;
    made.z = z;
    free_temporaries();
  }

  void write(const Op& op, const Reduce& reduce) {
    const Region& region = op.regions.front();
    const Arith* arith = region.ops.size() == 2 ? std::get_if<Arith>(&region.ops[0].kind) : nullptr;
    ensure(arith && !may_be_undefined(arith->op) && region.ops[1].operands == region.ops[0].results,
           "{}: the checker folds by one op of arith that is always defined", label(function_, op));
    const Dims& dims = type_of(function_, op.operands.front()).dims;
    const auto axis = dims.begin() + reduce.axis;
    const auto product = [](auto from, auto to) {
      return static_cast<std::uint32_t>(std::accumulate(from, to, std::int64_t{1}, std::multiplies<>()));
    };
    std::vector<std::uint32_t> extents{product(dims.begin(), axis), static_cast<std::uint32_t>(*axis),
                                       product(axis + 1, dims.end())};
    const std::uint32_t dst = result(op);
    Instruction& made = emit(Step::fold);
    made.n = extents[0] * extents[2];
    made.fn = lanes_of(arith->op, scalar(op.operands.front()));
    made.dst = dst;
    made.x = registers_.of(op.operands.front());
    made.target = static_cast<std::uint32_t>(code_.tables.size());
    code_.tables.push_back(std::move(extents));
  }

  // --- memory --------------------------------------------------------------------------------------------------------

  Instruction access(const Op& op, Step step, bool is_visible) {
    const Value pointer = op.operands.front();
    Instruction made;
    made.step = step;
    made.site = site_;
    made.scalar = scalar(pointer);
    made.size = static_cast<std::uint8_t>(bytes_of(made.scalar));
    made.is_visible = is_visible;
    made.n = op.results.empty() ? registers_.lanes(pointer) : lanes_of_type(op.results.front());
    code_.least_access = std::min<int>(code_.least_access, made.size);
    return made;
  }
  template <class Atomic>
  Instruction atomic(const Op& op, Step step, const Atomic& how) {
    Instruction made = access(op, step, true);
    made.order = how.order;
    made.scope = how.scope;
    return made;
  }
  void append(const Op& op, Instruction made) {
    if (!op.results.empty()) made.dst = result(op);
    code_.instructions.push_back(made);
    free_temporaries();
  }

  void write(const Op& op, const Load& load) {
    Instruction made = access(op, Step::load, load.memory == Memory::peer);
    made.x = in(op, 0, made.n);
    made.y = in(op, 1, made.n);
    made.z = in(op, 2, made.n);
    made.w = made.n == threads_ && differs(op.operands.front()) ? thread_mask_ : 0;
    append(op, made);
  }
  void write(const Op& op, const Store& store) {
    Instruction made = access(op, Step::store, store.memory == Memory::peer);
    take_operands(op, made);
    append(op, made);
  }
  void take_operands(const Op& op, Instruction& made) {
    made.x = in(op, 0, made.n);
    made.y = in(op, 1, made.n);
    made.z = in(op, 2, made.n);
  }
  void write(const Op& op, const AtomicRmw& rmw) {
    Instruction made = atomic(op, Step::rmw, rmw);
    made.rmw = rmw.op;
    take_operands(op, made);
    append(op, made);
  }
  void write(const Op& op, const AtomicCas& cas) {
    Instruction made = atomic(op, Step::cas, cas);
    take_operands(op, made);
    append(op, made);
  }
  void write(const Op& op, const AtomicStore& store) {
    Instruction made = atomic(op, Step::atomic_store, store);
    take_operands(op, made);
    append(op, made);
  }
  void write(const Op& op, const AtomicLoad& load) {
    Instruction made = atomic(op, Step::atomic_load, load);
    made.x = in(op, 0, made.n);
    made.y = in(op, 1, made.n);
    append(op, made);
  }
  void write(const Op& op, const AtomicPoll& poll) {
    Instruction made = atomic(op, Step::poll, poll);
    made.reached = IntPredicate::eq;
    made.x = in(op, 0, made.n);
    made.y = in(op, 1, made.n);
    made.z = op.operands.size() > 2 ? registers_.of(op.operands[2]) : 0;
    append(op, made);
  }
  // Where operands do not differ, all threads do the same: one lane stands for them.
  void write(const Op& op, const ThreadSignal& signal) {
    Instruction made = atomic(op, Step::thread_signal, signal);
    widen_in_branch(made);
    made.x = in(op, 0, made.n);
    made.y = in(op, 1, made.n);
    made.w = thread_mask_;
    append_by_thread(op, made);
  }
  void write(const Op& op, const ThreadWait& wait) {
    Instruction made = atomic(op, Step::thread_wait, wait);
    widen_in_branch(made);
    made.reached = wait.reached;
    made.x = in(op, 0, made.n);
    made.y = in(op, 1, made.n);
    made.z = in(op, 2, made.n);
    made.extra = in(op, 3, made.n);
    made.w = thread_mask_;
    append_by_thread(op, made);
  }
  void widen_in_branch(Instruction& made) const {
    if (thread_mask_ != 0) made.n = threads_;
  }
  void append_by_thread(const Op& op, Instruction made) {
    if (thread_mask_ != 0) differs_[static_cast<std::size_t>(op.results.front().id)] = true;
    append(op, made);
  }
  void write(const Op&, const BlockBarrier&) {}  // a program is one agent: its own order is enough

  // --- control flow ----------------------------------------------------------------------------------------------------

  void copy(std::uint32_t dst, std::uint32_t x, std::uint32_t n, Step step = Step::lanes) {
    if (dst == x) return;
    Instruction& made = emit(step);
    made.fn = lanes_of_copy();
    made.n = n;
    made.dst = dst;
    made.x = x;
  }

  struct Carried {
    std::uint32_t reg, n;
  };
  /// Registers of a region's arguments from `first` on, which begin with these values.
  std::vector<Carried> carried(const Region& region, std::size_t first, std::span<const Value> values) {
    std::vector<Carried> all;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value argument = region.arguments[first + i];
      const std::uint32_t n = lanes_of_type(argument);
      all.push_back({registers_.make(n), n});
      registers_.bind(argument, all.back().reg, n, false);
      copy(all.back().reg, registers_.of(values[i]), n);
    }
    return all;
  }
  /// At once: a value may be the register of another argument.
  void carry(const std::vector<Carried>& to, std::span<const Value> values, Step step) {
    std::vector<std::uint32_t> from;
    for (std::size_t i = 0; i < to.size(); ++i) {
      from.push_back(registers_.of(values[i]));
      const bool is_argument = std::ranges::find(to, from[i], &Carried::reg) != to.end();
      if (!is_argument || from[i] == to[i].reg) continue;
      const std::uint32_t saved = registers_.make(to[i].n);
      copy(saved, from[i], to[i].n);
      temporaries_.push_back({saved, to[i].n});
      from[i] = saved;
    }
    for (std::size_t i = 0; i < to.size(); ++i) copy(to[i].reg, from[i], to[i].n, step);
    free_temporaries();
  }
  void bind_results(const Op& op, const std::vector<Carried>& registers) {
    for (std::size_t i = 0; i < registers.size(); ++i)
      registers_.bind(op.results[i], registers[i].reg, registers[i].n, true);
  }
  static std::span<const Value> tail(const std::vector<Value>& values, std::size_t first) {
    return std::span(values).subspan(first);
  }

  void write(const Op& op, const For&) {
    const Region& body = op.regions.front();
    const std::uint32_t index = registers_.make(1);
    registers_.bind(body.arguments[0], index, 1, false);
    copy(index, registers_.of(op.operands[0]), 1);
    const std::vector<Carried> registers = carried(body, 1, tail(op.operands, 3));
    const std::uint32_t test = here(), site = site_;
    Instruction& made = emit(Step::for_test);
    made.x = index;
    made.y = registers_.of(op.operands[1]);
    made.z = registers_.of(op.operands[0]);
    made.w = registers_.of(op.operands[2]);
    made.flag = registers.empty();
    write(body);
    carry(registers, body.ops.back().operands, Step::lanes);
    site_ = site;
    Instruction& next = emit(Step::for_next);
    next.x = index;
    next.y = registers_.of(op.operands[2]);
    next.scalar = scalar(op.operands[0]);
    next.target = test;
    land(test);
    registers_.give_back(index, 1);
    bind_results(op, registers);
  }

  void write(const Op& op, const While&) {
    const std::uint32_t site = site_;
    const std::vector<Carried> before = carried(op.regions[0], 0, op.operands);
    std::vector<Carried> after;
    for (std::size_t i = 0; i < before.size(); ++i) {
      after.push_back({registers_.make(before[i].n), before[i].n});
      registers_.bind(op.regions[1].arguments[i], after[i].reg, after[i].n, false);
    }
    emit(Step::spin_begin);
    const std::uint32_t round = here();
    write(op.regions[0]);
    const std::vector<Value>& condition = op.regions[0].ops.back().operands;
    const std::uint32_t decided = registers_.of(condition[0]);
    site_ = site;
    carry(after, tail(condition, 1), Step::lanes);
    const std::uint32_t leave = here();
    emit(Step::jump_unless).x = decided;
    emit(Step::spin_next);
    emit(Step::spin_round);
    write(op.regions[1]);
    site_ = site;
    carry(before, op.regions[1].ops.back().operands, Step::carry);
    emit(Step::jump).target = round;
    land(leave);
    emit(Step::spin_end);
    for (const Carried& carried : before) registers_.give_back(carried.reg, carried.n);
    bind_results(op, after);
  }

  void write(const Op& op, const If&) {
    if (differs(op.operands.front())) return write_by_thread(op);
    for (Value value : op.results) {
      const std::uint32_t n = lanes_of_type(value);
      registers_.bind(value, registers_.make(n), n, true);
    }
    const std::uint32_t test = here();
    emit(Step::jump_unless).x = registers_.of(op.operands.front());
    branch(op, op.regions[0]);
    const std::uint32_t done = here();
    emit(Step::jump);
    land(test);
    branch(op, op.regions[1]);
    land(done);
  }
  void branch(const Op& op, const Region& region) {
    write(region);
    for (std::size_t i = 0; i < op.results.size(); ++i)
      copy(registers_.of(op.results[i]), registers_.of(region.ops.back().operands[i]),
           registers_.lanes(op.results[i]));
  }

  /// Both branches, each under the mask of the threads that take it.
  void write_by_thread(const Op& op) {
    const std::uint32_t outer = thread_mask_, condition = registers_.of(op.operands.front());
    for (const bool is_else : {false, true}) {
      const Region& region = op.regions[is_else ? 1 : 0];
      if (region.ops.empty()) continue;
      const std::uint32_t mask = registers_.make(threads_);
      Instruction& both = emit(Step::mask_and);
      both.n = threads_;
      both.dst = mask;
      both.x = outer;
      both.y = condition;
      both.flag = is_else;
      const std::uint32_t skip = here();
      emit(Step::jump_if_none).x = mask;
      code_.instructions.back().n = threads_;
      thread_mask_ = mask;
      write(region);
      thread_mask_ = outer;
      land(skip);
      registers_.give_back(mask, threads_);
    }
  }

  void write(const Op&, const Yield&) {}
  void write(const Op&, const Condition&) {}
  void write(const Op&, const ReduceReturn&) {}
  void write(const Op&, const Return&) { emit(Step::end); }

  const Function& function_;
  std::uint32_t threads_;
  Registers registers_;
  std::vector<bool> differs_;
  KernelCode code_;
  std::uint32_t site_ = 0;
  std::uint32_t thread_mask_ = 0;  // register of the threads that run the branch; 0: all
  std::vector<Carried> temporaries_;
};

}  // namespace

KernelCode code_of(const Function& function, int threads) { return Writer(function, threads).code(); }

}  // namespace tutti::kernels
