// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_scans.h"

#include <algorithm>
#include <utility>

#include "clgen/facts/names.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"

namespace pb {
namespace {

/// Windows that are combined to one part, and parts that are combined to the next larger one.
constexpr const char* kFan = "32";
constexpr const char* kParts = "pb_parts";
constexpr const char* kCells = "pb_cells";
constexpr const char* kSeen = "pb_seen";
constexpr const char* kStarts = "pb_starts";

// The records of a line: of windows, of 32 windows, of what stands before 1024 windows, and of what stands behind each
// window.
std::string window_record(const std::string& number) { return "PB_SCAN_RECORD(0, pb_windows, " + number + ")"; }
std::string part_record(const std::string& number) {
  return "PB_SCAN_RECORD(pb_all_lines * pb_windows, pb_num_parts, " + number + ")";
}
std::string start_record(const std::string& number) {
  return "PB_SCAN_RECORD(pb_all_lines * (pb_windows + pb_num_parts), pb_num_starts, " + number + ")";
}
std::string end_record(const std::string& number) {
  return "PB_SCAN_RECORD(pb_all_lines * (pb_windows + pb_num_parts + pb_num_starts), pb_windows, " + number + ")";
}

std::vector<std::string> words_of(const Transform& transform, const Rule& rule, const Scan& scan) {
  std::vector<std::string> out;
  for (const ScannedValue& value : scan.values)
    out.push_back(element_word(transform.matrices[rule.outputs[value.output].matrix]));
  return out;
}

}  // namespace

KernelScanPrinter::KernelScanPrinter(Writer& out, const Program& program, const KernelTree& kernel,
                                     const KernelDialect& dialect, const KernelOperandPrinter& operands,
                                     PrintInstance print_instance)
    : out_(out),
      transform_(program.transforms[kernel.transform]),
      rule_(transform_.rules[kernel.rule]),
      kernel_(kernel),
      dialect_(dialect),
      operands_(operands),
      scans_(*scans_of(kernel.tree)),
      print_instance_(std::move(print_instance)),
      parts_(out, dialect, scans_, words_of(transform_, rule_, scans_.scan)),
      dim_(std::to_string(scans_.dim)) {}

std::vector<int> KernelScanPrinter::line_loops() const {
  std::vector<int> out;
  for (int d = 0; d < static_cast<int>(kernel_.vars.size()); ++d)
    if (d != scans_.dim) out.push_back(d);
  return out;
}

const RegionAccess& KernelScanPrinter::before(std::size_t k) const { return rule_.inputs[scans_.scan.values[k].input]; }

// ---- the kernel

void print_scan_functions(Writer& out, const KernelDialect& dialect) {
  const std::string pointer = "volatile " + dialect.global + "ulong*";
  out.verbatim("#if PB_STAGE == 2\n");
  out.line("static " + dialect.function + "inline void pb_publish(" + pointer +
           " record, uint tag, uint word) { *record = ((ulong)tag << 32) | word; }");
  out.open("static " + dialect.function + "inline ulong pb_await(" + pointer + " record)");
  out.line("ulong word = *record;");
  out.line("while (word >> 32 == 0) word = *record;");
  out.line("return word;");
  out.close();
  out.verbatim("#endif\n");
}

void KernelScanPrinter::print() {
  out_.verbatim("#if PB_STAGE == 1\n");
  out_.line("pb_scratch[" + dialect_.group_id(0) + " * " + dialect_.group_size(0) + " + " + dialect_.local_id(0) +
            "] = 0;");
  out_.verbatim("#elif defined(PB_SCAN_ITEMS)\n");
  print_windows();
  out_.verbatim("#else\n");
  print_line();
  out_.verbatim("#endif\n");
}

/// Declares the scan's variable at a place of its line.
void KernelScanPrinter::declare_variable(const std::string& place) const {
  const std::string first =
      scans_.scan.is_backward ? "pb_lo" + dim_ + " + pb_extent" + dim_ + " - 1 - " : "pb_lo" + dim_ + " + ";
  out_.line("const int " + opencl_name(scans_.scan.var) + " = " + first + place + ";");
}

/// Declares the variables of the loops across lines.
void KernelScanPrinter::declare_line(const std::function<std::string(int)>& place) const {
  std::vector<std::string> tests;
  for (const int d : line_loops()) {
    const std::string dim = std::to_string(d);
    out_.line("const int pb_place" + dim + " = " + place(d) + ";");
    out_.line("const int " + opencl_name(kernel_.vars[static_cast<std::size_t>(d)]) + " = pb_lo" + dim +
              " + PB_MIN(pb_place" + dim + ", pb_extent" + dim + " - 1);");
    tests.push_back("pb_place" + dim + " < pb_extent" + dim);
  }
  out_.line("const bool pb_is_line = " + (tests.empty() ? "true" : joined(tests, " && ")) + ";");
}

/// Gives a value what stands before the line.
void KernelScanPrinter::print_first_value(const std::string& name) const {
  out_.open("");
  declare_variable("0");
  for (std::size_t k = 0; k < parts_.size(); ++k)
    out_.line(parts_.element(name, k) + " = " + operands_.cell_of(before(k)) + ";");
  out_.close();
}

/// Runs the instance at the variables from what the value `pb_value` has. `pb_new0` and so on are what it becomes.
void KernelScanPrinter::print_run(bool stores) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    out_.line("const " + parts_.type(k) + " " + KernelOperandPrinter::before_name(before(k)) + " = " +
              parts_.element("pb_value", k) + ";");
    out_.line(parts_.type(k) + " pb_new" + std::to_string(k) + ";");
    if (!stores && parts_.has_factor_of(k)) out_.line(parts_.type(k) + " pb_factor" + std::to_string(k) + ";");
  }
  print_instance_(stores);
}

