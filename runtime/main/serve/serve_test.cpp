// SPDX-License-Identifier: MIT
// The measurement protocol end to end, on mini_program.
#include <fcntl.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "runtime/config/formats/protocol.h"
#include "runtime/main/testing/test_process.h"

namespace pbrt {
namespace {

using protocol::Op;
using protocol::Reply;
using protocol::Request;
using protocol::Status;

class Serve : public test::ProcessTest {
 protected:
  void TearDown() override {
    if (to_ != nullptr) std::fclose(to_);
    if (from_ != nullptr) std::fclose(from_);
    if (pid_ > 0) (void)wait();
    ProcessTest::TearDown();
  }
  void start(const std::vector<std::string>& args = {}) {
    int requests[2];
    int replies[2];
    ASSERT_EQ(::pipe2(requests, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(replies, O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(requests[0], 0);
      ::dup2(replies[1], 1);
      if (::chdir(folder_.c_str()) != 0) ::_exit(99);
      std::vector<const char*> argv{MINI_PROGRAM, "--serve"};
      for (const std::string& arg : args) argv.push_back(arg.c_str());
      argv.push_back(nullptr);
      ::execv(MINI_PROGRAM, const_cast<char* const*>(argv.data()));
      ::_exit(99);
    }
    ::close(requests[0]);
    ::close(replies[1]);
    to_ = ::fdopen(requests[1], "w");
    from_ = ::fdopen(replies[0], "r");
    hello_ = protocol::parse_hello(line());
  }
  [[nodiscard]] std::string line() const {
    char* text = nullptr;
    std::size_t capacity = 0;
    const ssize_t length = ::getline(&text, &capacity, from_);
    std::string result(text, length > 0 ? static_cast<std::size_t>(length - 1) : 0);
    std::free(text);
    return result;
  }
  void send(const std::string& text) const {
    std::fputs((text + "\n").c_str(), to_);
    std::fflush(to_);
  }
  Reply ask(Request request) {
    request.id = ++id_;
    send(protocol::to_line(request));
    Reply reply = protocol::parse_reply(line());
    EXPECT_EQ(reply.id, id_);
    return reply;
  }
  Reply inputs(std::int64_t n, std::int64_t k) {
    Request request = of(Op::Inputs);
    request.n = n;
    request.sizes = {{"K", k}};
    request.seed = 4;
    return ask(request);
  }
  static Request of(Op op) {
    Request request;
    request.op = op;
    return request;
  }
  static Request on_files(std::vector<std::string> files) {
    Request request = of(Op::Inputs);
    request.files = std::move(files);
    return request;
  }
  static Request measuring(const std::string& rule, const std::string& on, int trials = 1) {
    Request request = of(Op::Run);
    request.config = config(rule, on);
    request.trials = trials;
    return request;
  }
  Reply run(const std::string& rule, const std::string& on, int trials = 1) { return ask(measuring(rule, on, trials)); }
  static std::string config(const std::string& rule, const std::string& on) {
    return R"({"global":{"threads":2},"transforms":{"Blur":{"sites":{"Out#1|TwoPass":[{"rule":")" + rule +
           R"(","on":")" + on + R"("}]}}}})";
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::int64_t id_ = 0;
  protocol::Hello hello_;
};

TEST_F(Serve, TakesNumbersWithItsInputs) {
  put("a.txt", "SIZE 2\n1 2\n");
  start({"--transform", "Scale", "--set", "k=7"});
  Request request;
  request.op = Op::Inputs;
  request.n = 4;
  request.given = {{"By", "inf"}, {"Level", "8"}};
  EXPECT_EQ(ask(request).status, Status::Ok);
  request.n = -1;
  request.files = {"a.txt"};
  EXPECT_EQ(ask(request).status, Status::Ok);
  request.files = {"a.txt", "a.txt"};
  EXPECT_EQ(ask(request).message, "expected 1 input files, found 2");
  request.given.emplace_back("k", "8");
  EXPECT_EQ(ask(request).message, "--set k is given twice");
  request.given.back() = {"Label", "8"};
  EXPECT_EQ(ask(request).message,
            "--set Label: there is no such `param` or input; Scale has k, By, Level; did you mean Level?");
}

TEST_F(Serve, IntroducesItselfAndQuits) {
  start();
  EXPECT_EQ(hello_.program, "mini");
  EXPECT_EQ(hello_.source, "sha256:0000");
  EXPECT_EQ(ask(of(Op::Quit)).status, Status::Ok);
  EXPECT_EQ(wait(), 0);
}

TEST_F(Serve, EndsWhenItsParentDoes) {
  start();
  std::fclose(to_);
  to_ = nullptr;
  EXPECT_EQ(wait(), 0);
}

