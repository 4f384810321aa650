// SPDX-License-Identifier: MIT
// --trace and --stats, on mini_program: the file is read and judged as a viewer would.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "runtime/main/testing/test_process.h"

namespace pbrt {
namespace {

using nlohmann::json;
using test::Finished;

/// Times in nanoseconds, exactly.
std::int64_t nanoseconds(const json& microseconds) { return std::llround(microseconds.get<double>() * 1e3); }

struct Lane {
  std::string name;
  std::vector<json> events;
};

/// The lanes of a trace by number, after it was checked: complete events only, on named lanes, in order, nested.
std::map<int, Lane> lanes_of(const std::string& text) {
  std::map<int, Lane> lanes;
  const json trace = json::parse(text);
  for (const json& event : trace.at("traceEvents")) {
    EXPECT_EQ(event.at("pid"), 1);
    Lane& lane = lanes[event.at("tid").get<int>()];
    if (event.at("ph") == "M") {
      if (event.at("name") == "thread_name") lane.name = event.at("args").at("name");
      continue;
    }
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_FALSE(event.at("name").get<std::string>().empty());
    EXPECT_FALSE(event.at("cat").get<std::string>().empty());
    lane.events.push_back(event);
  }
  std::set<std::string> names;
  for (const auto& [number, lane] : lanes) {
    EXPECT_FALSE(lane.name.empty()) << "lane " << number;
    EXPECT_TRUE(names.insert(lane.name).second) << lane.name << " twice";
    std::vector<std::int64_t> ends;
    std::int64_t last = 0;
    for (const json& event : lane.events) {
      const std::int64_t start = nanoseconds(event.at("ts"));
      const std::int64_t end = start + nanoseconds(event.at("dur"));
      EXPECT_GE(start, last) << lane.name;
      EXPECT_GE(end, start) << lane.name;
      last = start;
      while (!ends.empty() && ends.back() <= start) ends.pop_back();
      EXPECT_TRUE(ends.empty() || end <= ends.back()) << lane.name << ": " << event;
      ends.push_back(end);
    }
  }
  return lanes;
}

const Lane& lane_called(const std::map<int, Lane>& lanes, const std::string& name) {
  const auto found =
      std::find_if(lanes.begin(), lanes.end(), [&](const auto& each) { return each.second.name == name; });
  if (found == lanes.end()) throw std::out_of_range(name);
  return found->second;
}

std::vector<std::string> names_of(const Lane& lane) {
  std::vector<std::string> names;
  for (const json& event : lane.events) names.push_back(event.at("name"));
  return names;
}

/// Cells of the events of a rule, each execution once.
std::int64_t cells_of(const std::map<int, Lane>& lanes, const std::string& rule, const std::string& version) {
  std::int64_t cells = 0;
  for (const auto& [number, lane] : lanes)
    for (const json& event : lane.events)
      if (event["name"] == rule && event["args"]["version"] == version && !event["args"].contains("resumed"))
        cells += event["args"]["cells"].get<std::int64_t>();
  return cells;
}

class TraceFile : public test::ProcessTest {
 protected:
  void put_config(const std::string& rule, const std::string& on, int split = 64) const {
    put("c.cfg",
        R"({"format": 1, "program": "mini", "source": "sha256:0000", "entries": [{"machine": {"cpu": "x", "cpus": 1, "caches": [], "devices": []},
      "global": {"threads": 2}, "transforms": {"Blur": {"sites": {"Out#1|TwoPass": [{"rule": ")" +
            rule + R"(", "on": ")" + on + R"("}]}, "tunables": {"split_size": )" + std::to_string(split) + "}}}}]}");
  }
};

