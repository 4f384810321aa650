// SPDX-License-Identifier: MIT
#include "runtime/main/report/trace_json.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

namespace pbrt {

namespace {

constexpr int kRunsLane = 0;

/// The text as JSON, with its quotation marks. Names may hold bytes that are no UTF-8.
std::string quoted(const char* text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string microseconds(std::int64_t nanoseconds) {
  char text[40];
  std::snprintf(text, sizeof(text), "%lld.%03d", static_cast<long long>(nanoseconds / 1000),
                static_cast<int>(nanoseconds % 1000));
  return text;
}

const char* category_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::Rule:
      return "rule";
    case TraceKind::Work:
      return "work";
    case TraceKind::Steal:
    case TraceKind::Mail:
      return "steal";
    case TraceKind::Search:
      return "search";
    case TraceKind::Park:
      return "park";
    case TraceKind::Management:
      return "management";
    case TraceKind::Kernel:
      return "kernel";
    case TraceKind::CopyIn:
    case TraceKind::CopyOut:
      return "copy";
    case TraceKind::Idle:
      return "idle";
  }
  return "";
}

/// How long the operation of a device stood in its queue, for `{…}`.
std::string wait_of(const TraceEvent& event) {
  return event.waited_ns > 0 ? ",\"waited_us\":" + microseconds(event.waited_ns) : "";
}

/// `{…}` of one event; empty if there is nothing to say.
std::string args_of(const TraceEvent& event) {
  switch (event.kind) {
    case TraceKind::Rule:
    case TraceKind::Kernel:
      return std::string("{") + (event.version != nullptr ? "\"version\":" + quoted(event.version) + "," : "") +
             "\"cells\":" + std::to_string(event.amount) + (event.is_resumed ? ",\"resumed\":true" : "") +
             (event.is_suspended ? ",\"suspended\":true" : "") +
             (event.num_untimed != 0 ? ",\"untimed_before\":{\"count\":" + std::to_string(event.num_untimed) +
                                           ",\"cells\":" + std::to_string(event.untimed_cells) + "}"
                                     : "") +
             wait_of(event) + "}";
    case TraceKind::Steal:
      return "{\"from\":\"worker " + std::to_string(event.amount) + "\"}";
    case TraceKind::CopyIn:
    case TraceKind::CopyOut:
      return "{\"bytes\":" + std::to_string(event.amount) +
             (event.why != nullptr ? ",\"why\":" + quoted(event.why) : "") +
             (event.version != nullptr ? ",\"rule\":" + quoted(event.version) : "") + wait_of(event) + "}";
    case TraceKind::Idle:
      return std::string("{\"why\":") + quoted(event.why) + "}";
    case TraceKind::Management:
      return event.version != nullptr ? std::string("{\"rule\":") + quoted(event.version) + "}" : "";
    case TraceKind::Work:
    case TraceKind::Mail:
    case TraceKind::Search:
    case TraceKind::Park:
      return "";
  }
  return "";
}

class Writer {
 public:
  Writer(const Trace& trace, const std::string& program) : trace_(trace), runs_(trace.runs()), now_(trace_clock_ns()) {
    text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    metadata("process_name", kRunsLane, "{\"name\":" + quoted(program.c_str()) + "}");
  }

  std::string write() {
    name_lane(kRunsLane, "runs");
    for (const Trace::Run& run : runs_) write_run(run);
    for (const TraceLane* lane : trace_.lanes()) write_lane(*lane);
    text_ += "\n],\"otherData\":{\"events_dropped\":" + std::to_string(num_dropped_) + "}}\n";
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::int64_t end_of(const Trace::Run& run) const { return run.end_ns != 0 ? run.end_ns : now_; }

  void separate() {
    if (!is_first_) text_ += ",\n";
    is_first_ = false;
  }
  void metadata(const char* what, int lane, const std::string& args) {
    separate();
    text_ += std::string("{\"ph\":\"M\",\"pid\":1,\"tid\":") + std::to_string(lane) + ",\"name\":\"" + what +
             "\",\"args\":" + args + "}";
  }
  void name_lane(int lane, const std::string& name) {
    metadata("thread_name", lane, "{\"name\":" + quoted(name.c_str()) + "}");
    metadata("thread_sort_index", lane, "{\"sort_index\":" + std::to_string(lane) + "}");
  }
  void event(int lane, const std::string& name, const char* category, std::int64_t start, std::int64_t end,
             const std::string& args) {
    separate();
    text_ += "{\"ph\":\"X\",\"pid\":1,\"tid\":" + std::to_string(lane) +
             ",\"ts\":" + microseconds(start - trace_.made_ns()) + ",\"dur\":" + microseconds(end - start) +
             ",\"name\":" + name + ",\"cat\":\"" + category + "\"" + (args.empty() ? "" : ",\"args\":" + args) + "}";
  }

  void write_run(const Trace::Run& run) {
    std::string rules;
    for (const RuleTotals& each : run.profile.rules)
      rules += (rules.empty() ? "" : ",") + std::string("{\"rule\":") + quoted(each.rule.c_str()) +
               ",\"version\":" + quoted(each.version.c_str()) + ",\"count\":" + std::to_string(each.count) +
               ",\"cells\":" + std::to_string(each.cells) + ",\"time_us\":" + microseconds(each.time_ns) +
               (each.is_estimated() ? ",\"timed\":" + std::to_string(each.num_timed) : "") + "}";
    const std::string args = "{\"workers\":" + std::to_string(run.num_workers) + ",\"rules\":[" + rules + "]}";
    event(kRunsLane, quoted(run.label.c_str()), "run", run.start_ns, end_of(run), args);
  }

  void write_lane(const TraceLane& lane) {
    // The state is read before the events, because what the worker does now is not among them yet.
    const WorkerClock::Now state = lane.clock().now();
    std::vector<TraceEvent> events;
    lane.events().for_each([&](const TraceEvent& each) { events.push_back(each); });
    if (state.state == WorkerClock::State::Parked)
      events.push_back({TraceKind::Park, false, false, "parked", nullptr, state.since_ns, now_, 0});
    std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
    // Runs follow one another, so what is printed is in order, too.
    name_lane(lane.number() + 1, lane.name());
    for (const Trace::Run& run : runs_) write_part(lane, events, run.start_ns, end_of(run));
    num_dropped_ += lane.events().num_dropped();
  }

  /// The events between two times; those that reach beyond them are cut.
  void write_part(const TraceLane& lane, const std::vector<TraceEvent>& events, std::int64_t start, std::int64_t end) {
    // Apart from long sleeps no event reaches from one run into the next. So the search for such events from the front
    // is short.
    auto at =
        std::partition_point(events.begin(), events.end(), [&](const TraceEvent& e) { return e.start_ns < start; });
    while (at != events.begin() && (at - 1)->end_ns > start) --at;
    for (; at != events.end() && at->start_ns < end; ++at) {
      if (at->end_ns <= start) continue;
      event(lane.number() + 1, quoted(at->name), category_of(at->kind), std::max(at->start_ns, start),
            std::min(at->end_ns, end), args_of(*at));
    }
  }

  const Trace& trace_;
  const std::vector<Trace::Run> runs_;
  const std::int64_t now_;
  std::string text_;
  std::int64_t num_dropped_ = 0;
  bool is_first_ = true;
};

}  // namespace

std::string trace_json(const Trace& trace, const std::string& program) { return Writer(trace, program).write(); }

}  // namespace pbrt
