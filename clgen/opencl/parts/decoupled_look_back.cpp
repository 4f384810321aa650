// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/decoupled_look_back.h"

#include "clgen/opencl/fold_parts.h"

namespace pb {
namespace {

constexpr const char* kSeenParts = "pb_seen";
constexpr const char* kWindow = "PB_SCAN_RECORD(0, pb_windows, pb_window)";
constexpr const char* kSeenWindow = "PB_SCAN_RECORD(0, pb_windows, pb_seen_window)";
/// Where a warp looks back: one line has all of the group.
constexpr const char* kWarpsLook = "defined(PB_SHUFFLES) && PB_SCAN_LINES == 1";

}  // namespace

void DecoupledLookBackPrinter::declare_arrays() const {
  // A warp shows all that it has seen as one part.
  if (has_warps_)
    out_.verbatim(std::string("#if ") + kWarpsLook + "\n#undef PB_SCAN_LOOK\n#define PB_SCAN_LOOK 1\n#endif\n");
  const std::string length = "PB_SCAN_LOOK * PB_SCAN_LINES";
  parts_.declare_arrays(dialect_.local_array, kSeenParts, length, Factors::All);
  out_.line(dialect_.local_array + "int pb_seen_knows[" + length + "];");
  out_.line(dialect_.local_array + "int pb_is_open[2];");
}

void DecoupledLookBackPrinter::print(const std::string& starts, const PrintFirstValue& print_first_value) const {
  // One work-item publishes both the part and the value, so that others see them in this order.
  out_.open("if (pb_s == 0)");
  records_.publish("pb_total", kWindow, "1", true);
  out_.close();
  // What the windows from `pb_behind` up to this one make together.
  parts_.declare("pb_near", true);
  if (has_warps_) {
    out_.verbatim(std::string("#if ") + kWarpsLook + "\n");
    print_by_warp(starts, print_first_value);
    out_.verbatim("#else\n");
  }
  print_by_some(starts, print_first_value);
  if (has_warps_) out_.verbatim("#endif\n");
}

/// The lanes of the first warp look, and all work-items learn what they have seen together.
void DecoupledLookBackPrinter::print_by_warp(const std::string& starts,
                                             const PrintFirstValue& print_first_value) const {
  out_.open("for (int pb_behind = pb_window;; pb_behind -= 32)");
  out_.open("if (pb_s < 32)");
  out_.line("const int pb_k = pb_s;");
  print_look(print_first_value);
  print_fold_of_warp();
  out_.open("if (pb_lane == 0)");
  parts_.store("pb_other", kSeenParts, "0", Factors::All);
  out_.line("pb_seen_knows[0] = pb_knows;");
  out_.close();
  out_.close();
  out_.line(dialect_.barrier);
  parts_.declare("pb_group", true);
  parts_.load("pb_group", kSeenParts, "0", Factors::All);
  print_prepend("pb_group");
  out_.line("if (pb_seen_knows[0] != 0) break;");
  out_.line(dialect_.barrier);
  out_.close();
  out_.open("if (pb_s == 0)");
  parts_.copy("pb_start", "pb_near", false);
  print_found(starts);
  out_.close();
  out_.line(dialect_.barrier);
}

/// Some work-items of each line look, and the first one learns what they have seen.
void DecoupledLookBackPrinter::print_by_some(const std::string& starts,
                                             const PrintFirstValue& print_first_value) const {
  out_.line("bool pb_has_start = false;");
  out_.line("if (pb_s + pb_l == 0) pb_is_open[0] = 0;");
  out_.open("for (int pb_behind = pb_window, pb_look = 0;; pb_behind -= PB_SCAN_LOOK, pb_look = 1 - pb_look)");
  out_.open("for (int pb_k = pb_s; pb_k < PB_SCAN_LOOK; pb_k += PB_SCAN_ITEMS)");
  print_look(print_first_value);
  parts_.store("pb_other", kSeenParts, "pb_k * PB_SCAN_LINES + pb_l", Factors::All);
  out_.line("pb_seen_knows[pb_k * PB_SCAN_LINES + pb_l] = pb_knows;");
  out_.close();
  out_.line(dialect_.barrier);
  out_.line("if (pb_s + pb_l == 0) pb_is_open[1 - pb_look] = 0;");
  out_.open("if (pb_s == 0 && !pb_has_start)");
  print_seen();
  out_.open("if (pb_has_start)");
  print_found(starts);
  out_.reopen("else");
  out_.line("pb_is_open[pb_look] = 1;");
  out_.close();
  out_.close();
  out_.line(dialect_.barrier);
  out_.line("if (pb_is_open[pb_look] == 0) break;");
  out_.close();
}

/// Reads what window number `pb_k` before `pb_behind` has published, the nearest first: its part, or the value behind
/// it, which `pb_knows` says. What stands before the first window is the value before the line.
void DecoupledLookBackPrinter::print_look(const PrintFirstValue& print_first_value) const {
  out_.line("const int pb_seen_window = pb_behind - 1 - pb_k;");
  out_.line("int pb_knows = 1;");
  parts_.declare("pb_other", true);
  out_.open("if (pb_seen_window < 0)");
  print_first_value("pb_other");
  out_.reopen("else");
  records_.await_latest("pb_other", kSeenWindow, "pb_knows");
  out_.line("pb_knows = pb_knows == 2;");
  out_.close();
}

/// `pb_other` of the first lane becomes what all lanes have seen, the later lanes first, from the nearest known value
/// on.
void DecoupledLookBackPrinter::print_fold_of_warp() const {
  parts_.declare("pb_before", true);
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_distance = 1; pb_distance < 32; pb_distance *= 2)");
  parts_.exchange("pb_before", "pb_other", "(uint)(pb_lane + pb_distance) % 32", true);
  out_.line("const int pb_knows_before = pb_of_lane_int(pb_knows, (uint)(pb_lane + pb_distance) % 32);");
  out_.open("if (pb_lane + pb_distance < 32 && pb_knows == 0)");
  parts_.append("pb_before", "pb_other", true);
  parts_.copy("pb_other", "pb_before", true);
  out_.line("pb_knows = pb_knows_before;");
  out_.close();
  out_.close();
}