TEST_F(TraceFile, ReplacesNoFileOfTheRun) {
  put("a.txt", "SIZE 3\n1 2 3\n");
  put("k.txt", "SIZE 2\n1 1\n");
  for (const char* name : {"./out.txt", "k.txt"}) {
    const Finished run = mini("a.txt k.txt out.txt --trace " + std::string(name));
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("the file of --trace is also an input or output, which it would replace"), std::string::npos)
        << run.err;
  }
  EXPECT_EQ(mini("a.txt k.txt out.txt and more --trace k.txt").status, 1) << "errors, too, are traced";
  EXPECT_EQ(get("k.txt"), "SIZE 2\n1 1\n");
  EXPECT_EQ(mini("--n 8 --size K=3 --iogen-create p --trace p_out0.dat").status, 1);
  EXPECT_EQ(mini("--n 8 --size K=3 --iogen-create p").status, 0);
  EXPECT_EQ(mini("--iogen-run p --trace p_in0.dat").status, 1);
  put_config("Out#1", "cpu", 20000);
  for (const char* arguments : {"--config c.cfg --n 8 --size K=3", "--config c.cfg --reset"}) {
    const Finished run = mini(std::string(arguments) + " --trace ./c.cfg");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("the file of --trace is also the configuration"), std::string::npos) << run.err;
  }
  EXPECT_EQ(mini("--config c.cfg --n 8 --size K=3").status, 0) << "the configuration is still there";
}

