// SPDX-License-Identifier: MIT
// The inputs and outputs that a server keeps between requests. They are made once, outputs get their first contents
// back before runs, and all move to other memory if a configuration wants another kind of pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/formats/protocol.h"
#include "runtime/config/machine.h"
#include "runtime/main/engine/engine.h"
#include "runtime/main/inputs/given_values.h"

namespace pbrt {

class ServedProblem {
 public:
  /// Makes no inputs yet. `given` holds the values of --set. Keeps references to engine and transform. `has_contents`:
  /// else large generated inputs have no numbers, and nothing gets its first contents back. `memory`: what the machine
  /// has, in bytes.
  ServedProblem(Engine& engine, const TransformDesc& transform, GivenValues::Texts given, bool has_contents = true,
                double memory = memory_bytes())
      : engine_(engine),
        transform_(transform),
        given_(std::move(given)),
        has_contents_(has_contents),
        memory_bytes_(memory) {}

  /// Makes the inputs and outputs that a request asks for, or reads them. The former ones are gone, even after an
  /// error. The new ones lie in other memory, unless they are very large.
  ///
  /// Errors:  UserError, NoSuchSizes, and what a generator throws
  void make(const protocol::Request& request);

  /// Errors:  UserError if there are no inputs yet
  [[nodiscard]] Problem& problem();
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// Gives the outputs that `wishes` names the contents that they were made with. Outputs whose extents name
  /// configuration values follow the configuration of `wishes`.
  void restore(const RunWishes& wishes);

  /// Moves the matrices that are large enough for it to the kind of pages that a configuration wants. The others stay
  /// where they are, so that their places are the same under all configurations; so do inputs of which memory has no
  /// room for a second copy. Inputs keep their contents; outputs have none until restore() puts all of them back. The
  /// matrices on the other kind of pages are kept for the next change, because new memory may take longer than a run,
  /// unless they are very large.
  void use_large_pages(bool is_wanted);
  /// Whether some input or output is large enough for large pages.
  [[nodiscard]] bool has_large_matrices() const;
  /// Whether matrices were moved to pages that have not been used since. The next call returns false.
  [[nodiscard]] bool take_new_pages() { return std::exchange(are_pages_new_, false); }

 private:
  /// Forgets the problem, and returns it if it is small.
  [[nodiscard]] std::optional<Problem> forget();
  [[nodiscard]] bool has_room_for_copy(const AnyMatrix& input) const;
  [[nodiscard]] Problem read_files(const protocol::Request& request, const GivenValues& given);

  Engine& engine_;
  const TransformDesc& transform_;
  const GivenValues::Texts given_;
  const bool has_contents_;
  const double memory_bytes_;
  std::optional<Problem> problem_;
  std::vector<std::string> input_names_;  // for messages
  SizeWishes wishes_;
  Snapshot snapshot_;
  std::uint64_t seed_ = 0;
  bool large_pages_ = false;
  bool are_pages_new_ = false;
  std::vector<AnyMatrix> on_other_pages_;  // inputs, then outputs, for configurations that want the other kind
};

}  // namespace pbrt
