// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/block_parts.h"

#include <cstddef>

#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {
namespace {

/// The number of an instance, or of all of them, from its places along the loops.
std::string instance_text(const KernelTree& kernel) {
  const std::size_t num_loops = kernel.vars.size() + kernel.batches.size();
  std::string out = "pb_i" + std::to_string(num_loops - 1);
  for (std::size_t d = num_loops - 1; d-- > 0;)
    out = "pb_i" + std::to_string(d) + " + (long)pb_extent" + std::to_string(d) + " * (" + out + ")";
  return out;
}

constexpr const char* kNumInLanes = "PB_PART_LANES * PB_GROUP_ITEMS";

}  // namespace

BlockPartPrinter::BlockPartPrinter(Writer& out, const KernelTree& lowered, const KernelDialect& dialect)
    : out_(out), lowered_(lowered), dialect_(dialect), blocks_(*instance_in_blocks(lowered.tree)->blocks) {
  PB_CHECK(blocks_.has_parts, "only kernels whose blocks have parts print them");
}

BlockPartPrinter::Value BlockPartPrinter::make_value(const std::string& name, const std::string& part,
                                                     const std::string& type) const {
  std::size_t words = 0;
  for (const CarriedValue& each : blocks_.carried) {
    if (each.name != name) {
      words += each.bytes / 4;
      continue;
    }
    const std::string skipped = words == 0 ? "" : " + " + std::to_string(words) + " * pb_plane";
    return {part, type, carried_array(name) + "[pb_own]",
            "((" + dialect_.global + type + "*)(pb_scratch" + skipped + "))", "pb_lanes_" + part};
  }
  PB_CHECK(false, "accumulators and their places are carried");
  return {};
}

BlockPartPrinter::Value BlockPartPrinter::value_of(std::size_t i) const {
  return make_value(at(i).name, part_of(i), array_type(at(i)));
}

BlockPartPrinter::Value BlockPartPrinter::value_of(std::size_t i, std::size_t place) const {
  const FoldPlace& noted = at(i).places[place];
  return make_value(noted.name, part_of(i, place), array_type(noted));
}

std::vector<BlockPartPrinter::Value> BlockPartPrinter::values() const {
  std::vector<Value> out;
  for (std::size_t i = 0; i < size(); ++i) {
    out.push_back(value_of(i));
    for (std::size_t k = 0; k < at(i).places.size(); ++k) out.push_back(value_of(i, k));
  }
  return out;
}

void BlockPartPrinter::print_arrays() const {
  out_.verbatim("#if defined(PB_BLOCK_ROUNDS) && PB_STAGE == 2 && PB_PART_LANES > 1\n");
  for (const Value& value : values())
    out_.line(dialect_.local_array + value.type + " " + value.array + "[" + kNumInLanes + "];");
  out_.verbatim("#endif\n");
}

void BlockPartPrinter::declare_range() const {
  const std::string group = dialect_.group_id(0), local = dialect_.local_id(0);
  out_.verbatim("#if PB_STAGE == 1\n");
  out_.line("const int pb_range = (int)((uint)" + group + " % PB_RECORDS);");
  out_.line("const uint pb_group_id = (uint)" + group + " / PB_RECORDS;");
  out_.verbatim("#else\n");
  out_.line("const uint pb_group_id = (uint)" + group + ";");
  out_.verbatim("#endif\n#if PB_STAGE == 2\n");
  out_.line("const int pb_part_lane = (int)((uint)" + local + " / PB_GROUP0);");
  out_.line("const int pb_local = (int)((uint)" + local + " % PB_GROUP0);");
  out_.verbatim("#else\n");
  out_.line("const int pb_local = (int)" + local + ";");
  out_.verbatim("#endif\n");
}

void BlockPartPrinter::print_range() const {
  out_.verbatim("#if PB_STAGE == 1\n");
  out_.open("");
  out_.line("const long pb_all = PB_MAX(0L, pb_count);");
  out_.line("const long pb_blocks = (pb_all + PB_BLOCK_ROUNDS - 1) / PB_BLOCK_ROUNDS;");
  out_.line("const long pb_length = (pb_blocks + PB_RECORDS - 1) / PB_RECORDS * PB_BLOCK_ROUNDS;");
  out_.line("const long pb_skipped = PB_MIN(pb_length * pb_range, pb_all);");
  out_.line("pb_first += pb_skipped;");
  out_.line("pb_count = PB_MIN(pb_length, pb_all - pb_skipped);");
  out_.close();
  out_.verbatim("#endif\n");
}