/// A work-item runs a line in the order of the source.
void KernelScanPrinter::print_line() const {
  declare_line([&](int d) {
    return "(int)(" + dialect_.group_id(d) + " * " + dialect_.group_size(d) + " + " + dialect_.local_id(d) + ")";
  });
  out_.open("if (pb_is_line && " + dialect_.group_id(scans_.dim) + " == 0 && " + dialect_.local_id(scans_.dim) +
            " == 0)");
  parts_.declare("pb_value", false);
  print_first_value("pb_value");
  print_unrolling(out_, "#pragma unroll 4\n");
  out_.open("for (int pb_at = 0; pb_at < pb_extent" + dim_ + "; ++pb_at)");
  declare_variable("pb_at");
  print_run(true);
  for (std::size_t k = 0; k < parts_.size(); ++k)
    out_.line(parts_.element("pb_value", k) + " = pb_new" + std::to_string(k) + ";");
  out_.close();
  out_.close();
}

void KernelScanPrinter::declare_arrays() const {
  const auto array = [&](const std::string& name, const std::string& length, bool has_factors) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      out_.line(dialect_.local_array + parts_.type(k) + " " + parts_.element(name, k) + "[" + length + "];");
      if (has_factors && parts_.has_factor_of(k))
        out_.line(dialect_.local_array + parts_.type(k) + " " + parts_.factor(name, k) + "[" + length + "];");
    }
  };
  array(kCells, "(PB_SCAN_WINDOW + PB_SCAN_ITEMS) * PB_SCAN_LINES", true);
  array(kParts, "2 * PB_SCAN_ITEMS * PB_SCAN_LINES", true);
  array(kStarts, "PB_SCAN_LINES", false);
  out_.verbatim("#if PB_STAGE == 2\n");
  array(kSeen, std::string(kFan) + " * PB_SCAN_LINES", true);
  if (parts_.may_overflow()) out_.line(dialect_.local_array + "int pb_seen_tag[" + kFan + " * PB_SCAN_LINES];");
  out_.line(dialect_.local_array + "uint pb_ticket[1];");
  out_.verbatim("#endif\n");
}

