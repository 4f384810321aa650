// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/scan_records.h"

#include <cstddef>
#include <vector>

#include "clgen/facts/names.h"

namespace pb {

void print_record_functions(Writer& out, const KernelDialect& dialect) {
  const std::string pointer = "volatile " + dialect.global + "ulong*";
  const std::string publish =
      "static " + dialect.function + "inline void pb_publish(" + pointer + " record, uint tag, uint word)";
  const std::string read = "static " + dialect.function + "inline ulong pb_read(" + pointer + " record)";
  const std::string look = "static " + dialect.function + "inline ulong pb_look_at(" + pointer + " record)";
  out.verbatim("#if PB_STAGE == 2\n#ifdef PB_HAS_PTX_SHUFFLES\n");
  out.open(publish);
  out.line("ulong before;");
  out.line(
      "asm volatile(\"atom.relaxed.gpu.global.exch.b64 %0, [%1], %2;\" : \"=l\"(before) : \"l\"(record), "
      "\"l\"(((ulong)tag << 32) | word));");
  out.close();
  out.open(read);
  out.line("ulong word;");
  out.line("asm volatile(\"atom.relaxed.gpu.global.or.b64 %0, [%1], 0;\" : \"=l\"(word) : \"l\"(record));");
  out.line("return word;");
  out.close();
  out.open(look);
  out.line("ulong word;");
  out.line("asm volatile(\"ld.relaxed.gpu.global.b64 %0, [%1];\" : \"=l\"(word) : \"l\"(record));");
  out.line("return word;");
  out.close();
  out.line("#define PB_SCAN_NAP asm volatile(\"nanosleep.u32 600;\")");
  out.verbatim("#else\n");
  out.line(publish + " { *record = ((ulong)tag << 32) | word; }");
  out.line(read + " { return *record; }");
  out.line(look + " { return *record; }");
  out.line("#define PB_SCAN_NAP");
  out.verbatim("#endif\n");
  out.open("static " + dialect.function + "inline ulong pb_await(" + pointer + " record)");
  out.line("ulong word = pb_read(record);");
  out.line("while (word >> 32 == 0) word = pb_read(record);");
  out.line("return word;");
  out.close();
  out.verbatim("#endif\n");
}

void ScanRecordPrinter::print_record(const std::string& record) const {
  out_.line(dialect_.global + "ulong* pb_record = " + record + ";");
}

/// Prints a block for each number of a part, in which `pb_bits` is declared: the number and its words.
void ScanRecordPrinter::print_numbers(Factors factors, const ScanPartPrinter::VisitNumber& print) const {
  parts_.for_each_number(factors, [&](std::size_t k, ScanPartPrinter::NumberName number) {
    out_.open("");
    out_.line("union { " + parts_.type(k) + " number; uint words[2]; } pb_bits;");
    print(k, number);
    out_.close();
  });
}

void ScanRecordPrinter::publish(const std::string& name, const std::string& record, const std::string& tag,
                                bool has_factors) const {
  out_.open("");
  print_record(record);
  print_numbers(factors_if(has_factors), [&](std::size_t k, ScanPartPrinter::NumberName number) {
    out_.line("pb_bits.words[0] = 0;");
    out_.line("pb_bits.number = " + number(name, k) + ";");
    for (int word = 0; word < num_words(k); ++word)
      out_.line("pb_publish(pb_record++, " + tag + ", pb_bits.words[" + std::to_string(word) + "]);");
  });
  out_.close();
}

void ScanRecordPrinter::await(const std::string& name, const std::string& record, const std::string& tag,
                              bool has_factors) const {
  out_.open("");
  print_record(record);
  print_numbers(factors_if(has_factors), [&](std::size_t k, ScanPartPrinter::NumberName number) {
    for (int word = 0; word < num_words(k); ++word) {
      const std::string own = "pb_word" + std::to_string(word);
      out_.line("const ulong " + own + " = pb_await(pb_record++);");
      out_.line("pb_bits.words[" + std::to_string(word) + "] = (uint)" + own + ";");
      if (!tag.empty()) out_.line(tag + " = PB_MAX(" + tag + ", (int)(" + own + " >> 32));");
    }
    out_.line(number(name, k) + " = pb_bits.number;");
  });
  out_.close();
}

void ScanRecordPrinter::await_latest(const std::string& name, const std::string& record, const std::string& tag) const {
  const std::string count = std::to_string(record_words(scans_));
  out_.open("");
  print_record(record);
  out_.line("ulong pb_words[" + count + "];");
  out_.line("bool pb_is_whole = false;");
  out_.open("while (!pb_is_whole)");
  out_.line("pb_words[0] = pb_look_at(pb_record);");
  out_.line("pb_is_whole = pb_words[0] >> 32 != 0;");
  if (record_words(scans_) > 1) {
    out_.open("for (int pb_w = 1; pb_w < " + count + "; ++pb_w)");
    out_.line("pb_words[pb_w] = pb_look_at(pb_record + pb_w);");
    out_.line("pb_is_whole = pb_is_whole && pb_words[pb_w] >> 32 == pb_words[0] >> 32;");
    out_.close();
  }
  out_.close();
  out_.line(tag + " = (int)(pb_words[0] >> 32);");
  int at = 0;
  print_numbers(Factors::All, [&](std::size_t k, ScanPartPrinter::NumberName number) {
    for (int word = 0; word < num_words(k); ++word)
      out_.line("pb_bits.words[" + std::to_string(word) + "] = (uint)pb_words[" + std::to_string(at++) + "];");
    out_.line(number(name, k) + " = pb_bits.number;");
  });
  out_.close();
}

}  // namespace pb
