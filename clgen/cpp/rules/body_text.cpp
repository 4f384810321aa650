// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/body_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "clgen/facts/names.h"
#include "clgen/facts/watched_args.h"
#include "clgen/writer/writer.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"
#include "lang/source.h"

namespace pb {
namespace {

/// Puts tokens together again so that each stands on the line it has in its source.
class TokenText {
 public:
  explicit TokenText(const SourceManager& sources) : sources_(sources) {}

  void token(const BodyToken& token) {
    add_leading(token);
    text_ += token.text;
    line_ += newlines(token.text);
  }
  /// Adds generated text in place of tokens, on the source line of `at`.
  void replacement(const BodyToken& at, const std::string& text) {
    add_leading(at);
    text_ += text;
  }
  /// Adds generated lines between lines of the source.
  void own_line(const std::string& text) {
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    text_ += text + "\n";
    file_.clear();
  }
  /// Adds generated text, which has no newlines, between tokens.
  void insert(const std::string& text) { text_ += text; }

  std::string finish() {
    if (text_.empty() || text_.back() != '\n') text_ += "\n";
    return std::move(text_);
  }

 private:
  static unsigned newlines(const std::string& text) {
    return static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
  }

  void add_leading(const BodyToken& token) {
    const Position at = sources_.begin_of(token.expansion);
    const unsigned line_then = line_ + newlines(token.leading);
    if (line_then == at.line && file_ == at.file) {
      text_ += token.leading;
      line_ = line_then;
      return;
    }
    const std::size_t last = token.leading.rfind('\n');
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    text_ += "#line " + std::to_string(at.line) + " " + quoted(std::string(sources_.short_name(at.file))) + "\n";
    text_ += last == std::string::npos ? token.leading : token.leading.substr(last + 1);
    line_ = at.line;
    file_ = at.file;
  }

  const SourceManager& sources_;
  std::string text_;
  unsigned line_ = 0;
  std::string file_;
};

class Rewriter {
 public:
  Rewriter(const Program& program, const Rule& rule, const RuleFacts& facts, const SourceManager& sources,
           const BodyOptions& options, const BodyForms& forms)
      : program_(program),
        rule_(rule),
        body_(rule.body),
        facts_(facts),
        sources_(sources),
        options_(options),
        forms_(forms),
        out_(sources) {}

  std::string run() {
    walk(
        body_, body_.root,
        [&](StmtId id) {
          const Stmt& stmt = body_.stmts[id];
          const bool is_rewritten = std::holds_alternative<TransformCallStmt>(stmt.node) ||
                                    std::holds_alternative<SyncStmt>(stmt.node) ||
                                    std::holds_alternative<ForEnoughStmt>(stmt.node) || announced_copy(stmt);
          if (is_rewritten) rewritten_[stmt.tokens.begin] = id;
        },
        [&](ExprId id) {
          const auto* lambda = std::get_if<LambdaExpr>(&body_.exprs[id].node);
          if (lambda != nullptr) note_captures(*lambda);
        });
    const std::map<std::uint32_t, std::string> requests = requests_by_token();
    note_limits();
    for (const std::uint32_t token : forms_.wide_types) replaced_[token] = {"pbrt::WideSum", token + 1};
    std::uint32_t i = 0;
    while (i < body_.tokens.size()) {
      close_loops(i);
      open_loops(i);
      if (const auto limit = replaced_.find(i); limit != replaced_.end()) {
        out_.replacement(body_.tokens[i], limit->second.text);
        i = limit->second.end;
        continue;
      }
      if (const auto request = requests.find(i); request != requests.end()) out_.insert(request->second);
      if (const auto captures = captures_.find(i); captures != captures_.end()) {
        out_.replacement(body_.tokens[i], captures->second.text);
        i = captures->second.end;
        continue;
      }
      const auto found = rewritten_.find(i);
      if (found == rewritten_.end()) {
        out_.token(body_.tokens[i++]);
        continue;
      }
      const Stmt& stmt = body_.stmts[found->second];
      const auto* loop = std::get_if<ForEnoughStmt>(&stmt.node);
      loop != nullptr ? rewrite_head(*loop) : rewrite(found->second);
      i = std::max(loop != nullptr ? loop->head.end : stmt.tokens.end, i + 1);
    }
    close_loops(i);
    return out_.finish();
  }