void KernelScanPrinter::print_windows() const {
  std::vector<std::string> lines;
  for (const int d : line_loops()) lines.push_back("PB_GROUP" + std::to_string(d));
  for (const char* name : {"CELLS", "LINES", "WINDOW", "AT", "RECORD"})
    out_.verbatim(std::string("#undef PB_SCAN_") + name + "\n");
  out_.verbatim(
      "#define PB_SCAN_CELLS PB_ITEMS" + dim_ + "\n#define PB_SCAN_LINES " +
      (lines.empty() ? "1" : "(" + joined(lines, " * ") + ")") +
      "\n#define PB_SCAN_WINDOW (PB_SCAN_ITEMS * PB_SCAN_CELLS)\n"
      "#define PB_SCAN_AT(place) (((place) + (place) / PB_SCAN_CELLS) * PB_SCAN_LINES + pb_l)\n"
      "#define PB_SCAN_RECORD(base, count, number) (pb_scratch + 1 + ((base) + pb_line * (count) + (number)) * " +
      std::to_string(record_words(scans_)) + ")\n");
  declare_arrays();
  out_.line("const int pb_s = (int)" + dialect_.local_id(scans_.dim) + ";");
  std::string line = "0";
  const std::vector<int> loops = line_loops();
  for (std::size_t i = loops.size(); i-- > 0;) {
    const std::string id = "(int)" + dialect_.local_id(loops[i]);
    line = line == "0" ? id : id + " + PB_GROUP" + std::to_string(loops[i]) + " * " + "(" + line + ")";
  }
  out_.line("const int pb_l = " + line + ";");
  out_.line("const int pb_windows = (pb_extent" + dim_ + " - 1) / PB_SCAN_WINDOW + 1;");
  print_places_of_window();
  out_.verbatim("#if PB_STAGE != 2\n");
  parts_.declare("pb_value", false);
  print_first_value("pb_value");
  out_.line("if (pb_s == 0)");
  out_.open("");
  parts_.store("pb_value", kStarts, "pb_l", false);
  out_.close();
  out_.line("for (int pb_window = 0; pb_window < pb_windows; ++pb_window)");
  out_.verbatim("#endif\n");
  print_window();
}

/// Says which lines the group runs and, where each window has a group, which window. Windows of a line have ascending
/// tickets, so that groups wait for those alone that began before.
void KernelScanPrinter::print_places_of_window() const {
  const std::vector<int> loops = line_loops();
  out_.verbatim("#if PB_STAGE == 2\n");
  out_.line(std::string("if (pb_s == 0") + (loops.empty() ? "" : " && pb_l == 0") +
            ") pb_ticket[0] = " + dialect_.ticket("pb_scratch") + ";");
  out_.line(dialect_.barrier);
  std::string count = "1";
  for (const int d : loops) {
    const std::string dim = std::to_string(d);
    out_.line("const uint pb_groups" + dim + " = (pb_extent" + dim + " - 1) / PB_GROUP" + dim + " + 1;");
    count += " * pb_groups" + dim;
  }
  out_.line("const uint pb_all_groups = " + count + ";");
  out_.line("const int pb_window = (int)(pb_ticket[0] / pb_all_groups);");
  out_.line("const uint pb_group = pb_ticket[0] % pb_all_groups;");
  std::string rest = "pb_group";
  for (const int d : loops) {
    const std::string dim = std::to_string(d);
    out_.line("const int pb_group" + dim + " = (int)(" + rest + " % pb_groups" + dim + ");");
    rest += " / pb_groups" + dim;
  }
  out_.line("const long pb_all_lines = (long)pb_all_groups * PB_SCAN_LINES;");
  out_.line("const long pb_line = (long)pb_group * PB_SCAN_LINES + pb_l;");
  out_.line(std::string("const int pb_num_parts = (pb_windows - 1) / ") + kFan + " + 1;");
  out_.line(std::string("const int pb_num_starts = (pb_num_parts - 1) / ") + kFan + " + 1;");
  if (!loops.empty()) {
    out_.verbatim("#else\n");
    for (const int d : loops)
      out_.line("const int pb_group" + std::to_string(d) + " = (int)" + dialect_.group_id(d) + ";");
  }
  out_.verbatim("#endif\n");
  declare_line([&](int d) {
    const std::string dim = std::to_string(d);
    return "pb_group" + dim + " * PB_GROUP" + dim + " + (int)" + dialect_.local_id(d);
  });
}

