#include "supervisor/pool/slot_queue.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/tree.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000;

Timestamp At(int64_t second) { return {second * kSecond}; }

// A queue over members that the test adds, and a clock that it sets.
class SlotQueueTest : public ::testing::Test {
 protected:
  // Adds a trainer server with slots of devices. One with an id is "cuda:1=GPU-a".
  void Add(const std::string& name, const std::vector<std::string>& devices,
           const std::map<std::string, std::string>& labels = {},
           v1::MemberKind kind = v1::MEMBER_KIND_TRAINER_SERVER) {
    const int64_t id = static_cast<int64_t>(members_.all().size()) + 1;
    PoolMember member{{.incarnation = {.member_id = id, .number = 1}, .name = name}, kind, {}};
    v1::MemberOffer& offer = member.offer;
    for (const std::string& device : devices) {
      v1::SlotOffer& slot = *offer.add_slots();
      const size_t end = std::min(device.find('='), device.size());
      slot.set_device(device.substr(0, end));
      if (end < device.size()) slot.set_id(device.substr(end + 1));
      slot.set_count(1);
    }
    offer.mutable_labels()->insert(labels.begin(), labels.end());
    members_.Install(std::move(member), {});
  }

  int64_t Ask(SlotRequest request, int64_t second = 0) {
    const int64_t id = ++last_id_;
    if (request.job.run == 0) request.job.run = id;
    queue_.Add({.id = id, .request = std::move(request), .asked_at = At(second), .grant = {}},
               At(second));
    queue_.MarkAwaited(id);
    return id;
  }

  // Gives all that can be given. Returns "3 at b on cuda:0" for each.
  std::vector<std::string> Serve(int64_t second = 0) {
    std::vector<std::string> given;
    while (auto next = queue_.Next(At(second))) {
      given.push_back(fmt::format("{} at {} on {}", next->id,
                                  members_.Find(next->grant->member.member_id)->name,
                                  absl::StrJoin(next->grant->devices, " ")));
      queue_.Give(next->id, *next->grant);
    }
    return given;
  }

  std::string WhyWaits(int64_t id) { return queue_.WhyItWaits(*queue_.Find(id), At(0)); }

  PoolMembers members_{"member"};
  SlotQueue queue_{members_};
  int64_t last_id_ = 0;
};

SlotRequest Of(int64_t pipeline, const std::string& device = "cpu") {
  SlotRequest request;
  request.pipeline = {pipeline};
  request.device = device;
  return request;
}

TEST_F(SlotQueueTest, ASlotHasOneJobAtATime) {
  Add("a", {"cpu"});
  Ask(Of(1));
  const int64_t second = Ask(Of(1));
  EXPECT_THAT(Serve(), ElementsAre("1 at a on cpu"));
  EXPECT_THAT(Serve(), ElementsAre());
  EXPECT_EQ(WhyWaits(second), "for a slot of cpu; all are taken");
  queue_.End(1, At(5));
  EXPECT_THAT(Serve(5), ElementsAre("2 at a on cpu"));
}

TEST_F(SlotQueueTest, NothingIsGivenToAJobForWhichNobodyWaits) {
  Add("a", {"cpu"});
  const int64_t left = Ask(Of(1));
  queue_.Leave(left);
  Ask(Of(2));
  EXPECT_THAT(Serve(), ElementsAre("2 at a on cpu"));
}

TEST_F(SlotQueueTest, AutoIsAGpuWhereThereIsOneThatMayServe) {
  Add("a", {"cpu"});
  Add("b", {"cpu", "cuda:0"}, {{"gpu", "h100"}});
  SlotRequest elsewhere = Of(1, "auto");
  elsewhere.labels = {{"gpu", "a100"}};
  const int64_t in_vain = Ask(elsewhere);
  Ask(Of(2, "auto"));
  Ask(Of(3, "auto"));
  Ask(Of(4, "cpu"));
  // The third waits for the GPU.
  EXPECT_THAT(Serve(), ElementsAre("2 at b on cuda:0", "4 at a on cpu"));
  EXPECT_EQ(WhyWaits(in_vain), "for a trainer server with gpu: a100; none has it");
}