 private:
  /// Tokens that another text replaces.
  struct Replaced {
    std::string text;
    std::uint32_t end = 0;  ///< the first token behind them
  };

  /// Notes the limits of loops whose form is not that of the source.
  void note_limits() {
    const auto note = [&](ExprId limit, const std::string& text) {
      const TokenRange& range = body_.exprs[limit].tokens;
      replaced_[range.begin] = {text, range.end};
    };
    for (const TaskLoopText& divided : forms_.task_loops) {
      note(divided.first, divided.limits.first);
      note(divided.last, divided.limits.last);
      for (const OtherText& other : divided.others) {
        const TokenRange& range = body_.stmts[other.stmt].tokens;
        replaced_[range.begin] = {other.text, range.end};
      }
    }
    for (const LaneLoopText& lanes : forms_.lanes) note(lanes.first, lanes.begin);
  }

  /// Prints what stands before a loop that begins at this token: what divides it, and what its rounds in lanes need. A
  /// block holds them and the loop.
  void open_loops(std::uint32_t token) {
    const auto open = [&](const auto& loops) {
      for (const auto& each : loops)
        if (body_.stmts[each.loop].tokens.begin == token) out_.own_line("{\n" + each.before);
    };
    open(forms_.task_loops);
    open(forms_.enclosed);
    open(forms_.lanes);
  }
  void close_loops(std::uint32_t token) {
    const auto close = [&](const auto& loops) {
      for (const auto& each : loops)
        if (body_.stmts[each.loop].tokens.end == token) out_.own_line(each.after + "}");
    };
    close(forms_.lanes);
    close(forms_.enclosed);
    close(forms_.task_loops);
  }

  /// Returns what stands before tokens as operands of the comma operator, by these tokens: requests for elements that
  /// loops read later, and notes of rounds.
  std::map<std::uint32_t, std::string> requests_by_token() const {
    std::map<std::uint32_t, std::string> out;
    for (const ReadsAhead& reads : forms_.reads_ahead)
      for (const std::string& input : reads.inputs)
        out[body_.exprs[reads.step].tokens.begin] +=
            " pbrt::read_ahead(" + input + ", " + reads.counter + ", " + to_cpp(reads.lines) + "),";
    for (const EnclosedLoopText& loop : forms_.enclosed)
      for (const OperandText& operand : loop.operands)
        out[body_.exprs[operand.condition].tokens.begin] += " " + operand.text + ",";
    return out;
  }

  /// Whether the loop asks for elements as far ahead as a variable of the function says.
  bool has_named_distance(const ForStmt& loop) const {
    return std::any_of(forms_.reads_ahead.begin(), forms_.reads_ahead.end(), [&](const ReadsAhead& reads) {
      return reads.step == loop.step && reads.lines.op == IndexExpr::Op::Symbol;
    });
  }

  /// Calls, `sync`, `for_enough` and requests for elements are rewritten to text that uses more names, such as
  /// `pb_frame`. A lambda that contains one of them must capture those names too.
  void note_captures(const LambdaExpr& lambda) {
    bool has_calls = false;
    bool has_values = false;  // of tunables
    walk(
        body_, lambda.body,
        [&](StmtId id) {
          const auto& node = body_.stmts[id].node;
          has_calls |= std::holds_alternative<TransformCallStmt>(node) || std::holds_alternative<SyncStmt>(node) ||
                       announced_copy(body_.stmts[id]);
          const auto* loop = std::get_if<ForStmt>(&node);
          has_values |= std::holds_alternative<ForEnoughStmt>(node) || (loop != nullptr && has_named_distance(*loop));
        },
        [](ExprId) {});
    if (!has_calls && !has_values) return;
    std::vector<std::string> items = captures_of(lambda);
    const std::string first = items.empty() ? "" : items.front();
    if (first == "&" || (first == "=" && !has_calls)) return;
    if (first == "=") {
      items.emplace_back("&pb_frame");
      if (keeps_own()) items.emplace_back("&pb_spawned");
    } else {
      // The list now begins with `&`, which captures everything by reference. C++ forbids a further `&x` in such a
      // list.
      std::erase_if(items,
                    [](const std::string& item) { return item[0] == '&' && item.find('=') == std::string::npos; });
      items.insert(items.begin(), "&");
    }
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "[" : ", ") + item;
    captures_[lambda.captures.begin] = {text + "]", lambda.captures.end};
  }