void KernelScanPrinter::print_window() const {
  out_.open("");
  out_.line("const int pb_begin = pb_window * PB_SCAN_WINDOW;");
  out_.line("const int pb_left = pb_extent" + dim_ + " - pb_begin;");
  print_elements();
  out_.line(dialect_.barrier);
  print_parts();
  parts_.declare("pb_start", false);
  out_.verbatim("#if PB_STAGE == 2\n");
  print_look_back();
  out_.verbatim("#endif\n");
  parts_.load("pb_start", kStarts, "pb_l", false);
  print_values();
  out_.line(dialect_.barrier);
  print_results();
  out_.close();
}

/// Neighbours compute elements of neighbouring cells.
void KernelScanPrinter::print_elements() const {
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_SCAN_CELLS; ++pb_k)");
  out_.line("const int pb_at = pb_s + pb_k * PB_SCAN_ITEMS;");
  parts_.declare("pb_part", true);
  out_.open("if (pb_at < pb_left)");
  declare_variable("(pb_begin + pb_at)");
  parts_.declare("pb_value", false);
  print_run(false);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    out_.line(parts_.element("pb_part", k) + " = pb_new" + std::to_string(k) + ";");
    if (parts_.has_factor_of(k)) out_.line(parts_.factor("pb_part", k) + " = pb_factor" + std::to_string(k) + ";");
  }
  out_.close();
  parts_.store("pb_part", kCells, "PB_SCAN_AT(pb_at)", true);
  out_.close();
}

/// Each work-item combines elements of neighbouring cells, and these parts are scanned in the group: `pb_part` then is
/// the part of the window that stands before its cells, and `pb_total` the whole window.
void KernelScanPrinter::print_parts() const {
  parts_.declare("pb_part", true);
  parts_.declare("pb_total", true);
  parts_.declare("pb_other", true);
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_SCAN_CELLS; ++pb_k)");
  parts_.load("pb_other", kCells, "PB_SCAN_AT(pb_s * PB_SCAN_CELLS + pb_k)", true);
  parts_.append("pb_part", "pb_other", true);
  out_.close();
  out_.line("const int pb_row = pb_l * PB_SCAN_ITEMS;");
  out_.line("int pb_side = 0;");
  parts_.store("pb_part", kParts, "pb_row + pb_s", true);
  out_.line(dialect_.barrier);
  out_.open("for (int pb_distance = 1; pb_distance < PB_SCAN_ITEMS; pb_distance *= 2)");
  out_.open("if (pb_s >= pb_distance)");
  parts_.load("pb_other", kParts, "pb_side + pb_row + pb_s - pb_distance", true);
  parts_.append("pb_other", "pb_part", true);
  parts_.copy("pb_part", "pb_other", true);
  out_.close();
  out_.line("pb_side = PB_SCAN_ITEMS * PB_SCAN_LINES - pb_side;");
  parts_.store("pb_part", kParts, "pb_side + pb_row + pb_s", true);
  out_.line(dialect_.barrier);
  out_.close();
  parts_.load("pb_total", kParts, "pb_side + pb_row + PB_SCAN_ITEMS - 1", true);
  out_.open("if (pb_s > 0)");
  parts_.load("pb_part", kParts, "pb_side + pb_row + pb_s - 1", true);
  out_.reopen("else");
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    out_.line(parts_.element("pb_part", k) + " = " + parts_.neutral(k) + ";");
    if (parts_.has_factor_of(k)) out_.line(parts_.factor("pb_part", k) + " = 1;");
  }
  out_.close();
}

/// Finds what stands before the window: parts of 32 windows and parts of 1024, whose shape does not depend on which
/// group is faster.
void KernelScanPrinter::print_look_back() const {
  out_.line(std::string("const int pb_part_number = pb_window / ") + kFan + ";");
  out_.line(std::string("const int pb_start_number = pb_part_number / ") + kFan + ";");
  const std::string tag = parts_.may_overflow() ? "(" + parts_.is_finite("pb_total", true) + " ? 1 : 2)" : "1";
  out_.open("if (pb_s == PB_SCAN_ITEMS - 1)");
  parts_.publish("pb_total", window_record("pb_window"), tag, true);
  out_.close();
  parts_.declare("pb_near", true);
  out_.line("int pb_tag = 1;");
  print_near();
  print_far();
  out_.line(dialect_.barrier);
}