TEST_F(SlotQueueTest, AGpuThatTwoMembersOfferHasOneJob) {
  Add("trainer", {"cpu", "cuda:0=GPU-a", "cuda:1=GPU-b"});
  Add("evaluator", {"cuda:0=GPU-b", "cuda:1=GPU-a"}, {}, v1::MEMBER_KIND_EVALUATOR);
  SlotRequest evaluation = Of(2, "cuda");
  evaluation.kind = v1::MEMBER_KIND_EVALUATOR;
  Ask(Of(1, "cuda:0"));
  Ask(evaluation);
  Ask(evaluation);
  const int64_t fourth = Ask(Of(1, "cuda"));
  EXPECT_THAT(Serve(), ElementsAre("1 at trainer on cuda:0", "2 at evaluator on cuda:0"));
  EXPECT_EQ(WhyWaits(fourth), "for a slot of cuda; all are taken, and 1 job is before it");
  queue_.End(1, At(5));
  EXPECT_THAT(Serve(5), ElementsAre("4 at trainer on cuda:0"));
  queue_.End(2, At(9));
  EXPECT_THAT(Serve(9), ElementsAre("3 at evaluator on cuda:0"));
}

TEST_F(SlotQueueTest, ADeviceThatIsNamedIsThatDevice) {
  Add("a", {"cuda:0", "cuda:1"});
  Ask(Of(1, "cuda:1"));
  Ask(Of(2, "cuda"));
  const int64_t third = Ask(Of(3, "cuda:7"));
  EXPECT_THAT(Serve(), ElementsAre("1 at a on cuda:1", "2 at a on cuda:0"));
  EXPECT_THAT(WhyWaits(third), HasSubstr("none offers more than 0"));
}

TEST_F(SlotQueueTest, SeveralSlotsComeAtOnceAndAreKeptFree) {
  Add("a", {"cuda:0", "cuda:1"});
  Ask(Of(1, "cuda"));
  EXPECT_THAT(Serve(), ElementsAre("1 at a on cuda:0"));
  SlotRequest both = Of(2, "cuda");
  both.num_slots = 2;
  Ask(both);
  SlotRequest later = Of(3, "cuda");
  Ask(later);
  // One slot is free, and is not given to the job that came later.
  EXPECT_THAT(Serve(), ElementsAre());
  queue_.End(1, At(1));
  EXPECT_THAT(Serve(1), ElementsAre("2 at a on cuda:0 cuda:1"));
}

TEST_F(SlotQueueTest, ARunReturnsToTheMemberThatServedItLast) {
  Add("a", {"cpu"});
  Add("b", {"cpu", "cpu"});
  SlotRequest first = Of(1);
  first.job = {.run = 7, .stage = "fit"};
  const int64_t fit = Ask(first);
  Ask(Of(2));
  EXPECT_THAT(Serve(), ElementsAre("1 at b on cpu", "2 at a on cpu"));
  queue_.End(2, At(1));
  queue_.End(fit, At(1));
  SlotRequest again = Of(1);
  again.job = {.run = 7, .stage = "train"};
  Ask(again);
  Ask(Of(2));
  EXPECT_THAT(Serve(1), ElementsAre("3 at b on cpu", "4 at a on cpu"));
}

TEST_F(SlotQueueTest, ADrainedOrLostMemberGetsNothing) {
  Add("a", {"cpu"});
  const int64_t first = Ask(Of(1));
  EXPECT_TRUE(members_.Drain(1).ok());
  EXPECT_THAT(Serve(), ElementsAre());
  EXPECT_EQ(WhyWaits(first), "for a trainer server; none is registered that takes work");
  EXPECT_TRUE(members_.Drain(1, false).ok());
  EXPECT_TRUE(members_.MarkLost({.member_id = 1, .number = 1}, ""));
  EXPECT_THAT(Serve(), ElementsAre());
}

