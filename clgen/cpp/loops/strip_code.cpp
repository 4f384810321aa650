// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/strip_code.h"

#include <string>
#include <vector>

#include "clgen/cpp/rules/instance_code.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Returns statements that prefetch the cells of accesses at the loops' variables.
std::vector<std::string> requests(const RuleCode& code, const std::vector<AccessRef>& refs) {
  std::vector<std::string> lines;
  for (const AccessRef& ref : refs) {
    const RegionAccess& access = ref.is_output ? code.rule.outputs[ref.index] : code.rule.inputs[ref.index];
    lines.push_back("__builtin_prefetch(" + code.matrix_name(access) + ".line_of(" + joined(coordinates(access)) + ")" +
                    (ref.is_output ? ", 1" : "") + ");");
  }
  return lines;
}

void emit_requests(Writer& out, const Strips& strips, const std::string& name,
                   const std::vector<std::string>& requests) {
  const std::string type = "const IndexT ";
  out.open("const auto " + name + " = [&](" + type + strips.inner + ", " + type + strips.outer + ") PB_PREFETCHES");
  for (const std::string& request : requests) out.line(request);
  out.close(";");
}

void open_strips(Writer& out, const Strips& strips, const std::string& length) {
  const std::string& inner = strips.inner;
  out.open("for (std::int64_t pb_strip = pb_lo_" + inner + "; pb_strip < pb_hi_" + inner + "; pb_strip += " + length +
           ")");
}

void open_rows(Writer& out, const Strips& strips) {
  const std::string& outer = strips.outer;
  out.open("for (IndexT " + outer + " = pb_lo_" + outer + "; " + outer + " < pb_hi_" + outer + "; ++" + outer + ")");
}

/// Returns a statement that prefetches cache lines for later rows. `length` is the length of the strips.
std::string prefetch_call(const Strips& strips, const std::string& length) {
  const std::string& inner = strips.inner;
  const std::string& outer = strips.outer;
  return "pbrt::prefetch_for_strip({pb_strip, pb_hi_" + inner + ", " + length + "}, {" + outer + ", pb_lo_" + outer +
         ", pb_hi_" + outer + "}, pb_along, pb_across);";
}

void emit_streamed_strips(Writer& out, const RuleCode& code, const Strips& strips) {
  const std::string& inner = strips.inner;
  const RegionAccess& output = code.rule.outputs[0];
  const std::string view = view_type(code.matrix_name(output));
  std::vector<AccessRef> along = strips.requests_along;
  std::erase_if(along, [](const AccessRef& ref) { return ref.is_output; });
  emit_requests(out, strips, "pb_along", requests(code, along));
  open_strips(out, strips, "pbrt::kStreamedStrip<" + view + ">");
  open_rows(out, strips);
  out.line(prefetch_call(strips, "pbrt::kStreamedStrip<" + view + ">"));
  out.open("const auto pb_begin = [&](const std::int64_t " + inner + ")");
  out.line("return static_cast<IndexT>(pbrt::line_start<" + view + ">({" + inner + ", pb_hi_" + inner + "}, pb_lo_" +
           inner + ", " + code.matrix_name(output) + ".line_of(" + joined(coordinates(output)) + ")));");
  out.close(";");
  out.line("const IndexT pb_last = pb_begin(pb_strip + pbrt::kStreamedStrip<" + view + ">);");
  out.open("for (IndexT " + inner + " = pb_begin(pb_strip); " + inner + " < pb_last; ++" + inner + ")");
  out.line("pbrt::stream(" + access_text(code, output) + ", " + value_text(code) + ");");
  for (int i = 0; i < 3; ++i) out.close();
  out.line("pbrt::end_streams();");
}

}  // namespace

void emit_strips(Writer& out, const RuleCode& code, const Strips& strips, const std::function<void()>& emit_body) {
  const bool is_far = strips.across.has_value();
  if (is_far) {
    out.line("const bool pb_is_far = " + code.matrix(*strips.across).name + ".count() > pbrt::kMaxNear;");
    emit_requests(out, strips, "pb_across", requests(code, strips.requests_across));
  }
  if (strips.stores) {
    const std::string& output = code.matrix_name(code.rule.outputs[0]);
    out.open("if (pbrt::is_streamed(" + output + ", " + to_cpp(*strips.stores) + "))");
    emit_streamed_strips(out, code, strips);
    out.reopen("else");
  }
  if (is_far) emit_requests(out, strips, "pb_along", requests(code, strips.requests_along));
  const std::string& inner = strips.inner;
  const std::string length = to_cpp(strips.length);
  open_strips(out, strips, length);
  out.line("const IndexT pb_first = static_cast<IndexT>(pb_strip);");
  out.line("const IndexT pb_last = static_cast<IndexT>(pbrt::index_min(pb_hi_" + inner + ", pb_strip + " + length +
           "));");
  const auto emit_rows = [&](const std::string& end, bool has_requests) {
    open_rows(out, strips);
    if (has_requests) out.line("if (pb_is_far) " + prefetch_call(strips, length));
    if (strips.is_vector) out.line("PB_INDEPENDENT PB_ROLLED");
    out.open("for (IndexT " + inner + " = pb_first; " + inner + " < " + end + "; ++" + inner + ")");
    emit_body();
    out.close();
    out.close();
  };
  // A whole strip of a small matrix gets loops of its own: compilers know its length, if it is the usual one or a
  // constant, and no prefetches stand between its rows.
  const std::string usual = strips.length.op == IndexExpr::Op::Const ? length : "pbrt::kStrip";
  out.open("if (" + std::string(is_far ? "!pb_is_far && " : "") + "pb_last == pb_first + " + usual + ")");
  emit_rows("pb_first + static_cast<IndexT>(" + usual + ")", false);
  out.reopen("else");
  emit_rows("pb_last", is_far);
  out.close();
  for (int i = 0; i < (strips.stores ? 2 : 1); ++i) out.close();
}

}  // namespace pb