/// The windows before this one among its 32. The last of them makes the part of all.
void KernelScanPrinter::print_near() const {
  const auto print_seen = [&](const std::string& count, const std::string& record) {
    out_.open("for (int pb_k = pb_s; pb_k < " + count + "; pb_k += PB_SCAN_ITEMS)");
    if (parts_.may_overflow()) out_.line("int pb_own_tag = 1;");
    parts_.await("pb_other", record, parts_.may_overflow() ? "pb_own_tag" : "", true);
    parts_.store("pb_other", kSeen, "pb_k * PB_SCAN_LINES + pb_l", true);
    if (parts_.may_overflow()) out_.line("pb_seen_tag[pb_k * PB_SCAN_LINES + pb_l] = pb_own_tag;");
    out_.close();
    out_.line(dialect_.barrier);
  };
  out_.line(std::string("const int pb_num_near = pb_window % ") + kFan + ";");
  print_seen("pb_num_near", window_record(std::string("pb_part_number * ") + kFan + " + pb_k"));
  out_.open("if (pb_s == 0)");
  out_.open("for (int pb_k = 0; pb_k < pb_num_near; ++pb_k)");
  parts_.load("pb_other", kSeen, "pb_k * PB_SCAN_LINES + pb_l", true);
  parts_.append("pb_near", "pb_other", true);
  if (parts_.may_overflow()) out_.line("pb_tag = PB_MAX(pb_tag, pb_seen_tag[pb_k * PB_SCAN_LINES + pb_l]);");
  out_.close();
  out_.open(std::string("if (pb_num_near == ") + kFan + " - 1)");
  parts_.copy("pb_other", "pb_near", true);
  parts_.append("pb_other", "pb_total", true);
  parts_.publish("pb_other", part_record("pb_part_number"),
                 parts_.may_overflow() ? "PB_MAX(pb_tag, " + parts_.is_finite("pb_other", true) + " ? 1 : 2)" : "1",
                 true);
  out_.close();
  out_.close();
  out_.line(dialect_.barrier);
  out_.line(std::string("const int pb_num_far = pb_part_number % ") + kFan + ";");
  print_seen("pb_num_far", part_record(std::string("pb_start_number * ") + kFan + " + pb_k"));
}

/// The parts of 32 windows before this one's, and the value before its 1024 windows.
void KernelScanPrinter::print_far() const {
  out_.open("if (pb_s == 0)");
  out_.open("if (pb_start_number == 0)");
  print_first_value("pb_start");
  out_.reopen("else");
  parts_.await("pb_start", start_record("pb_start_number - 1"), "", false);
  out_.close();
  out_.open("for (int pb_k = 0; pb_k < pb_num_far; ++pb_k)");
  parts_.load("pb_other", kSeen, "pb_k * PB_SCAN_LINES + pb_l", true);
  parts_.append("pb_start", "pb_other", false);
  if (parts_.may_overflow()) out_.line("pb_tag = PB_MAX(pb_tag, pb_seen_tag[pb_k * PB_SCAN_LINES + pb_l]);");
  out_.close();
  parts_.append("pb_start", "pb_near", false);
  if (parts_.may_overflow()) {
    out_.open("if (pb_window > 0 && (pb_tag > 1 || !(" + parts_.is_finite("pb_start", false) + ")))");
    parts_.await("pb_start", end_record("pb_window - 1"), "", false);
    out_.close();
  }
  parts_.store("pb_start", kStarts, "pb_l", false);
  out_.close();
}

