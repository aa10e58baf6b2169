// Plug-ins of Tidemill in C++20, without a line of C. A plug-in is a class:
//
//   #include "tidemill/plugin.hpp"
//
//   class Surprise : public tidemill::plugin::Trigger {
//    public:
//     static constexpr const char* kDoc = "Fires when mistakes come as a surprise.";
//     static constexpr const char* kVersion = "1.0";
//
//     Number threshold{*this, "threshold", "Share of mistakes at which it fires.", 0.2,
//                      {.min = 0, .max = 1}};
//
//     Points DecidesAt() const override { return EverySamples(250); }
//     std::vector<Evidence> LooksAt() const override {
//       return {{.name = "errors", .kind = EvidenceKind::kErrors}};
//     }
//     Observed Observe(const Moment& moment) override {
//       return {{"share", Mean(moment.table("errors").values())}};
//     }
//     Verdict Judge(const Observed& observed) const override {
//       const double share = observed.at("share");
//       return {.fired = share > threshold,
//               .because = "the share of mistakes is " + std::to_string(share),
//               .comparison = Comparison{"share of mistakes", share, threshold}};
//     }
//   };
//   TIDEMILL_PLUGIN(Surprise);
//
// It is compiled to a shared object: `g++ -std=c++20 -O2 -shared -fPIC surprise.cc -o surprise.so`.
// A file may hold several plug-ins. kDoc and kVersion may be left out.
//
// A class is made without arguments, also to see which settings it has: what needs their values
// belongs into Start(). What it remembers between calls it also returns from Seal() and takes back
// in Restore(). What it throws is shown to the user as its failure. Its functions are called from
// one thread.
#pragma once

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"
#include "tidemill/plugin/format.hpp"
#include "tidemill/plugin/instance.hpp"
#include "tidemill/plugin/measure.hpp"
#include "tidemill/plugin/op.hpp"
#include "tidemill/plugin/registration.hpp"
#include "tidemill/plugin/score.hpp"
#include "tidemill/plugin/selection.hpp"
#include "tidemill/plugin/setting.hpp"
#include "tidemill/plugin/trigger.hpp"

// Makes a plug-in of a class, under the class's name without its namespaces.
#define TIDEMILL_PLUGIN(Class)                                                         \
  [[maybe_unused]] static const ::tidemill::plugin::Registration TIDEMILL_PLUGIN_JOIN( \
      tidemill_plugin_registration_,                                                   \
      __COUNTER__)(::tidemill::plugin::Registration::Of<Class>(#Class))
#define TIDEMILL_PLUGIN_JOIN(left, right) TIDEMILL_PLUGIN_JOIN_EXPANDED(left, right)
#define TIDEMILL_PLUGIN_JOIN_EXPANDED(left, right) left##right
