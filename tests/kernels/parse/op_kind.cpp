// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tests/kernels/parse/op_text.hpp"
#include "tutti/kernels/ir/asm_text.hpp"
#include "tutti/kernels/ir/text_parts.hpp"

namespace tutti::kernels {
namespace {

/// Reads one op's attributes, and its stated result.
class OpKindReader {
 public:
  OpKindReader(const Lexer& in, OpText& op) : in_(in), op_(op) {}

  OpKind program_id() const {
    only(0, "axis", "the grid has one axis, x");
    return GetProgramId{};
  }
  OpKind num_programs() const {
    only(0, "axis", "the grid has one axis, x");
    return GetNumPrograms{};
  }
  OpKind make_range() const { return MakeRange{integer("start"), integer("end")}; }
  OpKind splat() const { return Splat{result().dims}; }
  OpKind expand_dims() const { return ExpandDims{integer("axis")}; }
  OpKind broadcast() const { return Broadcast{result().dims}; }
  OpKind reshape() const { return Reshape{result().dims}; }
  OpKind add_ptr() const { return AddPtr{}; }
  OpKind int_to_ptr() const {
    return IntToPtr{result().scalar, divisibility_in(in_, op_.attributes, op_.at)};
  }
  OpKind ptr_to_int() const { return PtrToInt{}; }
  OpKind bitcast() const { return Bitcast{result().scalar}; }

  OpKind load() const {
    const Load load{memory(), cache()};
    if (const auto sizes = taken<std::vector<std::int64_t>>(in_, op_.attributes, "operandSegmentSizes")) {
      const std::size_t count = op_.operands.size();
      const std::vector<std::int64_t> expected{1, count > 1 ? 1 : 0, count > 2 ? 1 : 0};
      if (*sizes != expected) refuse("operandSegmentSizes must be those of a pointer, a mask, another value");
    }
    return load;
  }
  OpKind store() const { return Store{memory(), cache()}; }
  OpKind atomic_rmw() const {
    return AtomicRmw{numbered("atomic_rmw_op", RmwOp::bit_and, RmwOp::exch), order(), scope()};
  }
  OpKind atomic_cas() const { return AtomicCas{order(), scope()}; }
  OpKind atomic_store() const { return AtomicStore{order(), scope()}; }
  OpKind atomic_load() const { return AtomicLoad{order(), scope()}; }
  OpKind atomic_poll() const { return AtomicPoll{order(), scope()}; }

  /// Returns the ThreadId, ThreadSignal or ThreadWait whose assembly this is.
  OpKind assembly() const {
    only(1, "packed_element", "an op of threads has one element");
    const AsmText found{text("asm_string"), text("constraints"), flag("pure")};
    const auto is = [&](const AsmText& ours) {
      return ours.text == found.text && ours.constraints == found.constraints && ours.pure == found.pure;
    };
    if (is(asm_text(ThreadId{}))) return ThreadId{};
    for (const Order order : {Order::relaxed, Order::acquire, Order::release, Order::acq_rel}) {
      for (const Scope scope : {Scope::gpu, Scope::cta, Scope::sys}) {
        if (is(asm_text(ThreadSignal{order, scope}))) return ThreadSignal{order, scope};
        for (const IntPredicate reached : {IntPredicate::sge, IntPredicate::eq})
          if (is(asm_text(ThreadWait{order, scope, reached}))) return ThreadWait{order, scope, reached};
      }
    }
    constexpr std::size_t most = 40;
    refuse(fmt::format("the assembly \"{}{}\" is not that of a thread's id, signal or wait",
                       found.text.substr(0, std::min(most, found.text.find('\n'))),
                       found.text.size() > most ? ".." : ""));
  }
  OpKind reduce() const { return Reduce{integer("axis")}; }
  OpKind reduce_return() const { return ReduceReturn{}; }
  OpKind barrier() const {
    only(every_address_space, "addrSpace", "a block barrier is of all address spaces");
    return BlockBarrier{};
  }

  OpKind constant() const {
    if (const auto found = std::ranges::find(op_.attributes.all, "value", &NamedAttribute::name);
        found != op_.attributes.all.end() && std::holds_alternative<bool>(found->attribute.value))
      return Constant{value_of(Scalar::i1), std::int64_t{flag("value")}};
    auto value = taken<Constant>(in_, op_.attributes, "value");
    if (!value) missing("value");
    return *value;
  }
  OpKind compare_ints() const {
    return CompareInts{numbered("predicate", IntPredicate::eq, IntPredicate::uge)};
  }
  OpKind compare_floats() const {
    return CompareFloats{numbered("predicate", FloatPredicate::oeq, FloatPredicate::uno)};
  }
  OpKind select() const { return Select{}; }
  OpKind for_loop() const { return For{}; }
  OpKind branch() const { return If{op_.result_types}; }
  OpKind while_loop() const { return While{}; }
  OpKind yield() const { return Yield{}; }
  OpKind condition() const { return Condition{}; }
  OpKind end() const { return Return{}; }

  OpKind convert(ConvertOp op) const { return Convert{op, result().scalar}; }

  [[noreturn]] void refuse(const std::string& why) const { in_.refuse_at(op_.at, op_.name + ": " + why); }

