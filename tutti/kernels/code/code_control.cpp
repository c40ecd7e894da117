// SPDX-License-Identifier: Apache-2.0
// Loops and branches, and the registers that they carry.
#include "tutti/kernels/code/code_writer.hpp"

namespace tutti::kernels {

void CodeWriter::copy(std::uint32_t dst, std::uint32_t x, std::uint32_t n, Step step) {
  if (dst == x) return;
  Instruction& made = emit(step);
  made.fn = lanes_of_copy();
  made.n = n;
  made.dst = dst;
  made.x = x;
}

std::vector<CodeWriter::Carried> CodeWriter::carried(const Region& region, std::size_t first,
                                                     std::span<const Value> values) {
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

void CodeWriter::carry(const std::vector<Carried>& to, std::span<const Value> values, Step step) {
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

void CodeWriter::bind_results(const Op& op, const std::vector<Carried>& registers) {
  for (std::size_t i = 0; i < registers.size(); ++i)
    registers_.bind(op.results[i], registers[i].reg, registers[i].n, true);
}

std::span<const Value> CodeWriter::tail(const std::vector<Value>& values, std::size_t first) {
  return std::span(values).subspan(first);
}

void CodeWriter::write(const Op& op, const For&) {
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

void CodeWriter::write(const Op& op, const While&) {
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

void CodeWriter::write(const Op& op, const If&) {
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

void CodeWriter::branch(const Op& op, const Region& region) {
  write(region);
  for (std::size_t i = 0; i < op.results.size(); ++i)
    copy(registers_.of(op.results[i]), registers_.of(region.ops.back().operands[i]),
         registers_.lanes(op.results[i]));
}

void CodeWriter::write_by_thread(const Op& op) {
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

}  // namespace tutti::kernels