/// Puts the value before each cell in the place of its element. `pb_value` then is that behind the window, in one
/// work-item of the line.
void KernelScanPrinter::print_values() const {
  parts_.declare("pb_value", false);
  parts_.copy("pb_value", "pb_start", false);
  if (parts_.may_overflow()) {
    out_.line("const bool pb_is_odd = !(" + parts_.is_finite("pb_total", true) + " && " +
              parts_.is_finite("pb_start", false) + ");");
    out_.line("const bool pb_is_last = pb_s == (pb_is_odd ? 0 : PB_SCAN_ITEMS - 1);");
    out_.open("if (pb_is_odd)");
    print_in_order();
    out_.reopen("else");
  } else {
    out_.line("const bool pb_is_last = pb_s == PB_SCAN_ITEMS - 1;");
    out_.open("");
  }
  parts_.append("pb_value", "pb_part", false);
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_SCAN_CELLS; ++pb_k)");
  out_.line("const int pb_at = PB_SCAN_AT(pb_s * PB_SCAN_CELLS + pb_k);");
  parts_.load("pb_other", kCells, "pb_at", true);
  parts_.store("pb_value", kCells, "pb_at", false);
  parts_.append("pb_value", "pb_other", false);
  out_.close();
  out_.close();
  out_.verbatim("#if PB_STAGE == 2\n");
  out_.open("if (pb_is_last)");
  if (parts_.may_overflow()) parts_.publish("pb_value", end_record("pb_window"), "1", false);
  out_.open(std::string("if (pb_window % (") + kFan + " * " + kFan + ") == " + kFan + " * " + kFan + " - 1)");
  parts_.publish("pb_value", start_record("pb_start_number"), "1", false);
  out_.close();
  out_.close();
  out_.verbatim("#endif\n");
}

/// One work-item runs the window of a recurrence whose factors or elements are not finite in the order of the source.
void KernelScanPrinter::print_in_order() const {
  out_.open("if (pb_s == 0)");
  out_.open("for (int pb_at = 0; pb_at < PB_MIN(pb_left, PB_SCAN_WINDOW); ++pb_at)");
  out_.line("const int pb_own = PB_SCAN_AT(pb_at);");
  declare_variable("(pb_begin + pb_at)");
  parts_.store("pb_value", kCells, "pb_own", false);
  print_run(false);
  for (std::size_t k = 0; k < parts_.size(); ++k)
    out_.line(parts_.element("pb_value", k) + " = pb_new" + std::to_string(k) + ";");
  out_.close();
  out_.close();
}

void KernelScanPrinter::print_results() const {
  out_.verbatim("#if PB_STAGE != 2\n");
  out_.open("if (pb_is_last)");
  parts_.store("pb_value", kStarts, "pb_l", false);
  out_.close();
  out_.verbatim("#endif\n");
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_SCAN_CELLS; ++pb_k)");
  out_.line("const int pb_at = pb_s + pb_k * PB_SCAN_ITEMS;");
  out_.open("if (pb_at < pb_left && pb_is_line)");
  parts_.load("pb_value", kCells, "PB_SCAN_AT(pb_at)", false);
  declare_variable("(pb_begin + pb_at)");
  print_run(true);
  out_.close();
  out_.close();
  out_.verbatim("#if PB_STAGE != 2\n");
  out_.line(dialect_.barrier);
  out_.verbatim("#endif\n");
}

}  // namespace pb

// Note [Scans on devices]
//
// A build without PB_SCAN_ITEMS has a work-item for each line, which runs it in the order of the source.
//
// Others have groups of PB_SCAN_ITEMS work-items for each of PB_SCAN_LINES lines, and windows of as many cells as these
// work-items have together. A window has three parts. First, its elements are computed, with the neutral element in the
// place of the value before, and laid down in memory of the group; neighbouring work-items have neighbouring cells.
// Second, each work-item combines the elements of some cells in a row, the group scans these parts, and the value
// before each cell takes the place of its element. Third, the instances run with these values, and store; neighbours
// have neighbouring cells again. So bodies need not know anything of scans, and cells of inputs that are read again in
// the third part are in a cache.
//
// With PB_STAGE 0 a group runs the windows of its lines one after the other. With PB_STAGE 2 each window has a group.
// A group publishes the part that is its window, and looks back: what stands before is the value before its 1024
// windows, then the parts of 32 windows each, then those of single windows. The group of the last of 32 windows
// publishes their part, and that of the last of 1024 the value behind them. This shape is the same in each run, and so
// are the bits of the results. Between windows there is no chain but that of the values behind 1024.
//
// Numbers are published in words of 8 bytes, each of which has 4 bytes of a number and a tag that is not 0. So nobody
// needs to order memory accesses. A launch before, PB_STAGE 1, has cleared the words.
//
// A recurrence has factors beside its elements. Their products may be infinite where no value is. A window in which
// something is not finite has the tag 2, and runs in the order of the source. Groups that meet this tag, or a start
// that is not finite, wait for the value behind the window before theirs, which then is published for every window.
