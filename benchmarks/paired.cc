#include "benchmarks/paired.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace tidemill::benchmarks {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Work of a few milliseconds is done again and again: in less, one turn of another program on the
// machine would show.
constexpr std::chrono::duration<double> kLeastTime{0.25};

double RateOf(const Side& side) {
  if (side.prepare) side.prepare();
  const auto begin = std::chrono::steady_clock::now();
  double done = 0;
  std::chrono::duration<double> took{0};
  do {
    done += side.work();
    took = std::chrono::steady_clock::now() - begin;
  } while (!side.prepare && took < kLeastTime);
  return done / took.count();
}

// What the machine's memory can do, for readers who compare machines.
double MemcpyGigabytesPerSecond() {
  constexpr size_t kBytes = size_t{256} << 20;
  const std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  std::vector<double> rates;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto copy = [&] {
      std::memcpy(to.data(), from.data(), kBytes);
      return static_cast<double>(kBytes) / 1e9;
    };
    rates.push_back(RateOf({.prepare = {}, .work = copy}));
  }
  return Median(rates);
}

}  // namespace

PairedResult Measure(const std::string& name, const std::string& unit, double scale,
                     const Work& ours, const Work& yardstick, int repetitions) {
  return Measure(name, unit, scale, Side{.prepare = {}, .work = ours},
                 Side{.prepare = {}, .work = yardstick}, repetitions);
}

PairedResult Measure(const std::string& name, const std::string& unit, double scale,
                     const Side& ours, const Side& yardstick, int repetitions) {
  RateOf(ours);
  RateOf(yardstick);
  PairedRates rates;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double our_rate = RateOf(ours) / scale;
    rates.Add(our_rate, RateOf(yardstick) / scale);
  }
  return rates.Result(name, unit);
}

void PairedRates::Add(double ours, double yardstick) {
  ours_.push_back(ours);
  yardstick_.push_back(yardstick);
}

PairedResult PairedRates::Result(const std::string& name, const std::string& unit) const {
  std::vector<double> ratios;
  for (size_t i = 0; i < ours_.size(); ++i) ratios.push_back(ours_[i] / yardstick_[i]);
  return {.name = name,
          .unit = unit,
          .repetitions = static_cast<int>(ratios.size()),
          .ratio = Median(ratios),
          .min = *std::min_element(ratios.begin(), ratios.end()),
          .max = *std::max_element(ratios.begin(), ratios.end()),
          .ours = Median(ours_),
          .yardstick = Median(yardstick_)};
}

void Report(const PairedResult& result) {
  fmt::print(stderr, "{:<24} {:6.3f} ({:.3f} to {:.3f}, n={})  ours {:.3g}, yardstick {:.3g} {}\n",
             result.name, result.ratio, result.min, result.max, result.repetitions, result.ours,
             result.yardstick, result.unit);
  const nlohmann::ordered_json json = {{"name", result.name},
                                       {"ratio", result.ratio},
                                       {"min", result.min},
                                       {"max", result.max},
                                       {"repetitions", result.repetitions},
                                       {"ours", result.ours},
                                       {"yardstick", result.yardstick},
                                       {"unit", result.unit},
                                       {"memcpy_gbps", MemcpyGigabytesPerSecond()}};
  fmt::print("{}\n", json.dump());
}

}  // namespace tidemill::benchmarks
