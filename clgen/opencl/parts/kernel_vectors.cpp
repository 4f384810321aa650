// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/kernel_vectors.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_words.h"

namespace pb {
namespace {

constexpr const char* kComponents[] = {"x", "y", "z", "w"};

int floor_to(int value, int width) { return (value - (value < 0 ? width - 1 : 0)) / width * width; }

/// More cells of a region than these find no room in registers.
constexpr int kMostCells = 64;

/// An extent of a region in the names of the build's macros.
IndexExpr extent_of(const NearRegion& region, std::size_t dim) {
  std::vector<std::pair<std::string, IndexExpr>> macros;
  for (const std::string& name : region.names) macros.emplace_back(name, index_symbol(size_macro(name)));
  return substitute(region.extents[dim], macros);
}

/// The cells of all rows below dimension `dim`; below dimension 1, of one row.
IndexExpr cells_below(const NearRegion& region, int width, std::size_t dim) {
  IndexExpr out = index_add(extent_of(region, 0), index_const(width - 1));
  for (std::size_t d = 1; d < dim; ++d) out = index_mul(std::move(out), extent_of(region, d));
  return out;
}

/// Returns the expression as an operand of any operator.
std::string as_operand(const IndexExpr& expr) {
  const bool is_plain = expr.op == IndexExpr::Op::Const || expr.op == IndexExpr::Op::Symbol;
  return is_plain ? to_opencl(expr) : "(" + to_opencl(expr) + ")";
}

std::string cells_name(const RegionAccess& access) { return "pb_cells_" + access.binding; }

}  // namespace

std::string new_cells_name(const Rule& rule, const RegionAccess& output) {
  return "pb_new_" + (rule.is_return_form ? "return" : output.binding);
}

std::string vector_word(const Program& program, const Matrix& matrix, int width) {
  return opencl_type(matrix.is_element_t ? program.element : matrix.element) + std::to_string(width);
}

void print_gather(Writer& out, const std::string& vector_type, const std::string& array, int width,
                  const std::string& first, const std::string& step) {
  out.line(vector_type + " pb_vector;");
  for (int i = 0; i < width; ++i)
    out.line(std::string("pb_vector.") + kComponents[i] + " = " + array + "[" + (first.empty() ? "" : first + " + ") +
             std::to_string(i) + (step.empty() ? "" : " * " + step) + "];");
}

namespace {

class VectorPrinter {
 public:
  VectorPrinter(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                KernelOperandPrinter& operands, int width, std::string done = "pb_done_vector")
      : out_(out),
        program_(program),
        transform_(program.transforms[kernel.transform]),
        rule_(transform_.rules[kernel.rule]),
        kernel_(kernel),
        vectors_(*kernel.vectors),
        width_(width),
        dialect_(dialect),
        operands_(operands),
        done_(std::move(done)) {}

  void print() {
    print_loops();
    out_.open("");
    print_places();
    print_values();
    for (const RegionAccess& output : rule_.outputs) print_store(output);
    out_.close();
  }

  /// Loads cells, and runs the instances.
  void print_values() {
    for (std::size_t i = 0; i < vectors_.rows.size(); ++i) print_row(i);
    for (const NearRegion& region : vectors_.regions) print_region(region);
    for (const RegionAccess& output : rule_.outputs)
      out_.line(element_of(output) + " " + new_cells(output) + "[" + width() + "];");
    out_.verbatim("#pragma unroll\n");
    out_.open("for (int pb_v = 0; pb_v < " + width() + "; ++pb_v)");
    print_instance();
    out_.close();
  }

 private:
  std::size_t num_loops() const { return kernel_.vars.size(); }
  std::string width() const { return std::to_string(width_); }
  std::string element_of(const RegionAccess& access) const { return element_word(transform_.matrices[access.matrix]); }

  std::string vector_of(const RegionAccess& access) const {
    return vector_word(program_, transform_.matrices[access.matrix], width_);
  }

  std::string new_cells(const RegionAccess& output) const { return new_cells_name(rule_, output); }

  void print_loops() {
    for (std::size_t d = num_loops(); d-- > 0;) {
      const std::string var = "pb_k" + std::to_string(d);
      out_.verbatim("#pragma unroll\n");
      out_.line("for (int " + var + " = 0; " + var + " < PB_ITEMS" + std::to_string(d) +
                (d == 0 ? " / " + width() : "") + "; ++" + var + ")");
    }
  }

  /// Declares where the first instance of the vector stands.
  void print_places() {
    out_.line("const int pb_i0 = (int)" + dialect_.group_id(0) + " * PB_SPAN0 + ((int)" + dialect_.local_id(0) +
              " + pb_k0 * (int)" + dialect_.group_size(0) + ") * " + width() + ";");
    out_.line("const int pb_x0 = pb_lo0 + pb_i0;");
    for (std::size_t d = 1; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int pb_i" + dim + " = " + place_text(kernel_, dialect_, static_cast<int>(d)) + ";");
      out_.line("const int " + opencl_name(kernel_.vars[d]) + " = pb_lo" + dim + " + pb_i" + dim + ";");
    }
  }

