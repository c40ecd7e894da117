// SPDX-License-Identifier: Apache-2.0
// The options of the subcommands. Each subcommand has one function and one file; only main.cpp parses the
// command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/inside.hpp"

namespace tutti::cli {

struct RulesOptions {
  bool json = false;
};
/// Prints the op x rule matrix, with the reason of each refusal. Returns the exit status.
int rules(const RulesOptions& options);

struct ExplainOptions {
  std::string name;    // what users ask for: "psum", "Machine::place", "jnp.std", "T004"
  bool names = false;  // list all names instead; `name` is empty then
  bool json = false;
  std::string machine = "local";  // where the example runs: local, xla or xla:FILE
  std::string trace;              // file for the trace of each worker while the example runs; empty: none
  std::string page;               // file for the page of the example; empty: none
};
/// Explains one name. Of what is ours: the declarations from the headers, with options and their defaults. Of
/// an op also its effect, its operands and its result, from its rules and a run of its example. Of JAX's:
/// what docs/numpy.md and docs/from_jax.md say. Of an error: its section of docs/errors.md. Returns the exit
/// status.
/// Throws R002 for an empty name, for an unknown one, with similar names, for an unknown code, with the list,
/// or for an unknown machine; R001 for a trace that cannot be written; R004 for a plugin that cannot be used.
int explain(const ExplainOptions& options);

struct PlanArguments {
  std::string mesh, shape, from, to;  // "x=4,y=2", "4096x4096", "P(x, y)", "P(y, x)"
  std::string devices;                // of the mesh: "2,0,1,3"; empty: 0, 1, 2 and so on
  std::string to_mesh, to_devices;    // empty: as before
  std::string dtype = "f32", objective = "time", cap = "1";
  std::vector<std::string> links;  // "y=10"
  bool direct = false, whole_axes = false, why = false, json = false, run = false;
  std::string svg;   // file for a picture; empty: none
  std::string page;  // file for a page of the steps; empty: none
};
/// Prints the cheapest steps from one sharding to another. Returns the exit status.
/// Throws R002 for an invalid list of devices, shape, dtype, objective, cap or link; T014 for a mesh; T013
/// and T001 for a sharding, with a mark under the place; R001 for a picture that cannot be written; and the
/// errors of plan().
int plan(const PlanArguments& arguments);

struct KernelArguments {
  std::string kind;  // "all_gather"
  int world = 0, dim = 0;
  std::string concat;  // of all_to_all; empty: the same as dim
  std::string shape = "1024", dtype = "f32";
  std::string op, pairs;  // empty: sum, and the ring
  std::string variant;    // empty: the collective's first variant
  std::string encoding = "poll", target = "nvidia";
  int sm = 90;       // of PTX
  std::string emit;  // ttir, mlir, ptx, manifest, plan; empty: ttir, if nothing else is asked for
  bool check = false, run = false, why = false;
  std::string driver = "libcuda.so.1", nccl = "libnccl.so.2";  // of --run
  std::string svg;                                             // file for a picture; empty: none
};
/// Prints a collective kernel, checks it on a model of the GPUs, runs it, or tells why there is none. Returns
/// the exit status: 1 if the check found a fault, or the run a wrong result.
/// Throws R002 for an unknown word, T015 with the reason for a collective without a kernel, R001 for a
/// picture that cannot be written, R004 for --run without a GPU.
int kernel(const KernelArguments& arguments);

struct DevicesArguments {
  std::string plugin;  // file of a PJRT plugin; empty: from the environment
  bool json = false;
};
/// Lists the devices of a PJRT plugin, and the plugins that were found. Returns the exit status.
/// Throws R004 if there is no plugin, or it cannot be used.
int devices(const DevicesArguments& arguments);

struct MpiInfoArguments {
  std::string mesh, split;  // "data=4,model=2", "data=2"; empty: none
  bool json = false;
};
/// Tells about the processes that mpirun has started: versions, hosts, processors, links and traps; with a
/// mesh also the devices of each process. All processes call it, process 0 prints. Returns the exit status.
/// Throws R002 for a split without a mesh, R004 if the tool was built without MPI, R007 with MPI's own text.
/// On process 0 also T014 for a text that is no mesh, and the errors of open_mpi for this mesh and split.
int mpi_info(const MpiInfoArguments& arguments);

struct RunArguments {
  std::string file;  // of StableHLO; "-": the standard input
  std::vector<std::string> in, out, expect;
  bool random = false, zeros = false;
  std::uint64_t seed = 0;
  std::optional<double> rtol;  // none: 1e-5 for floats, 0 for others
  double atol = 0;
  int repeat = 1;
  std::string mesh;  // "x=4,y=2"; empty: that of the program
  std::string function = "main", machine = "local", trace, page;
  int platform_index = 0;
  int workers = 0;
  bool check_assumptions = false, check_nans = false, per_device = false, explain = false;
};
/// Runs a program of StableHLO. Returns the exit status: 5 if a result is not as expected.
/// Throws R001 for files, S001 for the text, S002 for operations that are not run here, T014 for meshes, T015
/// for arguments, R002 for words, and the errors of the program and the machine.
int run(const RunArguments& arguments);

struct CheckArguments {
  std::vector<std::string> files;
  bool json = false;
};
/// Prints everything that is wrong with programs of StableHLO. Returns the exit status: that of the first
/// error.
int check(const CheckArguments& arguments);

struct PrintArguments {
  std::string file;
  std::string form = "program", function = "main";
  bool locations = false;
};
/// Prints a program of StableHLO as our own, with states, or as StableHLO again. Returns the exit status.
int print(const PrintArguments& arguments);

}  // namespace tutti::cli