  /// Returns the captures of the lambda, one text for each.
  std::vector<std::string> captures_of(const LambdaExpr& lambda) const {
    std::vector<std::string> items;
    int depth = 0;
    for (std::uint32_t i = lambda.captures.begin + 1; i + 1 < lambda.captures.end; ++i) {
      const std::string& text = body_.tokens[i].text;
      depth += text == "(" || text == "[" || text == "{" ? 1 : text == ")" || text == "]" || text == "}" ? -1 : 0;
      if (items.empty() || (text == "," && depth == 0)) items.emplace_back();
      if (text != "," || depth > 0)
        items.back() += (items.back().empty() || body_.tokens[i].leading.empty() ? "" : " ") + text;
    }
    return items;
  }

  /// Whether the body keeps `pb_spawned`: a list of regions that spawned calls use and to which perhaps no name of the
  /// body leads any more at the `sync`.
  bool keeps_own() const { return options_.has_kernels && spawns_own_regions(program_, rule_, facts_); }

  /// Rewrites the head of a `for_enough` loop. Its body stays as it is.
  void rewrite_head(const ForEnoughStmt& loop) {
    out_.replacement(body_.tokens[loop.head.begin], "for (IndexT pb_" + loop.tunable + " = 0; pb_" + loop.tunable +
                                                        " < " + loop.tunable + "; ++pb_" + loop.tunable + ")");
  }

  /// Returns the copy that the statement is, if it announces itself.
  std::optional<PlainCopy> announced_copy(const Stmt& stmt) const {
    return options_.has_kernels ? find_plain_copy(rule_, stmt) : std::nullopt;
  }

  void rewrite(StmtId id) {
    const Stmt& stmt = body_.stmts[id];
    const BodyToken& first = body_.tokens[stmt.tokens.begin];
    if (const std::optional<PlainCopy> copy = announced_copy(stmt)) {
      // What the body's text accesses, too, is on the host, perhaps with values that nothing has announced yet.
      const bool is_on_host = facts_.touches_handles || is_accessed(copy->from) || is_accessed(copy->to);
      const std::string devices = is_on_host ? "nullptr" : "pb_frame.context().gpu()";
      out_.replacement(first, "pbrt::copy_contents(pb_frame, " + devices + ", " + copy->from + ", " + copy->to + ");");
      return;
    }
    if (std::holds_alternative<SyncStmt>(stmt.node)) {
      out_.replacement(
          first, "{ pb_frame.sync();" + arrivals() + (keeps_own() ? " pb_spawned.back_on_host(pb_frame);" : "") + " }");
      return;
    }
    const TransformCall& call = call_at(id);
    std::vector<WatchedArg> watched;
    if (options_.has_kernels) watched = find_watched_args(program_, rule_, facts_, call);
    const bool is_spawn = std::get<TransformCallStmt>(stmt.node).is_spawn;
    const bool is_chosen = !call.choice.empty();
    const std::string callee =
        is_chosen ? identifier_of(program_, call.of_template) : identifier_of(program_, call.targets[0]);
    const std::string verb = std::string(is_spawn ? "spawn_" : "call_") + (is_chosen ? "any_" : "");
    out_.replacement(first, "{ ");
    std::vector<std::string> names(call.args.size());
    for (const WatchedArg& arg : watched) names[arg.index] = announce(call, arg);
    out_.insert((options_.is_checked ? "try { " : "") + verb + callee + "(pb_frame");
    for (const TemplateArg& arg : call.choice) {
      out_.insert(", ");
      if (arg.expr.is_none()) {
        out_.insert(std::to_string(arg.value));
        continue;
      }
      out_.insert("static_cast<std::int64_t>(");
      insert_expr(arg.expr);
      out_.insert(")");
    }
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const bool is_converted = std::find(call.converted.begin(), call.converted.end(), i) != call.converted.end();
      out_.insert(is_converted ? ", pbrt::converted<" + output_element(call, i) + ">(" : ", ");
      names[i].empty() ? insert_arg(call.args[i]) : out_.insert(names[i]);
      // The callee takes a const handle of a matrix that it only reads. `as_input` makes one that counts no further
      // reference.
      if (is_input(call, i) && lenders_of(call.args[i])) out_.insert(".as_input()");
      if (is_converted) out_.insert(")");
    }
    out_.insert(");");
    if (options_.is_checked)
      out_.insert(" } catch (const pbrt::OverlapError& pb_error) { pbrt::overlap_in(" +
                  quoted(origin_of(sources_, first.expansion)) + ", " + quoted(source_text(stmt.tokens)) +
                  ", pb_error); }");
    for (const WatchedArg& arg : watched) {
      if (!is_spawn) out_.insert(" pbrt::back_on_host(pb_frame, " + names[arg.index] + ");");
      if (is_spawn && arg.is_own) out_.insert(" pb_spawned.add(" + names[arg.index] + ");");
    }
    out_.insert(" }");
  }