TEST_F(Serve, MeasuresAndVerifies) {
  start({"--device", "none"});
  EXPECT_EQ(inputs(5000, 7).n, 5000);
  const Reply reference = ask(of(Op::Reference));
  EXPECT_EQ(reference.status, Status::Ok) << reference.message;
  EXPECT_EQ(reference.times_ns.size(), 1U);
  for (const char* rule : {"Out#1", "TwoPass"}) {
    const Reply reply = run(rule, "cpu", 3);
    EXPECT_EQ(reply.status, Status::Ok) << reply.message;
    EXPECT_EQ(reply.times_ns.size(), 3U);
    ASSERT_EQ(reply.waited_ns.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(reply.waited_ns[i], reply.times_ns[i]);
    ASSERT_EQ(reply.ran.size(), 1U);
    EXPECT_EQ(reply.ran[0].site, "Blur.Out#1|TwoPass");
    EXPECT_EQ(reply.ran[0].rule, rule);
    EXPECT_EQ(reply.ran[0].count, 1);
    EXPECT_EQ(reply.max_error_abs, 0);
  }
}

TEST_F(Serve, NeverCallsAWrongResultGood) {
  start({"--device", "none"});
  (void)inputs(1000, 3);
  (void)ask(of(Op::Reference));
  const Reply reply = run("Wrong", "cpu", 5);
  EXPECT_EQ(reply.status, Status::Wrong);
  EXPECT_EQ(reply.times_ns.size(), 1U);
  EXPECT_NEAR(reply.max_error_abs, 1, 1e-9);
  EXPECT_NE(reply.message.find("Out.cell(997) is "), std::string::npos);
  EXPECT_EQ(run("Out#1", "cpu").status, Status::Ok);
  Request lenient = measuring("Wrong", "cpu");
  lenient.tolerance = 0.5;
  EXPECT_EQ(ask(lenient).status, Status::Ok);
  Request unverified = measuring("Wrong", "cpu");
  unverified.verify = false;
  EXPECT_EQ(ask(unverified).status, Status::Ok);
}

TEST_F(Serve, ReportsAbortedRunsAndGoesOn) {
  start({"--device", "none"});
  (void)inputs(1000, 3);
  (void)ask(of(Op::Reference));
  EXPECT_EQ(run("GivesUp", "cpu").status, Status::Aborted);
  EXPECT_EQ(run("Out#1", "cpu").status, Status::Ok);
}

TEST_F(Serve, DiesOfAFailedAssertionWithStatusOne) {
  start({"--device", "none"});
  (void)inputs(1000, 3);
  (void)ask(of(Op::Reference));
  send(protocol::to_line(measuring("Broken", "cpu")));
  EXPECT_EQ(line(), "");
  EXPECT_EQ(wait(), 1);
}

TEST_F(Serve, SkipsSizesThatDoNotExist) {
  start({"--device", "none"});
  const Reply reply = inputs(5, 7);
  EXPECT_EQ(reply.status, Status::Skipped);
  EXPECT_NE(reply.message.find("`n-K+1`, would be -1"), std::string::npos);
  EXPECT_EQ(inputs(7, 7).status, Status::Ok);
}

TEST_F(Serve, RefusesRequestsOutOfOrder) {
  start({"--device", "none"});
  EXPECT_EQ(ask(of(Op::Reference)).status, Status::Error);
  (void)inputs(100, 3);
  EXPECT_EQ(run("Out#1", "cpu").message, "there is no reference yet");
  (void)ask(of(Op::Reference));
  EXPECT_EQ(run("Out#1", "cpu").status, Status::Ok);
  (void)inputs(100, 3);
  EXPECT_EQ(run("Out#1", "cpu").message, "there is no reference yet");
}

TEST_F(Serve, AnswersLinesThatAreNoRequests) {
  start({"--device", "none"});
  for (const char* text : {"garbage", "{}", "[1", "{\"id\": 1, \"op\": \"dance\"}"}) {
    send(text);
    const Reply reply = protocol::parse_reply(line());
    EXPECT_EQ(reply.status, Status::Error) << text;
    EXPECT_EQ(reply.id, std::string(text).find("id") != std::string::npos ? 1 : 0) << text;
  }
  send(std::string(100000, '['));
  EXPECT_EQ(protocol::parse_reply(line()).status, Status::Error);
  EXPECT_EQ(inputs(100, 3).status, Status::Ok);
}

TEST_F(Serve, StopsAtTheTimeLimit) {
  start({"--device", "none"});
  (void)inputs(5000, 7);
  (void)ask(of(Op::Reference));
  Request request = measuring("Out#1", "cpu", 50);
  request.limit_ms = 1e-6;
  const Reply reply = ask(request);
  EXPECT_EQ(reply.status, Status::Ok);
  EXPECT_EQ(reply.times_ns.size(), 1U);
}

TEST_F(Serve, MeasuresOnTheUsersFiles) {
  put("a.txt", "SIZE 6\n1 2 3 4 5 6\n");
  put("k.txt", "SIZE 2\n1 1\n");
  start({"--device", "none"});
  EXPECT_EQ(ask(on_files({"a.txt", "k.txt"})).n, 6);
  EXPECT_EQ(ask(of(Op::Reference)).status, Status::Ok);
  EXPECT_EQ(run("TwoPass", "cpu").status, Status::Ok);
  EXPECT_EQ(ask(on_files({"a.txt"})).message, "expected 2 input files, found 1");
  EXPECT_EQ(ask(on_files({"none.txt", "k.txt"})).status, Status::Error);
}

TEST_F(Serve, RestoresInPlaceOutputs) {
  start({"--device", "none", "--transform", "Twice"});
  Request request = of(Op::Inputs);
  request.n = 100;
  EXPECT_EQ(ask(request).status, Status::Ok);
  EXPECT_EQ(ask(of(Op::Reference)).status, Status::Ok);
  request = of(Op::Run);
  request.config = R"({"global":{},"transforms":{}})";
  request.trials = 4;
  const Reply reply = ask(request);
  EXPECT_EQ(reply.status, Status::Ok) << reply.message;
  EXPECT_EQ(reply.times_ns.size(), 4U);
}

TEST_F(Serve, OnlyTrialsThatAreComparedBeginWithoutTheOutputsOfAnother) {
  start({"--device", "none", "--transform", "Fresh"});
  Request request = of(Op::Inputs);
  request.n = 100;
  EXPECT_EQ(ask(request).status, Status::Ok);
  EXPECT_EQ(ask(of(Op::Reference)).status, Status::Ok);
  request = of(Op::Run);
  request.config = R"({"global":{},"transforms":{}})";
  request.trials = 4;
  EXPECT_EQ(ask(request).status, Status::Ok);
  request.verify = false;
  EXPECT_EQ(ask(request).status, Status::Aborted) << "the second trial finds what the first one wrote";
  request.trials = 1;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ask(request).status, Status::Ok) << "each request begins with a first trial";
}