void BlockPartPrinter::declare_records() const {
  const std::size_t num_loops = lowered_.vars.size() + lowered_.batches.size();
  std::string all;
  for (std::size_t d = 0; d < num_loops; ++d) all += (d == 0 ? "(long)" : " * ") + ("pb_extent" + std::to_string(d));
  out_.line("const long pb_instances = " + all + ";");
  out_.line("const long pb_plane = (pb_instances * PB_RECORDS + 1) / 2;");
}

void BlockPartPrinter::print_neutral_values() const {
  print_unrolling(out_, kUnroll);
  out_.open("for (int pb_own = 0; pb_own < PB_ITEMS; ++pb_own)");
  for (std::size_t i = 0; i < size(); ++i)
    if (!at(i).is_extremum()) out_.line(value_of(i).carried + " = " + neutral_text(at(i)) + ";");
  out_.close();
}

void BlockPartPrinter::keep_record() const {
  out_.open("if (pb_is_inside)");
  out_.line("const long pb_at = pb_range * pb_instances + " + instance_text(lowered_) + ";");
  for (const Value& value : values()) out_.line(value.plane + "[pb_at] = " + value.carried + ";");
  out_.close();
}

/// Parts begin as ranges do.
void BlockPartPrinter::print_first_parts(bool are_new) const {
  const auto print = [&](const Value& value, const std::string& first) {
    out_.line((are_new ? value.type + " " : "") + value.part + " = " + first + ";");
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const Value value = value_of(i);
    print(value, at(i).is_extremum() ? value.carried : neutral_text(at(i)));
    for (std::size_t k = 0; k < at(i).places.size(); ++k) print(value_of(i, k), value_of(i, k).carried);
  }
}

/// Combines the parts with those at a place of the records, or of the arrays. The first of equal ones stays.
void BlockPartPrinter::print_combination(bool is_in_records, const std::string& place) const {
  const auto other = [&](const Value& value) {
    return (is_in_records ? value.plane : value.array) + "[" + place + "]";
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const Value value = value_of(i);
    out_.open("");
    out_.line("const " + value.type + " pb_other = " + other(value) + ";");
    if (at(i).places.empty()) {
      out_.line(value.part + " = " + combined_text(at(i), value.part, "pb_other") + ";");
    } else {
      out_.open("if (" + is_better_text(at(i), value.part, "pb_other") + ")");
      out_.line(value.part + " = pb_other;");
      for (std::size_t k = 0; k < at(i).places.size(); ++k)
        out_.line(value_of(i, k).part + " = " + other(value_of(i, k)) + ";");
      out_.close();
    }
    out_.close();
  }
}

void BlockPartPrinter::combine_records() const {
  out_.line("const long pb_instance = " + instance_text(lowered_) + ";");
  out_.line("const int pb_share = (PB_RECORDS + PB_PART_LANES - 1) / PB_PART_LANES;");
  out_.line("const int pb_end = PB_MIN(PB_RECORDS, pb_share * (pb_part_lane + 1));");
  print_first_parts(true);
  print_unrolling(out_, "#pragma unroll 8\n");
  out_.open("for (int pb_record = pb_share * pb_part_lane; pb_record < pb_end; ++pb_record)");
  print_combination(true, "pb_record * pb_instances + pb_instance");
  out_.close();
  out_.verbatim("#if PB_PART_LANES > 1\n");
  for (const Value& value : values())
    out_.line(value.array + "[pb_part_lane * PB_GROUP_ITEMS + pb_flat] = " + value.part + ";");
  out_.line(dialect_.barrier);
  print_first_parts(false);
  print_unrolling(out_, "");
  out_.open("for (int pb_from = 0; pb_from < PB_PART_LANES; ++pb_from)");
  print_combination(false, "pb_from * PB_GROUP_ITEMS + pb_flat");
  out_.close();
  out_.line(dialect_.barrier);
  out_.verbatim("#endif\n");
  for (std::size_t i = 0; i < size(); ++i) {
    const Value value = value_of(i);
    const std::string before = "(" + value.type + ")" + value.carried;
    out_.line(value.carried + " = " + (at(i).is_extremum() ? value.part : combined_text(at(i), before, value.part)) +
              ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(value_of(i, k).carried + " = " + value_of(i, k).part + ";");
  }
}

}  // namespace pb
