#include <cstdio>
#include <tutti/tutti.hpp>
using namespace tutti;

// Each of four devices runs this on its block of x. psum tells all of them the norm of the whole x.
Array normalised(const Array& x) { return x / sqrt(psum(reduce_sum(x * x), "i")); }
int main() {
  Machine machine = open_local(Mesh({{"i", 4}}));
  Array x = Tensor({4}, {2.f, 4.f, 5.f, 6.f});
  auto run = machine.compile(shard_map(normalised, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")}), x);
  std::puts((to_string(run.program()) + to_string(run(x).tensor())).c_str());
}