TEST_F(TraceFile, HasALanePerWorkerAndEveryCellOfEveryTrial) {
  // Pieces that are always timed: they take much longer than an event.
  put_config("Out#1", "cpu", 20000);
  const Finished run = mini("--config c.cfg --n 300000 --size K=9 --trials 3 --threads 3 --trace t.json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto lanes = lanes_of(get("t.json"));
  EXPECT_EQ(names_of(lane_called(lanes, "runs")), (std::vector<std::string>{"trial 1", "trial 2", "trial 3"}));
  for (const char* worker : {"worker 0", "worker 1", "worker 2"}) (void)lane_called(lanes, worker);
  EXPECT_EQ(lanes.size(), 4U) << "the generator ran before the first trial";
  EXPECT_EQ(cells_of(lanes, "Blur.Out#1", "cpu"), 3 * (300000 - 9 + 1));
  for (const json& trial : lane_called(lanes, "runs").events) {
    EXPECT_EQ(trial["args"]["workers"], 3);
    EXPECT_EQ(trial["args"]["rules"][0]["cells"], 300000 - 9 + 1);
  }
}

TEST_F(TraceFile, ShortPiecesAreCountedInTheEventsOfOthers) {
  const Finished run = mini("--n 300000 --size K=9 --threads 2 --trace t.json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto lanes = lanes_of(get("t.json"));
  std::int64_t cells = cells_of(lanes, "Blur.Out#1", "cpu");
  for (const auto& [number, lane] : lanes)
    for (const json& event : lane.events)
      if (event["cat"] == "rule" && event["args"].contains("untimed_before"))
        cells += event["args"]["untimed_before"]["cells"].get<std::int64_t>();
  EXPECT_LE(cells, 300000 - 9 + 1);
  EXPECT_GT(cells, 200000) << "only what came after the last event of a worker is missing";
  EXPECT_EQ(lane_called(lanes, "runs").events.at(0)["args"]["rules"][0]["cells"], 300000 - 9 + 1);
}

TEST_F(TraceFile, RunsWithFilesToo) {
  put("a.txt", "SIZE 6\n1 2 3 4 5 6\n");
  put("k.txt", "SIZE 2\n1 1\n");
  put_config("TwoPass", "cpu");
  ASSERT_EQ(mini("--config c.cfg --trace t.json a.txt k.txt out.txt").status, 0);
  const auto lanes = lanes_of(get("t.json"));
  const json trial = lane_called(lanes, "runs").events.at(0);
  EXPECT_EQ(trial["args"]["rules"][0]["cells"], 5);
  EXPECT_EQ(trial["args"]["rules"][0]["count"], 2);
}

TEST_F(TraceFile, ShowsWhatTheDeviceDid) {
  if (mini("--list-devices").out == "no OpenCL device\n") GTEST_SKIP() << "no OpenCL device";
  put_config("Out#1", "opencl");
  for (const char* profile : {"", " --profile"}) {
    const Finished run = mini(std::string("--strict --config c.cfg --n 100000 --size K=3 --trace t.json") + profile);
    ASSERT_EQ(run.status, 0) << run.err;
    const auto lanes = lanes_of(get("t.json"));
    EXPECT_EQ(names_of(lane_called(lanes, "runs")), (std::vector<std::string>{"trial 1", "trial 1, repeated warm"}));
    EXPECT_EQ(cells_of(lanes, "Blur.Out#1", "opencl"), 2 * 99998);
    EXPECT_EQ(cells_of(lanes, "Blur.Out#1", "cpu"), 0);
    std::set<std::string> tasks;
    for (const auto& [number, lane] : lanes)
      for (const json& event : lane.events)
        if (event["cat"] == "management") tasks.insert(event["name"].get<std::string>());
    for (const char* task : {"prepare", "copy-in", "execute", "copy-out"}) EXPECT_EQ(tasks.count(task), 1U) << task;
  }
}

TEST_F(TraceFile, SaysWhyTheDeviceCopied) {
  if (mini("--list-devices").out == "no OpenCL device\n") GTEST_SKIP() << "no OpenCL device";
  put_config("Out#1", "opencl");
  const Finished run = mini("--strict --config c.cfg --n 100000 --size K=3 --device-copies --trace t.json");
  ASSERT_EQ(run.status, 0) << run.err;
  std::map<std::string, std::set<std::string>> reasons;
  for (const auto& [number, lane] : lanes_of(get("t.json")))
    for (const json& event : lane.events) {
      if (event["cat"] == "copy") reasons[event["name"]].insert(event["args"]["why"].get<std::string>());
      if (event["cat"] == "idle") reasons["idle"].insert(event["args"]["why"].get<std::string>());
    }
  EXPECT_EQ(reasons["copy in"], std::set<std::string>{"the kernel reads it"});
  EXPECT_EQ(reasons["copy out"], std::set<std::string>{"the CPU reads it"});
  EXPECT_EQ(reasons["idle"].count("nothing was enqueued"), 1U);
}

TEST_F(TraceFile, IsWrittenAfterAnErrorAndAnAbort) {
  for (const char* rule : {"GivesUp", "Broken"}) {
    put_config(rule, "cpu");
    const Finished run = mini("--config c.cfg --n 50 --trace t.json");
    EXPECT_NE(run.status, 0);
    EXPECT_EQ(names_of(lane_called(lanes_of(get("t.json")), "runs")), (std::vector<std::string>{"trial 1"}));
    std::filesystem::remove(folder_ / "t.json");
  }
  EXPECT_EQ(mini("--tx Slow --n 5 --max-sec 0.05 --trace t.json").status, 0);
  EXPECT_EQ(names_of(lane_called(lanes_of(get("t.json")), "runs")), (std::vector<std::string>{"trial 1"}));
}

TEST_F(TraceFile, IsWrittenWhenASignalEndsTheProcess) {
  for (const char* signal : {"INT", "TERM"}) {
    const Finished run = mini("--tx Slow --n 5 --trace t.json", std::string("timeout -s ") + signal + " 0.3");
    EXPECT_EQ(run.status, 124) << "`timeout` says that it had to";
    EXPECT_EQ(names_of(lane_called(lanes_of(get("t.json")), "runs")), (std::vector<std::string>{"trial 1"}));
    std::filesystem::remove(folder_ / "t.json");
  }
}

TEST_F(TraceFile, FilesThatCannotBeWrittenAreErrorsBeforeTheRun) {
  const Finished missing = mini("--tx Slow --n 5 --trace none/t.json");
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "mini: cannot write none/t.json: there is no folder none\n");
  const Finished full = mini("--n 50 --trace /dev/full");
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err, "mini: cannot write /dev/full: No space left on device\n");
  put("t.json", "old");
  const Finished limited = mini("--n 300000 --size K=9 --trials 20 --threads 2 --trace t.json", "ulimit -f 8;");
  EXPECT_EQ(limited.status, 1);
  EXPECT_EQ(limited.err, "mini: cannot write t.json: File too large\n");
  EXPECT_EQ(get("t.json"), "old");
  EXPECT_EQ(mini("--trace").err, "mini: --trace needs a value: --trace FILE\n");
}

