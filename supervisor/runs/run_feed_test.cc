#include "supervisor/runs/run_feed.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

v1::WatchRunResponse::Event Event(int64_t sequence) {
  v1::WatchRunResponse::Event event;
  event.set_sequence(sequence);
  return event;
}

v1::Progress Progress(int64_t done) {
  v1::Progress progress;
  progress.set_done(done);
  return progress;
}

TEST(RunFeed, GivesEveryEventOnceThenTheNewestProgressThenTheEnd) {
  RunFeed feed;
  RunFeed::Cursor cursor{.after_sequence = 1};
  for (const int64_t sequence : {1, 2, 3}) feed.Append(Event(sequence));
  for (const int64_t done : {10, 20, 30}) feed.Report(Progress(done));
  EXPECT_EQ(feed.Next(cursor)->event().sequence(), 2);
  EXPECT_EQ(feed.Next(cursor)->event().sequence(), 3);
  EXPECT_EQ(feed.Next(cursor)->progress().done(), 30);
  EXPECT_EQ(feed.Next(cursor), std::nullopt);
  v1::Run final;
  final.set_state(v1::RUN_STATE_SUCCEEDED);
  feed.Report(Progress(40));
  feed.Close(final);
  EXPECT_EQ(feed.Next(cursor)->final().state(), v1::RUN_STATE_SUCCEEDED);
  EXPECT_EQ(feed.Next(cursor), std::nullopt);
  EXPECT_TRUE(cursor.finished);
}

TEST(RunFeed, KeepsNothingForAWatcherThatStalls) {
  RunFeed feed;
  RunFeed::Cursor stalled, quick;
  for (int64_t done = 1; done <= 1000; ++done) {
    feed.Report(Progress(done));
    EXPECT_EQ(feed.Next(quick)->progress().done(), done);
  }
  EXPECT_EQ(feed.Next(stalled)->progress().done(), 1000);
  EXPECT_EQ(feed.Next(stalled), std::nullopt);
}

TEST(RunFeed, WakesItsSubscribersOnEveryChange) {
  RunFeed feed;
  int wakes = 0;
  const int64_t subscription = feed.Subscribe([&] { ++wakes; });
  feed.Append(Event(1));
  feed.Report(Progress(1));
  EXPECT_EQ(wakes, 2);
  feed.Unsubscribe(subscription);
  feed.Close({});
  EXPECT_EQ(wakes, 2);
}

}  // namespace
}  // namespace tidemill::supervisor
