// SPDX-License-Identifier: MIT
// A program that answers `--serve` as a compiled one does, with times from a formula and faults on
// demand; the tests of pbtune run it. `--size KWIDTH=K` is the width of the kernel. What to do wrong is in the file
// `PROGRAM.fake`, one `key=value` per line:
//   wrong=SITE:ON, crash=SITE:ON, hang=SITE:ON, fallback=SITE:ON, abort=SITE:ON   when that version of a site runs
//   noise=0.05        relative spread of times
//   delay_ms=5        real time per run
//   skip_below=100    no inputs of smaller sizes
//   fail_below=4      the default configuration itself fails at smaller sizes
//   endless_from=900  from this size on, the default on one thread makes no reference in any time
//   die_at=7          killed by a signal in its n-th run, once (leaves PROGRAM.died)
//   flat_ms=5         whatever is chosen takes so long
//   load=8            other programs: a time is up to so many times as long, and says by how much
//   differ=1          runs differ: nothing is verified
//   device_factor=9   a run in which a device takes part takes so many times as long
//   builds=crash      with --builds-only: killed when it is to build
// With `--profile` half of a run on the device are copies. With `--builds-only` each run appends a line to
// `PROGRAM.builds`, with `--profile` to `PROGRAM.profiled`; the former does nothing else. Without these, each run
// appends a line to `PROGRAM.log`; `PROGRAM.given` holds the numbers that came with the last inputs.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "autotuner/testing/synthetic.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/protocol.h"
#include "runtime/config/rng.h"

namespace {

using pbtune::testing::synthetic_ns;
using pbtune::testing::synthetic_ran;
namespace protocol = pbrt::protocol;

class FakeProgram {
 public:
  FakeProgram(std::string path, bool only_builds, bool is_profiled)
      : path_(std::move(path)),
        only_builds_(only_builds),
        is_profiled_(is_profiled),
        info_(pbtune::testing::synthetic_program()),
        index_(info_) {
    std::ifstream file(path_ + ".fake");
    for (std::string line; std::getline(file, line);) {
      const std::size_t equals = line.find('=');
      if (equals != std::string::npos) faults_[line.substr(0, equals)] = line.substr(equals + 1);
    }
  }

  int serve() {
    protocol::Hello hello;
    hello.program = info_.program;
    hello.source = info_.source;
    hello.devices = {{"Fake", "1"}};
    hello.device = "Fake";
    say(protocol::to_line(hello));
    for (std::string line; std::getline(std::cin, line);) {
      const protocol::Request request = protocol::parse_request(line);
      if (request.op == protocol::Op::Quit) return 0;
      say(protocol::to_line(answer(request)));
    }
    return 0;
  }

 private:
  static void say(const std::string& line) { std::cout << line << std::endl; }

  [[nodiscard]] double number(const std::string& key) const {
    const auto found = faults_.find(key);
    return found == faults_.end() ? 0 : std::stod(found->second);
  }

  /// Whether the fault named `key` hits this run.
  [[nodiscard]] bool hits(const std::string& key, const std::vector<pbtune::RanChoice>& ran) const {
    const auto found = faults_.find(key);
    if (found == faults_.end()) return false;
    for (const pbtune::RanChoice& item : ran) {
      const pbrt::Choice choice = index_.site(item.site).site->choice(item.alternative);
      if (index_.site_name(item.site) + ":" + to_string(choice.on) == found->second) return true;
    }
    return false;
  }

  void log(const std::string& text) const {
    std::ofstream(path_ + (only_builds_   ? ".builds"
                           : is_profiled_ ? ".profiled"
                                          : ".log"),
                  std::ios::app)
        << text + "\n";
  }

  protocol::Reply answer(const protocol::Request& request) {
    protocol::Reply reply;
    reply.id = request.id;
    if (request.op == protocol::Op::Inputs) {
      n_ = request.n >= 0 ? request.n : 640;
      width_ = kWidth;
      for (const auto& [name, value] : request.sizes)
        if (name == "KWIDTH") width_ = static_cast<double>(value);
      // Written elsewhere and renamed, because tests end this program at any moment and read the file. One that was
      // killed and the next one may write at the same time.
      const std::string made = path_ + ".given." + std::to_string(::getpid());
      std::ofstream given(made);
      for (const auto& [name, value] : request.given) given << name << "=" << value << "\n";
      given.close();
      std::filesystem::rename(made, path_ + ".given");
      reply.n = n_;
      if (static_cast<double>(n_) < number("skip_below")) {
        reply.status = protocol::Status::Skipped;
        reply.message = "no inputs of this size";
      }
      return reply;
    }
    pbrt::ConfigWarnings warnings;
    const pbrt::Configuration configuration =
        request.config.empty() ? pbrt::default_configuration(index_)
                               : pbrt::parse_configuration(request.config, "request", index_, warnings);
    if (!warnings.lines("request").empty()) throw pbrt::ConfigError(warnings.lines("request")[0]);
    if (request.op == protocol::Op::Reference) {
      if (static_cast<double>(n_) < number("fail_below")) {
        reply.status = protocol::Status::Error;
        reply.message = "n is too small";
        return reply;
      }
      const bool is_endless = number("endless_from") > 0 && static_cast<double>(n_) >= number("endless_from");
      while (is_endless && request.config.empty()) ::pause();
      reply.times_ns = {synthetic_ns(index_, configuration, n_)};
      if (number("differ") > 0)
        reply.message = "two runs of the default with the same seed differ: outputs are not verified";
      return reply;
    }
    run(request, configuration, reply);
    return reply;
  }

