// SPDX-License-Identifier: Apache-2.0
// Reads a dataset of an HDF5 file straight into the blocks of an array, one hyperslab for each device. Scales
// its columns to mean 0 and deviation 1, and writes the result block by block into another file. The dataset
// is in memory once.
#include <fmt/core.h>
#include <hdf5.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/words/option_values.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/tensor/files/whole_file.hpp"
#include "tutti/tutti.hpp"
#include "tutti/types/block.hpp"

namespace {

using namespace tutti;

struct Options {
  std::string read, write = "scaled.h5", dataset = "measurements", mesh = "rows=4,columns=2";
  int workers = 0;
};

// --- HDF5 --------------------------------------------------------------------------------------------------

// The innermost message of HDF5's error stack: it says most.
std::string reason() {
  std::string text = "HDF5 gives no reason";
  const auto take = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    if (error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take, &text);
  return text;
}

// Throws R001 for a negative result, by which all functions of HDF5 report failure.
template <class Result>
Result done(Result result, const std::string& undone) {
  if (result < 0) throw Error(Code::file, Where{}, undone + ": " + reason());
  return result;
}
constexpr const char* unread = "cannot be read";
constexpr const char* unwritten = "cannot be written";

// An open object of HDF5, and the function that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  // Closes a file now, because that writes and may fail.
  void close(const char* undone) { done(close_(std::exchange(id_, -1)), undone); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

Handle space_of(const Shape& shape) {
  std::vector<hsize_t> sizes;
  for (int dim = 0; dim < shape.rank(); ++dim) sizes.push_back(static_cast<hsize_t>(shape[dim]));
  return {done(H5Screate_simple(shape.rank(), sizes.data(), nullptr), "is too large"), H5Sclose};
}

// Selects the hyperslab of a dataset that a device holds.
void select(hid_t space, const Box& box, const char* undone) {
  std::vector<hsize_t> start, count;
  for (std::size_t dim = 0; dim < box.begin.size(); ++dim) {
    start.push_back(static_cast<hsize_t>(box.begin[dim]));
    count.push_back(static_cast<hsize_t>(box.end[dim] - box.begin[dim]));
  }
  done(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), undone);
}

Handle made_dataset(hid_t file, const std::string& name, const Shape& shape) {
  const Handle space = space_of(shape);
  return {done(H5Dcreate2(file, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
               unwritten),
          H5Dclose};
}

// Writes the whole file or none. The lock of write_whole does not go together with one of HDF5.
template <class Write>
void write_file(const std::string& path, const Write& write) {
  write_whole(path, ".h5", Where{}, [&](std::FILE* to) {
    const Handle access(done(H5Pcreate(H5P_FILE_ACCESS), unwritten), H5Pclose);
    done(H5Pset_file_locking(access, 0, 1), unwritten);
    const std::string opened = fmt::format("/proc/self/fd/{}", ::fileno(to));
    Handle file(done(H5Fcreate(opened.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), unwritten), H5Fclose);
    write(file);
    file.close(unwritten);
  });
}

// --- Reading -----------------------------------------------------------------------------------------------

Shape shape_of(hid_t dataset, const std::string& name) {
  const Handle type(done(H5Dget_type(dataset), unread), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  ops::require(kind == H5T_FLOAT || kind == H5T_INTEGER, Code::file,
               "has no numbers in its dataset '{}'; name another one by --dataset", name);
  const Handle space(done(H5Dget_space(dataset), unread), H5Sclose);
  const int rank = done(H5Sget_simple_extent_ndims(space), unread);
  ops::require(rank == 2, Code::file, "has {} in its dataset '{}'; rows and columns are needed",
               counted(rank, "dim"), name);
  std::array<hsize_t, 2> sizes{};
  done(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), unread);
  ops::require(sizes[0] > 0 && sizes[1] > 0, Code::file, "has nothing in its dataset '{}'", name);
  return {static_cast<std::int64_t>(sizes[0]), static_cast<std::int64_t>(sizes[1])};
}

const P by_blocks("rows", "columns");

// HDF5 fills the memory of each device. It converts other numbers to doubles on the way.
void read_blocks(const Machine& machine, hid_t dataset, EmptyArray& made) {
  const Sharding sharding = by_blocks.on(machine.mesh(), abstract(made.shape(), made.dtype()).type());
  const Handle there(done(H5Dget_space(dataset), unread), H5Sclose), here = space_of(made.shard_shape());
  for (int device = 0; device < machine.mesh().devices(); ++device) {
    select(there, block(device, sharding, made.shape()), unread);
    double* const elements = made.shard_span<double>(device).data();
    done(H5Dread(dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, elements), unread);
  }
}

Array read(const Machine& machine, const std::string& path, const std::string& name) {
  std::optional<Handle> file, dataset;
  Shape shape;
  with_name(path, Where{}, too_large_to_read, [&] {
    open_to_read(path, ".h5");  // its errors are shorter than those of HDF5
    file.emplace(done(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), unread), H5Fclose);
    dataset.emplace(done(H5Dopen2(*file, name.c_str(), H5P_DEFAULT), "has no dataset '" + name + "'"),
                    H5Dclose);
    shape = shape_of(*dataset, name);
  });
  EmptyArray made = machine.empty(shape, DType::f64, by_blocks, Where{});
  with_name(path, Where{}, too_large_to_read, [&] { read_blocks(machine, *dataset, made); });
  return std::move(made).array();
}

// --- The program -------------------------------------------------------------------------------------------

struct Scaled {
  Array values, means, deviations;
};

// On one device: x: [rows of it, columns of it].
Scaled scale(const Array& x) {
  const double rows = static_cast<double>(x.dim(0)) * axis_size("rows");
  const Array means = psum(reduce_sum(x, 0), "rows") / rows;
  const Array apart = x - means;
  const Array deviations = sqrt(psum(reduce_sum(square(apart), 0), "rows") / rows);
  return {apart / where(deviations > 0, deviations, 1), means, deviations};  // equal numbers give zeros
}

// --- Writing -----------------------------------------------------------------------------------------------

// Devices that hold the same block as an earlier one write nothing.
void write_blocks(const Machine& machine, hid_t file, const std::string& name, const Array& array) {
  const Handle dataset = made_dataset(file, name, array.shape()), there = space_of(array.shape());
  std::vector<Box> written;
  for (int device = 0; device < machine.mesh().devices(); ++device) {
    const Box box = block(device, *array.sharding(), array.shape());
    if (std::ranges::find(written, box) != written.end()) continue;
    written.push_back(box);
    const Tensor part = array.shard(device);
    select(there, box, unwritten);
    done(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, space_of(part.shape()), there, H5P_DEFAULT,
                  part.as<double>().data()),
         unwritten);
  }
}

