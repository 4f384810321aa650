// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_scans.h"

#include <algorithm>
#include <utility>

#include "clgen/facts/names.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"

namespace pb {
namespace {

constexpr const char* kParts = "pb_parts";
constexpr const char* kCells = "pb_cells";
constexpr const char* kOwn = "pb_own";
constexpr const char* kIsThere = "pb_s * PB_SCAN_CELLS + pb_k < pb_left";  // one of a work-item's own cells

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
      parts_(out, scans_, words_of(transform_, rule_, scans_.scan)),
      look_back_(out, dialect, scans_, parts_),
      dim_(std::to_string(scans_.dim)) {}

std::vector<int> KernelScanPrinter::line_loops() const {
  std::vector<int> out;
  for (int d = 0; d < static_cast<int>(kernel_.vars.size()); ++d)
    if (d != scans_.dim) out.push_back(d);
  return out;
}

const RegionAccess& KernelScanPrinter::before(std::size_t k) const { return rule_.inputs[scans_.scan.values[k].input]; }

// ---- the kernel

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
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (before(k).may_be_outside()) operands_.print_border_cell(before(k));
    out_.line(parts_.element(name, k) + " = " +
              (before(k).may_be_outside() ? opencl_name(before(k).binding) : operands_.cell_of(before(k))) + ";");
  }
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
  const std::string& local = dialect_.local_array;
  parts_.declare_arrays(local, kCells, "(PB_SCAN_WINDOW + PB_SCAN_ITEMS) * PB_SCAN_LINES", Factors::Different);
  parts_.declare_arrays(local, kParts, "2 * PB_SCAN_ITEMS * PB_SCAN_LINES", Factors::All);
  parts_.declare_arrays(local, kScanStarts, "PB_SCAN_LINES", Factors::None);
  if (may_grow_again(scans_)) out_.line(local + "int pb_lost[PB_SCAN_LINES];");
  out_.verbatim("#if PB_STAGE == 2\n");
  look_back_.declare_arrays();
  out_.line(local + "uint pb_ticket[1];");
  out_.verbatim("#endif\n");
}

void KernelScanPrinter::print_windows() const {
  std::vector<std::string> lines;
  for (const int d : line_loops()) lines.push_back("PB_GROUP" + std::to_string(d));
  for (const char* name : {"CELLS", "LINES", "WINDOW", "WARP", "AT", "RECORD", "LOOK", "LEAST", "IS_LEAST", "FACTORS"})
    out_.verbatim(std::string("#undef PB_SCAN_") + name + "\n");
  out_.verbatim(
      "#define PB_SCAN_CELLS PB_ITEMS" + dim_ + "\n#define PB_SCAN_LINES " +
      (lines.empty() ? "1" : "(" + joined(lines, " * ") + ")") +
      "\n#define PB_SCAN_WINDOW (PB_SCAN_ITEMS * PB_SCAN_CELLS)\n"
      "#define PB_SCAN_WARP PB_MIN(PB_SCAN_ITEMS, 32)\n"
      "#define PB_SCAN_LOOK 32\n"
      "#define PB_SCAN_AT(place) (((place) + (place) / PB_SCAN_CELLS) * PB_SCAN_LINES + pb_l)\n"
      "#define PB_SCAN_RECORD(base, count, number) (pb_scratch + 1 + ((base) + pb_line * (count) + (number)) * " +
      std::to_string(record_words(scans_)) + ")\n");
  // Factors are at least the least normal number. Up to PB_SCAN_LEAST they may have been smaller; one that grows beyond
  // it is lost, which NaN says. 0 stays the factor of what begins again.
  if (may_grow_again(scans_))
    out_.verbatim(
        "#define PB_SCAN_LEAST(TYPE) (TYPE##MIN / TYPE##EPSILON)\n"
        "#define PB_SCAN_IS_LEAST(x, TYPE) (fabs(x) <= PB_SCAN_LEAST(TYPE) && (x) != 0)\n"
        "#define PB_SCAN_FACTORS(a, b, TYPE) ((PB_SCAN_IS_LEAST(a, TYPE) || PB_SCAN_IS_LEAST(b, TYPE)) && "
        "fabs((a) * (b)) > PB_SCAN_LEAST(TYPE) ? NAN : "
        "(a) != 0 && (b) != 0 && fabs((a) * (b)) < TYPE##MIN ? TYPE##MIN : (a) * (b))\n");
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
  parts_.store("pb_value", kScanStarts, "pb_l", Factors::None);
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
  look_back_.declare_counts();
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
  if (may_grow_again(scans_)) out_.line("if (pb_s == 0) pb_lost[pb_l] = 0;");
  out_.line(dialect_.barrier);
  print_parts();
  parts_.declare("pb_start", false);
  out_.verbatim("#if PB_STAGE == 2\n");
  look_back_.print([this](const std::string& name) { print_first_value(name); });
  out_.verbatim("#endif\n");
  parts_.load("pb_start", kScanStarts, "pb_l", Factors::None);
  if (may_grow_again(scans_)) {
    // The part before a work-item's cells need not be one of those that make up the window's.
    const std::string forgets = parts_.forgets("pb_part", "pb_start");
    out_.line("if (!(" + parts_.is_finite("pb_part", true) + ")" + (forgets.empty() ? "" : " || " + forgets) +
              ") pb_lost[pb_l] = 1;");
    out_.line(dialect_.barrier);
  }
  print_values();
  out_.line(dialect_.barrier);
  print_results();
  out_.close();
}

