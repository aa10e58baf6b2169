#include "cli/results/ledger.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "cli/results/left_out.h"
#include "cli/results/result_tables.h"

namespace tidemill::cli {
namespace {

rpc::v1::Ledger SomeLedger() {
  rpc::v1::Ledger ledger;
  ledger.set_num_known(1'000);
  ledger.set_num_used(828);
  ledger.set_num_unlabelled(15);
  ledger.set_num_bad(7);
  ledger.set_num_not_reached(150);
  return ledger;
}

results::Row Window(int64_t known, int64_t bad) {
  results::Row value;
  value.set_active(true);
  value.set_dataset_name("weather");
  value.set_measure("accuracy");
  value.set_num_known(known);
  value.set_num_bad(bad);
  value.set_num_samples(known - bad);
  value.set_value(0.5);
  return value;
}

TEST(Ledger, SaysWhereTheSamplesAreAndHowManyAreInNoCount) {
  rpc::v1::Ledger ledger = SomeLedger();
  EXPECT_EQ(DescribeLedger(ledger),
            "1,000 samples: 828 used, 15 without a label, 7 bad, 150 not reached");
  EXPECT_EQ(LedgerToJson(ledger).at("unlabelled"), 15);
  ledger.set_num_used(827);
  EXPECT_EQ(DescribeLedger(ledger, "records"),
            "1,000 records: 827 used, 15 without a label, 7 bad, 150 not reached; 1 more are in no "
            "count");
}

TEST(Ledger, OfMeasuredWindowsAddsThemUp) {
  MeasuredShare share;
  share.Add(Window(100, 0));
  EXPECT_EQ(share.OfKnown(), "") << "all were measured";
  share.Add(Window(100, 100));
  EXPECT_EQ(share.OfKnown(), " of 200");
  EXPECT_EQ(share.Lost(), ": 100 could not be used");
  results::Row old = Window(1, 1);
  old.clear_num_known();
  share.Add(old);
  EXPECT_EQ(share.OfKnown(), "") << "no count is known";
}

TEST(Ledger, WhatWasLostIsTheFirstSentenceOfARun) {
  supervisor::v1::GetRunResponse run;
  run.mutable_run()->set_state(supervisor::v1::RUN_STATE_SUCCEEDED);
  EXPECT_EQ(MuchLost(run), "");
  rpc::v1::LeftOut& left_out = (*run.mutable_left_out())["weather"];
  left_out.set_num_seen(1'000);
  left_out.set_num_records(350);
  left_out.add_reasons()->set_num_records(250);
  left_out.add_reasons()->set_num_records(100);
  left_out.mutable_reasons(1)->set_wanted(true);
  EXPECT_EQ(MuchLost(run), "25 % of the records of weather were left out (250 of 1,000).");
  *run.mutable_ledger() = SomeLedger();
  EXPECT_EQ(MuchLost(run), "25 % of the records of weather were left out (250 of 1,000).")
      << "7 of 835 are less than one per cent";
  *run.add_results() = Window(100, 0);
  *run.add_results() = Window(300, 100);
  EXPECT_EQ(Headline(run, {}).substr(0, MuchLost(run).size()), MuchLost(run));
  EXPECT_EQ(MuchLost(run),
            "25 % of the records of weather were left out (250 of 1,000), and 25 % of the "
            "samples of weather for evaluation could not be used (100 of 400).");
}

TEST(Ledger, ARunWithABadSampleHasLosses) {
  supervisor::v1::GetRunResponse run;
  EXPECT_FALSE(AnyLost(run));
  run.add_results()->set_num_bad(1);
  EXPECT_TRUE(AnyLost(run));
}

}  // namespace
}  // namespace tidemill::cli
