#include "storage/client/left_out_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

rpc::v1::LeftOut Ragged() {
  rpc::v1::LeftOut left_out;
  left_out.set_num_records(487);
  left_out.set_num_seen(1461);
  auto& reason = *left_out.add_reasons();
  reason.set_reason("5 fields where 6 columns are expected");
  reason.set_first_reason(reason.reason());
  reason.set_num_records(487);
  reason.set_first_path("/data/weather.csv");
  reason.set_first_record(2);
  return left_out;
}

TEST(LeftOutText, SaysHowManyOfHowManyWhyAndWhereTheFirstIs) {
  EXPECT_EQ(LeftOutText(Ragged()),
            "487 of 1,461 records left out: 5 fields where 6 columns are expected (weather.csv, "
            "record 2)");
  EXPECT_EQ(LeftOutText({}), "");
}

TEST(LeftOutText, TellsWhatIsFilteredByWhichConditionAndCallsNothingOfItLost) {
  rpc::v1::LeftOut left_out;
  left_out.set_num_seen(1461);
  left_out.set_num_filtered(1200);
  left_out.set_where("price > 0");
  EXPECT_EQ(LeftOutText(left_out), "1,200 of 1,461 records do not satisfy `where` (price > 0)");
  EXPECT_FALSE(AnyLost(left_out));
}

TEST(LeftOutText, NamesFilesThatWereNotTaken) {
  rpc::v1::LeftOut left_out;
  left_out.mutable_not_taken()->set_num_files(1);
  left_out.mutable_not_taken()->add_files()->set_path("a.csv");
  left_out.mutable_not_taken()->mutable_files(0)->set_reason("it still changes");
  EXPECT_EQ(LeftOutText(left_out), "1 file was not taken: a.csv (it still changes)");
  EXPECT_EQ(NotTakenText(left_out.not_taken(), "d"),
            "1 file of d was not taken: a.csv (it still changes)");
  EXPECT_TRUE(AnyLost(left_out));
  EXPECT_THAT(WhyEmpty("d", 1, left_out), HasSubstr("a.csv (it still changes); run again when"));
}

TEST(LeftOutText, NamesSeveralReasonsWithTheirCountsAndReportsTheOthers) {
  rpc::v1::LeftOut left_out = Ragged();
  left_out.set_num_records(490);
  left_out.set_num_files(1);
  for (const char* why : {"the header is odd", "label 'x' is not in classes", "too long"}) {
    auto& reason = *left_out.add_reasons();
    reason.set_reason(why);
    reason.set_first_reason(why);
    reason.set_num_files(why[0] == 't' && why[1] == 'h' ? 1 : 0);
    reason.set_num_records(1 - reason.num_files());
    reason.set_first_path("b.csv");
  }
  const std::string text = LeftOutText(left_out);
  EXPECT_THAT(text, HasSubstr("490 of 1,461 records and 1 whole file left out: 487 records because "
                              "5 fields where 6 columns are expected (weather.csv, record 2), 1 "
                              "file because the header is odd (b.csv)"));
  EXPECT_THAT(text, HasSubstr("and for 1 more reason"));
}

TEST(LeftOutText, CountsSamplesWithoutALabelWhichAreNotLost) {
  rpc::v1::LeftOut left_out;
  left_out.set_num_unlabelled(146);
  EXPECT_EQ(LeftOutText(left_out), "146 samples have no label");
  EXPECT_FALSE(AnyLost(left_out));
}

TEST(LeftOutText, TellsTheBytesThatHoldNoRecordAsAShare) {
  rpc::v1::LeftOut left_out = Ragged();
  left_out.set_lost_bytes(3174);
  left_out.set_num_bytes(59'392);
  EXPECT_THAT(LeftOutText(left_out),
              HasSubstr("record 2); 3.1 KiB of 58 KiB (5.3 %) hold no readable record"));
  left_out.set_lost_bytes(1);
  EXPECT_EQ(LostBytesText(left_out), "1 byte of 58 KiB (less than 0.1 %) hold no readable record");
}

TEST(LeftOutText, TellsARemarkThatCostsNoRecord) {
  rpc::v1::LeftOut left_out;
  left_out.set_num_seen(7);
  auto& reason = *left_out.add_reasons();
  reason.set_reason("the file ends with '...' zeros");
  reason.set_first_reason("the file ends with '40' zeros");
  reason.set_first_path("/data/a.tfrecord");
  EXPECT_EQ(LeftOutText(left_out), "the file ends with '40' zeros (a.tfrecord)");
  EXPECT_EQ(Amount(reason), "remark");
  EXPECT_FALSE(AnyLost(left_out));
  reason.set_num_members(40);
  EXPECT_EQ(Amount(reason), "40 members");
  EXPECT_TRUE(AnyLost(left_out));
  reason.set_wanted(true);
  EXPECT_FALSE(AnyLost(left_out));
}

TEST(LeftOutText, WhatTheSpecWantsLeftOutIsNotALoss) {
  rpc::v1::LeftOut left_out = Ragged();
  EXPECT_TRUE(AnyLost(left_out));
  left_out.mutable_reasons(0)->set_wanted(true);
  EXPECT_FALSE(AnyLost(left_out));
}

TEST(WhyEmpty, NamesTheFirstReasonAndTheNextCommand) {
  EXPECT_THAT(WhyEmpty("weather", 1, Ragged()),
              ::testing::AllOf(HasSubstr("5 fields where 6 columns are expected"),
                               HasSubstr("tidemill datasets quarantine weather")));
  EXPECT_THAT(WhyEmpty("weather", 0, {}), HasSubstr("no file matches"));
  EXPECT_THAT(WhyEmpty("weather", 2, {}), HasSubstr("hold no records"));
  EXPECT_THAT(WhyEmpty("weather", 2, {}), Not(HasSubstr("no file matches")));
}

}  // namespace
}  // namespace tidemill::storage
