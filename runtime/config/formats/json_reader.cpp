// SPDX-License-Identifier: MIT
#include "runtime/config/formats/json_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "runtime/config/errors.h"

namespace pbrt::json {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void throw_cannot_read(const std::string& path, int error) {
  throw IoError("cannot read `" + path + "`: " + std::strerror(error));
}

[[noreturn]] void throw_too_large(const std::string& name) {
  throw ConfigError(name + ": larger than 16 MiB, which no file of this kind is");
}

/// `name:line:column`, both counted from 1.
std::string place(const std::string& name, std::string_view text, std::size_t offset) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

/// Offset just behind the string literal that starts at `at` (a quote).
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

/// Counts brackets outside of strings, so that no parser ever recurses deeper than kMaxDepth.
void check_depth(std::string_view text, const std::string& name) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = skip_string(text, i);
      continue;
    }
    if ((c == '[' || c == '{') && ++depth > kMaxDepth)
      throw ConfigError(place(name, text, i) + ": nested deeper than 64 levels");
    if (c == ']' || c == '}') --depth;
    ++i;
  }
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::strchr(" \t\r\n", text[at]) != nullptr) ++at;
  return at;
}

/// Offset just behind the value that starts at `at`. Pre: the text is valid JSON.
std::size_t skip_value(std::string_view text, std::size_t at) {
  int depth = 0;
  do {
    at = skip_blanks(text, at);
    if (at >= text.size()) return at;
    if (text[at] == '"') {
      at = skip_string(text, at);
    } else if (std::strchr("[{", text[at]) != nullptr) {
      ++depth;
      ++at;
    } else if (std::strchr("]}", text[at]) != nullptr) {
      --depth;
      ++at;
    } else if (std::strchr(",:", text[at]) != nullptr) {
      ++at;
    } else {
      while (at < text.size() && std::strchr(" \t\r\n,:]}", text[at]) == nullptr) ++at;
    }
    if (depth == 0) return at;
  } while (at < text.size());
  return at;
}

/// Offset of the member or element `key` of the container that starts at `at`. Pre: it is there.
std::size_t enter(std::string_view text, std::size_t at, const std::string& key) {
  at = skip_blanks(text, at);
  const bool is_object = text[at] == '{';
  ++at;
  for (std::size_t i = 0; at < text.size(); ++i) {
    at = skip_blanks(text, at);
    bool is_wanted = !is_object && std::to_string(i) == key;
    if (is_object) {
      const std::size_t end = skip_string(text, at);
      const Json name = Json::parse(text.substr(at, end - at), nullptr, false);
      is_wanted = name.is_string() && name.get_ref<const std::string&>() == key;
      at = skip_blanks(text, end) + 1;
      at = skip_blanks(text, at);
    }
    if (is_wanted) return at;
    at = skip_blanks(text, skip_value(text, at)) + 1;
  }
  return text.size();
}

std::string unescape(std::string token) {
  for (std::size_t i; (i = token.find("~1")) != std::string::npos;) token.replace(i, 2, "/");
  for (std::size_t i; (i = token.find("~0")) != std::string::npos;) token.replace(i, 2, "~");
  return token;
}

std::string escape(const std::string& key) {
  std::string token;
  for (const char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return token;
}

std::size_t locate(std::string_view text, const std::string& pointer) {
  std::size_t at = skip_blanks(text, 0);
  for (std::size_t begin = 1; begin <= pointer.size();) {
    std::size_t end = pointer.find('/', begin);
    if (end == std::string::npos) end = pointer.size();
    at = enter(text, at, unescape(pointer.substr(begin, end - begin)));
    begin = end + 1;
  }
  return at;
}

/// The library's message without its own position and ids.
std::string reason_of(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  std::size_t at = text.find(" - ");
  if (at != std::string::npos) return text.substr(at + 3);
  at = text.rfind("] ");
  return at == std::string::npos ? text : text.substr(at + 2);
}

}  // namespace

std::string read_bounded_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw_cannot_read(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) throw_cannot_read(path, EISDIR);
  if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > kMaxBytes) throw_too_large(path);
  std::string text;
  // The buffer is on the heap, because programs may run with stacks of 64 KiB (`ulimit -s 64`).
  std::string buffer(65536, '\0');
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_cannot_read(path, errno);
    if (count == 0) return text;
    text.append(buffer, 0, static_cast<std::size_t>(count));
    if (text.size() > kMaxBytes) throw_too_large(path);
  }
}

Document::Document(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
  if (text_.size() > kMaxBytes) throw_too_large(name_);
  check_depth(text_, name_);
  if (skip_blanks(text_, 0) == text_.size()) throw ConfigError(place(name_, text_, 0) + ": the text is empty");
  try {
    root_ = Json::parse(text_);
  } catch (const Json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    throw ConfigError(place(name_, text_, offset) + ": " + reason_of(error));
  } catch (const Json::exception& error) {  // numbers beyond the range of a double
    const std::string reason = reason_of(error);
    const std::size_t quote = reason.find('\'');
    const std::string number =
        quote == std::string::npos ? "" : reason.substr(quote + 1, reason.rfind('\'') - quote - 1);
    const std::size_t offset = number.empty() ? std::string::npos : text_.find(number);
    throw ConfigError((offset == std::string::npos ? name_ : place(name_, text_, offset)) + ": " + reason);
  }
}

