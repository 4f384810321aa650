// SPDX-License-Identifier: MIT
// What runs pbtune as a user does, against a fake program, for the tests of the whole. Its clock counts measurements,
// so that a search takes the same decisions on any machine and under any sanitizer.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/command_line.h"
#include "autotuner/testing/synthetic.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/config/formats/info_json.h"

namespace pbtune {

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Ended {
  int status = -1;     ///< exit status, 128 + signal if killed
  std::string output;  ///< both streams
};

class TunerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             ("pb_tuner_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::filesystem::create_symlink(FAKE_PROGRAM, folder / "prog");
    std::ofstream(folder / "prog.info") << pbrt::to_json(info);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  [[nodiscard]] std::string prog() const { return folder / "prog"; }
  void fake(const std::string& lines) const { std::ofstream(folder / "prog.fake") << lines; }

  /// Starts pbtune in a process of its own; its output goes to a file.
  pid_t start(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{"pbtune"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::fflush(stdout);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    for (const int number : {SIGINT, SIGTERM, SIGHUP})  // a test may run in the background, which ignores some
      (void)::signal(number, number == ignored_signal ? SIG_IGN : SIG_DFL);
    const std::string log = folder / "output";
    if (std::freopen(log.c_str(), "a", stdout) == nullptr || ::dup2(1, 2) < 0) ::_exit(125);
    double now_s = 0;
    const int status = run_command(static_cast<int>(words.size()), argv.data(), [&] { return now_s += tick_s; });
    std::fflush(stdout);
    ::_exit(status);
  }

  [[nodiscard]] Ended wait(pid_t pid) const {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    Ended out{WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), slurp(folder / "output")};
    std::filesystem::remove(folder / "output");
    return out;
  }

  [[nodiscard]] Ended run(const std::vector<std::string>& arguments) const { return wait(start(arguments)); }
  [[nodiscard]] Ended tune(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {prog(), "--n", "1760", "--size", "KWIDTH=7", "--effort", "quick"});
    return run(more);
  }

  [[nodiscard]] pbrt::ConfigFile config() const { return pbrt::read_config_file(prog() + ".cfg", index); }
  [[nodiscard]] double tuned_ns() const {
    return testing::synthetic_ns(index, config().entries.at(0).configuration, 1760);
  }
  [[nodiscard]] int num_runs() const {
    const std::string log = slurp(folder / "prog.log");
    return static_cast<int>(std::count(log.begin(), log.end(), '\n'));
  }
  [[nodiscard]] bool ran(int site, int alternative) const {
    const auto all = testing::synthetic_ran(config().entries.at(0).configuration, 1760);
    return std::find(all.begin(), all.end(), RanChoice{site, alternative}) != all.end();
  }

  [[nodiscard]] std::string journal() const { return slurp(prog() + ".cfg.journal"); }
  /// Waits for something that surely comes; if it does not, the code behind the call says what is wrong.
  template <class Predicate>
  static void wait_for(const Predicate& is_there) {
    for (int i = 0; i < 4000 && !is_there(); ++i) ::usleep(5000);
  }
  /// Waits until the journal has `bytes` more, or the tuner has ended.
  void wait_for_journal(pid_t pid, std::size_t bytes) const {
    const std::size_t begin = journal().size();
    siginfo_t ended{};
    wait_for([&] {
      ended.si_pid = 0;
      (void)::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT);
      return ended.si_pid == pid || journal().size() > begin + bytes;
    });
  }

  int ignored_signal = 0;  ///< that pbtune is started with; 0: none
  double tick_s = 0.6;     ///< how far the clock moves each time it is read
  std::filesystem::path folder;
  pbrt::TrainingInfo info = testing::synthetic_program();
  pbrt::InfoIndex index{info};
};

}  // namespace pbtune
