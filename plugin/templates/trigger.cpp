// A trigger policy: when to retrain.
//
//   g++ -std=c++20 -O2 -shared -fPIC FILE_NAME.cpp -o FILE_NAME.so
//   trigger: {type: plugin, use: "FILE_NAME.so:CLASS_NAME", with: {threshold: 0.3}}
#include <numeric>
#include <string>
#include <vector>

#include "tidemill/plugin.hpp"

class CLASS_NAME : public tidemill::plugin::Trigger {
 public:
  static constexpr const char* kDoc =
      "Fires when the active model has made too many mistakes since the last decision.";
  static constexpr const char* kVersion = "0.1";

  // What `with` may say.
  Number threshold{*this, "threshold", "Share of mistakes at which it fires.", 0.3, {.min = 0, .max = 1}};
  Integer every{*this, "every", "Samples between two decisions.", 500, {.min = 1}};

  // Where it decides, and what it looks at there.
  Points DecidesAt() const override { return EverySamples(every); }
  std::vector<Evidence> LooksAt() const override { return {{.name = "errors"}}; }

  // Makes a few numbers of what it looks at. They are recorded with the decision.
  Observed Observe(const Moment& moment) override {
    const auto errors = moment.table("errors").values();
    const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
    const auto rows = static_cast<double>(errors.size());
    return {{"mistakes", rows > 0 ? sum / rows : 0}, {"rows", rows}};
  }

  // Decides by these numbers and the settings alone.
  Verdict Judge(const Observed& seen) const override {
    const double mistakes = seen.at("mistakes");
    return {.fired = mistakes >= threshold,
            .because = "the share of mistakes is " + std::to_string(mistakes),
            .comparison = Comparison{"the share of mistakes", mistakes, threshold}};
  }
};
TIDEMILL_PLUGIN(CLASS_NAME);
