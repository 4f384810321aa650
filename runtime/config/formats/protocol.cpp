// SPDX-License-Identifier: MIT
#include "runtime/config/formats/protocol.h"

#include <algorithm>
#include <cmath>

#include "runtime/config/errors.h"
#include "runtime/config/formats/device_costs_json.h"
#include "runtime/config/formats/devices_json.h"
#include "runtime/config/formats/json_reader.h"

namespace pbrt::protocol {
namespace {

using json::Json;
using json::Node;

constexpr std::int64_t kMaxInteger = std::int64_t{1} << 60;
constexpr double kMaxNumber = 1e308;
constexpr const char* kLineName = "protocol";

const char* to_string(Op op) {
  switch (op) {
    case Op::Inputs:
      return "inputs";
    case Op::Reference:
      return "reference";
    case Op::Run:
      return "run";
    case Op::Quit:
      return "quit";
  }
  return "?";
}

Op op_of(const Node& node) {
  const std::string word = node.string();
  for (const Op op : {Op::Inputs, Op::Reference, Op::Run, Op::Quit})
    if (word == to_string(op)) return op;
  node.fail("`" + word + "` is no request");
}

Status status_of(const Node& node) {
  using enum Status;
  const std::string word = node.string();
  for (const Status status : {Ok, Wrong, AccuracyMissed, Aborted, Error, Skipped})
    if (word == protocol::to_string(status)) return status;
  node.fail("`" + word + "` is no status");
}

Version version_of(const Node& node) {
  const auto version = pb::find_version(node.string());
  if (!version) node.fail("`" + node.string() + "` is no version of a rule");
  return *version;
}

/// JSON knows neither NaN nor infinity.
double finite(double value) { return std::isnan(value) ? kMaxNumber : std::clamp(value, -kMaxNumber, kMaxNumber); }

void add_inputs(Json& out, const Request& request) {
  if (request.n >= 0) out["n"] = request.n;
  if (!request.sizes.empty()) {
    out["sizes"] = Json::object();
    for (const auto& [name, size] : request.sizes) out["sizes"][name] = size;
  }
  if (!request.given.empty()) {
    out["set"] = Json::object();
    for (const auto& [name, value] : request.given) out["set"][name] = value;
  }
  if (!request.files.empty()) out["files"] = request.files;
  out["seed"] = request.seed;
}

void add_run(Json& out, const Request& request) {
  out["trials"] = request.trials;
  if (request.limit_ms > 0) out["limit_ms"] = finite(request.limit_ms);
  out["verify"] = request.verify;
  out["resident"] = request.is_resident;
  if (request.tolerance >= 0) out["tolerance"] = finite(request.tolerance);
}

void add_times(Json& out, const char* name, const std::vector<double>& times) {
  if (times.empty()) return;
  Json& list = out[name] = Json::array();
  for (const double time : times) list.push_back(json::number_to_json(finite(time)));
}

Ran ran_of(const std::string& site, const Node& node) {
  return {site, node.at("rule").string(), version_of(node.at("on")), node.integer_or("count", 0, kMaxInteger, 0)};
}

}  // namespace

const char* to_string(Status status) {
  switch (status) {
    case Status::Ok:
      return "ok";
    case Status::Wrong:
      return "wrong";
    case Status::AccuracyMissed:
      return "accuracy_missed";
    case Status::Aborted:
      return "aborted";
    case Status::Error:
      return "error";
    case Status::Skipped:
      return "skipped";
  }
  return "?";
}

std::string to_line(const Hello& hello) {
  Json out;
  out["format"] = hello.format;
  out["program"] = hello.program;
  out["source"] = hello.source;
  out["devices"] = json::devices_to_json(hello.devices);
  out["device"] = hello.device;
  if (hello.num_devices > 1) out["num_devices"] = hello.num_devices;
  if (hello.is_debug) out["debug"] = true;
  return json::dump_line(out);
}

std::string to_line(const Request& request) {
  Json out;
  out["id"] = request.id;
  out["op"] = to_string(request.op);
  if (request.op == Op::Inputs) add_inputs(out, request);
  if (!request.config.empty()) out["config"] = Json::parse(request.config);
  if (request.op == Op::Run) add_run(out, request);
  return json::dump_line(out);
}

std::string to_line(const Reply& reply) {
  Json out;
  out["id"] = reply.id;
  out["status"] = to_string(reply.status);
  add_times(out, "times_ns", reply.times_ns);
  add_times(out, "waited_ns", reply.waited_ns);
  add_times(out, "kernel_ns", reply.kernel_ns);
  if (reply.has_accuracy) out["accuracy"] = finite(reply.accuracy);
  out["max_error"] = {{"abs", finite(reply.max_error_abs)}, {"rel", finite(reply.max_error_rel)}};
  // A site may run several versions in one trial (recursion, split work): then its value is a list.
  out["ran"] = Json::object();
  for (const Ran& ran : reply.ran) {
    const Json value = {{"rule", ran.rule}, {"on", pbrt::to_string(ran.on)}, {"count", ran.count}};
    Json& slot = out["ran"][ran.site];
    if (slot.is_null())
      slot = value;
    else if (slot.is_array())
      slot.push_back(value);
    else
      slot = Json::array({slot, value});
  }
  out["fallbacks"] = Json::array();
  for (const Fallback& fallback : reply.fallbacks)
    out["fallbacks"].push_back({{"site", fallback.site},
                                {"rule", fallback.rule},
                                {"on", pbrt::to_string(fallback.on)},
                                {"reason", fallback.reason},
                                {"count", fallback.count}});
  if (!reply.below_cutoff.empty()) out["below_cutoff"] = Json::array();
  for (const Ran& each : reply.below_cutoff)
    out["below_cutoff"].push_back(
        {{"site", each.site}, {"rule", each.rule}, {"on", pbrt::to_string(each.on)}, {"count", each.count}});
  out["bytes_moved"] = reply.bytes_moved;
  if (reply.device_costs) out["device"] = json::device_costs_to_json(*reply.device_costs);
  if (reply.n >= 0) out["n"] = reply.n;
  if (reply.has_large_matrices) out["large_matrices"] = true;
  if (!reply.message.empty()) out["message"] = reply.message;
  return json::dump_line(out);
}

Hello parse_hello(std::string_view line) {
  const json::Document document(line, kLineName);
  const Node root(document);
  Hello out;
  out.format = static_cast<int>(root.at("format").integer(1, 1000000));
  out.program = root.at("program").string();
  out.source = root.string_or("source", "");
  out.devices = json::devices_of(root.at("devices"));
  out.device = root.string_or("device", "");
  out.num_devices = static_cast<int>(root.integer_or("num_devices", 0, 1000000, out.device.empty() ? 0 : 1));
  out.is_debug = root.boolean_or("debug", false);
  return out;
}

Request parse_request(std::string_view line) {
  const json::Document document(line, kLineName);
  const Node root(document);
  Request out;
  out.id = root.at("id").integer(0, kMaxInteger);
  out.op = op_of(root.at("op"));
  out.n = root.integer_or("n", 0, kMaxInteger, -1);
  if (root.has("sizes"))
    root.at("sizes").each_member(
        [&](const std::string& name, const Node& size) { out.sizes.emplace_back(name, size.integer(0, kMaxInteger)); });
  if (root.has("set"))
    root.at("set").each_member([&](const std::string& name, const Node& value) {
      out.given.emplace_back(name, value.json().is_number() ? value.json().dump() : value.string());
    });
  if (root.has("files")) out.files = root.at("files").strings();
  out.seed = root.natural_or("seed", 0);
  if (root.has("config")) {
    root.at("config").expect_object();
    out.config = json::dump_line(root.at("config").json());
  }
  out.trials = static_cast<int>(root.integer_or("trials", 1, 1000000, 1));
  out.limit_ms = root.number_or("limit_ms", 0);
  out.verify = root.boolean_or("verify", true);
  out.is_resident = root.boolean_or("resident", false);
  out.tolerance = root.number_or("tolerance", -1);
  return out;
}

std::int64_t id_of(std::string_view line) {
  try {
    const json::Document document(line, kLineName);
    return Node(document).integer_or("id", 0, kMaxInteger, 0);
  } catch (const ConfigError&) {
    return 0;
  }
}

Reply parse_reply(std::string_view line) {
  const json::Document document(line, kLineName);
  const Node root(document);
  Reply out;
  out.id = root.at("id").integer(0, kMaxInteger);
  out.status = status_of(root.at("status"));
  if (root.has("times_ns")) out.times_ns = root.at("times_ns").numbers();
  if (root.has("waited_ns")) out.waited_ns = root.at("waited_ns").numbers();
  if (root.has("kernel_ns")) out.kernel_ns = root.at("kernel_ns").numbers();
  out.has_accuracy = root.has("accuracy");
  out.accuracy = root.number_or("accuracy", 0);
  if (root.has("max_error")) {
    out.max_error_abs = root.at("max_error").number_or("abs", 0);
    out.max_error_rel = root.at("max_error").number_or("rel", 0);
  }
  if (root.has("ran"))
    root.at("ran").each_member([&](const std::string& site, const Node& value) {
      if (value.json().is_array())
        value.each_item([&](const Node& item) { out.ran.push_back(ran_of(site, item)); });
      else
        out.ran.push_back(ran_of(site, value));
    });
  if (root.has("fallbacks"))
    root.at("fallbacks").each_item([&](const Node& item) {
      out.fallbacks.push_back({item.at("site").string(), item.at("rule").string(), version_of(item.at("on")),
                               item.string_or("reason", ""), item.integer_or("count", 0, kMaxInteger, 0)});
    });
  if (root.has("below_cutoff"))
    root.at("below_cutoff").each_item([&](const Node& item) {
      out.below_cutoff.push_back(ran_of(item.at("site").string(), item));
    });
  out.bytes_moved = root.integer_or("bytes_moved", 0, kMaxInteger, 0);
  if (root.has("device")) out.device_costs = json::device_costs_of(root.at("device"));
  out.n = root.integer_or("n", 0, kMaxInteger, -1);
  out.has_large_matrices = root.boolean_or("large_matrices", false);
  out.message = root.string_or("message", "");
  return out;
}

}  // namespace pbrt::protocol
