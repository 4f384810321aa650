// SPDX-License-Identifier: MIT
#include "choicegraph/testing/random_header.h"

#include <string>
#include <utility>
#include <vector>

namespace pb::testing {
namespace {

int pick_of(std::mt19937_64& rng, int count) { return static_cast<int>(rng() % static_cast<std::uint64_t>(count)); }

std::string size_of(int dim) { return dim == 0 ? "n" : "m"; }

struct PartialRule {
  std::vector<std::string> outputs;
  std::vector<std::string> inputs;
  int priority;
  bool is_chain = false;  ///< whether the rule makes each cell from others
};

/// Draws rules that make parts of temporaries, chains that go on from those parts or from cells that no rule makes, and
/// a rule of `OUT` that needs some cells of each.
class PartialTemporaries {
 public:
  PartialTemporaries(std::mt19937_64& rng, bool is_plane, const std::vector<std::string>& names)
      : rng_(rng), is_plane_(is_plane), names_(names) {}

  std::vector<PartialRule> rules() {
    std::vector<std::string> parts;
    for (const std::string& name : names_) parts.push_back(part_of(name));
    std::vector<PartialRule> out;
    if (chance(40)) {
      out.push_back({parts, {"IN"}, 0});
    } else {
      for (const std::string& part : parts) out.push_back({{part}, {"IN"}, chance(70) ? 0 : 1});
    }
    for (const std::string& name : names_)
      if (chance(80)) out.push_back({{all_cells(name)}, one_or_two([&] { return cell_before(any()); }), 1, true});
    const auto needed = [&] { return chance(70) ? parts[pick(parts.size())] : part_of(any()); };
    out.push_back({{all_cells("OUT")}, one_or_two(needed), chance(60) ? 0 : 1});
    return out;
  }

 private:
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(pick_of(rng_, static_cast<int>(count))); }
  bool chance(int percent) { return pick_of(rng_, 100) < percent; }
  const std::string& any() { return names_[pick(names_.size())]; }

  template <class Draw>
  std::vector<std::string> one_or_two(Draw draw) {
    std::vector<std::string> out{draw()};
    if (chance(30)) out.push_back(draw());
    return out;
  }

  [[nodiscard]] std::string all_cells(const std::string& matrix) const {
    return matrix + (is_plane_ ? ".cell(i,j)" : ".cell(i)");
  }
  std::string part_of(const std::string& matrix) {
    static constexpr const char* kOfLines[] = {".cell(0)",     ".cell(1)",   ".cell(n-1)",     ".cell(2*i)",
                                               ".cell(2*i+1)", ".cell(i+1)", ".cell(n-1-2*i)", ".region(0,n/2)"};
    static constexpr const char* kOfPlanes[] = {".row(0)",   ".column(0)",   ".cell(i,i)",   ".cell(i,0)",
                                                ".row(m-1)", ".cell(i+1,j)", ".cell(2*i,j)", ".cell(n-1,j)"};
    return matrix + (is_plane_ ? kOfPlanes : kOfLines)[pick(8)];
  }
  std::string cell_before(const std::string& matrix) {
    static constexpr const char* kOfLines[] = {".cell(i-1)", ".cell(i-2)", ".cell(i+1)", ".cell(i-1)"};
    static constexpr const char* kOfPlanes[] = {".cell(i-1,j)", ".cell(i,j-1)", ".cell(i-1,j+1)", ".row(j-1)"};
    return matrix + (is_plane_ ? kOfPlanes : kOfLines)[pick(4)];
  }

  std::mt19937_64& rng_;
  bool is_plane_;
  const std::vector<std::string>& names_;
};

/// Writes one header, rule by rule.
class Generator {
 public:
  explicit Generator(std::mt19937_64& rng) : rng_(rng) {}

