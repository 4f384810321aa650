// SPDX-License-Identifier: MIT
#include "clgen/cpp/emit_cpp.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <variant>

#include "clgen/cpp/calls/entry_code.h"
#include "clgen/cpp/context/tunable_code.h"
#include "clgen/cpp/library_code.h"
#include "clgen/cpp/rules/body_text.h"
#include "clgen/cpp/template_code.h"
#include "clgen/cpp/transform_code.h"
#include "clgen/cpp/transform_tables.h"
#include "clgen/facts/names.h"
#include "clgen/facts/native_headers.h"
#include "clgen/info/make_training_info.h"
#include "lang/source.h"
#include "runtime/config/formats/info_json.h"

namespace pb {
namespace {

/// Prints the numbers of sites and tunables as named constants.
void emit_numbers(Writer& out, const CppContext& context) {
  out.line("// Numbers of choice sites and tunables, in the order of the training information.");
  std::vector<std::string> names;
  for (const TransformId id : context.program.transforms.ids()) {
    const TransformPlan& plan = context.plan.transforms[id.index()];
    for (const SiteId site : plan.sites.ids()) {
      const int number = context.numbering.site(id, site);
      if (number < 0) continue;
      out.line("[[maybe_unused]] constexpr int " + site_constant(context, id, site) + " = " + std::to_string(number) +
               ";  // " + plan.sites[site].name);
    }
    for (std::size_t i = 0; i < plan.tunables.size(); ++i)
      out.line("[[maybe_unused]] constexpr int " + tunable_constant(context, id, i) + " = " +
               std::to_string(context.numbering.tunable(id, i)) + ";  // " + plan.tunables[i].name);
    emit_fixed_values(out, context, id);
  }
  out.blank();
}

/// Collects the transforms and templates that bodies spawn.
void find_spawned(const Program& program, std::set<TransformId>& transforms, std::set<TemplateId>& templates) {
  for (const Transform& transform : program.transforms) {
    for (const Rule& rule : transform.rules) {
      for (const TransformCall& call : rule.calls) {
        const auto* stmt = std::get_if<TransformCallStmt>(&rule.body.stmts[call.stmt].node);
        if (stmt == nullptr || !stmt->is_spawn) continue;
        transforms.insert(call.targets.begin(), call.targets.end());
        if (!call.choice.empty()) templates.insert(call.of_template);
      }
    }
  }
  // The function that chooses an instance of a template names all instances.
  for (const TemplateId id : templates)
    for (std::size_t i = 0; i < program.templates[id].num_instances(); ++i)
      transforms.insert(TransformId(program.templates[id].first.index() + i));
}

/// Prints a comment that explains the functions of the file.
void emit_legend(Writer& out) {
  out.verbatim(R"(// Per rule R of a transform T; R is its number and its name:
//   rule_T_R        the body of one instance
//   loops_T_R       the instances of a box, one after the other; lanes_T_R: in packs, with the body packs_T_R
//   step_T_R_cpu    pieces of a box, as tasks; step_T_R_opencl: the kernel, whose text stands at the end
// Per transform T:
//   run_T           sizes, choices by size, then the steps, as tasks where they may run side by side
//   call_T, spawn_T what bodies call
//   solve_T, extents_T, enter_T   sizes and arguments of a run of the program

)");
}

void emit_kernel_declarations(Writer& out, const std::vector<Kernel>& kernels) {
  if (kernels.empty()) return;
  for (const Kernel& kernel : kernels) out.line("extern const pbrt::gpu::KernelDesc kKernel_" + kernel.name + ";");
  out.blank();
}

/// The regions of a kernel for which `is_one` holds: bit i says it of region i.
template <class Test>
std::uint32_t regions_where(const KernelTree& kernel, const Test& is_one) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < kernel.matrices.size() && i < 32; ++i)
    if (is_one(kernel.matrices[i])) out |= std::uint32_t{1} << i;
  return out;
}

/// The regions that have bins.
std::uint32_t bin_regions(const KernelTree& kernel) {
  return regions_where(kernel,
                       [&](const RuleMatrix& use) { return use.is_output && kernel.bins.contains(use.matrix); });
}

/// The regions whose cells work-items access in vectors.
std::uint32_t vector_regions(const KernelTree& kernel) {
  const std::vector<MatrixId>& matrices = kernel.vectors->matrices;
  return regions_where(kernel, [&](const RuleMatrix& use) {
    return std::find(matrices.begin(), matrices.end(), use.matrix) != matrices.end();
  });
}