  [[nodiscard]] bool uses_device(const std::vector<pbtune::RanChoice>& ran) const {
    return std::any_of(ran.begin(), ran.end(), [&](const pbtune::RanChoice& item) {
      return pbrt::is_device(index_.site(item.site).site->choice(item.alternative).on);
    });
  }

  [[nodiscard]] double device_factor(const std::vector<pbtune::RanChoice>& ran) const {
    return number("device_factor") > 0 && uses_device(ran) ? number("device_factor") : 1;
  }

  /// How many times as long as with the width of the formula a run takes: one pass does the square of the work.
  [[nodiscard]] double width_factor(const std::vector<pbtune::RanChoice>& ran) const {
    const bool is_one_pass = !ran.empty() && ran[0] == pbtune::RanChoice{pbtune::testing::kMainSite, 0};
    return is_one_pass ? (width_ / kWidth) * (width_ / kWidth) : width_ / kWidth;
  }

  void run(const protocol::Request& request, const pbrt::Configuration& configuration, protocol::Reply& reply) {
    const std::vector<pbtune::RanChoice> ran = synthetic_ran(configuration, n_);
    log("run " + std::to_string(n_) + " " + pbtune::fingerprint(index_, configuration));
    if (only_builds_ && faults_.contains("builds")) ::raise(SIGSEGV);
    if (only_builds_) return;
    ++num_runs_;
    if (number("delay_ms") > 0) ::usleep(static_cast<useconds_t>(number("delay_ms") * 1000));
    if (hits("crash", ran)) {
      std::cerr << "about to crash\n";
      ::raise(SIGSEGV);
    }
    if (num_runs_ == static_cast<int>(number("die_at")) && !std::ifstream(path_ + ".died")) {
      std::ofstream(path_ + ".died") << "x";
      ::raise(SIGKILL);
    }
    while (hits("hang", ran)) ::pause();
    if (hits("abort", ran)) reply.status = protocol::Status::Aborted;
    const bool is_wrong = hits("wrong", ran) && number("differ") == 0;
    for (int i = 0; i < request.trials; ++i) {
      const double flat_ns = number("flat_ms") * 1e6;
      const double time = (flat_ns > 0 ? flat_ns : synthetic_ns(index_, configuration, n_)) * width_factor(ran) *
                          device_factor(ran) * std::exp(number("noise") * std::fabs(rng_.normal()));
      const double waited = time * rng_.uniform() * std::max(0.0, number("load") - 1);
      reply.times_ns.push_back(is_wrong ? time / 10 : time + waited);
      if (number("load") > 0) reply.waited_ns.push_back(waited);
    }
    if (is_profiled_ && uses_device(ran)) {
      const double time = reply.times_ns.back();
      reply.device_costs = pbrt::DeviceCosts{20, 64000000, 32000000, time / 8, time / 4, time / 4, time / 8};
    }
    if (is_wrong && request.verify) {
      reply.status = protocol::Status::Wrong;
      reply.max_error_rel = 0.5;
    }
    for (const pbtune::RanChoice& item : ran) {
      const pbrt::Choice choice = index_.site(item.site).site->choice(item.alternative);
      reply.ran.push_back({index_.site_name(item.site), choice.rule, choice.on, 1});
      if (hits("fallback", ran) && pbrt::is_device(choice.on))
        reply.fallbacks.push_back({index_.site_name(item.site), choice.rule, choice.on, "tile does not fit", 1});
    }
  }

  std::string path_;
  bool only_builds_, is_profiled_;
  pbrt::TrainingInfo info_;
  pbrt::InfoIndex index_;
  std::map<std::string, std::string> faults_;
  static constexpr double kWidth = 7;  ///< of the kernel that the formula is for
  std::int64_t n_ = 0;
  double width_ = kWidth;
  int num_runs_ = 0;
  pbrt::Rng rng_{1};
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::set<std::string> options(argv + 1, argv + argc);
    if (options.contains("--serve"))
      return FakeProgram(argv[0], options.contains("--builds-only"), options.contains("--profile")).serve();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  std::cerr << "only --serve\n";
  return 1;
}
