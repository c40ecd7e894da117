// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tutti {

/// The ids of a list's elements, in order: `for (BufferId b : buffers.ids())`.
template <class Id>
class Ids {
 public:
  class Iterator {
   public:
    explicit Iterator(std::size_t at) : at_(at) {}
    Id operator*() const { return static_cast<Id>(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    std::size_t at_;
  };
  explicit Ids(std::size_t count) : count_(count) {}
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(count_); }

 private:
  std::size_t count_;
};

/// A list whose elements have names of a type of their own: `enum class BufferId : int {}`. An index into one
/// list is no index into another, and needs no cast.
template <class Id, class T>
class Indexed {
 public:
  Indexed() = default;
  explicit Indexed(std::size_t count, const T& value = T()) : list_(count, value) {}

  decltype(auto) operator[](Id id) { return list_[static_cast<std::size_t>(id)]; }
  decltype(auto) operator[](Id id) const { return list_[static_cast<std::size_t>(id)]; }
  /// Returns the id of the new element.
  Id add(T element) {
    list_.push_back(std::move(element));
    return static_cast<Id>(list_.size() - 1);
  }
  void reserve(std::size_t count) { list_.reserve(count); }
  void assign(std::size_t count, const T& value) { list_.assign(count, value); }

  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  Ids<Id> ids() const { return Ids<Id>(list_.size()); }
  auto begin() { return list_.begin(); }
  auto end() { return list_.end(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<T> list_;
};

}  // namespace tutti
