// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/code/code.hpp"

#include <functional>
#include <numeric>

#include "tutti/base/require.hpp"
#include "tutti/kernels/code/code_writer.hpp"

namespace tutti::kernels {

KernelCode CodeWriter::code() {
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

void CodeWriter::write(const Region& region) {
  const LastUses uses = registers_.last_uses(region);
  for (std::size_t i = 0; i < region.ops.size(); ++i) {
    const Op& op = region.ops[i];
    site_ = static_cast<std::uint32_t>(code_.sites.size());
    code_.sites.push_back(label(function_, op));
    note_threads(op);
    std::visit([&](const auto& kind) { write(op, kind); }, op.kind);
    // Operands of the terminator stay bound: they are copied after it.
    if (i + 1 < region.ops.size())
      for (int id : uses[i]) registers_.release(id);
  }
}

void CodeWriter::note_threads(const Op& op) {
  bool differs = std::holds_alternative<ThreadId>(op.kind);
  for (Value value : op.operands) differs |= differs_[static_cast<std::size_t>(value.id)];
  for (Value value : op.results) differs_[static_cast<std::size_t>(value.id)] = differs;
}

std::uint32_t CodeWriter::lanes_of_type(Value value) const {
  if (differs(value)) return threads_;
  return static_cast<std::uint32_t>(elements_of(type_of(function_, value).dims));
}

Instruction& CodeWriter::emit(Step step) {
  Instruction& instruction = code_.instructions.emplace_back();
  instruction.step = step;
  instruction.site = site_;
  return instruction;
}

std::uint32_t CodeWriter::result(const Op& op) {
  const Value value = op.results.front();
  const std::uint32_t n = lanes_of_type(value);
  const std::uint32_t reg = registers_.make(n);
  registers_.bind(value, reg, n, true);
  return reg;
}

std::uint32_t CodeWriter::in(Value value, std::uint32_t n) {
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

std::uint32_t CodeWriter::in(const Op& op, std::size_t operand, std::uint32_t n) {
  return operand < op.operands.size() ? in(op.operands[operand], n) : 0;
}

void CodeWriter::free_temporaries() {
  for (const auto& [reg, n] : temporaries_) registers_.give_back(reg, n);
  temporaries_.clear();
}

Instruction& CodeWriter::lanes(const Op& op, LaneFn fn, Step step) {
  const std::uint32_t n = lanes_of_type(op.results.front());
  const std::uint32_t x = in(op, 0, n), y = in(op, 1, n), z = in(op, 2, n);
  return lanes(op, fn, step, {x, y, z});
}

Instruction& CodeWriter::lanes(const Op& op, LaneFn fn, Step step, std::array<std::uint32_t, 3> operands) {
  const std::uint32_t dst = result(op);
  Instruction& made = emit(step);
  made.fn = fn;
  made.n = lanes_of_type(op.results.front());
  made.dst = dst;
  made.x = operands[0];
  made.y = operands[1];
  made.z = operands[2];
  free_temporaries();
  return made;
}

void CodeWriter::constant(const Op& op, const std::vector<LaneWord>& lanes) {
  const std::uint32_t reg = registers_.make_constant(lanes);
  registers_.bind(op.results.front(), reg, static_cast<std::uint32_t>(lanes.size()), false);
}

void CodeWriter::write(const Op& op, const GetProgramId&) {
  registers_.bind(op.results.front(), code_.program_id, 1, false);
}

void CodeWriter::write(const Op& op, const GetNumPrograms&) {
  registers_.bind(op.results.front(), code_.num_programs, 1, false);
}

void CodeWriter::write(const Op& op, const MakeRange& range) {
  std::vector<LaneWord> numbers(static_cast<std::size_t>(range.end - range.start));
  std::iota(numbers.begin(), numbers.end(), static_cast<LaneWord>(range.start));
  constant(op, numbers);
}

void CodeWriter::write(const Op& op, const ThreadId&) {
  std::vector<LaneWord> numbers(threads_);
  std::iota(numbers.begin(), numbers.end(), 0);
  constant(op, numbers);
}

void CodeWriter::write(const Op& op, const Constant& c) {
  const auto n = static_cast<std::size_t>(elements_of(c.type.dims));
  constant(op, std::vector<LaneWord>(n, word_of(c.type.scalar, c.value)));
}

void CodeWriter::write(const Op& op, const Splat&) {
  const std::uint32_t dst = result(op);
  Instruction& made = emit(Step::splat);
  made.n = lanes_of_type(op.results.front());
  made.dst = dst;
  made.x = registers_.of(op.operands.front());
}

void CodeWriter::write(const Op& op, const Broadcast& broadcast) {
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

void CodeWriter::write(const Op& op, const AddPtr&) {
  lanes(op, nullptr, Step::add_address).size =
      static_cast<std::uint8_t>(bytes_of(scalar(op.operands.front())));
}

void CodeWriter::write(const Op& op, const IntToPtr& cast) {
  if (cast.divisibility.value_or(1) > 1) {
    Instruction& made = emit(Step::hinted);
    made.n = lanes_of_type(op.results.front());
    made.x = registers_.of(op.operands.front());
    made.extra = static_cast<std::uint32_t>(*cast.divisibility);
  }
  alias(op);
}

void CodeWriter::write(const Op& op, const Bitcast& cast) {
  if (type_of(function_, op.operands.front()).pointer) return alias(op);
  lanes(op, lanes_of_bitcast(scalar(op.operands.front()), cast.to));
}

void CodeWriter::write(const Op& op, const Arith& arith) {
  const Scalar type = scalar(op.operands.front());
  const bool is_partial = may_be_undefined(arith.op);
  Instruction& made = lanes(op, lanes_of(arith.op, type), is_partial ? Step::partial : Step::lanes);
  made.arith = arith.op;
  made.scalar = type;
}

void CodeWriter::write(const Op& op, const CompareInts& compare) {
  lanes(op, lanes_of(compare.predicate, scalar(op.operands.front())));
}

void CodeWriter::write(const Op& op, const CompareFloats& compare) {
  lanes(op, lanes_of(compare.predicate, scalar(op.operands.front())));
}

void CodeWriter::write(const Op& op, const Convert& convert) {
  lanes(op, lanes_of(convert.op, scalar(op.operands.front()), convert.to));
}

void CodeWriter::write(const Op& op, const Select&) {
  const std::uint32_t n = lanes_of_type(op.results.front());
  const bool is_one = registers_.lanes(op.operands[0]) == 1;
  const std::uint32_t x = registers_.of(op.operands[0]), y = in(op, 1, n), z = in(op, 2, n);
  lanes(op, lanes_of_select(is_one), Step::select, {x, y, z}).flag = is_one;
}

void CodeWriter::write(const Op& op, const Reduce& reduce) {
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

KernelCode code_of(const Function& function, int threads) { return CodeWriter(function, threads).code(); }

}  // namespace tutti::kernels
