#include "supervisor/requests/annotations.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/testing/replay_fixture.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

class AnnotationsTest : public testing::ReplayFixture {
 protected:
  static v1::AnnotateRunRequest RequestFor(RunId run) {
    v1::AnnotateRunRequest request;
    request.set_run_id(run.value);
    return request;
  }
};

TEST_F(AnnotationsTest, ComeWithASubmissionAndSurviveTheProcess) {
  services_.HoldTrainings();
  auto request = Request("a");
  request.add_tags("nightly");
  request.add_tags("best");
  request.set_note("with more data");
  const RunId run = Submit(request);
  Restart();
  const v1::Run stored = Get(run).run();
  EXPECT_THAT(stored.tags(), ElementsAre("best", "nightly"));
  EXPECT_EQ(stored.note(), "with more data");
  services_.Release();
}

TEST_F(AnnotationsTest, OfASubmissionAreAddedToTheRunThatContinues) {
  services_.HoldTrainings();
  auto request = Request("a");
  request.add_tags("nightly");
  request.set_note("first");
  const RunId run = Submit(request);
  auto again = Request("b");
  again.add_tags("again");
  EXPECT_EQ(Submit(again), run);
  EXPECT_THAT(Get(run).run().tags(), ElementsAre("again", "nightly"));
  EXPECT_EQ(Get(run).run().note(), "first");
  services_.Release();
  Finish(run);
}

TEST_F(AnnotationsTest, ChangeWithoutAnEventOfTheRun) {
  const RunId run = Submit(Request("a"));
  Finish(run);
  const int num_events = Get(run).events_size();
  auto request = RequestFor(run);
  request.add_added_tags("nightly");
  request.add_added_tags("best");
  request.set_note("a note");
  ASSERT_THAT(supervisor_->annotations().Change(request), IsOk());
  auto removal = RequestFor(run);
  removal.add_removed_tags("nightly");
  removal.add_removed_tags("never-there");
  auto changed = supervisor_->annotations().Change(removal);
  ASSERT_THAT(changed, IsOk());
  EXPECT_THAT(changed->tags(), ElementsAre("best"));
  EXPECT_EQ(changed->note(), "a note");
  auto no_note = RequestFor(run);
  no_note.set_note("");
  changed = supervisor_->annotations().Change(no_note);
  ASSERT_THAT(changed, IsOk());
  EXPECT_EQ(changed->note(), "");
  EXPECT_EQ(Get(run).events_size(), num_events);
}

TEST_F(AnnotationsTest, AreBounded) {
  const RunId run = Submit(Request("a"));
  const auto refused = [&](const v1::AnnotateRunRequest& request, absl::StatusCode code,
                           const std::string& why) {
    EXPECT_THAT(supervisor_->annotations().Change(request), StatusIs(code, HasSubstr(why)));
  };
  auto request = RequestFor(run);
  for (int i = 0; i < 20; ++i) request.add_added_tags("tag-" + std::to_string(i));
  EXPECT_THAT(supervisor_->annotations().Change(request), IsOk());
  request.Clear();
  request.set_run_id(run.value);
  request.add_added_tags("one-more");
  refused(request, absl::StatusCode::kFailedPrecondition, "would have 21 tags");
  EXPECT_EQ(Get(run).run().tags_size(), 20);

  using absl::StatusCode::kInvalidArgument;
  for (const char* bad : {"a b", "", "a,b", "{a}", "-a", "\xE2\x80\xAE"}) {
    request = RequestFor(run);
    request.add_added_tags(bad);
    refused(request, kInvalidArgument, "cannot name a tag");
  }
  request = RequestFor(run);
  request.add_added_tags("a");
  request.add_removed_tags("a");
  refused(request, kInvalidArgument, "both added and removed");
  request = RequestFor(run);
  request.set_note(std::string(1001, 'x'));
  refused(request, kInvalidArgument, "1001 bytes; 1000 are allowed");
  request.set_note("two\nlines");
  refused(request, kInvalidArgument, "line breaks");
  refused(RequestFor({99}), absl::StatusCode::kNotFound, "run 99 is unknown");
  Finish(run);
}

TEST_F(AnnotationsTest, ThatAreWrongKeepNothingOfASubmission) {
  auto request = Request("a");
  request.add_tags("no good");
  EXPECT_THAT(supervisor_->submissions().Submit(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot name a tag")));
  EXPECT_THAT(*supervisor_->runs().List("", ""), IsEmpty());
}

}  // namespace
}  // namespace tidemill::supervisor