/// Neighbours compute elements of neighbouring cells. Where the line has ended, its last cell is computed again and
/// dropped, so that no read waits for a branch.
void KernelScanPrinter::print_elements() const {
  parts_.declare_same_factors();
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_SCAN_CELLS; ++pb_k)");
  out_.line("const int pb_at = pb_s + pb_k * PB_SCAN_ITEMS;");
  declare_variable("(pb_begin + PB_MIN(pb_at, pb_left - 1))");
  parts_.declare("pb_value", false);
  print_run(false);
  parts_.keep_same_factors("pb_factor");
  parts_.declare("pb_part", true);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const auto take = [&](const std::string& part, const std::string& number) {
      out_.line(part + " = pb_at < pb_left ? " + number + std::to_string(k) + " : " + part + ";");
    };
    take(parts_.element("pb_part", k), "pb_new");
    if (parts_.has_factor_of(k)) take(parts_.factor("pb_part", k), "pb_factor");
  }
  parts_.store("pb_part", kCells, "PB_SCAN_AT(pb_at)", Factors::Different);
  out_.close();
}

/// Each work-item takes the elements of neighbouring cells, and combines them. These parts are scanned in warps, and
/// those of the warps in the group: `pb_part` then is the part of the window that stands before the work-item's cells,
/// and `pb_total` the whole window.
void KernelScanPrinter::print_parts() const {
  parts_.declare_arrays("", kOwn, "PB_SCAN_CELLS", Factors::Different);
  for (const char* name : {"pb_part", "pb_total", "pb_before", "pb_other"}) parts_.declare(name, true);
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_SCAN_CELLS; ++pb_k)");
  parts_.load("pb_other", kCells, "PB_SCAN_AT(pb_s * PB_SCAN_CELLS + pb_k)", Factors::Different);
  parts_.take_same_factors("pb_other", kIsThere);
  parts_.store("pb_other", kOwn, "pb_k", Factors::Different);
  parts_.append("pb_part", "pb_other", true);
  out_.close();
  out_.line("const int pb_row = pb_l * PB_SCAN_ITEMS;");
  out_.line("const int pb_lane = pb_s % PB_SCAN_WARP;");
  // Only neighbouring work-items are of one warp.
  if (scans_.dim == 0) {
    out_.verbatim("#ifdef PB_SHUFFLES\n");
    print_scan_of_warp();
    out_.verbatim("#else\n");
  }
  print_scan_in_memory();
  if (scans_.dim == 0) out_.verbatim("#endif\n");
  print_scan_of_warps();
}

