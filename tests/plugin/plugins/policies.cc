// mistakes.py, faulty.py and level.py in C++.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tidemill/plugin.hpp"

namespace {

// The policy `performance` with a threshold, as a plug-in.
class Mistakes : public tidemill::plugin::Trigger {
 public:
  static constexpr const char* kDoc = "Fires when the active model has become bad.";
  static constexpr const char* kVersion = "1.0";

  Number at{*this, "at", "The accuracy at which it fires.", 0.7, {.min = 0, .max = 1}};
  Integer samples{*this, "samples", "Samples between two decisions.", 90, {.min = 1}};

  Points DecidesAt() const override { return EverySamples(samples); }
  std::vector<Evidence> LooksAt() const override { return {{.name = "errors"}}; }

  Observed Observe(const Moment& moment) override {
    const auto errors = moment.table("errors").values();
    const auto rows = static_cast<double>(errors.size());
    Observed seen = {{"decisions", static_cast<double>(++decisions_)},
                     {"rows", rows},
                     {"missing", static_cast<double>(moment.table("errors").missing())}};
    double sum = 0;
    for (const double error : errors) sum += error;
    if (!errors.empty()) seen.Set("score", 1 - sum / rows);
    return seen;
  }
  Verdict Judge(const Observed& seen) const override {
    const auto score = seen.Find("score");
    if (!score) return {.because = "no sample could be looked at"};
    return {.fired = *score <= at,
            .because = "the accuracy was looked at",
            .comparison = Comparison{"the accuracy", *score, at}};
  }

  std::string Seal() const override { return std::to_string(decisions_); }
  void Restore(std::string_view state) override { decisions_ = std::stoll(std::string(state)); }

 private:
  int64_t decisions_ = 0;
};
TIDEMILL_PLUGIN(Mistakes);

// Does wrong at its third decision.
class Faulty : public tidemill::plugin::Trigger {
 public:
  static constexpr const char* kDoc = "Does wrong at its third decision.";

  Text how{*this, "how", "What it does wrong.", "throw"};
  Text file{*this, "file", "A file that it may not read.", ""};

  Points DecidesAt() const override { return EverySamples(100); }
  std::vector<Evidence> LooksAt() const override {
    return {{.name = "labels", .kind = EvidenceKind::kLabels}};
  }
  Observed Observe(const Moment& moment) override {
    if (++decisions_ == 3) DoWrong(*how, moment);
    const double shown = *how == "not_finite" && decisions_ == 3
                             ? std::numeric_limits<double>::quiet_NaN()
                             : static_cast<double>(decisions_);
    return {{"decisions", shown}};
  }
  Verdict Judge(const Observed&) const override { return {.because = "it never fires"}; }

  std::string Seal() const override { return std::to_string(decisions_); }
  void Restore(std::string_view state) override { decisions_ = std::stoll(std::string(state)); }

 private:
  static void Refused(bool allowed, const char* what) {
    if (!allowed) throw std::runtime_error(std::string(what) + ": " + strerror(errno));
  }

  void DoWrong(const std::string& what, const Moment& moment) const {
    if (what == "throw") throw std::runtime_error("thrown on purpose");
    if (what == "exit") _exit(3);
    if (what == "crash") raise(SIGSEGV);
    if (what == "memory") std::vector<double>(size_t{1} << 30, 1.0);
    if (what == "fork") Refused(fork() >= 0, "fork");
    if (what == "connect") Refused(socket(AF_INET, SOCK_STREAM, 0) >= 0, "socket");
    if (what == "kill_parent") Refused(kill(getppid(), SIGKILL) == 0, "kill");
    if (what == "read_file") Refused(std::ifstream(*file).good(), "open");
    if (what == "write_file")
      Refused(open("/tmp/of_a_plugin", O_CREAT | O_WRONLY, 0600) >= 0, "open");
    if (what == "poke_input") {
      const_cast<double&>(moment.table("labels").values().front()) = 7;
    }
    if (what == "print_much") {
      const std::string line(1024, 'x');
      for (int64_t i = 0; i < int64_t{1} << 20; ++i) std::puts(line.c_str());
    }
    volatile bool loops = what == "loop";
    while (loops) continue;
  }

  int64_t decisions_ = 0;
};
TIDEMILL_PLUGIN(Faulty);

class Level : public tidemill::plugin::Trigger {
 public:
  static constexpr const char* kDoc = "Fires where a data file says so.";

  void Start() override { std::ifstream(File("level.txt")) >> level_; }
  Points DecidesAt() const override { return EverySamples(100); }
  std::vector<Evidence> LooksAt() const override { return {}; }
  Observed Observe(const Moment&) override { return {{"level", level_}}; }
  Verdict Judge(const Observed& seen) const override {
    return {.fired = seen.at("level") >= 0.2, .because = "of the level"};
  }

 private:
  double level_ = 0;
};
TIDEMILL_PLUGIN(Level);

}  // namespace