// 1200 measurements of six quantities of different size.
void write_measurements(const std::string& path, const std::string& name) {
  constexpr int rows = 1200, columns = 6;
  std::vector<double> values;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      values.push_back(10 * column + (column + 1) * std::sin(0.37 * row * (column + 1)));
  write_file(path, [&](hid_t file) {
    const Handle dataset = made_dataset(file, name, {rows, columns});
    done(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), unwritten);
  });
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("Scales the columns of a dataset of HDF5 to mean 0 and deviation 1, on virtual devices.");
  app.add_option("FILE", options.read, "file to read; without it: measurements.h5, which is written first");
  app.add_option("--dataset", options.dataset, "dataset of two dims in FILE")->capture_default_str();
  app.add_option("--write", options.write, "file to write")->capture_default_str();
  app.add_option("--mesh", options.mesh, "devices by axis; needs the axes rows and columns")
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "threads that run the devices; 0: two where it may use two processors")
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  try {
    app.parse(argc, argv);
    cli::require_option_values(app);
    return options;
  } catch (const CLI::ParseError& error) {
    ops::require(error.get_exit_code() == 0, Code::usage, "{}; see hdf5 --help", error.what());
    app.exit(error);  // prints the help
    return std::nullopt;
  }
}

int run(Options options) {
  H5dont_atexit();  // at the end it would write once more what could not be written, and crash
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // our errors say what HDF5's do
  const Machine machine = open_local(parse_mesh(options.mesh), {.workers = options.workers}, Where{});
  require_writable(options.write, ".h5", SpecialFile::refused, Where{});
  if (options.read.empty()) {
    options.read = "measurements.h5";
    write_measurements(options.read, options.dataset);
  }
  const Array data = read(machine, options.read, options.dataset);
  for (const char* result : {"means", "deviations"})
    ops::require(options.dataset != result, Code::usage,
                 "the dataset '{}' has the name of a result in the file that is written; rename it",
                 options.dataset);
  const auto step = machine.compile(shard_map(scale, {.mesh = machine.mesh(),
                                                      .in = by_blocks,
                                                      .out = {by_blocks, P("columns"), P("columns")}}),
                                    data);
  const Scaled scaled = step(data);
  write_file(options.write, [&](hid_t file) {
    write_blocks(machine, file, options.dataset, scaled.values);
    write_blocks(machine, file, "means", scaled.means);
    write_blocks(machine, file, "deviations", scaled.deviations);
  });
  fmt::print("{}: {}\nmeans: {}\ndeviations: {}\n", options.read, to_string(data.type()),
             to_string(scaled.means), to_string(scaled.deviations));
  const std::string plan = step.explain();
  const std::size_t copies = std::min(plan.find("copied into place"), plan.size());
  fmt::print("{}\nwritten: {}\n", plan.substr(copies, plan.find('\n', copies) - copies), options.write);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("hdf5", [&] {
    const std::optional<Options> options = parse(argc, argv);
    return options ? run(*options) : 0;
  });
}