/// `pb_part` becomes what its warp has before it. `pb_totals` is the place of the first warp's part, and `pb_next` the
/// distance to that of the next one.
void KernelScanPrinter::print_scan_of_warp() const {
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_distance = 1; pb_distance < 32; pb_distance *= 2)");
  parts_.exchange("pb_other", "pb_part", "(uint)(pb_lane - pb_distance) % 32", true);
  out_.open("if (pb_lane >= pb_distance)");
  parts_.append("pb_other", "pb_part", true);
  parts_.copy("pb_part", "pb_other", true);
  out_.close();
  out_.close();
  out_.line("const int pb_totals = pb_row, pb_next = 1;");
  out_.open("if (pb_lane == 31)");
  parts_.store("pb_part", kParts, "pb_totals + pb_s / 32", Factors::All);
  out_.close();
  parts_.exchange("pb_other", "pb_part", "(uint)(pb_lane - 1) % 32", true);
  parts_.copy("pb_part", "pb_other", true);
  out_.line("if (pb_lane == 0)");
  out_.open("");
  parts_.reset("pb_part", true);
  out_.close();
  out_.line(dialect_.barrier);
}

/// The same through memory of the group, in the same order.
void KernelScanPrinter::print_scan_in_memory() const {
  out_.line("int pb_side = 0;");
  parts_.store("pb_part", kParts, "pb_row + pb_s", Factors::All);
  out_.line(dialect_.barrier);
  out_.open("for (int pb_distance = 1; pb_distance < PB_SCAN_WARP; pb_distance *= 2)");
  out_.open("if (pb_lane >= pb_distance)");
  parts_.load("pb_other", kParts, "pb_side + pb_row + pb_s - pb_distance", Factors::All);
  parts_.append("pb_other", "pb_part", true);
  parts_.copy("pb_part", "pb_other", true);
  out_.close();
  out_.line("pb_side = PB_SCAN_ITEMS * PB_SCAN_LINES - pb_side;");
  parts_.store("pb_part", kParts, "pb_side + pb_row + pb_s", Factors::All);
  out_.line(dialect_.barrier);
  out_.close();
  out_.line("const int pb_totals = pb_side + pb_row + PB_SCAN_WARP - 1, pb_next = PB_SCAN_WARP;");
  out_.open("if (pb_lane > 0)");
  parts_.load("pb_part", kParts, "pb_side + pb_row + pb_s - 1", Factors::All);
  out_.reopen("else");
  parts_.reset("pb_part", true);
  out_.close();
}

/// Puts what stands in the warps before in front of `pb_part`.
void KernelScanPrinter::print_scan_of_warps() const {
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_warp = 0; pb_warp < PB_SCAN_ITEMS / PB_SCAN_WARP; ++pb_warp)");
  out_.open("if (pb_warp == pb_s / PB_SCAN_WARP)");
  parts_.copy("pb_before", "pb_total", true);
  out_.close();
  parts_.load("pb_other", kParts, "pb_totals + pb_warp * pb_next", Factors::All);
  parts_.append("pb_total", "pb_other", true);
  out_.close();
  parts_.append("pb_before", "pb_part", true);
  parts_.copy("pb_part", "pb_before", true);
}

