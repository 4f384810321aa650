// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/row_block_code.h"

#include <string>
#include <vector>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"

namespace pb {

void emit_row_block_test(Writer& out, const RuleCode& code, const RowBlocks& blocks) {
  std::vector<std::string> args{to_cpp(blocks.size_rule)};
  for (const LineRequest& line : blocks.lines)
    if (line.is_output) args.push_back(code.matrix(line.matrix).name);
  out.line("const bool pb_has_blocks = pbrt::has_row_blocks(" + joined(args) + ");");
}

void emit_row_blocks(Writer& out, const RuleCode& code, const RowBlocks& blocks,
                     const std::function<void()>& instance) {
  const std::string& var = blocks.var;
  const std::string first = to_cpp(blocks.lo);
  const std::string last = to_cpp(blocks.hi);
  const std::string block = std::to_string(blocks.length);
  out.line("IndexT pb_block = " + first + ";");
  out.open("for (; pb_has_blocks && " + last + " - pb_block >= " + block + "; pb_block += " + block + ")");
  out.open("");
  out.declare("const std::int64_t", var,
              "pb_block + " + to_cpp(blocks.lines_ahead) + " * " + std::to_string(blocks.length / kBlockLines));
  for (const LineRequest& line : blocks.lines) {
    std::string at;
    for (std::size_t d = 0; d < line.at.size(); ++d)
      at += (d == 0 ? "" : ", ") + to_index_cpp(line.at[d], code.transform, kCellInside);
    out.line("pbrt::request_lines<" + std::to_string(line.count) + ", " + (line.is_output ? "true" : "false") + ">(" +
             code.matrix(line.matrix).name + ".line_of(" + at + "));");
  }
  out.close();
  const auto loop = [&](const std::string& end, bool is_block) {
    out.line(is_block ? "PB_INDEPENDENT PB_ROLLED" : "PB_INDEPENDENT");
    out.open("for (IndexT " + var + " = pb_block; " + var + " < " + end + "; ++" + var + ")");
    instance();
    out.close();
  };
  // PB_ROLLED keeps compilers from unrolling the block first: an unrolled body with branches would not become vectors.
  loop("pb_block + " + block, true);
  out.close();
  loop(last, false);
}

}  // namespace pb