  /// A cell of the access's first row, `distance` from the first instance's place. `beside` is added to the places
  /// along the other dimensions, from dimension 1 on.
  std::string cell_at(const RegionAccess& access, bool is_output, const std::string& distance,
                      const std::vector<std::string>& beside = {}) const {
    const std::string matrix = name_in_kernel(kernel_, transform_, access.matrix, is_output);
    std::string text = matrix + "_data[" + matrix + "_offset + pb_x0" + distance;
    for (std::size_t d = 1; d < access.lo.size(); ++d) {
      const std::string at = kernel_formula(access.lo[d]) + (beside.empty() ? "" : " + " + beside[d - 1]);
      const bool is_plain = beside.empty() && std::holds_alternative<SymbolRef>(access.lo[d].node);
      text += " + " + (is_plain ? at : "(" + at + ")") + " * " + stride_name(matrix, d);
    }
    return text + "]";
  }

  /// The vector that begins at a cell.
  std::string vector_from(const RegionAccess& access, bool is_output, const std::string& cell) const {
    return "*(" + dialect_.global + (is_output ? "" : "const ") + vector_of(access) + "*)&" + cell;
  }

  /// Loads the cells of a row: whole vectors where all of their cells are read, else single cells.
  void print_row(std::size_t number) {
    const NearCells& row = vectors_.rows[number];
    const RegionAccess& access = rule_.inputs[row.readers.front().input];
    const std::string cells = "pb_near" + std::to_string(number);
    const int last = row.last + width_ - 1;
    out_.line(element_of(access) + " " + cells + "[" + std::to_string(last - row.first + 1) + "];");
    const auto cell = [&](int distance) { return cells + "[" + std::to_string(distance - row.first) + "]"; };
    for (int begin = floor_to(row.first, width_); begin <= last; begin += width_) {
      const int end = begin + width_;
      if (begin < row.first || end > last + 1) {
        for (int at = std::max(begin, row.first); at < std::min(end, last + 1); ++at)
          out_.line(cell(at) + " = " + cell_at(access, false, added_text(at)) + ";");
        continue;
      }
      out_.open("");
      out_.line("const " + vector_of(access) +
                " pb_vector = " + vector_from(access, false, cell_at(access, false, added_text(begin))) + ";");
      for (int at = begin; at < end; ++at) out_.line(cell(at) + " = pb_vector." + kComponents[at - begin] + ";");
      out_.close();
    }
  }

  /// Loads the cells of a region: whole vectors from the first one on that is aligned, and single cells beside them.
  void print_region(const NearRegion& region) {
    const RegionAccess& access = rule_.inputs[region.input];
    const IndexExpr cells = cells_below(region, width_, 1);
    const std::string length = as_operand(cells);
    const int lead = floor_to(region.distance + width_ - 1, width_) - region.distance;
    out_.line(element_of(access) + " " + cells_name(access) + "[" +
              to_opencl(cells_below(region, width_, region.extents.size())) + "];");
    std::vector<std::string> beside;
    std::string row;
    for (std::size_t d = region.extents.size(); d-- > 1;) {
      const std::string var = "pb_r" + std::to_string(d);
      out_.verbatim("#pragma unroll\n");
      out_.open("for (int " + var + " = 0; " + var + " < " + as_operand(extent_of(region, d)) + "; ++" + var + ")");
      row += var + " * " + as_operand(cells_below(region, width_, d)) + " + ";
      beside.insert(beside.begin(), var);
    }
    const auto cell = [&](int at) { return cells_name(access) + "[" + row + "pb_c" + added_text(at) + "]"; };
    const std::string from = cell_at(access, false, added_text(region.distance) + " + pb_c", beside);
    const auto single_cells = [&](const std::string& begin, const std::string& end) {
      out_.verbatim("#pragma unroll\n");
      out_.line("for (int pb_c = " + begin + "; pb_c < " + end + "; ++pb_c) " + cell(0) + " = " + from + ";");
    };
    const IndexExpr first = index_const(lead);
    if (lead > 0) single_cells("0", to_opencl(index_min({first, cells})));
    out_.verbatim("#pragma unroll\n");
    out_.open("for (int pb_c = " + to_opencl(first) + "; pb_c + " + width() + " <= " + length + "; pb_c += " + width() +
              ")");
    out_.line("const " + vector_of(access) + " pb_vector = " + vector_from(access, false, from) + ";");
    for (int i = 0; i < width_; ++i) out_.line(cell(i) + " = pb_vector." + kComponents[i] + ";");
    out_.close();
    if (cells.op == IndexExpr::Op::Const && cells.value >= lead && (cells.value - lead) % width_ == 0)
      return close_rows(region);
    const std::string whole = "(" + to_opencl(index_sub(cells, first)) + ") / " + width() + " * " + width();
    single_cells(lead == 0 ? whole : to_opencl(first) + " + " + whole, length);
    close_rows(region);
  }

