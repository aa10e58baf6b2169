// The metrics of a process, in Prometheus' text format.
//
//   struct ReadMetrics {
//     explicit ReadMetrics(metrics::Registry& registry)
//         : samples(registry.AddCounter({"storage_read", "samples", "Samples read by clients."})),
//           latency(registry.AddHistogram({"storage_read", "seconds", "Time of one read."},
//                                         metrics::kSeconds)) {}
//     metrics::Counter& samples;    // tidemill_storage_read_samples_total
//     metrics::Histogram& latency;  // tidemill_storage_read_seconds
//   };
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace prometheus {
class Collectable;
}

namespace tidemill::metrics {

// Declares a metric once. Its full name is tidemill_<name>_<unit>. A counter's ends with _total.
struct Declaration {
  std::string_view name;  // The service, then what is measured: "storage_read".
  std::string_view unit;  // "samples", "bytes", "seconds". Empty for a plain number.
  std::string_view help;  // A sentence.
  // The name of the one label that distinguishes the metric's series. Empty when there is one
  // series.
  std::string_view label = {};
};

// Upper bounds of histogram buckets.
inline constexpr double kSeconds[] = {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03,
                                      0.1,    0.3,    1,     3,     10,   30};

// The metrics below are thread-safe. `series` is the value of the label, empty without a label.

// A number that only grows.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void Add(double amount = 1, const std::string& series = "") = 0;
};

// A number that goes up and down.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void Set(double value, const std::string& series = "") = 0;
};

// Counts how many values are below each bound.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void Observe(double value, const std::string& series = "") = 0;
};

// Thread-safe. Metrics live as long as their registry.
class Registry {
 public:
  Registry();
  ~Registry();

  // Repeating a declaration returns the same metric, so that an object with metrics can be made
  // again. Ends the program when the full name was declared as something else.
  Counter& AddCounter(const Declaration& declaration);
  Gauge& AddGauge(const Declaration& declaration);
  Histogram& AddHistogram(const Declaration& declaration, std::span<const double> bounds);

  // Returns all values in Prometheus' text exposition format.
  std::string Text() const;

  // For servers that publish the values. Lives as long as its holders.
  std::shared_ptr<prometheus::Collectable> collectable() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the registry of this process.
Registry& Process();

}  // namespace tidemill::metrics