TEST_F(TraceFile, MeasurementsAreTracedToo) {
  put("requests",
      R"({"id": 1, "op": "inputs", "n": 100000, "sizes": {"K": 9}})"
      "\n"
      R"({"id": 2, "op": "reference"})"
      "\n"
      R"({"id": 3, "op": "run", "trials": 2, "verify": true, "config": {"global": {"threads": 2}, "transforms": {}}})"
      "\n");
  const Finished run = mini("--serve --trace t.json <requests");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto lanes = lanes_of(get("t.json"));
  EXPECT_EQ(names_of(lane_called(lanes, "runs")),
            (std::vector<std::string>{"reference", "reference, repeated", "request 3, trial 1", "request 3, trial 2"}))
      << run.out;
}

/// The number of workers that a program takes by itself.
int num_workers(const Finished& run) {
  return run.status == 0 ? static_cast<int>(json::parse(run.out)["workers"].size()) : -1;
}

TEST_F(TraceFile, WorkersAreAsManyAsTheAffinityAllows) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  EXPECT_EQ(num_workers(mini("--n 50 --stats=json", "taskset -c " + std::to_string(first))), 1);
}

TEST_F(TraceFile, WorkersAreAsManyAsTheQuotaAllows) {
  const std::filesystem::path v1 = "/sys/fs/cgroup/cpu";
  const std::filesystem::path v2 = "/sys/fs/cgroup";
  const bool is_v1 = std::filesystem::exists(v1 / "cpu.cfs_quota_us");
  const std::filesystem::path group = (is_v1 ? v1 : v2) / ("polybricks_test_" + std::to_string(::getpid()));
  std::error_code error;
  std::filesystem::create_directory(group, error);
  const std::filesystem::path file = group / (is_v1 ? "cpu.cfs_quota_us" : "cpu.max");
  const auto allow = [&](int percent) {
    // Pairs of quota and period; the period of version 1 is this by default.
    const std::string quota = std::to_string(percent * 1000) + (is_v1 ? "" : " 100000");
    return std::filesystem::exists(file) && !(std::ofstream(file) << quota << std::flush).fail();
  };
  if (error || !allow(100)) {
    std::filesystem::remove(group, error);
    GTEST_SKIP() << "no control group with a CPU quota can be made here";
  }
  const std::string enter = "echo $$ >" + (group / "cgroup.procs").string() + " &&";
  EXPECT_EQ(num_workers(mini("--n 50 --stats=json", enter)), 1);
  EXPECT_EQ(num_workers(mini("--n 50 --threads 3 --stats=json", enter)), 3);
  if (std::thread::hardware_concurrency() > 1 && allow(150)) {
    EXPECT_EQ(num_workers(mini("--n 50 --stats=json", enter)), 2);
  }
  std::filesystem::remove(group, error);
}

TEST_F(TraceFile, StatisticsSayHowWorkersSpentTheirTime) {
  const Finished run = mini("--n 300000 --size K=9 --threads 2 --stats=json");
  ASSERT_EQ(run.status, 0) << run.err;
  const json stats = json::parse(run.out);
  ASSERT_EQ(stats["workers"].size(), 2U);
  for (const json& worker : stats["workers"]) {
    const std::int64_t whole = worker["busy_ns"].get<std::int64_t>() + worker["search_ns"].get<std::int64_t>() +
                               worker["idle_ns"].get<std::int64_t>();
    EXPECT_GT(whole, 0);
    EXPECT_GE(worker["steals"], 0);
  }
  EXPECT_GT(stats["workers"][0]["busy_ns"], 0);
  ASSERT_EQ(stats["rules"].size(), 1U);
  const json& rule = stats["rules"][0];
  EXPECT_EQ(rule["rule"], "Blur.Out#1");
  EXPECT_EQ(rule["version"], "cpu");
  EXPECT_EQ(rule["cells"], 300000 - 9 + 1);
  EXPECT_GT(rule["count"], 1);
  EXPECT_GT(rule["time_ns"], 0);
  const Finished text = mini("--n 3000 --size K=9 --threads 1 --stats");
  EXPECT_NE(text.out.find("\n  worker 0: busy "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("2992 cells in 1 piece\n"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace pbrt