/// Prints the rows of a kernel's wavefront.
void emit_wave_rows(Writer& out, const Waves& waves) {
  std::vector<std::string> rows;
  for (const WaveRow& row : waves.rows) {
    std::vector<std::string> coefficients;
    for (const int coefficient : row.coefficients) coefficients.push_back(std::to_string(coefficient));
    rows.push_back("{{" + joined(coefficients) + "}, " + (row.is_carried ? "true" : "false") + "}");
  }
  out.line(".num_wave_rows = " + std::to_string(rows.size()) + ",");
  out.line(".wave_rows = {" + joined(rows) + "},");
}

/// What a launch knows of a kernel whose folds run in blocks.
void emit_blocks(Writer& out, const KernelTree& lowered, std::size_t num_tiles) {
  const RuleInstance* const blocked = instance_in_blocks(lowered.tree);
  if (blocked == nullptr) return;
  const RoundBlockFacts& blocks = *blocked->blocks;
  out.line(".block_loops = {" + std::to_string(blocks.loops[0]) + ", " + std::to_string(blocks.loops[1]) + "},");
  out.line(".block_bytes = " + std::to_string(blocks.carried_bytes) + ",");
  if (may_copy_ahead(lowered.tree)) out.line(".may_copy_ahead = true,");
  if (blocks.has_parts) out.line(".has_block_parts = true,");
  if (lowered.block_length) out.line(".block_length = " + std::to_string(*lowered.block_length) + ",");
  if (blocks.products)
    out.line(std::string(".products = pbrt::gpu::Products::") +
             (blocks.products->element == ElementType::Float ? "OfSplitFloats," : "OfDoubles,"));
  out.line(".num_panels = " + std::to_string(lowered.tree.buffers.size() - num_tiles) + ",");
}

void emit_kernels(Writer& out, const Program& program, const std::vector<Kernel>& kernels) {
  for (const Kernel& kernel : kernels) {
    out.line("constexpr const char* kSource_" + kernel.name + " = PB_KERNEL_PRELUDE " +
             raw_string("\n" + kernel.source) + ";");
    const KernelTree& lowered = kernel.lowered;
    std::vector<std::string> specialized;
    for (std::size_t i = 0; i < lowered.scalars.size(); ++i)
      if (lowered.scalars[i].is_specialized)
        specialized.push_back("{" + quoted(size_macro(lowered.scalars[i].name)) + ", " + std::to_string(i) + "}");
    const std::string list = "kSpecialized_" + kernel.name;
    if (!specialized.empty())
      out.line("constexpr pbrt::gpu::SpecializedScalar " + list + "[] = {" + joined(specialized) + "};");
    out.open("const pbrt::gpu::KernelDesc kKernel_" + kernel.name + " =");
    out.line(".name = " + quoted(kernel.name) + ",");
    const Transform& transform = program.transforms[lowered.transform];
    const std::string rule = transform.name + "." + transform.rules[lowered.rule].name;
    out.line(".rule = {" + quoted(rule) + ", " + quoted(to_string(lowered.version)) + "},");
    out.line(".source = kSource_" + kernel.name + ",");
    out.line(std::string(".needs_fp64 = ") + (lowered.needs_fp64 ? "true," : "false,"));
    out.line(".num_regions = " + std::to_string(lowered.matrices.size()) + ",");
    out.line(".num_scalars = " + std::to_string(lowered.scalars.size()) + ",");
    const std::size_t num_tiles = lowered.time_tile       ? kNumTileBuffers
                                  : lowered.tiles.empty() ? parameter_buffers(lowered.tree).size()
                                                          : lowered.tiles.size();
    out.line(".num_tiles = " + std::to_string(num_tiles) + ",");
    if (!specialized.empty()) {
      out.line(".specialized = " + list + ",");
      out.line(".num_specialized = " + std::to_string(specialized.size()) + ",");
    }
    if (lowered.time_tile || !lowered.tiles.empty()) out.line(".specialize_group = true,");
    out.line(".default_items = " + std::to_string(lowered.default_items) + ",");
    if (lowered.vectors) {
      out.line(".vector_width = " + std::to_string(lowered.vectors->width) + ",");
      out.line(".vector_regions = " + std::to_string(vector_regions(lowered)) + ",");
      if (!lowered.tiles.empty()) out.line(".has_vectors_in_tiles = true,");
    }
    if (lowered.crossed_loop) out.line(".crossed_loop = " + std::to_string(*lowered.crossed_loop) + ",");
    if (instance_with_lanes(lowered.tree) != nullptr) {
      out.line(std::string(".lanes = pbrt::gpu::Lanes::") +
               (lanes_are_neighbours(lowered.tree) ? "Neighbours," : "Apart,"));
      const char* const fields[] = {".fold_length = ", ".inner_length = "};
      for (std::size_t i = 0; i < lowered.fold_lengths.size(); ++i)
        out.line(fields[i] + std::to_string(lowered.fold_lengths[i]) + ",");
      if (lowered.most_rounds > 0) out.line(".most_rounds = " + std::to_string(lowered.most_rounds) + ",");
      if (lowered.kept_length) out.line(".kept_length = " + std::to_string(*lowered.kept_length) + ",");
      if (has_running_places(lowered.tree)) out.line(".has_places = true,");
      if (lowered.stores_in_phases) out.line(".stores_in_phases = true,");
      if (!lowered.bins.empty()) out.line(".bins = " + std::to_string(bin_regions(lowered)) + ",");
      if (lowered.bins_differ) out.line(".bins_differ = true,");
      if (has_ordered_bins(lowered.tree)) out.line(".has_ordered_bins = true,");
      out.line(".num_stages = " + std::to_string(lowered.stages.num) + ",");
      if (lowered.stages.last_is_divided) out.line(".last_is_divided = true,");
      out.line(".record_bytes = " + std::to_string(kRecordSlotBytes * lowered.record_slots) + ",");
    }
    if (const LineScans* scans = scans_of(lowered.tree)) {
      out.line(".scan_loop = " + std::to_string(scans->dim) + ",");
      out.line(".scan_cell_bytes = " + std::to_string(scanned_bytes(*scans)) + ",");
      out.line(".scan_part_bytes = " + std::to_string(scan_part_bytes(*scans)) + ",");
      out.line(".scan_record_words = " + std::to_string(record_words(*scans)) + ",");
    }
    if (const Waves* waves = waves_of(lowered.tree)) emit_wave_rows(out, *waves);
    emit_blocks(out, lowered, num_tiles);
    out.close(";");
    out.blank();
  }
}

