// SPDX-License-Identifier: MIT
#include "frontend/driver/source_fingerprint.h"

#include "frontend/driver/sha256.h"
#include "lang/source.h"

namespace pb {

std::string source_fingerprint(const SourceManager& sources, const Options& options, const std::string& main) {
  std::string all;
  for (std::uint32_t i = 0; i < sources.num_files(); ++i) all += sha256(sources.text(FileId{i})) + "\n";
  all += "--element=" + std::string(spell(options.element)) + "\n--fp=" + to_string(options.fp) + "\n";
  all += "--main=" + main + "\n";
  if (options.splits_products) all += "--split-products\n";
  return "sha256:" + sha256(all);
}

}  // namespace pb
