// SPDX-License-Identifier: MIT
// Random rule headers, steered by bytes, through the whole compiler up to the Plan: it ends with a Plan that is
// consistent and survives printing and reading, or with diagnostics. isl's own errors would abort.
// REGION_FUZZ_PRINT=1 prints the program that a file stands for.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "choicegraph/passes/build_plan.h"
#include "choicegraph/plan/plan_graph.h"
#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/verify_plan.h"
#include "frontend/check_types/check_types.h"
#include "frontend/infer_regions/infer_regions.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"
#include "lang/check.h"

namespace {

constexpr std::uint64_t kMaxOperations = 300'000;  // less than pbc's: an input must not take seconds

/// Numbers from bytes; when they are used up, pseudo-random ones that the last bytes decide: short inputs make whole
/// programs.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
    for (std::size_t i = 0; i < size; ++i) state_ = (state_ ^ data[i]) * 0x100000001b3U;
  }
  int pick(int count) {
    if (at_ < size_) return data_[at_++] % count;
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<int>((state_ >> 20U) % static_cast<std::uint64_t>(count));
  }
  template <std::size_t N>
  const char* word(const char* const (&words)[N]) {
    return words[pick(static_cast<int>(N))];
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// Text of a program with one transform: matrices A (from), B (through or to) and C (to), one to five rules.
class Generator {
 public:
  explicit Generator(Bytes bytes) : bytes_(bytes) {}

  std::string make() {
    dims_ = 1 + bytes_.pick(3);
    std::string out = "transform T\n";
    if (chance(6)) out += "tunable k(1,8)\n";
    out += "from A" + extents() + "\n";
    has_b_ = chance(2);
    if (has_b_) out += std::string(chance(2) ? "through B" : "to B") + extents() + "\n";
    out += "to C" + extents() + "\n{\n";
    const int num_rules = 1 + bytes_.pick(5);
    for (int i = 0; i < num_rules; ++i) out += rule();
    return out + "}\n";
  }

 private:
  bool chance(int one_in) { return bytes_.pick(one_in) == 0; }

  std::string extents() {
    static constexpr const char* kExtents[] = {"n",   "m",   "n",   "p", "n+1", "n-1", "2*n",
                                               "n/2", "n*m", "n^2", "7", "m+n", "n-m"};
    if (chance(12)) return "";
    std::string out = "[";
    for (int d = 0; d < dims_; ++d)
      out += std::string(d == 0 ? "" : ",") + (chance(3) ? bytes_.word(kExtents) : size_of(d));
    return out + "]";
  }
  static const char* size_of(int dim) {
    static constexpr const char* kSizes[] = {"n", "m", "p"};
    return kSizes[dim];
  }
  static const char* var_of(int dim) {
    static constexpr const char* kVars[] = {"i", "j", "l"};
    return kVars[dim];
  }

  std::string number() {
    static constexpr const char* kNumbers[] = {"0",  "1",    "2",     "3",          "5",
                                               "17", "1000", "65537", "2147483647", "9223372036854775807"};
    return kNumbers[chance(8) ? bytes_.pick(10) : bytes_.pick(5)];
  }

  /// An affine term or, now and then, something that is none.
  std::string formula(int dim, int depth = 0) {
    static constexpr const char* kOps[] = {"+", "-", "+", "-", "*", "/", "^"};
    const int kind = bytes_.pick(depth > 2 ? 5 : 12);
    if (kind < 2) return var_of(dim);
    if (kind == 2) return number();
    if (kind == 3) return size_of(bytes_.pick(3));
    if (kind == 4) return var_of(bytes_.pick(3));
    if (kind < 8) return std::string(var_of(dim)) + (chance(2) ? "+" : "-") + number();
    if (kind == 8) return std::string(size_of(dim)) + "-1-" + var_of(dim);
    if (kind == 9) return number() + "*" + var_of(bytes_.pick(3)) + "+" + number();
    if (kind == 10) return "-(" + formula(dim, depth + 1) + ")";
    const std::string left = formula(dim, depth + 1);
    return "(" + left + ")" + bytes_.word(kOps) + "(" + formula(dim, depth + 1) + ")";
  }

  std::string list(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + formula(i % dims_);
    return out;
  }

  std::string region(const char* matrix) {
    const std::string name = matrix;
    switch (bytes_.pick(10)) {
      case 0:
        return name;
      case 1:
        return name + ".all()";
      case 2:
        return name + ".row(" + formula(dims_ > 1 ? 1 : 0) + ")";
      case 3:
        return name + ".column(" + formula(0) + ")";
      case 4:
        return name + ".region(" + list(2 * dims_) + ")";
      default:
        return name + ".cell(" + list(dims_) + ")";
    }
  }

  std::string rule() {
    static constexpr const char* kModifiers[] = {
        "", "", "", "primary ", "secondary ", "rotatable ", "distinct ", "priority(2) ", "duplicate(u, 1, 2) "};
    std::string out = "  " + std::string(bytes_.word(kModifiers));
    const bool has_two = has_b_ && chance(3);
    out += "to (" + region(has_b_ && chance(2) ? "B" : "C") + " o0" + (has_two ? ", " + region("C") + " o1" : "") +
           ") from (";
    const int num_inputs = bytes_.pick(4);
    for (int i = 0; i < num_inputs; ++i) {
      static constexpr const char* kMatrices[] = {"A", "A", "B", "C"};
      const char* matrix = kMatrices[bytes_.pick(4)];
      out += (i == 0 ? "" : ", ") + region(*matrix == 'B' && !has_b_ ? "A" : matrix) + " x" + std::to_string(i);
    }
    return out + ")" + where() + " { }\n";
  }

  std::string where() {
    static constexpr const char* kRelations[] = {"<", "<=", ">", ">=", "==", "!="};
    static constexpr const char* kJoins[] = {" && ", " && ", " || "};
    std::string out;
    for (int i = chance(3) ? 1 + bytes_.pick(3) : 0; i > 0; --i) {
      out += out.empty() ? " where " : bytes_.word(kJoins);
      const std::string left = formula(bytes_.pick(dims_));
      out += left + " " + bytes_.word(kRelations) + " " + formula(bytes_.pick(dims_));
    }
    return out;
  }

  Bytes bytes_;
  int dims_ = 1;
  bool has_b_ = false;
};

}  // namespace

