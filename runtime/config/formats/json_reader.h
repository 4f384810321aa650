// SPDX-License-Identifier: MIT
// Bounded reading of JSON files: at most 16 MiB and 64 levels, checked before the parser sees the text; every error
// names file, line, column and reason. Also has the layout in which JSON is written. It includes
// nlohmann/json, so only .cpp files that read or write JSON include it, and headers that are for such files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pbrt::json {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
inline constexpr int kMaxDepth = 64;

/// The contents of a file of at most `kMaxBytes`; a larger one is rejected unread.
///
/// Errors: throws IoError; ConfigError if it is too large
[[nodiscard]] std::string read_bounded_file(const std::string& path);

/// A parsed text that remembers where things stand in it.
class Document {
 public:
  /// Errors: throws ConfigError (`name:line:column: reason`)
  Document(std::string_view text, std::string name);

  [[nodiscard]] const Json& root() const { return root_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Throws ConfigError at the value that `pointer` (RFC 6901) leads to.
  [[noreturn]] void fail(const std::string& pointer, const std::string& reason) const;
  /// `name:line:column` of the value that `pointer` leads to.
  [[nodiscard]] std::string place_of(const std::string& pointer) const;

 private:
  std::string text_;
  std::string name_;
  Json root_;
};

/// A value of a document and the way to it. Accessors throw ConfigError at the value's place. The document must outlive
/// it.
class Node {
 public:
  explicit Node(const Document& document) : document_(&document), value_(&document.root()) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  [[noreturn]] void fail(const std::string& reason) const { document_->fail(pointer_, reason); }
  /// `name:line:column`.
  [[nodiscard]] std::string place() const { return document_->place_of(pointer_); }

  /// Member of an object; fails if it is missing.
  [[nodiscard]] Node at(const char* key) const;
  [[nodiscard]] bool has(const char* key) const;

  [[nodiscard]] std::string string() const;
  [[nodiscard]] std::int64_t integer(std::int64_t lo, std::int64_t hi) const;
  [[nodiscard]] double number() const;
  [[nodiscard]] bool boolean() const;

  [[nodiscard]] std::string string_or(const char* key, const char* fallback) const;
  [[nodiscard]] std::int64_t integer_or(const char* key, std::int64_t lo, std::int64_t hi, std::int64_t fallback) const;
  /// A whole number from 0 to 2^64-1, such as a seed.
  [[nodiscard]] std::uint64_t natural_or(const char* key, std::uint64_t fallback) const;
  [[nodiscard]] double number_or(const char* key, double fallback) const;
  [[nodiscard]] bool boolean_or(const char* key, bool fallback) const;

  /// f(const std::string& key, const Node&) for each member of an object.
  template <class F>
  void each_member(F&& f) const {
    expect_object();
    for (const auto& item : value_->items()) f(item.key(), child(item.key(), item.value()));
  }
  /// f(const Node&) for each element of an array.
  template <class F>
  void each_item(F&& f) const {
    expect_array();
    std::size_t i = 0;
    for (const Json& item : *value_) f(child(std::to_string(i++), item));
  }
  /// The elements of an array of strings, of numbers.
  [[nodiscard]] std::vector<std::string> strings() const;
  [[nodiscard]] std::vector<double> numbers() const;
  void expect_object() const;
  void expect_array() const;

 private:
  Node(const Document* document, const Json* value, std::string pointer)
      : document_(document), value_(value), pointer_(std::move(pointer)) {}
  [[nodiscard]] Node child(const std::string& key, const Json& value) const;

  const Document* document_;
  const Json* value_;
  std::string pointer_;
};

/// The value as text with two blanks per level. A value that fits into 120 columns and holds no deeper nesting stays on
/// one line. The text ends without a newline.
[[nodiscard]] std::string dump_pretty(const Json& value, int indent = 0);
/// A description of a value for messages: `the text "many"`, `a list`.
[[nodiscard]] std::string found_words(const Json& value);
/// The value as one line of text. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string dump_line(const Json& value);

/// A number as JSON integer if it is whole and exactly representable, else as real.
[[nodiscard]] Json number_to_json(double value);

}  // namespace pbrt::json