 private:
  [[noreturn]] void missing(std::string_view name) const {
    refuse(fmt::format("the attribute '{}' is missing", name));
  }
  int integer(std::string_view name) const {
    const auto constant = taken<Constant>(in_, op_.attributes, name);
    if (!constant) missing(name);
    const auto* value = std::get_if<std::int64_t>(&constant->value);
    if (!value || *value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max())
      refuse(fmt::format("the attribute '{}' must be an integer of 32 bits", name));
    return static_cast<int>(*value);
  }
  std::string text(std::string_view name) const {
    auto value = taken<std::string>(in_, op_.attributes, name);
    if (!value) missing(name);
    return std::move(*value);
  }
  bool flag(std::string_view name) const {
    const auto value = taken<bool>(in_, op_.attributes, name);
    if (!value) missing(name);
    return *value;
  }
  void only(int expected, std::string_view name, std::string_view why) const {
    if (const int found = integer(name); found != expected)
      refuse(fmt::format("{} is {}, expected {}: {}", name, found, expected, why));
  }
  template <class Enum>
  Enum numbered(std::string_view name, Enum first, Enum last) const {
    const int value = integer(name);
    if (value < static_cast<int>(first) || value > static_cast<int>(last))
      refuse(fmt::format("{} is {}, expected {} to {}", name, value, static_cast<int>(first),
                         static_cast<int>(last)));
    return static_cast<Enum>(value);
  }
  Order order() const { return numbered("sem", Order::relaxed, Order::acq_rel); }
  Scope scope() const { return numbered("scope", Scope::gpu, Scope::sys); }
  Memory memory() const {
    return taken<std::monostate>(in_, op_.attributes, own_memory) ? Memory::own : Memory::peer;
  }
  Cache cache() const { return taken<Cache>(in_, op_.attributes, "cachePolicy").value_or(Cache::none); }
  const ValueType& result() const {
    if (op_.result_types.size() != 1) refuse("one result is expected");
    return op_.result_types.front();
  }

  const Lexer& in_;
  OpText& op_;
};

/// One row per kind of op: `make` reads the attributes. kind_of() finds Arith and Convert without a row.
struct Row {
  std::string_view name;
  OpKind (OpKindReader::*make)() const;
};
const Row rows[] = {
    {op_name(GetProgramId{}), &OpKindReader::program_id},
    {op_name(GetNumPrograms{}), &OpKindReader::num_programs},
    {op_name(MakeRange{}), &OpKindReader::make_range},
    {op_name(Splat{}), &OpKindReader::splat},
    {op_name(ExpandDims{}), &OpKindReader::expand_dims},
    {op_name(Broadcast{}), &OpKindReader::broadcast},
    {op_name(Reshape{}), &OpKindReader::reshape},
    {op_name(AddPtr{}), &OpKindReader::add_ptr},
    {op_name(IntToPtr{}), &OpKindReader::int_to_ptr},
    {op_name(PtrToInt{}), &OpKindReader::ptr_to_int},
    {op_name(Bitcast{}), &OpKindReader::bitcast},
    {op_name(Load{}), &OpKindReader::load},
    {op_name(Store{}), &OpKindReader::store},
    {op_name(AtomicRmw{}), &OpKindReader::atomic_rmw},
    {op_name(AtomicCas{}), &OpKindReader::atomic_cas},
    {op_name(AtomicStore{}), &OpKindReader::atomic_store},
    {op_name(AtomicLoad{}), &OpKindReader::atomic_load},
    {op_name(AtomicPoll{}), &OpKindReader::atomic_poll},
    {op_name(ThreadId{}), &OpKindReader::assembly},
    {op_name(Reduce{}), &OpKindReader::reduce},
    {op_name(ReduceReturn{}), &OpKindReader::reduce_return},
    {op_name(BlockBarrier{}), &OpKindReader::barrier},
    {op_name(Constant{}), &OpKindReader::constant},
    {op_name(CompareInts{}), &OpKindReader::compare_ints},
    {op_name(CompareFloats{}), &OpKindReader::compare_floats},
    {op_name(Select{}), &OpKindReader::select},
    {op_name(For{}), &OpKindReader::for_loop},
    {op_name(If{}), &OpKindReader::branch},
    {op_name(While{}), &OpKindReader::while_loop},
    {op_name(Yield{}), &OpKindReader::yield},
    {op_name(Condition{}), &OpKindReader::condition},
    {op_name(Return{}), &OpKindReader::end},
};

}  // namespace

std::optional<int> divisibility_in(const Lexer& in, Attributes& attributes, std::size_t at) {
  const auto hint = taken<Constant>(in, attributes, "tt.divisibility");
  if (!hint) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&hint->value);
  if (!value || *value < 1 || *value > std::numeric_limits<int>::max())
    in.refuse_at(at, "tt.divisibility must be a positive integer of 32 bits");
  return static_cast<int>(*value);
}

OpKind kind_of(const Lexer& in, OpText& op) {
  const OpKindReader kinds(in, op);
  for (const Row& row : rows)
    if (row.name == op.name) return (kinds.*row.make)();
  for (int i = 0; i <= static_cast<int>(ArithOp::minimumf); ++i)
    if (const Arith arith{static_cast<ArithOp>(i)}; op_name(arith) == op.name) return arith;
  for (int i = 0; i <= static_cast<int>(ConvertOp::truncf); ++i)
    if (op_name(Convert{static_cast<ConvertOp>(i)}) == op.name)
      return kinds.convert(static_cast<ConvertOp>(i));
  kinds.refuse("kernels have no such op");
}

}  // namespace tutti::kernels