/// Puts an earlier part, or a value, in front of `pb_near`.
void DecoupledLookBackPrinter::print_prepend(const std::string& earlier) const {
  parts_.append(earlier, "pb_near", true);
  parts_.copy("pb_near", earlier, true);
}

/// Puts the windows that have been read in front of `pb_near`, as far as the nearest whose value is known. That value
/// is `pb_start` then.
void DecoupledLookBackPrinter::print_seen() const {
  out_.line("int pb_num_seen = PB_SCAN_LOOK;");
  print_unrolling(out_, "#pragma unroll\n");
  out_.line("for (int pb_k = PB_SCAN_LOOK - 1; pb_k >= 0; --pb_k)");
  out_.open("");
  out_.line("if (pb_seen_knows[pb_k * PB_SCAN_LINES + pb_l] != 0) pb_num_seen = pb_k;");
  out_.close();
  parts_.declare("pb_group", true);
  parts_.declare("pb_other", true);
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = PB_SCAN_LOOK - 1; pb_k >= 0; --pb_k)");
  parts_.load("pb_other", kSeenParts, "pb_k * PB_SCAN_LINES + pb_l", Factors::All);
  out_.line("if (pb_k == pb_num_seen)");
  out_.open("");
  parts_.copy("pb_group", "pb_other", true);
  out_.close();
  out_.open("if (pb_k < pb_num_seen)");
  parts_.append("pb_group", "pb_other", true);
  out_.close();
  out_.close();
  print_prepend("pb_group");
  out_.line("pb_has_start = pb_num_seen < PB_SCAN_LOOK;");
  parts_.copy("pb_start", "pb_near", false);
}

void DecoupledLookBackPrinter::print_found(const std::string& starts) const {
  parts_.store("pb_start", starts, "pb_l", Factors::None);
  parts_.append("pb_start", "pb_total", false);
  parts_.copy("pb_near", "pb_start", false);
  records_.publish("pb_near", kWindow, "2", true);
}

}  // namespace pb