  /// Returns the source text of the statement on one line, without its semicolon.
  std::string source_text(const TokenRange& range) const {
    std::string text;
    for (std::uint32_t i = range.begin; i < range.end && body_.tokens[i].text != ";"; ++i) {
      if (i > range.begin && !body_.tokens[i].leading.empty()) text += ' ';
      text += body_.tokens[i].text;
    }
    return text;
  }

  /// Prints a statement that tells the device side that the body's text may have written the argument. Returns the name
  /// of the argument.
  std::string announce(const TransformCall& call, const WatchedArg& arg) {
    std::string name = "pb_arg" + std::to_string(arg.index);
    if (arg.is_plain) {
      name = std::get<NameExpr>(body_.exprs[call.args[arg.index]].node).text;
    } else {
      out_.insert("auto&& " + name + " = ");
      insert_arg(call.args[arg.index]);
      out_.insert("; ");
    }
    out_.insert("pbrt::wrote_on_host(pb_frame, " + name + "); ");
    return name;
  }

  /// Element type of output `i` of the callee.
  std::string output_element(const TransformCall& call, std::size_t i) const {
    const Transform& callee = program_.transforms[call.targets[0]];
    const Matrix& matrix = callee.matrices[callee.matrices_of(MatrixRole::To)[i]];
    return element_text(matrix.element, matrix.is_element_t);
  }

  /// Whether argument `i` is a matrix that the callee only reads.
  bool is_input(const TransformCall& call, std::size_t i) const {
    if (call.targets.empty()) return false;
    const Transform& callee = program_.transforms[call.targets[0]];
    const std::size_t num_outputs = callee.matrices_of(MatrixRole::To).size();
    const std::vector<MatrixId> inputs = callee.matrices_of(MatrixRole::From);
    return i >= num_outputs && i < num_outputs + inputs.size() &&
           !callee.matrices[inputs[i - num_outputs]].extents.empty();
  }

  /// Prints an argument of a call. A part of one of the rule's regions is made from a borrowed handle:
  /// `a.lent().region(0, m)`.
  void insert_arg(ExprId id) {
    // The tokens of an expression do not include parentheses around it.
    const auto* binary = std::get_if<BinaryExpr>(&body_.exprs[id].node);
    const bool is_list = binary != nullptr && binary->op == BinaryOp::Comma;
    if (is_list) out_.insert("(");
    insert_expr(id, lenders_of(id).value_or(std::set<std::uint32_t>()));
    if (is_list) out_.insert(")");
  }

  /// If the expression is a region `a` of the rule or a part of one, returns the tokens before which `.lent()` is
  /// inserted: those after `a` and after `a.region(…)` in `a.region(…).row(2)`. Returns none for other expressions.
  std::optional<std::set<std::uint32_t>> lenders_of(ExprId id) const {
    std::set<std::uint32_t> ends;
    const auto* part = std::get_if<MemberExpr>(&body_.exprs[id].node);
    while (part != nullptr && part->is_call && !part->is_arrow && kParts.contains(part->name)) {
      id = part->object;
      ends.insert(body_.exprs[id].tokens.end);
      part = std::get_if<MemberExpr>(&body_.exprs[id].node);
    }
    const NameKind kind = rule_.body_types.bindings[id.index()].kind;
    const bool is_region = kind == NameKind::Output || kind == NameKind::Input || kind == NameKind::Temporary;
    if (!is_region || !std::holds_alternative<NameExpr>(body_.exprs[id].node)) return std::nullopt;
    return ends;
  }

