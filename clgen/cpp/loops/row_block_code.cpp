// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/row_block_code.h"

#include <string>
#include <vector>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"

namespace pb {

namespace {

/// Requests the lines of a later block, without those of outputs if `are_inputs`.
void emit_requests(Writer& out, const RuleCode& code, const RowBlocks& blocks, bool are_inputs) {
  out.open("");
  out.declare("const std::int64_t", blocks.var,
              "pb_block + " + to_cpp(blocks.lines_ahead) + " * " + std::to_string(blocks.length / kBlockLines));
  for (const LineRequest& line : blocks.lines) {
    if (are_inputs && line.is_output) continue;
    std::string at;
    for (std::size_t d = 0; d < line.at.size(); ++d)
      at += (d == 0 ? "" : ", ") + to_index_cpp(line.at[d], code.transform, kCellInside);
    out.line("pbrt::request_lines<" + std::to_string(line.count) + ", " + (line.is_output ? "true" : "false") + ">(" +
             code.matrix(line.matrix).name + ".line_of(" + at + "));");
  }
  out.close();
}

/// Opens the loop over blocks from `pb_block` on. `is_on` says whether there are any.
void open_blocks(Writer& out, const RowBlocks& blocks, const std::string& is_on) {
  const std::string block = std::to_string(blocks.length);
  out.open("for (; " + is_on + to_cpp(blocks.hi) + " - pb_block >= " + block + "; pb_block += " + block + ")");
}

/// Opens a loop over instances. PB_ROLLED keeps compilers from unrolling a block first: an unrolled body with branches
/// would not become vectors.
void open_instances(Writer& out, const std::string& var, const std::string& first, const std::string& end,
                    bool is_block) {
  out.line(is_block ? "PB_INDEPENDENT PB_ROLLED" : "PB_INDEPENDENT");
  out.open("for (IndexT " + var + " = " + first + "; " + var + " < " + end + "; ++" + var + ")");
}

/// Computes the values of a block in memory that stays in a cache, and stores its lines as a whole. `pb_head` is where
/// the first block begins: where a line does.
void emit_streamed_blocks(Writer& out, const RuleCode& code, const RowBlocks& blocks, const std::string& value) {
  const std::string& var = blocks.var;
  const std::string length = std::to_string(blocks.length), end = "pb_block + " + length;
  const std::string cell = access_text(code, code.rule.outputs[0]);
  out.open("if (pb_streams && " + to_cpp(blocks.lo) + " < " + to_cpp(blocks.hi) + ")");
  out.open("");
  out.declare("const IndexT", var, to_cpp(blocks.lo));
  out.line("pb_head = pb_block = static_cast<IndexT>(pbrt::first_line(&" + cell + ", " + to_cpp(blocks.lo) + ", " +
           to_cpp(blocks.hi) + "));");
  out.close();
  open_blocks(out, blocks, "");
  emit_requests(out, code, blocks, true);
  out.line("alignas(64) " + element_of(code, code.rule.outputs[0]) + " pb_lines[" + length + "];");
  open_instances(out, var, "pb_block", end, true);
  out.line("pb_lines[" + var + " - pb_block] = " + value + ";");
  out.close();
  out.declare("const IndexT", var, "pb_block");
  out.line("pbrt::stream_lines(&" + cell + ", pb_lines);");
  out.close();
  out.close();
}

}  // namespace

void emit_row_block_test(Writer& out, const RuleCode& code, const RowBlocks& blocks) {
  std::vector<std::string> args{to_cpp(blocks.size_rule)};
  for (const LineRequest& line : blocks.lines)
    if (line.is_output) args.push_back(code.matrix(line.matrix).name);
  out.line("const bool pb_has_blocks = pbrt::has_row_blocks(" + joined(args) + ");");
  if (blocks.stores)
    out.line("const bool pb_streams = pbrt::is_streamed(" + code.matrix_name(code.rule.outputs[0]) + ", " +
             to_cpp(*blocks.stores) + ");");
}

void emit_row_blocks(Writer& out, const RuleCode& code, const RowBlocks& blocks, const std::function<void()>& instance,
                     const std::string& value) {
  const std::string& var = blocks.var;
  const std::string first = to_cpp(blocks.lo);
  const std::string last = to_cpp(blocks.hi);
  out.line("IndexT pb_block = " + first + ";");
  if (blocks.stores) {
    out.line("IndexT pb_head = " + first + ";");
    emit_streamed_blocks(out, code, blocks, value);
  }
  open_blocks(out, blocks, "pb_has_blocks && ");
  emit_requests(out, code, blocks, false);
  open_instances(out, var, "pb_block", "pb_block + " + std::to_string(blocks.length), true);
  instance();
  out.close();
  out.close();
  if (!blocks.stores) {
    open_instances(out, var, "pb_block", last, false);
    instance();
    return out.close();
  }
  // What stands before the streamed lines, and what is left.
  out.open("for (int pb_rest = pb_head > " + first + " ? 0 : 1; pb_rest < 2; ++pb_rest)");
  out.line("const IndexT pb_from = pb_rest == 0 ? " + first + " : pb_block;");
  out.line("const IndexT pb_to = pb_rest == 0 ? pb_head : " + last + ";");
  open_instances(out, var, "pb_from", "pb_to", false);
  instance();
  out.close();
  out.close();
}

}  // namespace pb