  RandomHeader make() {
    out_.traits.is_plane = chance(55);
    const char* size = out_.traits.is_plane ? "[n,m]" : "[n]";
    const char* with_versions = out_.traits.is_plane ? "[n;m]" : "[;n]";
    const auto size_of_output = [&] {
      const bool has_versions = chance(25);
      out_.traits.has_versions = out_.traits.has_versions || has_versions;
      return has_versions ? with_versions : size;
    };
    declare("from", "IN", size);
    declare("to", "OUT", size_of_output());
    if (chance(20)) {
      const std::vector<std::string> names =
          chance(40) ? std::vector<std::string>{"P", "Q"} : std::vector<std::string>{"P"};
      for (const std::string& name : names) declare("through", name, size_of_output());
      add_partial_temporaries(names);
      return std::move(out_);
    }
    has_second_ = chance(45);
    is_dynamic_ = chance(14);
    const bool is_through = chance(50);
    if (has_second_) declare(is_through ? "through" : "to", "P", size_of_output());
    const int num_rules = 1 + pick(3);
    for (int i = 0; i < num_rules; ++i) add_rule(pick_target(), i == 0 && chance(60) ? 2 : priority());
    if (chance(15) && !is_dynamic_) add_lattices(pick_target());
    if (chance(85)) add_cover("OUT");
    if (has_second_ && chance(85)) add_cover("P");
    return std::move(out_);
  }

 private:
  int pick(int count) { return pick_of(rng_, count); }
  bool chance(int percent) { return pick(100) < percent; }
  int priority() { return chance(70) ? 1 : pick(3); }
  std::string pick_target() { return has_second_ && chance(45) ? "P" : "OUT"; }

  void declare(const std::string& role, const std::string& name, const std::string& size) {
    if (role == "from") out_.transform.from(name + size);
    if (role == "to") out_.transform.to(name + size);
    if (role == "through") out_.transform.through(name + size);
    out_.text += role + " " + name + size + "\n";
  }

  void emit(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs, int priority) {
    out_.transform.rule(outputs, inputs, priority);
    ++out_.traits.num_rules;
    out_.text += "  priority(" + std::to_string(priority) + ") to";
    for (const std::string& output : outputs) out_.text += " " + output;
    out_.text += " from";
    for (const std::string& input : inputs) out_.text += " " + input;
    out_.text += "\n";
  }

  /// Adds a rule that covers all of `matrix`, as most programs have one.
  void add_cover(const std::string& matrix) {
    emit({matrix + (out_.traits.is_plane ? ".cell(i,j)" : ".cell(i)")}, {chance(50) ? "IN" : plain_input()},
         chance(50) ? 2 : 1);
  }
  std::string plain_input() const { return out_.traits.is_plane ? "IN.cell(i,j)" : "IN.cell(i)"; }

  /// Rules of a result and of temporaries of which only a part is made or needed.
  void add_partial_temporaries(const std::vector<std::string>& names) {
    out_.traits.has_partial_temporary = true;
    for (const PartialRule& rule : PartialTemporaries(rng_, out_.traits.is_plane, names).rules()) {
      out_.traits.has_several_outputs = out_.traits.has_several_outputs || rule.outputs.size() > 1;
      out_.traits.has_self_dependence = out_.traits.has_self_dependence || rule.is_chain;
      emit(rule.outputs, rule.inputs, rule.priority);
      if (rule.is_chain && chance(25)) add_where();
      if (rule.is_chain && out_.traits.is_plane && chance(25)) add_triangle();
    }
    if (chance(90)) add_cover("OUT");
  }

  /// Rules for the even and for the odd cells; the second may read what the first makes.
  void add_lattices(const std::string& matrix) {
    out_.traits.has_lattice_or_diagonal = true;
    const std::string y = out_.traits.is_plane ? ",j)" : ")";
    const std::string x = out_.traits.is_plane && chance(50) ? "2*i+j" : "2*i";
    const int number = priority();
    emit({matrix + ".cell(" + x + y}, {"IN"}, number);
    const bool reads_first = chance(50);
    out_.traits.has_self_dependence = out_.traits.has_self_dependence || reads_first;
    emit({matrix + ".cell(" + x + "+1" + y}, {reads_first ? matrix + ".cell(" + x + y : "IN"}, number);
  }

  std::string offset(const std::string& var, int reach) {
    const int by = pick(2 * reach + 1) - reach;
    if (by == 0) return var;
    return var + (by > 0 ? "+" : "-") + std::to_string(by > 0 ? by : -by);
  }