namespace pb {
namespace {

void compile(const std::string& text, SourceManager& sources, Diagnostics& diags) {
  const FileId file = sources.add("fuzz.pbcc", text);
  const Ast ast = parse(preprocess(file, sources, diags), sources, diags);
  if (diags.has_errors()) return;
  auto program = resolve(ast, sources, {}, diags);
  if (!program || !check_types(*program, diags) || !infer_regions(*program, diags)) return;
  verify(*program);
  const Plan plan = build_plan(*program, diags, {.max_operations = kMaxOperations});
  if (diags.has_errors()) return;
  verify(plan, *program);
  const std::string printed = to_string(plan, *program);
  const ParsedPlan again = parse_plan(printed, *program);
  PB_CHECK(again.plan.has_value(), "the Plan's text can be read back");
  PB_CHECK(to_string(*again.plan, *program) == printed, "the Plan survives the round trip");
  (void)to_graphviz(plan, *program);
  (void)to_svg(plan, *program);
}

}  // namespace
}  // namespace pb

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = Generator(Bytes(data, size)).make();
  const bool is_shown = std::getenv("REGION_FUZZ_PRINT") != nullptr;
  if (is_shown) std::fputs(text.c_str(), stderr);
  pb::SourceManager sources;
  pb::Diagnostics diags;
  pb::compile(text, sources, diags);
  const std::string messages = render(diags, sources);
  if (is_shown) std::fputs(messages.c_str(), stderr);
  return 0;
}
