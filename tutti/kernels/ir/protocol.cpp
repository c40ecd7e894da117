// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/inside.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/ir/verify.hpp"

namespace tutti::kernels {
namespace {

struct Role {
  bool accesses = false, signals = false, waits = false, is_barrier = false;
};

Role of_order(Order order) {
  return {.signals = order == Order::release || order == Order::acq_rel,
          .waits = order == Order::acquire || order == Order::acq_rel};
}

Role role_of(const Op& op) {
  return std::visit(Overloaded{
                        [](const Load& load) { return Role{.accesses = load.memory == Memory::peer}; },
                        [](const Store& store) { return Role{.accesses = store.memory == Memory::peer}; },
                        [](const AtomicRmw& atomic) { return of_order(atomic.order); },
                        [](const AtomicCas& atomic) { return of_order(atomic.order); },
                        [](const AtomicStore& atomic) { return of_order(atomic.order); },
                        [](const AtomicLoad& atomic) { return of_order(atomic.order); },
                        [](const AtomicPoll& atomic) { return of_order(atomic.order); },
                        [](const ThreadSignal& signal) { return of_order(signal.order); },
                        [](const ThreadWait& wait) { return of_order(wait.order); },
                        [](const BlockBarrier&) { return Role{.is_barrier = true}; },
                        [](const auto&) { return Role{}; },
                    },
                    op.kind);
}

/// An access and a wait that some path from the last block barrier to this op contains; null if no path does.
struct Open {
  const Op* access = nullptr;
  const Op* wait = nullptr;
};

Open either(const Open& a, const Open& b) {
  return {a.access ? a.access : b.access, a.wait ? a.wait : b.wait};
}

class Protocol {
 public:
  explicit Protocol(const Function& function) : function_(function) {}

  Open after(const Region& region, Open open) const {
    for (const Op& op : region.ops) open = after(op, open);
    return open;
  }

 private:
  Open after(const Op& op, Open open) const {
    if (std::holds_alternative<If>(op.kind))
      return either(after(op.regions[0], open), after(op.regions[1], open));
    if (std::holds_alternative<For>(op.kind)) return after_loop(op.regions[0], open);
    if (std::holds_alternative<While>(op.kind)) return after_while(op, open);
    const Role role = role_of(op);
    if (role.is_barrier) return {};
    if (role.signals && open.access)
      fail(Code::internal, "{} signals after {} without a block barrier between them", label(function_, op),
           label(function_, *open.access));
    if (role.accesses && open.wait)
      fail(Code::internal, "{} follows the wait {} without a block barrier between them",
           label(function_, op), label(function_, *open.wait));
    if (role.accesses) open.access = &op;
    if (role.waits) open.wait = &op;
    return open;
  }

  // The second round starts with what the first left open. Two rounds suffice: each round adds the same
  // access and wait, whatever was open before it.
  Open after_loop(const Region& body, const Open& before) const {
    const Open once = either(before, after(body, before));
    return either(once, after(body, once));
  }

  Open after_while(const Op& op, const Open& before) const {
    const Open tested = after(op.regions[0], before);
    const Open again = either(before, after(op.regions[1], tested));
    const Open tested_again = either(tested, after(op.regions[0], again));
    return either(tested_again, after(op.regions[0], after(op.regions[1], tested_again)));
  }

  const Function& function_;
};

}  // namespace

void check_protocol(const Function& function) { Protocol(function).after(function.body, {}); }

}  // namespace tutti::kernels