/// Whether the program may draw random numbers: some word of it has `rand` in it (`rand01`, `randomize`), or it
/// includes a header of the user's, or it makes words with `##`.
bool may_draw_random(const Program& program) {
  const auto is_suspect = [](const BodyToken& token) {
    const bool is_user_header = token.text.starts_with("#include") && token.text.find('"') != std::string::npos;
    return is_user_header || token.text.find("rand") != std::string::npos || token.text.find("##") != std::string::npos;
  };
  const auto says_so = [&](const std::vector<BodyToken>& tokens) {
    return std::any_of(tokens.begin(), tokens.end(), is_suspect);
  };
  for (const NativeBlock& block : program.native_blocks)
    if (says_so(block.tokens)) return true;
  for (const Transform& transform : program.transforms)
    for (const Rule& rule : transform.rules)
      if (says_so(rule.body.tokens)) return true;
  return false;
}

/// Prints the descriptions of rules and transforms that messages use. A transform with one rule is described by that
/// rule.
void emit_body_names(Writer& out, const CppContext& context) {
  out.open("constexpr pbrt::BodyName kBodies[] =");
  const auto entry = [&](const std::string& name, const std::string& what, Span span, bool is_rule) {
    const std::string text = what + " (" + origin_of(context.sources, span) + ")";
    out.line("{" + quoted(name) + ", " + quoted(text) + ", " + (is_rule ? "true" : "false") + "},");
  };
  for (const TransformId id : context.program.transforms.ids()) {
    const Transform& transform = context.program.transforms[id];
    const std::string of_transform = "transform `" + transform.name + "`";
    const auto describe = [&](const Rule& rule) { return "rule `" + rule.name + "` of " + of_transform; };
    if (transform.rules.size() == 1) {
      const Rule& only = *transform.rules.begin();
      entry(identifier_of(context.program, id), describe(only), only.span, false);
    } else {
      entry(identifier_of(context.program, id), of_transform, transform.span, false);
    }
    for (const RuleId rule : transform.rules.ids())
      entry(rule_stem(context.program, id, rule), describe(transform.rules[rule]), transform.rules[rule].span, true);
  }
  out.close(";");
}

/// The members of pbrt::ProgramDesc that say of which kind a program is, up to the last one that is true.
std::string kinds_text(const EmitOptions& options) {
  const std::array kinds = {options.checks_copies, options.is_checked, options.is_debug};
  std::string text;
  std::string no;
  for (const bool kind : kinds) {
    if (kind) text += std::exchange(no, "") + ", true";
    if (!kind) no += ", false";
  }
  return text;
}

void emit_tables(Writer& out, const CppContext& context, const std::string& info_json) {
  for (const TransformId id : context.program.transforms.ids()) emit_transform_tables(out, context, id);
  out.line("constexpr const char* kInfo = " + raw_string(info_json) + ";");
  emit_body_names(out, context);
  out.open("const pbrt::TransformDesc kTransforms[] =");
  for (const TransformId id : context.program.transforms.ids()) out.line(transform_entry(context, id) + ",");
  out.close(";");
  out.line("const pbrt::ProgramDesc kProgram = {" + quoted(context.program.name) + ", kInfo, kTransforms, " +
           std::to_string(context.program.transforms.size()) + ", " + std::to_string(context.program.main.index()) +
           (may_draw_random(context.program) ? ", true" : ", false") +
           ", kBodies, static_cast<int>(std::size(kBodies))" + kinds_text(context.options) + "};");
}

}  // namespace