/// Puts the value of each cell in the place of its element, or the one before, with which the instance runs. `pb_value`
/// then is that behind the window, in one work-item of the line.
void KernelScanPrinter::print_values() const {
  parts_.declare("pb_value", false);
  parts_.copy("pb_value", "pb_start", false);
  if (parts_.may_overflow()) {
    out_.line(std::string("const bool pb_is_odd = ") + (may_grow_again(scans_) ? "pb_lost[pb_l] != 0 || " : "") + "!(" +
              parts_.is_finite("pb_total", true) + " && " + parts_.is_finite("pb_start", false) + ");");
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
  const std::string place = "PB_SCAN_AT(pb_s * PB_SCAN_CELLS + pb_k)";
  parts_.load("pb_other", kOwn, "pb_k", Factors::Different);
  parts_.take_same_factors("pb_other", kIsThere);
  if (!scans_.stores_values_only) parts_.store("pb_value", kCells, place, Factors::None);
  parts_.append("pb_value", "pb_other", false);
  if (scans_.stores_values_only) parts_.store("pb_value", kCells, place, Factors::None);
  out_.close();
  out_.close();
  out_.verbatim("#if PB_STAGE == 2\n");
  out_.open("if (pb_is_last)");
  look_back_.print_end();
  out_.close();
  out_.verbatim("#endif\n");
}

/// One work-item runs the window of a recurrence whose factors or elements are not finite in the order of the source.
void KernelScanPrinter::print_in_order() const {
  out_.open("if (pb_s == 0)");
  out_.open("for (int pb_at = 0; pb_at < PB_MIN(pb_left, PB_SCAN_WINDOW); ++pb_at)");
  out_.line("const int pb_place = PB_SCAN_AT(pb_at);");
  declare_variable("(pb_begin + pb_at)");
  if (!scans_.stores_values_only) parts_.store("pb_value", kCells, "pb_place", Factors::None);
  print_run(false);
  for (std::size_t k = 0; k < parts_.size(); ++k)
    out_.line(parts_.element("pb_value", k) + " = pb_new" + std::to_string(k) + ";");
  if (scans_.stores_values_only) parts_.store("pb_value", kCells, "pb_place", Factors::None);
  out_.close();
  out_.close();
}

void KernelScanPrinter::print_stored_values() const {
  for (std::size_t k = 0; k < parts_.size(); ++k)
    out_.line(operands_.cell_of(rule_.outputs[scans_.scan.values[k].output], true) + " = " +
              parts_.element("pb_value", k) + ";");
}

void KernelScanPrinter::print_results() const {
  out_.verbatim("#if PB_STAGE != 2\n");
  out_.open("if (pb_is_last)");
  parts_.store("pb_value", kScanStarts, "pb_l", Factors::None);
  out_.close();
  out_.verbatim("#endif\n");
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_SCAN_CELLS; ++pb_k)");
  out_.line("const int pb_at = pb_s + pb_k * PB_SCAN_ITEMS;");
  out_.open("if (pb_at < pb_left && pb_is_line)");
  parts_.load("pb_value", kCells, "PB_SCAN_AT(pb_at)", Factors::None);
  declare_variable("(pb_begin + pb_at)");
  if (scans_.stores_values_only)
    print_stored_values();
  else
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
// Second, each work-item keeps the elements of some cells in a row and combines them, the group scans these parts, in
// warps of 32 first, and the value of each cell takes the place of its element. Third, the values are stored;
// neighbours have neighbouring cells again. An instance that stores anything else runs then, with the value before; the
// cells of inputs that it reads again are in a cache. So bodies need not know anything of scans.
//
// With PB_STAGE 0 a group runs the windows of its lines one after the other. With PB_STAGE 2 each window has a group.
// A group publishes the part that is its window, and looks back: what stands before is the value before its 1024
// windows, then the parts of 32 windows each, then those of single windows. The group of the last of 32 windows
// publishes their part, and that of the last of 1024 the value behind them. This shape is the same in each run, and so
// are the bits of the results. Between windows there is no chain but that of the values behind 1024.
//
// Scans of whole numbers alone have the same bits in any order. Their groups look back from window to window, 32 at a
// time, as far as one whose group has published the value behind it, in the place of its part: tag 2 instead of 1.
//
// Numbers are published in words of 8 bytes, each of which has 4 bytes of a number and a tag that is not 0. So nobody
// needs to order memory accesses. A launch before, PB_STAGE 1, has cleared the words. On an NVIDIA GPU, groups that
// wait read the words by atomic instructions, and nap first: plain reads leave copies of a line in caches, and the next
// write of that line waits until these are gone.
//
// A recurrence has factors beside its elements. Their products may be infinite where no value is, and so may elements
// that are multiplied. A product of a part that becomes too small is a NaN from there on, and so is a factor that
// does and grows again; pb_lost says so of the parts that end within a window. A window in which something is not
// finite has the tag 2, and runs in the order of the source. Groups that meet this tag, or a start that is not finite,
// wait for the value behind the window before theirs, which then is published for every window. Values may be infinite
// where no part is, and a condition may then begin the line again with a factor of 0. Values of such recurrences are
// not multiplied by it.