TEST_F(Serve, CountsFallbacksWithTheirReason) {
  start({"--device", "none"});
  (void)inputs(100, 3);
  (void)ask(of(Op::Reference));
  const Reply reply = run("Out#1", "opencl", 2);
  EXPECT_EQ(reply.status, Status::Ok);
  ASSERT_EQ(reply.fallbacks.size(), 1U);
  EXPECT_EQ(reply.fallbacks[0].on, Version::OpenCl);
  EXPECT_EQ(reply.fallbacks[0].count, 2);
  EXPECT_NE(reply.fallbacks[0].reason, "");
  EXPECT_EQ(reply.ran[0].on, Version::Cpu);
}

TEST_F(Serve, MeasuresDeviceVersions) {
  start();
  if (hello_.devices.empty()) GTEST_SKIP() << "no OpenCL device";
  (void)inputs(3000, 5);
  (void)ask(of(Op::Reference));
  for (const bool is_resident : {false, true}) {
    Request request = measuring("Out#1", "opencl", 3);
    request.is_resident = is_resident;
    const Reply reply = ask(request);
    EXPECT_EQ(reply.status, Status::Ok) << reply.message;
    EXPECT_EQ(reply.times_ns.size(), 3U);
    ASSERT_EQ(reply.ran.size(), 1U);
    EXPECT_EQ(reply.ran[0].on, Version::OpenCl);
    EXPECT_TRUE(reply.fallbacks.empty());
  }
}

TEST_F(Serve, BuildsKernelsForAnotherProcess) {
  const auto start_with_cache = [&](const std::vector<std::string>& args) {
    const char* former = std::getenv("XDG_CACHE_HOME");
    const std::optional<std::string> saved = former == nullptr ? std::nullopt : std::optional<std::string>(former);
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    start(args);
    saved ? ::setenv("XDG_CACHE_HOME", saved->c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
  };
  const auto num_kernels = [&] {
    const std::filesystem::path folder = std::filesystem::path(folder_) / "polybricks" / "kernels";
    if (!std::filesystem::exists(folder)) return std::ptrdiff_t{0};
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  };
  const auto stop = [&] {
    std::fclose(std::exchange(to_, nullptr));
    std::fclose(std::exchange(from_, nullptr));
    (void)wait();
  };
  start_with_cache({"--builds-only"});
  if (hello_.devices.empty()) GTEST_SKIP() << "no OpenCL device";
  (void)inputs(3000, 5);
  const Reply built = ask(measuring("Out#1", "opencl", 3));
  EXPECT_EQ(built.status, Status::Ok) << built.message;
  EXPECT_TRUE(built.times_ns.empty());
  const std::ptrdiff_t num_built = num_kernels();
  EXPECT_GT(num_built, 0);
  stop();
  start_with_cache({});
  (void)inputs(3000, 5);
  (void)ask(of(Op::Reference));
  EXPECT_EQ(ask(measuring("Out#1", "opencl", 3)).status, Status::Ok);
  EXPECT_EQ(num_kernels(), num_built);
}

}  // namespace
}  // namespace pbrt