/// Whether some step runs as scans.
static bool has_scans(const LoweredProgram& program) {
  return std::any_of(program.transforms.begin(), program.transforms.end(), [](const LoweredTransform& transform) {
    return std::any_of(transform.steps.begin(), transform.steps.end(),
                       [](const LoweredStep& step) { return !step.scanned.empty(); });
  });
}

static bool has_version_bands(const LoweredProgram& program) {
  return std::any_of(program.transforms.begin(), program.transforms.end(), [](const LoweredTransform& transform) {
    return std::any_of(transform.nests.begin(), transform.nests.end(),
                       [](const LoweredNest& nest) { return nest.bands.has_value(); });
  });
}

/// Whether some step may run in bands of rows.
static bool has_bands(const LoweredProgram& program) {
  return std::any_of(program.transforms.begin(), program.transforms.end(),
                     [](const LoweredTransform& transform) { return !transform.bands.empty(); });
}

std::string generated_name(const Program& program) { return program.name + ".cpp"; }

std::string emit_cpp(const Program& program, const Plan& plan, const LoweredProgram& lowered,
                     const SourceManager& sources, const EmitOptions& options) {
  CppContext context{program,
                     plan,
                     lowered,
                     sources,
                     options,
                     Numbering(plan),
                     generated_name(program),
                     {},
                     {},
                     NativeMacros(program)};
  find_spawned(program, context.spawned, context.spawned_templates);
  const std::vector<Kernel> kernels = make_kernels(program, lowered, {sources, options.is_strict()});
  Writer out;
  out.line(std::string(kGeneratedBegin) + " " + program.name + ".pbcc.");
  if (options.is_checked) out.line("#define PB_CHECKED 1");
  if (options.checks_copies) out.line("#define PB_CHECKED_COPIES 1");
  if (options.is_strict()) out.line("#define PB_SCALAR_FUNCTIONS 1");
  out.line("#define PB_ELEMENT " + std::string(spell(program.element)));
  out.line("#include \"runtime/generated.h\"");
  if (!options.library.empty()) out.line("#include \"runtime/embed/library_desc.h\"");
  out.line("#include \"runtime/matrix/index_math.h\"");
  if (has_bands(lowered)) out.line("#include \"runtime/steps/row_bands.h\"");
  out.line("#include \"runtime/matrix/blocks/tile_loops.h\"");
  out.line("#include \"runtime/matrix/quotients/quotients.h\"");
  out.line("#include \"runtime/matrix/simd_folds.h\"");
  out.line("#include \"runtime/matrix/simd_math.h\"");
  out.line("#include \"runtime/matrix/simd_rows.h\"");
  if (has_scans(lowered)) out.line("#include \"runtime/matrix/simd_scans.h\"");
  if (has_scans(lowered)) out.line("#include \"runtime/sched/loops/chunked_scans.h\"");
  if (has_version_bands(lowered)) out.line("#include \"runtime/sched/loops/skewed_bands.h\"");
  out.line("#include \"runtime/sched/step_graph.h\"");
  out.blank();
  out.verbatim(native_headers(program));
  for (const NativeBlock& block : program.native_blocks) {
    out.verbatim(native_text(block, sources));
    out.restore_line(context.file);
  }
  out.verbatim(context.macros.take_all());
  const bool has_prefix = !program.native_blocks.empty();
  const std::string name_space = has_prefix ? "pb_user::pb_program" : "pb_program";
  emit_legend(out);
  // Functions get and declare all that their kind may need, whether or not this one needs it.
  for (const char* warning : {"parameter", "variable"})
    out.line("#pragma GCC diagnostic ignored \"-Wunused-" + std::string(warning) + "\"");
  out.line("namespace " + name_space + " {");
  out.blank();
  emit_numbers(out, context);
  emit_kernel_declarations(out, kernels);
  for (const TransformId id : program.transforms.ids()) emit_call_declarations(out, context, id);
  out.blank();
  emit_template_calls(out, context);
  for (const TransformId id : program.transforms.ids()) emit_transform(out, context, id, kernels);
  emit_kernels(out, program, kernels);
  emit_tables(out, context, pbrt::to_json(make_training_info(program, plan, sources, options)));
  out.blank();
  out.line("}  // namespace " + name_space);
  out.blank();
  if (!options.library.empty()) {
    emit_library(out, context, name_space);
  } else {
    out.line("int main(int argc, char** argv) { return pbrt::program_main(argc, argv, " + name_space +
             "::kProgram); }");
  }
  return out.text();
}

}  // namespace pb
