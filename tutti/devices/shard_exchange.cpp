// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/shard_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "tutti/devices/shards.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

/// Elements that a process needs: those of a box of one of its shards, which lie in one block of the source.
struct Piece {
  int target;  // a device that holds the shard
  Box box;
  std::vector<int> sources;  // devices that hold the elements: one, or one per term
};

class Exchange {
 public:
  Exchange(const GlobalArray& array, const Sharding& sharding)
      : array_(array),
        drivers_(array.drivers()),
        element_bytes_(bytes_per_element(array.type().dtype())),
        source_(array.type(), *array.sharding(), drivers_.get()),
        target_(array.type(), sharding, drivers_.get()) {
    const int processes = 1 + *std::ranges::max_element(drivers_->process);
    targets_.resize(static_cast<std::size_t>(processes));
    std::set<std::pair<int, int>> seen;
    for (int device = 0; device < target_.devices(); ++device)
      if (seen.emplace(target_.process(device), target_.shard(device)).second)
        targets_[static_cast<std::size_t>(target_.process(device))].push_back(device);
    holders_.resize(static_cast<std::size_t>(source_.count()));
    for (int device = 0; device < source_.devices(); ++device) {
      std::vector<int>& of_shard = holders_[static_cast<std::size_t>(source_.shard(device))];
      const int process = source_.process(device);
      const auto at = std::ranges::lower_bound(of_shard, process);
      if (at == of_shard.end() || *at != process) of_shard.insert(at, process);
    }
  }

  void run(Transport& transport, std::byte* to, std::size_t shard_stride) const {
    std::vector<std::vector<std::byte>> outgoing(targets_.size()), incoming(targets_.size());
    for (int process = 0; process < std::ssize(targets_); ++process)
      if (process != drivers_->self) pack(process, outgoing[static_cast<std::size_t>(process)]);
    for_each_piece(drivers_->self, [&](const Piece& piece) {
      for (int device : piece.sources)
        if (const int sender = sender_of(device, drivers_->self); sender != drivers_->self) {
          std::vector<std::byte>& message = incoming[static_cast<std::size_t>(sender)];
          message.resize(message.size() + bytes_of(piece));
        }
    });
    clear(to, shard_stride);
    const Transport::Ticket ticket = transport.post(parts_of(outgoing), parts_of(incoming), "place");
    transport.finish(ticket);
    unpack(incoming, to, shard_stride);
  }

 private:
  /// The pieces that a process needs, in an order that all processes know.
  template <class Visit>
  void for_each_piece(int process, const Visit& visit) const {
    for (int target : targets_[static_cast<std::size_t>(process)]) {
      if (target_.term(target) != 0) continue;  // a term of zeros
      const Box wanted = target_.box(target);
      source_.for_each_holder(wanted, [&](int device) {
        Box box = intersection(source_.box(device), wanted);
        if (box.elements() > 0) visit(Piece{target, std::move(box), source_.terms(device)});
      });
    }
  }

  /// Who hands the shard of `device` to `receiver`: itself if it has it, else others by turns.
  int sender_of(int device, int receiver) const {
    const std::vector<int>& holders = holders_[static_cast<std::size_t>(source_.shard(device))];
    if (std::ranges::binary_search(holders, receiver)) return receiver;
    return holders[static_cast<std::size_t>(receiver) % holders.size()];
  }

  std::size_t bytes_of(const Piece& piece) const {
    return static_cast<std::size_t>(piece.box.elements()) * element_bytes_;
  }

  /// Copies elements of an own shard to `to`, densely.
  void take(std::byte* to, const Piece& piece, int device) const {
    const std::byte* shard = array_.buffer().base.get() +
                             static_cast<std::size_t>(source_.slot(device)) * array_.buffer().shard_stride;
    copy_box(to, part_of(piece.box), shard, source_.part(device), piece.box, element_bytes_);
  }

  void pack(int receiver, std::vector<std::byte>& message) const {
    for_each_piece(receiver, [&](const Piece& piece) {
      for (int device : piece.sources) {
        if (sender_of(device, receiver) != drivers_->self) continue;
        message.resize(message.size() + bytes_of(piece));
        take(message.data() + (message.size() - bytes_of(piece)), piece, device);
      }
    });
  }

  static std::vector<Transport::Part> parts_of(std::vector<std::vector<std::byte>>& messages) {
    std::vector<Transport::Part> parts;
    for (std::size_t process = 0; process < messages.size(); ++process)
      if (!messages[process].empty())
        parts.push_back({static_cast<int>(process), messages[process].data(), messages[process].size()});
    return parts;
  }

  /// Terms of zeros, and padding.
  void clear(std::byte* to, std::size_t shard_stride) const {
    const std::size_t slots = target_.holders().size();
    for (std::size_t slot = 0; slot < slots; ++slot)
      std::memset(to + slot * shard_stride, 0, target_.local().bytes());
  }

  void unpack(const std::vector<std::vector<std::byte>>& incoming, std::byte* to,
              std::size_t shard_stride) const {
    std::vector<std::size_t> read(incoming.size());  // bytes, per process
    for_each_piece(drivers_->self, [&](const Piece& piece) {
      std::vector<std::vector<std::byte>> own;
      std::vector<const std::byte*> terms;
      own.reserve(piece.sources.size());
      for (int device : piece.sources) {
        const auto sender = static_cast<std::size_t>(sender_of(device, drivers_->self));
        if (static_cast<int>(sender) == drivers_->self) {
          own.emplace_back(bytes_of(piece));
          take(own.back().data(), piece, device);
          terms.push_back(own.back().data());
        } else {
          terms.push_back(incoming[sender].data() +
                          std::exchange(read[sender], read[sender] + bytes_of(piece)));
        }
      }
      std::vector<std::byte> sum;
      const std::byte* elements = terms.front();
      if (terms.size() > 1) {
        sum.resize(bytes_of(piece));
        fold_kernel(ReduceKind::sum, array_.type().dtype())(sum.data(), terms.data(),
                                                            static_cast<int>(terms.size()),
                                                            piece.box.elements(), Load::plain, Store::plain);
        elements = sum.data();
      }
      std::byte* shard = to + static_cast<std::size_t>(target_.slot(piece.target)) * shard_stride;
      copy_box(shard, target_.part(piece.target), elements, part_of(piece.box), piece.box, element_bytes_);
    });
  }

  const GlobalArray& array_;
  std::shared_ptr<const Drivers> drivers_;
  std::size_t element_bytes_;
  Shards source_, target_;
  std::vector<std::vector<int>> targets_;  // per process: a device for each shard that it needs
  std::vector<std::vector<int>> holders_;  // per shard of the source: its processes, by number
};

}  // namespace

void exchange_shards(const GlobalArray& array, const Sharding& sharding, Transport& transport, std::byte* to,
                     std::size_t shard_stride) {
  Exchange(array, sharding).run(transport, to, shard_stride);
}

}  // namespace tutti
