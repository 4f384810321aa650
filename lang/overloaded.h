// SPDX-License-Identifier: MIT
// One visitor from several lambdas, for std::visit over the closed families of the trees.
#pragma once

namespace pb {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace pb
