// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// One callable of several, for std::visit: `std::visit(Overloaded{[](A) { .. }, [](B) { .. }}, variant)`.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace tutti
