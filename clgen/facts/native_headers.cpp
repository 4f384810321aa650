// SPDX-License-Identifier: MIT
#include "clgen/facts/native_headers.h"

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
  return std::all_of(stem.begin(), stem.end(), [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

/// The names that the program's C++ uses and declares.
struct Names {
  std::set<std::string> used;
  std::set<std::string> declared;   ///< names that a prefix block declares
  std::set<std::string> included;   ///< files that a prefix block includes
  std::set<std::string> qualified;  ///< names that are used after `std::`
  bool uses_namespace_std = false;

  [[nodiscard]] bool uses(std::string_view prefix) const { return has(used, prefix); }
  [[nodiscard]] bool declares(std::string_view prefix) const { return has(declared, prefix); }

 private:
  static bool has(const std::set<std::string>& names, std::string_view prefix) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(prefix); });
  }
};

/// Whether the token is a name that is declared there. A name after another word and before `(` is a declaration, not a
/// call. `enum CBLAS_ORDER {` declares a name too, and so do `typedef enum { … } CBLAS_ORDER;` and `CblasRowMajor =
/// 101`.
bool is_declaration(const std::vector<BodyToken>& tokens, std::size_t at) {
  if (at == 0 || at + 1 >= tokens.size()) return false;
  static const std::set<std::string> kStatements = {"return", "else", "do", "throw", "case", "co_return"};
  const std::string& before = tokens[at - 1].text;
  const std::string& after = tokens[at + 1].text;
  if (before == "enum") return after == "{" || after == ":";
  if (after == "=" && (before == "{" || before == ",")) return true;
  if (before == "}") return after == ";";
  return after == "(" && is_word(before) && !kStatements.contains(before);
}

void note_use(const std::vector<BodyToken>& tokens, std::size_t at, Names& names) {
  const auto is = [&](std::size_t index, std::string_view text) { return tokens[index].text == text; };
  if (!is_word(tokens[at].text)) return;
  names.used.insert(tokens[at].text);
  if (at >= 2 && is(at - 1, "::") && is(at - 2, "std")) names.qualified.insert(tokens[at].text);
  if (at >= 2 && is(at, "std") && is(at - 1, "namespace") && is(at - 2, "using")) names.uses_namespace_std = true;
}

void scan_block(const std::vector<BodyToken>& tokens, Names& names) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text.starts_with("#include")) {
      for (const char* file : {"cblas.h", "lapacke.h", "lapack.h"})
        if (text.find(file) != std::string::npos) names.included.insert(file);
    }
    note_use(tokens, i, names);
    if (is_word(text) && is_declaration(tokens, i)) names.declared.insert(text);
  }
}

Names find_names(const Program& program) {
  Names names;
  for (const NativeBlock& block : program.native_blocks) scan_block(block.tokens, names);
  for (const Transform& transform : program.transforms)
    for (const Rule& rule : transform.rules)
      for (std::size_t i = 0; i < rule.body.tokens.size(); ++i) note_use(rule.body.tokens, i, names);
  return names;
}

std::string guarded_include(const std::string& file, const std::string& before, const std::string& after) {
  return "#if __has_include(<" + file + ">)\n" + before + "#include <" + file + ">\n" + after + "#endif\n";
}

struct StandardHeader {
  const char* file;
  std::vector<const char*> names;
};

/// Headers of the C library that old programs use without an `#include`, because the runtime of PetaBricks included
/// them.
const std::vector<StandardHeader>& c_headers() {
  static const std::vector<StandardHeader> headers = {
      {"assert.h", {"assert"}},
      {"ctype.h", {"isalpha", "isdigit", "isspace", "tolower", "toupper"}},
      {"errno.h", {"errno"}},
      {"pthread.h", {"pthread_mutex_t", "pthread_mutex_lock", "pthread_t", "pthread_once_t"}},
      {"stdint.h", {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"}},
      {"sys/time.h", {"gettimeofday", "timeval"}},
      {"time.h", {"clock", "clock_gettime", "clock_t", "time", "time_t", "timespec"}},
      {"unistd.h", {"getpid", "sleep", "usleep"}},
  };
  return headers;
}

/// Headers of C++ by the names of namespace `std` that they declare.
const std::vector<StandardHeader>& cxx_headers() {
  static const std::vector<StandardHeader> headers = {
      {"bitset", {"bitset"}},
      {"complex", {"complex", "polar"}},
      {"deque", {"deque"}},
      {"fstream", {"fstream", "ifstream", "ofstream"}},
      {"functional", {"bind1st", "bind2nd", "function", "greater", "less", "plus", "multiplies"}},
      {"iomanip", {"setfill", "setprecision", "setw"}},
      {"list", {"list"}},
      {"map", {"map", "multimap"}},
      {"memory", {"auto_ptr", "shared_ptr", "unique_ptr"}},
      {"numeric", {"accumulate", "inner_product", "iota", "partial_sum"}},
      {"queue", {"priority_queue", "queue"}},
      {"set", {"multiset", "set"}},
      {"sstream", {"istringstream", "ostringstream", "stringstream"}},
      {"stack", {"stack"}},
      {"utility", {"make_pair", "pair"}},
  };
  return headers;
}

std::string includes_of(const std::vector<StandardHeader>& headers, const std::set<std::string>& used,
                        const std::set<std::string>& declared) {
  std::string out;
  for (const StandardHeader& header : headers) {
    const auto is_needed = [&](const char* name) { return used.contains(name) && !declared.contains(name); };
    if (std::any_of(header.names.begin(), header.names.end(), is_needed))
      out += std::string("#include <") + header.file + ">\n";
  }
  return out;
}

/// Returns the #include lines that the program needs. A header that it does not need does no harm, because the
/// program's own declarations stand in a namespace.
std::string standard_headers(const Names& names) {
  return includes_of(c_headers(), names.used, names.declared) +
         includes_of(cxx_headers(), names.uses_namespace_std ? names.used : names.qualified, names.declared);
}

}  // namespace

bool uses_blas(const Program& program) {
  const Names names = find_names(program);
  const auto has_fortran_name = [](const std::set<std::string>& words) {
    return std::any_of(words.begin(), words.end(), [](const std::string& name) { return is_fortran_name(name); });
  };
  return names.uses("cblas_") || names.uses("LAPACKE_") || has_fortran_name(names.used) ||
         has_fortran_name(names.declared);
}

std::string native_headers(const Program& program) {
  const Names names = find_names(program);
  std::string out = standard_headers(names);
  const bool uses_cblas_enums = names.uses("CBLAS_") || names.uses("Cblas");
  const bool uses_cblas = names.uses("cblas_") || uses_cblas_enums;
  const bool has_own_cblas = names.declares("CBLAS_") || names.declares("Cblas") ||
                             (names.declares("cblas_") && !uses_cblas_enums) || names.included.contains("cblas.h");
  if (uses_cblas && !has_own_cblas) out += guarded_include("cblas.h", "", "");

  const bool declares_fortran = std::any_of(names.declared.begin(), names.declared.end(),
                                            [](const std::string& name) { return is_fortran_name(name); });
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