  /// A coordinate without rule variables.
  std::string fixed(int dim) {
    switch (pick(5)) {
      case 0:
        return "0";
      case 1:
        return "1";
      case 2:
        return size_of(dim) + "-1";
      case 3:
        return size_of(dim) + "-2";
      default:
        return size_of(dim) + "/2";
    }
  }

  std::string output_coordinate(int dim) {
    const std::string var = dim == 0 ? "i" : "j";
    if (chance(20)) return fixed(dim);
    used_[dim] = true;
    if (chance(8)) return size_of(dim) + "-1-" + var;
    if (chance(7)) return lattice(dim, var);
    return chance(75) ? var : offset(var, 1);
  }

  /// A coordinate with gaps.
  std::string lattice(int dim, const std::string& var) {
    out_.traits.has_lattice_or_diagonal = true;
    switch (pick(4)) {
      case 0:
        return "2*" + var;
      case 1:
        return "2*" + var + "+1";
      case 2:
        return "3*" + var;
      default:
        return size_of(dim) + "-1-2*" + var;
    }
  }

  /// A line through a plane.
  std::string diagonal(const std::string& matrix) {
    static constexpr const char* kLines[] = {"i,i", "i+1,i", "i,n-1-i", "2*i,i"};
    out_.traits.has_lattice_or_diagonal = true;
    used_[0] = true;
    return matrix + ".cell(" + kLines[pick(4)] + ")";
  }

  std::string input_coordinate(int dim) {
    const std::string var = dim == 0 ? "i" : "j";
    if (!used_[dim] || chance(8)) return fixed(dim);
    if (chance(8)) return size_of(dim) + "-1-" + var;
    if (chance(6)) return "(" + offset(var, 1) + ")/2";
    if (chance(4)) return "2*" + var;
    return offset(var, 2);
  }

  /// An output. Where conditions are tested per instance, rules have the same instances; now and then one has others,
  /// which is an error.
  std::string output(const std::string& matrix) {
    if (is_dynamic_ && !chance(8)) {
      used_[0] = true;
      used_[1] = out_.traits.is_plane;
      return matrix + (out_.traits.is_plane ? ".cell(i,j)" : ".cell(i)");
    }
    if (chance(12)) {
      out_.traits.has_wide_output = true;
      return matrix;
    }
    if (out_.traits.is_plane && chance(15)) {
      out_.traits.has_wide_output = true;
      return chance(50) ? matrix + ".row(" + output_coordinate(1) + ")"
                        : matrix + ".column(" + output_coordinate(0) + ")";
    }
    if (out_.traits.is_plane && chance(12)) return diagonal(matrix);
    if (!out_.traits.is_plane && chance(4)) {
      out_.traits.has_wide_output = out_.traits.has_lattice_or_diagonal = used_[0] = true;
      return chance(50) ? matrix + ".region(2*i, 2*i+2)" : matrix + ".region(4*i, 4*i+4)";
    }
    if (!out_.traits.is_plane && chance(8)) {
      out_.traits.has_wide_output = true;
      return chance(50) ? matrix + ".region(0, n/2)" : matrix + ".region(n/2, n)";
    }
    if (!out_.traits.is_plane) return matrix + ".cell(" + output_coordinate(0) + ")";
    const std::string x = output_coordinate(0);
    return matrix + ".cell(" + x + "," + output_coordinate(1) + ")";
  }

  std::string input(const std::string& target) {
    std::string matrix = "IN";
    if (chance(25)) {
      matrix = target;
      out_.traits.has_self_dependence = true;
    } else if (has_second_ && chance(40)) {
      matrix = target == "P" ? "OUT" : "P";
    }
    if (chance(10) && matrix != target) return matrix;
    if (!out_.traits.is_plane) {
      if (used_[0] && chance(10)) return matrix + ".region(0,i)";
      return matrix + ".cell(" + input_coordinate(0) + ")" + border();
    }
    if (chance(10)) return matrix + ".row(" + input_coordinate(1) + ")";
    const std::string x = input_coordinate(0);
    return matrix + ".cell(" + x + "," + input_coordinate(1) + ")" + border();
  }

