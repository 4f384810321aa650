// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_look_back.h"

#include "clgen/opencl/fold_parts.h"

namespace pb {
namespace {

/// Windows that are combined to one part, and parts that are combined to the next larger one.
constexpr const char* kFan = "32";
constexpr const char* kSeen = "pb_seen";

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

}  // namespace

void LookBackPrinter::declare_arrays() const {
  if (parts_.is_exact()) {
    decoupled_.declare_arrays();
    return;
  }
  // The near ones, and behind them the far ones.
  const std::string length = std::string("2 * ") + kFan + " * PB_SCAN_LINES";
  parts_.declare_arrays(dialect_.local_array, kSeen, length, Factors::All);
  if (parts_.may_overflow()) out_.line(dialect_.local_array + "int pb_seen_tag[" + length + "];");
}

void LookBackPrinter::declare_counts() const {
  out_.line(std::string("const int pb_num_parts = (pb_windows - 1) / ") + kFan + " + 1;");
  out_.line(std::string("const int pb_num_starts = (pb_num_parts - 1) / ") + kFan + " + 1;");
}

/// Looks for parts of 32 windows, and values behind 1024, whose shape does not depend on which group is faster.
void LookBackPrinter::print(const PrintFirstValue& print_first_value) const {
  if (parts_.is_exact()) {
    decoupled_.print(kScanStarts, print_first_value);
    return;
  }
  out_.line(std::string("const int pb_part_number = pb_window / ") + kFan + ";");
  out_.line(std::string("const int pb_start_number = pb_part_number / ") + kFan + ";");
  const std::string tag = parts_.may_overflow() ? "(" + parts_.is_finite("pb_total", true) + " ? 1 : 2)" : "1";
  out_.open("if (pb_s == PB_SCAN_ITEMS - 1)");
  records_.publish("pb_total", window_record("pb_window"), tag, true);
  out_.close();
  parts_.declare("pb_near", true);
  out_.line("int pb_tag = 1;");
  print_near();
  print_far(print_first_value);
  out_.line(dialect_.barrier);
}

/// Waits for some records, one after the other, and lays them down from the place `first` on.
void LookBackPrinter::print_seen(const std::string& count, const std::string& first, const std::string& record) const {
  const std::string place = "(" + first + " + pb_k) * PB_SCAN_LINES + pb_l";
  out_.open("for (int pb_k = pb_s; pb_k < " + count + "; pb_k += PB_SCAN_ITEMS)");
  if (parts_.may_overflow()) out_.line("int pb_own_tag = 1;");
  records_.await("pb_other", record, parts_.may_overflow() ? "pb_own_tag" : "", true);
  parts_.store("pb_other", kSeen, place, Factors::All);
  if (parts_.may_overflow()) out_.line("pb_seen_tag[" + place + "] = pb_own_tag;");
  out_.close();
}

/// Notes that a part does not say what it makes of the value before.
void LookBackPrinter::print_forgetting(const std::string& part) const {
  const std::string forgets = parts_.forgets(part, "pb_start");
  if (!forgets.empty()) out_.line("if (" + forgets + ") pb_tag = 2;");
}

/// Lets these parts follow what `to` has.
void LookBackPrinter::print_append_seen(const std::string& to, const std::string& count,
                                        const std::string& first) const {
  const std::string place = "(" + first + " + pb_k) * PB_SCAN_LINES + pb_l";
  print_unrolling(out_, "#pragma unroll\n");
  out_.open(std::string("for (int pb_k = 0; pb_k < ") + kFan + "; ++pb_k)");
  out_.open("if (pb_k < " + count + ")");
  parts_.load("pb_other", kSeen, place, Factors::All);
  if (to == "pb_start") print_forgetting("pb_other");
  parts_.append(to, "pb_other", to == "pb_near");
  if (parts_.may_overflow()) out_.line("pb_tag = PB_MAX(pb_tag, pb_seen_tag[" + place + "]);");
  out_.close();
  out_.close();
}

/// The windows before this one among its 32. The last of them makes the part of all. Reading a record that is being
/// written makes the write slow, so that groups take a nap before.
void LookBackPrinter::print_near() const {
  out_.line(std::string("const int pb_num_near = pb_window % ") + kFan + ";");
  out_.line("if (pb_s < pb_num_near)");
  out_.open("");
  out_.line("PB_SCAN_NAP;");
  out_.close();
  print_seen("pb_num_near", "0", window_record(std::string("pb_part_number * ") + kFan + " + pb_k"));
  out_.line(dialect_.barrier);
  out_.open("if (pb_s == 0)");
  print_append_seen("pb_near", "pb_num_near", "0");
  out_.open(std::string("if (pb_num_near == ") + kFan + " - 1)");
  parts_.copy("pb_other", "pb_near", true);
  parts_.append("pb_other", "pb_total", true);
  records_.publish("pb_other", part_record("pb_part_number"),
                   parts_.may_overflow() ? "PB_MAX(pb_tag, " + parts_.is_finite("pb_other", true) + " ? 1 : 2)" : "1",
                   true);
  out_.close();
  out_.close();
  out_.line(std::string("const int pb_num_far = pb_part_number % ") + kFan + ";");
  print_seen("pb_num_far", kFan, part_record(std::string("pb_start_number * ") + kFan + " + pb_k"));
  out_.line(dialect_.barrier);
}

/// The parts of 32 windows before this one's, and the value before its 1024 windows.
void LookBackPrinter::print_far(const PrintFirstValue& print_first_value) const {
  out_.open("if (pb_s == 0)");
  out_.open("if (pb_start_number == 0)");
  print_first_value("pb_start");
  out_.reopen("else");
  records_.await("pb_start", start_record("pb_start_number - 1"), "", false);
  out_.close();
  print_append_seen("pb_start", "pb_num_far", kFan);
  print_forgetting("pb_near");
  parts_.append("pb_start", "pb_near", false);
  if (parts_.may_overflow()) {
    out_.open("if (pb_window > 0 && (pb_tag > 1 || !(" + parts_.is_finite("pb_start", false) + ")))");
    records_.await("pb_start", end_record("pb_window - 1"), "", false);
    out_.close();
  }
  parts_.store("pb_start", kScanStarts, "pb_l", Factors::None);
  out_.close();
}

void LookBackPrinter::print_end() const {
  if (parts_.is_exact()) return;
  if (parts_.may_overflow()) records_.publish("pb_value", end_record("pb_window"), "1", false);
  out_.open(std::string("if (pb_window % (") + kFan + " * " + kFan + ") == " + kFan + " * " + kFan + " - 1)");
  records_.publish("pb_value", start_record("pb_start_number"), "1", false);
  out_.close();
}

}  // namespace pb