TEST_F(SlotQueueTest, APipelineThatComesLateIsNotOwedWhatItLeftUnused) {
  Add("a", {"cpu"});
  Ask(Of(1));
  EXPECT_EQ(Serve().size(), 1);
  queue_.End(1, At(1000));
  // Pipeline 1 has used 1,000 s when 2 comes.
  Ask(Of(1), 1000);
  Ask(Of(2), 1000);
  Ask(Of(2), 1000);
  std::vector<std::string> order;
  for (int64_t second = 1000; second < 1003; ++second) {
    for (const std::string& given : Serve(second)) order.push_back(given);
    for (const auto& [id, placement] : std::map(queue_.placements())) {
      if (placement.grant) queue_.End(id, At(second + 1));
    }
  }
  // 2 does not run twice before 1.
  EXPECT_THAT(order, ElementsAre("2 at a on cpu", "3 at a on cpu", "4 at a on cpu"));
}

// A training of the simulation.
struct Training {
  std::string name;
  SlotRequest request;
  int64_t asks_at = 0;
  int64_t seconds = 0;
};

class SimulatedPool : public SlotQueueTest {
 protected:
  // Runs the trainings, each for its seconds, on a clock that jumps from event to event. Returns a
  // line for each: when, which, where, how long.
  std::vector<std::string> Run(const std::vector<Training>& trainings) {
    std::multimap<int64_t, std::pair<bool, size_t>> events;  // Ends come before questions.
    for (size_t i = 0; i < trainings.size(); ++i) events.insert({trainings[i].asks_at, {true, i}});
    std::map<int64_t, size_t> by_placement;
    std::vector<std::string> lines;
    while (!events.empty()) {
      const int64_t now = events.begin()->first;
      while (!events.empty() && events.begin()->first == now) {
        const auto [asks, i] = events.begin()->second;
        events.erase(events.begin());
        if (asks) {
          by_placement[Ask(trainings[i].request, now)] = i;
        } else {
          const auto ended = std::ranges::find(by_placement, i, [](auto& it) { return it.second; });
          queue_.End(ended->first, At(now));
        }
      }
      while (auto next = queue_.Next(At(now))) {
        const size_t i = by_placement.at(next->id);
        const Training& training = trainings[i];
        lines.push_back(fmt::format("{:>4} s  {}  {} {}  {:>3} s", now, training.name,
                                    members_.Find(next->grant->member.member_id)->name,
                                    absl::StrJoin(next->grant->devices, " "), training.seconds));
        queue_.Give(next->id, *next->grant);
        events.insert({now + training.seconds, {false, i}});
      }
    }
    return lines;
  }
};

// The block of the page between its fences that holds `first`.
std::vector<std::string> BlockOfPage(const std::string& first) {
  const auto page = files::Read(tidemill::testing::InTree("docs/guides/pool.md"));
  EXPECT_TRUE(page.ok());
  std::vector<std::string> lines;
  bool inside = false;
  for (size_t begin = 0; page.ok() && begin < page->size();) {
    const size_t end = std::min(page->find('\n', begin), page->size());
    const std::string line = page->substr(begin, end - begin);
    begin = end + 1;
    if (inside && line == "```") break;
    inside = inside || line == first;
    if (inside) lines.push_back(line);
  }
  return lines;
}

TEST_F(SimulatedPool, TenTrainingsRunWhereAndWhenThePageSays) {
  for (const char* const name : {"a", "b", "c"}) Add(name, {"cuda:0", "cuda:1"});
  const auto training = [](const std::string& name, int64_t pipeline, double share, int priority,
                           int64_t asks_at, int64_t seconds) {
    SlotRequest request = Of(pipeline, "cuda");
    request.share = share;
    request.priority = priority;
    return Training{.name = name, .request = request, .asks_at = asks_at, .seconds = seconds};
  };
  std::vector<Training> trainings;
  for (int i = 1; i <= 5; ++i) {
    trainings.push_back(training(fmt::format("daily-{} ", i), 1, 1, 0, 0, 60));
  }
  for (int i = 1; i <= 4; ++i) {
    trainings.push_back(training(fmt::format("hourly-{}", i), 2, 2, 0, 0, 40));
  }
  trainings.push_back(training("urgent-1", 3, 1, 10, 20, 30));
  const std::vector<std::string> ran = Run(trainings);
  EXPECT_EQ(ran.size(), 10);
  EXPECT_EQ(ran, BlockOfPage(ran.front())) << absl::StrJoin(ran, "\n");
}

}  // namespace
}  // namespace tidemill::supervisor
