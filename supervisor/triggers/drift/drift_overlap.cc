#include "supervisor/triggers/drift/drift_overlap.h"

namespace tidemill::supervisor {
namespace {

double SecondsOf(Duration length) { return static_cast<double>(length.micros) / 1e6; }

}  // namespace

double NewShare(const DecisionInterval& evaluate, const SampleWindow& window, double rate) {
  if (evaluate.every && window.length) {
    return SecondsOf(*evaluate.every) / SecondsOf(*window.length);
  }
  const double num_new =
      evaluate.every ? rate * SecondsOf(*evaluate.every) : static_cast<double>(*evaluate.samples);
  const double size =
      window.length ? rate * SecondsOf(*window.length) : static_cast<double>(window.Samples());
  return size > 0 ? num_new / size : 1;
}

}  // namespace tidemill::supervisor
