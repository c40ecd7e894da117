// The templates of the headers, in a user's file under the user's warnings.
#include <map>
#include <optional>
#include <tutti/dlpack.hpp>
#include <tutti/tutti.hpp>
using namespace tutti;

struct Model {
  Array weights;
  std::vector<Array> layers;
  std::map<std::string, Array> by_name;
  std::map<int, Array> by_number;
  std::optional<Array> bias;
};

Model trained(const Machine& machine, Model model, const std::string& file) {
  auto loss = [](const Model& m, Array x) {
    auto [sum, ignored] =
        scan([](Array carry, Array row) { return std::pair{carry + row, carry}; }, m.weights, x);
    Array size = cond(sum > 0.0f, [](Array a) { return a; }, [](Array a) { return -a; }, sum);
    return fori_loop(0, 3, [](Array, Array a) { return 0.5f * a; }, size);
  };
  auto step = [&](const Model& m, const Array& x) {
    auto [value, gradient] = value_and_grad(loss)(m, x);
    return std::tuple{value, tree_map([](Array p, Array g) { return p - 0.1f * g; }, m, gradient),
                      vmap(loss, {.in = {none, 0}})(m, x),
                      jvp([](Array a) { return exp(a); }, std::tuple{x}, std::tuple{x})};
  };
  auto compiled = machine.compile(step, model, model.weights);
  save_tree(file, model);
  return std::get<1>(compiled(load_tree(file, model), model.weights));
}
Array from_numpy(dlpack::Managed* managed) { return from_dlpack(managed); }
