// A user's program of collective kernels: prints how one is launched.
#include <cstdio>
#include <tutti/kernels/emit/emit.hpp>
using namespace tutti;

int main() {
  kernels::CollectiveSpec spec{.kind = kernels::CollectiveKind::all_gather,
                               .dtype = DType::f32,
                               .shape = {8},
                               .world = 2};
  spec.groups = {{0, 1}};
  const kernels::Manifest manifest = manifest_of(spec, kernels::Target::nvidia);
  for (const kernels::Function& kernel : emit(manifest)) std::printf("%s\n", kernel.name.c_str());
}
