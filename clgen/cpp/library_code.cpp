// SPDX-License-Identifier: MIT
#include "clgen/cpp/library_code.h"

#include "clgen/facts/documentation.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// The name of the function that returns the library's tables.
std::string tables_function(const std::string& library) { return library + "_library"; }

std::string function_name(const Program& program, TransformId id, const std::string& library) {
  return library + "_" + identifier_of(program, id);
}

/// The indices of the size variables that no matrix determines: callers give them as numbers.
std::vector<std::size_t> numbers_of(const Transform& transform) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < transform.size_vars.size(); ++i)
    if (transform.size_vars[i].is_given_by_run()) numbers.push_back(i);
  return numbers;
}

/// The C type of a matrix as an argument: what is written to is not const.
std::string argument_type(MatrixRole role) { return role == MatrixRole::From ? "const pb_matrix*" : "pb_matrix*"; }

/// Prints `names` and `vars` of a transform's numbers, and returns its CallableDesc.
std::string emit_callable(Writer& out, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  const std::string name = identifier_of(context.program, id);
  std::vector<std::string> names;
  std::vector<std::string> vars;
  for (const std::size_t var : numbers_of(transform)) {
    names.push_back(quoted(transform.size_vars[var].name));
    vars.push_back(std::to_string(var));
  }
  const std::string end = ", " + quoted(documentation_of(context.sources, transform.span)) + "}";
  if (names.empty()) return "{" + quoted(name) + ", nullptr, nullptr, 0" + end;
  out.line("constexpr const char* kNumbers_" + name + "[] = {" + joined(names) + "};");
  out.line("constexpr int kNumberVars_" + name + "[] = {" + joined(vars) + "};");
  return "{" + quoted(name) + ", kNumbers_" + name + ", kNumberVars_" + name + ", " + std::to_string(names.size()) +
         end;
}

/// The transforms that hosts may call: those of the program. They come before those that are made of calls.
std::vector<TransformId> exported_transforms(const Program& program) {
  std::vector<TransformId> out;
  for (const TransformId id : program.transforms.ids())
    if (!program.transforms[id].spliced) out.push_back(id);
  return out;
}

/// Prints the function of one transform.
void emit_function_of(Writer& out, const CppContext& context, TransformId id, const std::string& name_space) {
  const Transform& transform = context.program.transforms[id];
  std::vector<std::string> params = {"pb_context* context"};
  std::vector<std::string> numbers;
  std::vector<std::string> matrices;
  for (std::size_t i = 0; i < numbers_of(transform).size(); ++i) {
    numbers.push_back("number" + std::to_string(i));
    params.push_back("int64_t " + numbers.back());
  }
  for (const MatrixRole role : {MatrixRole::From, MatrixRole::To}) {
    for (std::size_t i = 0; i < transform.matrices_of(role).size(); ++i) {
      matrices.push_back("matrix" + std::to_string(matrices.size()));
      params.push_back(argument_type(role) + " " + matrices.back());
    }
  }
  out.open("[[gnu::visibility(\"default\")]] pb_status " + function_name(context.program, id, context.options.library) +
           "(" + joined(params) + ")");
  if (!numbers.empty()) out.line("const std::int64_t numbers[] = {" + joined(numbers) + "};");
  if (!matrices.empty()) out.line("const pb_matrix* const matrices[] = {" + joined(matrices) + "};");
  out.line("return " + name_space + "::library.call(context, " + std::to_string(id.index()) + ", " +
           (numbers.empty() ? "nullptr" : "numbers") + ", " + (matrices.empty() ? "nullptr" : "matrices") + ");");
  out.close();
}

/// Prints the declaration of one transform's function, behind what its matrices are.
void declare_function_of(Writer& out, const Program& program, const SourceManager& sources, TransformId id,
                         const std::string& library) {
  const Transform& transform = program.transforms[id];
  out.line("/* `" + transform.name + "` (" + origin_of(sources, transform.span) + ")");
  std::vector<std::string> params = {"pb_context*"};
  for (const std::size_t var : numbers_of(transform))
    params.push_back("int64_t /* " + transform.size_vars[var].name + " */");
  for (const MatrixRole role : {MatrixRole::From, MatrixRole::To}) {
    for (const MatrixId matrix : transform.matrices_of(role)) {
      const Matrix& declared = transform.matrices[matrix];
      out.line((role == MatrixRole::From ? "   from " : "   to ") + std::string(spell(declared.element)) + " " +
               header_of(declared.name, declared.extents));
      params.push_back(argument_type(role) + " /* " + declared.name + " */");
    }
  }
  out.line("*/");
  out.line("pb_status " + function_name(program, id, library) + "(" + joined(params) + ");");
  out.blank();
}

}  // namespace

void emit_library(Writer& out, const CppContext& context, const std::string& name_space) {
  out.line("namespace " + name_space + " {");
  std::vector<std::string> callables;
  for (const TransformId id : exported_transforms(context.program))
    callables.push_back(emit_callable(out, context, id));
  out.open("constexpr pbrt::CallableDesc kCallables[] =");
  for (const std::string& callable : callables) out.line(callable + ",");
  out.close(";");
  out.line("const pbrt::LibraryDesc kLibrary = {" + quoted(context.options.library) + ", &kProgram, kCallables, " +
           std::to_string(callables.size()) + "};");
  out.line("constinit pbrt::LoadedLibrary library(kLibrary);");
  out.line("}  // namespace " + name_space);
  out.blank();
  out.line("extern \"C\" {");
  out.line("[[gnu::visibility(\"default\")]] const pb_library* " + tables_function(context.options.library) +
           "() { return " + name_space + "::library.tables(); }");
  for (const TransformId id : exported_transforms(context.program)) emit_function_of(out, context, id, name_space);
  out.line("}");
}

std::string emit_library_header(const Program& program, const SourceManager& sources, const std::string& library) {
  Writer out;
  const std::string guard = "POLYBRICKS_LIBRARY_" + library;
  out.line(std::string(kLibraryHeaderBegin) + " " + program.name +
           ".pbcc. How to use it: docs/library.md of Polybricks. */");
  out.line("#ifndef " + guard);
  out.line("#define " + guard);
  out.line("#include <polybricks.h>");
  out.line("#ifdef __cplusplus");
  out.line("extern \"C\" {");
  out.line("#endif");
  out.blank();
  out.line("/* The library, for pb_context_create. */");
  out.line("const pb_library* " + tables_function(library) + "(void);");
  out.blank();
  for (const TransformId id : exported_transforms(program)) declare_function_of(out, program, sources, id, library);
  out.line("#ifdef __cplusplus");
  out.line("}");
  out.line("#endif");
  out.line("#endif");
  return out.text();
}

std::vector<std::string> exported_names(const Program& program, const std::string& library) {
  std::vector<std::string> names = {tables_function(library)};
  for (const TransformId id : exported_transforms(program)) names.push_back(function_name(program, id, library));
  return names;
}

}  // namespace pb
