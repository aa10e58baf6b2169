#include "base/metrics.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/mutex.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "prometheus/text_serializer.h"

namespace tidemill::metrics {
namespace {

prometheus::Labels LabelsOf(const std::string& label, const std::string& series) {
  if (label.empty()) return {};
  return {{label, series}};
}

class PrometheusCounter : public Counter {
 public:
  PrometheusCounter(prometheus::Family<prometheus::Counter>& family, std::string label)
      : family_(family), label_(std::move(label)) {
    if (label_.empty()) family_.Add({});  // Shown as 0 before anything happened.
  }
  void Add(double amount, const std::string& series) override {
    family_.Add(LabelsOf(label_, series)).Increment(amount);
  }

 private:
  prometheus::Family<prometheus::Counter>& family_;
  const std::string label_;
};

class PrometheusGauge : public Gauge {
 public:
  PrometheusGauge(prometheus::Family<prometheus::Gauge>& family, std::string label)
      : family_(family), label_(std::move(label)) {
    if (label_.empty()) family_.Add({});
  }
  void Set(double value, const std::string& series) override {
    family_.Add(LabelsOf(label_, series)).Set(value);
  }

 private:
  prometheus::Family<prometheus::Gauge>& family_;
  const std::string label_;
};

class PrometheusHistogram : public Histogram {
 public:
  PrometheusHistogram(prometheus::Family<prometheus::Histogram>& family, std::string label,
                      std::vector<double> bounds)
      : family_(family), label_(std::move(label)), bounds_(std::move(bounds)) {
    if (label_.empty()) family_.Add({}, bounds_);
  }
  void Observe(double value, const std::string& series) override {
    family_.Add(LabelsOf(label_, series), bounds_).Observe(value);
  }

 private:
  prometheus::Family<prometheus::Histogram>& family_;
  const std::string label_;
  const std::vector<double> bounds_;
};

// A metric and how it was declared.
struct Entry {
  std::string kind;
  std::string label;
  std::string help;
  std::unique_ptr<Counter> counter = nullptr;
  std::unique_ptr<Gauge> gauge = nullptr;
  std::unique_ptr<Histogram> histogram = nullptr;
};

std::string FullName(const Declaration& declaration, std::string_view ending) {
  return fmt::format("tidemill_{}{}{}{}", declaration.name, declaration.unit.empty() ? "" : "_",
                     declaration.unit, ending);
}

}  // namespace

struct Registry::State {
  const std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  mutable Mutex mutex;
  std::map<std::string, Entry> entries ABSL_GUARDED_BY(mutex);

  // The entry of a full name, fresh (without a metric) at its first declaration.
  Entry& Declare(const std::string& name, std::string_view kind, const Declaration& declaration)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const auto [it, fresh] = entries.try_emplace(name);
    Entry& entry = it->second;
    if (fresh) {
      entry.kind = kind;
      entry.label = declaration.label;
      entry.help = declaration.help;
    } else if (entry.kind != kind || entry.label != declaration.label) {
      std::fprintf(stderr, "metric %s is declared twice, differently\n", name.c_str());
      std::abort();
    }
    return entry;
  }
};

Registry::Registry() : state_(std::make_unique<State>()) {}

Registry::~Registry() = default;

Counter& Registry::AddCounter(const Declaration& declaration) {
  MutexLock lock(state_->mutex);
  const std::string name = FullName(declaration, "_total");
  Entry& entry = state_->Declare(name, "counter", declaration);
  if (entry.counter == nullptr) {
    entry.counter = std::make_unique<PrometheusCounter>(
        prometheus::BuildCounter().Name(name).Help(entry.help).Register(*state_->registry),
        entry.label);
  }
  return *entry.counter;
}

Gauge& Registry::AddGauge(const Declaration& declaration) {
  MutexLock lock(state_->mutex);
  const std::string name = FullName(declaration, "");
  Entry& entry = state_->Declare(name, "gauge", declaration);
  if (entry.gauge == nullptr) {
    entry.gauge = std::make_unique<PrometheusGauge>(
        prometheus::BuildGauge().Name(name).Help(entry.help).Register(*state_->registry),
        entry.label);
  }
  return *entry.gauge;
}

Histogram& Registry::AddHistogram(const Declaration& declaration, std::span<const double> bounds) {
  MutexLock lock(state_->mutex);
  const std::string name = FullName(declaration, "");
  Entry& entry = state_->Declare(name, "histogram", declaration);
  if (entry.histogram == nullptr) {
    entry.histogram = std::make_unique<PrometheusHistogram>(
        prometheus::BuildHistogram().Name(name).Help(entry.help).Register(*state_->registry),
        entry.label, std::vector<double>(bounds.begin(), bounds.end()));
  }
  return *entry.histogram;
}

std::string Registry::Text() const {
  return prometheus::TextSerializer().Serialize(state_->registry->Collect());
}

std::shared_ptr<prometheus::Collectable> Registry::collectable() const { return state_->registry; }

Registry& Process() {
  static Registry* const registry = new Registry;  // Never destroyed: threads may count at exit.
  return *registry;
}

}  // namespace tidemill::metrics
