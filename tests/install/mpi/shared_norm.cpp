// mpirun -n 2 shared_norm: two devices for each process
#include <cstdio>
#include <tutti/mpi/open_mpi.hpp>
#include <tutti/tutti.hpp>
using namespace tutti;

Array norm_of_all(const Array& x) { return sqrt(psum(reduce_sum(x * x), "i")); }
int main() {
  Machine machine = open_mpi(Mesh({{"i", 4}}));
  Array x = Tensor({4}, {2.f, 4.f, 5.f, 6.f});
  auto run = machine.compile(shard_map(norm_of_all, {.mesh = machine.mesh(), .in = P("i"), .out = P()}), x);
  Array result = run(x);
  if (machine.process() == 0)
    std::printf("the norm on %d processes is %g\n", machine.processes(), result.item());
}
