// SPDX-License-Identifier: Apache-2.0
// Accesses of memory, by the block or by single threads.
#include "tutti/kernels/code/code_writer.hpp"

namespace tutti::kernels {

Instruction CodeWriter::access(const Op& op, Step step, bool is_visible) {
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

void CodeWriter::append(const Op& op, Instruction made) {
  if (!op.results.empty()) made.dst = result(op);
  code_.instructions.push_back(made);
  free_temporaries();
}

void CodeWriter::write(const Op& op, const Load& load) {
  Instruction made = access(op, Step::load, load.memory == Memory::peer);
  made.x = in(op, 0, made.n);
  made.y = in(op, 1, made.n);
  made.z = in(op, 2, made.n);
  made.w = made.n == threads_ && differs(op.operands.front()) ? thread_mask_ : 0;
  append(op, made);
}

void CodeWriter::write(const Op& op, const Store& store) {
  Instruction made = access(op, Step::store, store.memory == Memory::peer);
  take_operands(op, made);
  append(op, made);
}

void CodeWriter::take_operands(const Op& op, Instruction& made) {
  made.x = in(op, 0, made.n);
  made.y = in(op, 1, made.n);
  made.z = in(op, 2, made.n);
}

void CodeWriter::write(const Op& op, const AtomicRmw& rmw) {
  Instruction made = atomic(op, Step::rmw, rmw);
  made.rmw = rmw.op;
  take_operands(op, made);
  append(op, made);
}

void CodeWriter::write(const Op& op, const AtomicCas& cas) {
  Instruction made = atomic(op, Step::cas, cas);
  take_operands(op, made);
  append(op, made);
}

void CodeWriter::write(const Op& op, const AtomicStore& store) {
  Instruction made = atomic(op, Step::atomic_store, store);
  take_operands(op, made);
  append(op, made);
}

void CodeWriter::write(const Op& op, const AtomicLoad& load) {
  Instruction made = atomic(op, Step::atomic_load, load);
  made.x = in(op, 0, made.n);
  made.y = in(op, 1, made.n);
  append(op, made);
}

void CodeWriter::write(const Op& op, const AtomicPoll& poll) {
  Instruction made = atomic(op, Step::poll, poll);
  made.reached = IntPredicate::eq;
  made.x = in(op, 0, made.n);
  made.y = in(op, 1, made.n);
  made.z = op.operands.size() > 2 ? registers_.of(op.operands[2]) : 0;
  append(op, made);
}

// Where operands do not differ, all threads do the same: one lane stands for them.
void CodeWriter::write(const Op& op, const ThreadSignal& signal) {
  Instruction made = atomic(op, Step::thread_signal, signal);
  widen_in_branch(made);
  made.x = in(op, 0, made.n);
  made.y = in(op, 1, made.n);
  made.w = thread_mask_;
  append_by_thread(op, made);
}

void CodeWriter::write(const Op& op, const ThreadWait& wait) {
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

void CodeWriter::widen_in_branch(Instruction& made) const {
  if (thread_mask_ != 0) made.n = threads_;
}

void CodeWriter::append_by_thread(const Op& op, Instruction made) {
  if (thread_mask_ != 0) differs_[static_cast<std::size_t>(op.results.front().id)] = true;
  append(op, made);
}

}  // namespace tutti::kernels
