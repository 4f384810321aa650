// SPDX-License-Identifier: MIT
#include "clgen/cpp/native_headers.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

namespace pb {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
}

/// A LAPACK or BLAS routine as Fortran compilers name it: `dgetrf_`.
bool is_fortran_name(std::string_view text) {
  if (text.size() < 5 || text.size() > 12 || !text.ends_with('_')) return false;
  if (std::string_view("sdcz").find(text[0]) == std::string_view::npos) return false;
  const std::string_view stem = text.substr(0, text.size() - 1);
  return std::all_of(stem.begin(), stem.end(),
                     [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

/// What the program's C++ says of the libraries' names.
struct Names {
  std::set<std::string> used;
  std::set<std::string> declared;  ///< by a prefix block
  std::set<std::string> included;  ///< files that a prefix block includes

  [[nodiscard]] bool uses(std::string_view prefix) const { return has(used, prefix); }
  [[nodiscard]] bool declares(std::string_view prefix) const { return has(declared, prefix); }

 private:
  static bool has(const std::set<std::string>& names, std::string_view prefix) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(prefix); });
  }
};

/// A name behind a type, before `(`: a declaration, not a call. `enum CBLAS_ORDER {` declares too.
bool is_declaration(const std::vector<BodyToken>& tokens, std::size_t at) {
  if (at == 0 || at + 1 >= tokens.size()) return false;
  static const std::set<std::string> kStatements = {"return", "else", "do", "throw", "case", "co_return"};
  const std::string& before = tokens[at - 1].text;
  const std::string& after = tokens[at + 1].text;
  if (before == "enum") return after == "{" || after == ":";
  return after == "(" && is_word(before) && !kStatements.contains(before);
}

void scan_block(const std::vector<BodyToken>& tokens, Names& names) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text.starts_with("#include")) {
      for (const char* file : {"cblas.h", "lapacke.h", "lapack.h"})
        if (text.find(file) != std::string::npos) names.included.insert(file);
    }
    if (!is_word(text)) continue;
    names.used.insert(text);
    if (is_declaration(tokens, i)) names.declared.insert(text);
  }
}

Names find_names(const Program& program) {
  Names names;
  for (const NativeBlock& block : program.native_blocks) scan_block(block.tokens, names);
  for (const Transform& transform : program.transforms)
    for (const Rule& rule : transform.rules)
      for (const BodyToken& token : rule.body.tokens)
        if (is_word(token.text)) names.used.insert(token.text);
  return names;
}

std::string guarded_include(const std::string& file, const std::string& before, const std::string& after) {
  return "#if __has_include(<" + file + ">)\n" + before + "#include <" + file + ">\n" + after + "#endif\n";
}

}  // namespace

std::string native_headers(const Program& program) {
  const Names names = find_names(program);
  std::string out;
  const bool uses_cblas = names.uses("cblas_") || names.uses("CBLAS_") || names.uses("Cblas");
  const bool has_own_cblas =
      names.declares("cblas_") || names.declares("CBLAS_") || names.included.contains("cblas.h");
  if (uses_cblas && !has_own_cblas) out += guarded_include("cblas.h", "", "");

  const bool declares_fortran =
      std::any_of(names.declared.begin(), names.declared.end(), [](const std::string& name) { return is_fortran_name(name); });
  const bool uses_fortran =
      std::any_of(names.used.begin(), names.used.end(), [](const std::string& name) { return is_fortran_name(name); });
  const bool uses_lapacke = names.uses("LAPACKE_") || names.uses("lapack_int") || names.uses("LAPACK_");
  const bool has_own_lapacke =
      names.declares("LAPACKE_") || names.included.contains("lapacke.h") || names.included.contains("lapack.h");
  if (has_own_lapacke || (!uses_lapacke && (!uses_fortran || declares_fortran))) return out;
  // The program's own declarations of Fortran routines may have other types than the header's: hide the header's.
  const bool hides = declares_fortran;
  return out + guarded_include("lapacke.h", hides ? "#define LAPACK_GLOBAL(name, NAME) pb_hidden_##name\n" : "",
                               hides ? "#undef LAPACK_GLOBAL\n" : "");
}

}  // namespace pb
