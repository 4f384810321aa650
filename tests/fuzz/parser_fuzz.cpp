// SPDX-License-Identifier: MIT
// Any text through the front end up to the types: it ends with a Program or with diagnostics that can be rendered.
#include <cstddef>
#include <cstdint>
#include <string>

#include "frontend/check_types/check_types.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"
#include "lang/check.h"

namespace pb {
namespace {

/// Runs the passes in the driver's order; stops where the driver would.
void compile(const TokenStream& tokens, SourceManager& sources, Diagnostics& diags) {
  const Ast ast = parse(tokens, sources, diags);
  (void)to_string(ast);
  if (diags.has_errors()) return;
  auto program = resolve(ast, sources, {}, diags);
  PB_CHECK(program.has_value() || diags.has_errors(), "a pass that fails says why");
  if (!program || !check_types(*program, diags)) return;
  (void)to_string(*program);
}

}  // namespace
}  // namespace pb

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pb::SourceManager sources;
  pb::Diagnostics diags;
  const pb::FileId file = sources.add("fuzz.pbcc", std::string(reinterpret_cast<const char*>(data), size));
  pb::compile(pb::preprocess(file, sources, diags), sources, diags);
  (void)render(diags, sources);
  return 0;
}
