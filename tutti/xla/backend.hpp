// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tutti/run/backend.hpp"
#include "tutti/xla/open_xla.hpp"
#include "tutti/xla/pjrt/client.hpp"
#include "tutti/xla/trace.hpp"
#include "tutti/xla/uploads.hpp"

namespace tutti::xla {

/// Drives devices of a client as a mesh. Position i of the mesh is replica i of its programs.
class XlaBackend : public Backend {
 public:
  /// `ids`: per position of the mesh, the plugin's number of its device. Throws R004 for an unknown number.
  XlaBackend(const Mesh& mesh, std::shared_ptr<const Client> client, const std::vector<int>& ids,
             const XlaOptions& options);

  std::unique_ptr<Runnable> compile(const Program& program, const CompileRequest& request) override;
  std::shared_ptr<const GlobalArray> place(const std::shared_ptr<const GlobalArray>& array,
                                           const Sharding& sharding, const Where& where) override;

  int process() const override { return options_.process; }
  int processes() const override { return options_.processes; }
  bool drives(int position) const override;
  std::shared_ptr<const GlobalArray> assemble(Type type, const Sharding& sharding, const Tensors& parts,
                                              const Where& where) override;
  std::string description() const override;

  const std::shared_ptr<const Client>& client() const { return client_; }
  /// The devices at the positions of this machine's mesh.
  const std::shared_ptr<const DeviceList>& devices() const { return devices_; }
  const XlaOptions& options() const { return options_; }
  const std::shared_ptr<Trace>& trace() const { return trace_; }
  std::int64_t events_left_out() const override { return trace_->events_left_out(); }
  std::string trace_failure() const override { return trace_->failure(); }

  /// The lock to hold while arguments are uploaded and a program is launched. Calls on one machine run one
  /// after another.
  std::mutex& turn() { return turn_; }
  /// Callers hold turn().
  Uploads& uploads() { return uploads_; }
  /// Copies an array to the devices. If their memory is full, frees the copies in uploads() and tries again.
  /// Callers hold turn(). `name`: the array, in the user's words. Throws R003.
  Buffers upload(const GlobalArray& array, const Sharding& sharding, const std::string& name,
                 const Where& where);

 private:
  /// Frees copies of arrays that were kept for later calls if the devices' memory is full, and tries again.
  Buffers recorded_upload(const std::string& name, std::size_t bytes, const Where& where,
                          const std::function<Buffers()>& work);
  std::shared_ptr<const DeviceList> devices_of(const Mesh& mesh) const;

  std::shared_ptr<const Client> client_;
  std::shared_ptr<const DeviceList> devices_;
  XlaOptions options_;
  std::shared_ptr<Trace> trace_;  // shared by arrays, which may outlive the machine
  std::map<int, int> id_of_;      // the plugin's number of a device of the mesh
  Uploads uploads_;
  std::mutex turn_;
};

}  // namespace tutti::xla
