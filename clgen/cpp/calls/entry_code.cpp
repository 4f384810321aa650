// SPDX-License-Identifier: MIT
#include "clgen/cpp/calls/entry_code.h"

#include <algorithm>

#include "clgen/facts/initial_reads.h"
#include "clgen/facts/names.h"

namespace pb {

void emit_call_declarations(Writer& out, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  const std::string name = identifier_of(context.program, id);
  const auto declare = [&](const std::string& head) {
    out.line("[[maybe_unused]] static void " + head + ", " + call_params_text(transform) + ");");
  };
  declare("call_" + name + "(pbrt::Frame& pb_parent");
  if (context.spawned.contains(id)) declare("spawn_" + name + "(pbrt::Frame& pb_frame");
}

namespace {

std::string run_text(const CallContext& call, const std::string& frame, const std::string& args) {
  const std::string entry = call.transform.is_memoized ? "memo_" : "run_";
  return "pbrt::call_on_fresh_stack_if_needed(" + frame + ", [&] { " + entry + call.name + "(" + frame + ", " + args +
         "); });";
}

/// Whether each instance that reads an element of `input` writes the same element of `output` and no other:
/// `OUT.cell(i) from (IN.cell(i) a)`. A call may then work in place.
bool is_read_where_written(const Transform& transform, MatrixId output, MatrixId input) {
  const auto is_cell_of = [](const RegionAccess& access, MatrixId id) {
    return access.matrix == id && access.kind == AccessKind::Cell && !access.may_be_outside() && !access.is_guest &&
           access.tested_dims.empty();
  };
  for (const Rule& rule : transform.rules) {
    const auto of_output = [&](const RegionAccess& access) { return access.matrix == output; };
    const auto written = std::find_if(rule.outputs.begin(), rule.outputs.end(), of_output);
    const bool is_one = std::count_if(rule.outputs.begin(), rule.outputs.end(), of_output) == 1;
    for (const RegionAccess& read : rule.inputs) {
      if (read.matrix != input) continue;
      if (!is_one || !is_cell_of(*written, output) || !is_cell_of(read, input) || read.lo != written->lo) return false;
    }
  }
  return true;
}

/// Prints tests of checked programs, which stop if a matrix that the transform writes shares elements with another
/// argument.
void emit_overlaps(Writer& out, const CallContext& call) {
  if (!call.context.options.is_checked) return;
  const std::vector<MatrixId> matrices = call_matrices(call.transform);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Matrix& written = call.transform.matrices[matrices[i]];
    if (written.role != MatrixRole::To) continue;
    for (std::size_t j = i + 1; j < matrices.size(); ++j) {
      const Matrix& other = call.transform.matrices[matrices[j]];
      const bool is_number = other.role == MatrixRole::From && other.extents.empty();  // passed by value
      if (is_number) continue;
      const bool may_be_same =
          other.role == MatrixRole::From && is_read_where_written(call.transform, matrices[i], matrices[j]);
      if (may_be_same) out.line("if (!pbrt::is_same_view(" + written.name + ".raw(), " + other.name + ".raw()))");
      out.line((may_be_same ? "  " : "") + std::string("pbrt::check_apart(") + quoted(written.name) + ", " +
               written.name + ".raw(), " + quoted(other.name) + ", " + other.name + ".raw(), " +
               (other.role == MatrixRole::To ? "true);" : "false);"));
    }
  }
}

void emit_spawn(Writer& out, const CallContext& call, const std::string& args, const std::string& captures) {
  // A task owns its handles. A call that runs at once borrows them, because each copy would count a reference.
  out.open("static void spawn_" + call.name + "(pbrt::Frame& pb_frame, " + call_params_text(call.transform) + ")");
  out.line("if (pb_frame.is_sequential()) return call_" + call.name + "(pb_frame, " + args + ");");
  emit_overlaps(out, call);
  const bool is_tested = call.context.options.is_checked;
  const std::string statement =
      is_tested ? run_text(call, "pb_child", args) : "call_" + call.name + "(pb_child, " + args + ");";
  out.line("pb_frame.spawn([" + captures + "](pbrt::Frame& pb_child) { " + statement + " });");
  out.close();
}

/// Prints `memo_T`, which returns the results of the call before or runs.
void emit_memo(Writer& out, const CallContext& call, const std::string& args) {
  out.open("static void memo_" + call.name + "(pbrt::Frame& pb_parent, " + call_params_text(call.transform) + ")");
  out.line("pbrt::MemoCall pb_memo(pb_parent, " + std::to_string(call.id.index()) + ");");
  for (const MatrixId id : call_matrices(call.transform)) {
    const Matrix& matrix = call.transform.matrices[id];
    const bool is_read = matrix.role == MatrixRole::To && is_read_by_bodies(call.context.program, call.id, id);
    out.line(matrix.role == MatrixRole::From ? "pb_memo.input(" + matrix.name + ");"
                                             : "pb_memo.output(" + matrix.name + (is_read ? ", true);" : ", false);"));
  }
  out.line("if (pb_memo.find()) return;");
  out.line("run_" + call.name + "(pb_parent, " + args + ");");
  out.line("pb_memo.store();");
  out.close();
}

}  // namespace

void emit_entries(Writer& out, const CallContext& call) {
  std::vector<std::string> names;
  std::vector<std::string> captures;
  for (const MatrixId id : call_matrices(call.transform)) {
    const std::string& name = call.transform.matrices[id].name;
    names.push_back(name);
    captures.push_back(name + " = " + name);
  }
  const std::string args = joined(names);
  if (call.transform.is_memoized) emit_memo(out, call, args);
  out.open("static void call_" + call.name + "(pbrt::Frame& pb_parent, " + call_params_text(call.transform) + ")");
  emit_overlaps(out, call);
  out.line(run_text(call, "pb_parent", args));
  out.close();
  if (call.context.spawned.contains(call.id)) emit_spawn(out, call, args, joined(captures));
  out.blank();
}

}  // namespace pb