  /// The text of a border, which stands behind an input `.cell`; most often empty.
  std::string border() {
    static constexpr const char* kBorders[] = {"=wrap", "=clamp", "=mirror"};
    if (!chance(20)) return "";
    out_.traits.has_border = true;
    return kBorders[pick(3)];
  }

  void add_rule(const std::string& target, int priority) {
    used_[0] = used_[1] = false;
    std::vector<std::string> outputs{output(target)};
    if (has_second_ && !is_dynamic_ && chance(46)) {
      out_.traits.has_several_outputs = true;
      outputs.push_back(output(target == "OUT" ? "P" : "OUT"));
    }
    std::vector<std::string> inputs;
    for (int i = pick(3); i > 0; --i) inputs.push_back(input(target));
    emit(outputs, inputs, priority);
    if (used_[0] && chance(10)) add_where();
    if (used_[0] && used_[1] && chance(70)) add_triangle();
    if (is_dynamic_ && used_[0] && chance(60)) add_dynamic();
  }

  void add_where() {
    static constexpr std::pair<RelationOp, const char*> kRelations[] = {{RelationOp::Equal, "=="},
                                                                        {RelationOp::LessEqual, "<="},
                                                                        {RelationOp::Greater, ">"},
                                                                        {RelationOp::NotEqual, "!="}};
    const auto& [op, spelled] = kRelations[pick(4)];
    const std::string bound = fixed(0);
    out_.traits.has_where = true;
    out_.transform.where("i", op, bound);
    out_.text += "    where i " + std::string(spelled) + " " + bound + "\n";
  }

  /// A relation that is not affine.
  void add_dynamic() {
    static constexpr const char* kLines[] = {"i*i", "i*(i+1)", "n*i", "i*i-3*i", "(i+1)*(i-2)"};
    static constexpr const char* kPlanes[] = {"i*j", "(i+1)*(j-1)", "i*i+j", "m*j-i", "i*j-n"};
    static constexpr const char* kBounds[] = {"2", "5", "n", "2*n-3", "n*n/2"};
    static constexpr std::pair<RelationOp, const char*> kRelations[] = {
        {RelationOp::Less, "<"}, {RelationOp::GreaterEqual, ">="}, {RelationOp::NotEqual, "!="}};
    const std::string lhs = used_[1] && chance(60) ? kPlanes[pick(5)] : kLines[pick(5)];
    const auto& [op, spelled] = kRelations[pick(3)];
    const std::string rhs = kBounds[pick(5)];
    out_.traits.has_dynamic_where = true;
    out_.transform.where(lhs, op, rhs);
    out_.text += "    where " + lhs + " " + spelled + " " + rhs + "\n";
  }

  void add_triangle() {
    struct Line {
      const char* lhs;
      RelationOp op;
      const char* spelled;
      const char* rhs;
    };
    static constexpr Line kLines[] = {{"i", RelationOp::Less, "<", "j"},
                                      {"i", RelationOp::GreaterEqual, ">=", "j"},
                                      {"i+j", RelationOp::GreaterEqual, ">=", "3"},
                                      {"i", RelationOp::Equal, "==", "j"},
                                      {"i+j", RelationOp::Less, "<", "n"},
                                      {"i", RelationOp::NotEqual, "!=", "j"},
                                      {"i", RelationOp::LessEqual, "<=", "2*j+1"}};
    const Line& line = kLines[pick(7)];
    out_.traits.has_triangle = true;
    out_.transform.where(line.lhs, line.op, line.rhs);
    out_.text += "    where " + std::string(line.lhs) + " " + line.spelled + " " + line.rhs + "\n";
  }

  std::mt19937_64& rng_;
  RandomHeader out_;
  bool has_second_ = false;
  bool is_dynamic_ = false;
  bool used_[2] = {false, false};
};

}  // namespace

RandomHeader random_header(std::mt19937_64& rng) { return Generator(rng).make(); }

}  // namespace pb::testing