  /// Prints the expression as it is written, with `.lent()` before each of the tokens in `lenders`.
  void insert_expr(ExprId id, const std::set<std::uint32_t>& lenders = {}) {
    const TokenRange range = body_.exprs[id].tokens;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      if (lenders.contains(i)) out_.insert(".lent()");
      BodyToken token = body_.tokens[i];
      if (i == range.begin && token.leading == " ") token.leading.clear();
      out_.token(token);
    }
  }

  const TransformCall& call_at(StmtId id) const {
    for (const TransformCall& call : rule_.calls)
      if (call.stmt == id) return call;
    PB_CHECK(false, "types were checked: every call has its callee");
  }

  /// Returns statements that bring back to the host the regions that spawned calls may have used and that the body's
  /// text may touch.
  std::string arrivals() const {
    std::string text;
    if (!options_.has_kernels) return text;
    for_each_writable([&](const std::string& name, const RegionUse& use) {
      if (use.needs_handle && use.is_touched && !use.may_be_renamed)
        text += " pbrt::back_on_host(pb_frame, " + name + ");";
    });
    return text;
  }

  /// Whether the body's own text accesses elements of the region of that name.
  bool is_accessed(const std::string& name) const {
    bool out = false;
    for_each_writable([&](const std::string& other, const RegionUse& use) {
      out = out || (other == name && (use.is_touched || use.may_be_renamed));
    });
    return out;
  }

  template <class Visit>
  void for_each_writable(Visit visit) const {
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i)
      if (!is_element(rule_.outputs[i])) visit(rule_.outputs[i].binding, facts_.outputs[i]);
    for (std::size_t i = 0; i < rule_.temporaries.size(); ++i) visit(rule_.temporaries[i].name, facts_.temporaries[i]);
  }

  /// Members of a region that return a part of it.
  static inline const std::set<std::string_view> kParts{"region", "slice", "row", "col", "column"};

  const Program& program_;
  const Rule& rule_;
  const Body& body_;
  const RuleFacts& facts_;
  const SourceManager& sources_;
  const BodyOptions& options_;
  const BodyForms& forms_;
  TokenText out_;
  std::map<std::uint32_t, StmtId> rewritten_;
  std::map<std::uint32_t, Replaced> replaced_;  ///< limits of loops and types of accumulators, by their first token
  std::map<std::uint32_t, Replaced> captures_;  ///< the capture lists that are rewritten, by their first token
};

}  // namespace

std::string body_text(const Program& program, const Rule& rule, const RuleFacts& facts, const SourceManager& sources,
                      const BodyOptions& options, const BodyForms& forms) {
  return Rewriter(program, rule, facts, sources, options, forms).run();
}

namespace {

/// Prints a native block inside of a namespace, and the headers that it includes outside of it.
class NativeText {
 public:
  NativeText(const NativeBlock& block, const SourceManager& sources) : block_(block), out_(sources) {}

  std::string run() {
    for (std::size_t i = 0; i < block_.tokens.size(); ++i) {
      const BodyToken& token = block_.tokens[i];
      const bool is_header = token.text.starts_with("#include") && is_outermost();
      if (is_header && is_open_) close();
      if (!is_header && !is_open_) open();
      out_.token(token);
      if (is_header && !is_first_) open();
      is_first_ = is_first_ && is_header;
      track_braces(i);
    }
    if (is_open_) close();
    return out_.finish();
  }

 private:
  void open() {
    std::string text = "namespace pb_user { namespace {";
    for (std::size_t i = 0; i < braces_.size(); ++i) text += " extern \"C\" {";
    out_.own_line(text);
    is_open_ = true;
  }
  void close() {
    out_.own_line(std::string(braces_.size(), '}') + "}}");
    is_open_ = false;
  }

  /// Whether the text is outside of all braces, other than those of `extern "C" { }`.
  bool is_outermost() const { return std::find(braces_.begin(), braces_.end(), false) == braces_.end(); }

  void track_braces(std::size_t i) {
    const std::string& text = block_.tokens[i].text;
    if (text == "}" && !braces_.empty()) braces_.pop_back();
    if (text != "{") return;
    braces_.push_back(i >= 2 && block_.tokens[i - 1].text == "\"C\"" && block_.tokens[i - 2].text == "extern");
  }

  const NativeBlock& block_;
  TokenText out_;
  std::vector<bool> braces_;  ///< for each open brace, whether it belongs to `extern "C"`
  bool is_open_ = false;
  bool is_first_ = true;  ///< there were only headers so far
};

}  // namespace

std::string native_text(const NativeBlock& block, const SourceManager& sources) {
  return NativeText(block, sources).run();
}

}  // namespace pb