void Document::fail(const std::string& pointer, const std::string& reason) const {
  throw ConfigError(place_of(pointer) + ": " + reason);
}

std::string Document::place_of(const std::string& pointer) const { return place(name_, text_, locate(text_, pointer)); }

Node Node::child(const std::string& key, const Json& value) const {
  return Node(document_, &value, pointer_ + "/" + escape(key));
}

void Node::expect_object() const {
  if (!value_->is_object())
    fail(std::string("expected an object, found a") + (value_->is_array() ? "n " : " ") + value_->type_name());
}

void Node::expect_array() const {
  if (!value_->is_array())
    fail(std::string("expected a list, found a") + (value_->is_object() ? "n " : " ") + value_->type_name());
}

std::vector<std::string> Node::strings() const {
  std::vector<std::string> out;
  each_item([&](const Node& item) { out.push_back(item.string()); });
  return out;
}

std::vector<double> Node::numbers() const {
  std::vector<double> out;
  each_item([&](const Node& item) { out.push_back(item.number()); });
  return out;
}

bool Node::has(const char* key) const {
  expect_object();
  return value_->contains(key);
}

Node Node::at(const char* key) const {
  if (!has(key)) fail(std::string("`") + key + "` is missing");
  return child(key, value_->at(key));
}

std::string Node::string() const {
  if (!value_->is_string()) fail("expected text in quotes, found " + found_words(*value_));
  return value_->get<std::string>();
}

std::int64_t Node::integer(std::int64_t lo, std::int64_t hi) const {
  const double value = number();
  const bool fits = std::floor(value) == value && value >= static_cast<double>(lo) && value <= static_cast<double>(hi);
  if (!fits)
    fail("expected a whole number from " + std::to_string(lo) + " to " + std::to_string(hi) + ", found " +
         dump_line(*value_));
  return value_->is_number_float() ? static_cast<std::int64_t>(value) : value_->get<std::int64_t>();
}

double Node::number() const {
  if (!value_->is_number()) fail("expected a number, found " + found_words(*value_));
  return value_->get<double>();
}

bool Node::boolean() const {
  if (!value_->is_boolean()) fail("expected true or false, found " + found_words(*value_));
  return value_->get<bool>();
}

std::string Node::string_or(const char* key, const char* fallback) const {
  return has(key) ? at(key).string() : std::string(fallback);
}

std::int64_t Node::integer_or(const char* key, std::int64_t lo, std::int64_t hi, std::int64_t fallback) const {
  return has(key) ? at(key).integer(lo, hi) : fallback;
}

std::uint64_t Node::natural_or(const char* key, std::uint64_t fallback) const {
  if (!has(key)) return fallback;
  const Node node = at(key);
  if (!node.json().is_number_unsigned())
    node.fail("expected a whole number from 0 to 18446744073709551615, found " + found_words(node.json()));
  return node.json().get<std::uint64_t>();
}

double Node::number_or(const char* key, double fallback) const { return has(key) ? at(key).number() : fallback; }

bool Node::boolean_or(const char* key, bool fallback) const { return has(key) ? at(key).boolean() : fallback; }

std::string found_words(const Json& value) {
  if (value.is_array()) return value.size() == 1 ? "a list of one" : "a list";
  if (value.is_object()) return "an object";
  constexpr std::size_t kMaxShown = 40;
  const std::string text = dump_line(value);
  return (value.is_string() ? "the text " : "") + (text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "…");
}

std::string dump_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string dump_pretty(const Json& value, int indent) {
  constexpr std::size_t kMaxColumns = 120;
  const auto is_container = [](const Json& v) { return v.is_structured() && !v.empty(); };
  bool is_flat = true;
  if (value.is_structured())
    for (const Json& item : value) is_flat = is_flat && !is_container(item);
  if (!is_container(value)) return dump_line(value);
  const bool is_object = value.is_object();
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' ');
  std::string one = is_object ? "{" : "[", many = one + "\n";
  std::size_t left = value.size();
  for (const auto& item : value.items()) {
    const std::string key = is_object ? dump_line(Json(item.key())) + ": " : "";
    --left;
    if (is_flat) one += key + dump_line(item.value()) + (left > 0 ? ", " : "");
    many += inner + key + dump_pretty(item.value(), indent + 2) + (left > 0 ? ",\n" : "\n");
  }
  one += is_object ? "}" : "]";
  if (is_flat && (one.size() + static_cast<std::size_t>(indent) <= kMaxColumns || !is_object)) return one;
  return many + std::string(static_cast<std::size_t>(indent), ' ') + (is_object ? "}" : "]");
}

Json number_to_json(double value) {
  constexpr double kMaxExact = 9007199254740992.0;
  if (std::floor(value) == value && std::fabs(value) <= kMaxExact) return Json(static_cast<std::int64_t>(value));
  return Json(value);
}

}  // namespace pbrt::json
