// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/lane_parts.h"

#include "clgen/opencl/combined_parts.h"
#include "clgen/opencl/kernel_words.h"

namespace pb {
namespace {

std::string before(std::size_t i, std::size_t place) { return before_loop(i) + "_" + std::to_string(place); }

}  // namespace

std::string before_loop(std::size_t i) { return "pb_before" + std::to_string(i); }
std::string seen_value(std::size_t i) { return "pb_seen" + std::to_string(i); }

void LanePartPrinter::declare() const {
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line("const " + number_word(at(i).type) + " " + before_loop(i) + " = " + opencl_name(at(i).name) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line("const " + number_word(at(i).places[k].type) + " " + before(i, k) + " = " +
                opencl_name(at(i).places[k].name) + ";");
  }
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line(own_type(at(i)) + " " + part_of(i) + " = " + first_text(i) + ";");
    if (part(i).has_round) out_.line("long " + round_of(i) + " = -1;");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(number_word(at(i).places[k].type) + " " + part_of(i, k) + " = " + before(i, k) + ";");
  }
}

std::string LanePartPrinter::first_text(std::size_t i) const {
  return at(i).is_extremum() ? before_loop(i) : neutral_text(at(i));
}

void LanePartPrinter::open_own(std::size_t first) const {
  for (std::size_t i = first; i < size(); ++i) {
    out_.line(own_type(at(i)) + " " + opencl_name(at(i).name) + " = " + part_of(i) + ";");
    if (part(i).has_round) out_.line(own_type(at(i)) + " " + seen_value(i) + " = " + part_of(i) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(number_word(at(i).places[k].type) + " " + opencl_name(at(i).places[k].name) + " = " + part_of(i, k) +
                ";");
  }
}

void LanePartPrinter::close_own(std::size_t first) const {
  for (std::size_t i = first; i < size(); ++i) {
    out_.line(part_of(i) + " = " + opencl_name(at(i).name) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(part_of(i, k) + " = " + opencl_name(at(i).places[k].name) + ";");
  }
}

std::string LanePartPrinter::slot_text(const std::string& type, std::size_t slot) const {
  return "*(" + words_.global + type + "*)(pb_record" + (slot == 0 ? "" : " + " + std::to_string(slot)) + ")";
}

std::string LanePartPrinter::record_text(const std::string& group) const {
  return words_.global + "ulong* const pb_record = pb_scratch + (pb_instance * PB_RECORDS + " + group + ") * " +
         words_.record_slots + ";";
}

void LanePartPrinter::print_records(const std::string& num_records) const {
  print_unrolling(out_, "");
  out_.open("for (int pb_group = pb_lane; pb_group < " + num_records + "; pb_group += PB_LANES)");
  out_.line(record_text("pb_group"));
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string value = slot_text(array_type(at(i)), part(i).slot);
    if (!part(i).has_round) {
      out_.open("");
      out_.line("const " + own_type(at(i)) + " pb_value = " + value + ";");
      out_.line(part_of(i) + " = " + combined_text(at(i), part_of(i), "pb_value") + ";");
      out_.close();
      continue;
    }
    out_.open("");
    out_.line("const " + own_type(at(i)) + " pb_value = " + value + ";");
    out_.line("const long pb_from = " + slot_text("long", part(i).slot + 1) + ";");
    out_.open("if (" + takes_place_text(at(i), {part_of(i), round_of(i)}, {"pb_value", "pb_from"}) + ")");
    out_.line(part_of(i) + " = pb_value;");
    out_.line(round_of(i) + " = pb_from;");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(part_of(i, k) + " = " + slot_text(array_type(at(i).places[k]), part(i).slot + 2 + k) + ";");
    out_.close();
    out_.close();
  }
  out_.close();
}

void LanePartPrinter::keep_record() const {
  out_.open("if (pb_is_first)");
  out_.line(record_text("pb_fold_group"));
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line(slot_text(array_type(at(i)), part(i).slot) + " = " + part_of(i) + ";");
    if (part(i).has_round) out_.line(slot_text("long", part(i).slot + 1) + " = " + round_of(i) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(slot_text(array_type(at(i).places[k]), part(i).slot + 2 + k) + " = " + part_of(i, k) + ";");
  }
  out_.close();
  out_.line("return;");
}

void LanePartPrinter::print_result(std::size_t i) const {
  const std::string type = "(" + own_type(at(i)) + ")";
  out_.line(opencl_name(at(i).name) + " = " +
            (at(i).is_extremum() ? part_of(i) : combined_text(at(i), type + before_loop(i), part_of(i))) + ";");
  for (std::size_t k = 0; k < at(i).places.size(); ++k)
    out_.line(opencl_name(at(i).places[k].name) + " = " + part_of(i, k) + ";");
}

}  // namespace pb