  void close_rows(const NearRegion& region) {
    for (std::size_t d = 1; d < region.extents.size(); ++d) out_.close();
  }

  void print_instance() {
    RuleInstance instance = instance_of(kernel_.tree);
    for (const NearRegion& region : vectors_.regions) instance.inputs[region.input] = {OperandKind::SharedCells};
    out_.line("const int " + opencl_name(kernel_.vars.front()) + " = pb_x0 + pb_v;");
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i)
      if (instance.outputs[i].kind == OperandKind::NewValue)
        out_.line(element_of(rule_.outputs[i]) + " " + opencl_name(rule_.outputs[i].binding) + " = 0;");
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) print_input(i, instance.inputs[i]);
    out_.open("");
    BodyWords words;
    words.result = rule_.is_return_form ? "pb_new_return[pb_v]" : "";
    words.done = done_;
    const bool jumps = print_kernel_body(out_, rule_, kernel_, instance, words);
    out_.close();
    if (jumps) out_.line(words.done + ":;");
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i)
      if (instance.outputs[i].kind == OperandKind::NewValue)
        out_.line(new_cells(rule_.outputs[i]) + "[pb_v] = " + opencl_name(rule_.outputs[i].binding) + ";");
  }

  void print_input(std::size_t input, const Operand& operand) {
    const RegionAccess& access = rule_.inputs[input];
    for (std::size_t i = 0; i < vectors_.rows.size(); ++i)
      for (const NearCells::Reader& reader : vectors_.rows[i].readers)
        if (reader.input == input)
          return out_.line("const " + element_of(access) + " " + opencl_name(access.binding) + " = pb_near" +
                           std::to_string(i) + "[pb_v" + added_text(reader.distance - vectors_.rows[i].first) + "];");
    for (const NearRegion& region : vectors_.regions) {
      if (region.input != input) continue;
      const std::string name = "pb_at_" + access.binding;
      out_.line("const " + element_of(access) + "* const " + name + " = " + cells_name(access) + " + pb_v;");
      for (std::size_t d = 0; d < region.extents.size(); ++d)
        out_.line("const int " + stride_name(name, d) + " = " +
                  (d == 0 ? "1" : to_opencl(cells_below(region, width_, d))) + ";");
      return operands_.print_sizes(access);
    }
    operands_.print_input(input, operand);
  }

  void print_store(const RegionAccess& output) {
    out_.open("");
    print_gather(out_, vector_of(output), new_cells(output), width_);
    out_.line(vector_from(output, true, cell_at(output, true, "")) + " = pb_vector;");
    out_.close();
  }

  Writer& out_;
  const Program& program_;
  const Transform& transform_;
  const Rule& rule_;
  const KernelTree& kernel_;
  const VectorInstances& vectors_;
  const int width_;
  const KernelDialect& dialect_;
  KernelOperandPrinter& operands_;
  std::string done_;  ///< the label behind the body
};

}  // namespace

namespace {

/// Returns the condition of the preprocessor under which a build has vectors of this width.
std::string has_vectors_text(const VectorInstances& vectors, int width) {
  std::string text = "PB_VECTORS == " + std::to_string(width);
  for (const NearRegion& region : vectors.regions) {
    for (const std::string& name : region.names) text += " && defined(" + size_macro(name) + ")";
    for (std::size_t d = 0; d < region.extents.size(); ++d)
      if (const IndexExpr extent = extent_of(region, d); extent.op != IndexExpr::Op::Const)
        text += " && " + as_operand(extent) + " >= 1";
    text +=
        " && " + as_operand(cells_below(region, width, region.extents.size())) + " <= " + std::to_string(kMostCells);
  }
  return text;
}

}  // namespace

void print_vectors(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                   KernelOperandPrinter& operands) {
  for_each_width(out, *kernel.vectors, "",
                 [&](int width) { VectorPrinter(out, program, kernel, dialect, operands, width).print(); });
}

void for_each_width(Writer& out, const VectorInstances& vectors, const std::string& cells,
                    const std::function<void(int width)>& print) {
  const char* directive = "#if ";
  for (int width = vectors.width; width > 1; width /= 2) {
    const std::string divides = cells.empty() ? "" : " && " + cells + " % " + std::to_string(width) + " == 0";
    out.verbatim(directive + has_vectors_text(vectors, width) + divides + "\n");
    print(width);
    directive = "#elif ";
  }
}

void print_vector(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                  KernelOperandPrinter& operands, int width, const std::string& done) {
  VectorPrinter(out, program, kernel, dialect, operands, width, done).print_values();
}

}  // namespace pb
