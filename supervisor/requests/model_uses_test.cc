#include "supervisor/requests/model_uses.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "supervisor/steps/run_record.h"
#include "supervisor/testing/replay_fixture.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// Pipelines whose runs are recorded as conductors record them, without trainings.
class ModelUsesTest : public testing::ReplayFixture {
 protected:
  ModelUsesTest() {
    const RunId run = Submit(Request("spec"));
    Finish(run);
    spec_ = Get(run).pipeline_resolved();
    EXPECT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
  }

  int64_t NewRun(const std::string& pipeline, bool is_trial = false) {
    int64_t number = 0;
    EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
      const PipelineId id = SavePipeline(work, {"default", pipeline}, "", spec_);
      number = InsertRun(work, id, spec_, "", is_trial).value;
      return absl::OkStatus();
    }),
                IsOk());
    v1::RunEvent started;
    started.mutable_run_started();
    Record(number, {started});
    return number;
  }

  // Acts as the conductor of a new process does.
  void Record(int64_t run, const std::vector<v1::RunEvent>& events) {
    Patience patience{RunId{run}};
    RunRecord record(*database_, {run}, std::make_shared<RunFeed>(), patience);
    ASSERT_THAT(record.TakeOver(), IsOk());
    for (const v1::RunEvent& event : events) ASSERT_THAT(record.Record(event), IsOk());
  }

  // Stores the model of the next trigger. Returns its number.
  int64_t Store(int64_t run) {
    const int64_t trigger = ++num_triggers_[run];
    std::vector<v1::RunEvent> events(2);
    events[0].mutable_trigger_fired()->set_trigger(trigger);
    events[1].mutable_model_stored()->set_trigger(trigger);
    events[1].mutable_model_stored()->set_model_id(1000 * run + trigger);
    Record(run, events);
    return 1000 * run + trigger;
  }

  // Keeps the models from this trigger on, and those that must be.
  void Retire(int64_t run, int64_t first_model) {
    Patience patience{RunId{run}};
    RunRecord record(*database_, {run}, std::make_shared<RunFeed>(), patience);
    ASSERT_THAT(record.TakeOver(), IsOk());
    v1::RunEvent event;
    event.mutable_models_retired()->set_first_model(first_model);
    ASSERT_THAT(record.KeepModelsInUse(*event.mutable_models_retired()), IsOk());
    ASSERT_THAT(record.Record(event), IsOk());
  }

  void End(int64_t run) {
    v1::RunEvent event;
    event.mutable_run_succeeded();
    Record(run, {event});
  }

  void PromoteTrial(const std::string& pipeline, int64_t run) {
    ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
      Promote(work, {run});
      NotePromoted(work, *FindPipelineId(work, "default", pipeline), {run});
      return absl::OkStatus();
    }),
                IsOk());
  }

  std::string NewRequest() { return "request-" + std::to_string(++num_requests_); }

  absl::StatusOr<v1::UseModelResponse> Use(int64_t model, bool pin = false) {
    v1::UseModelRequest request;
    request.mutable_command()->set_request_id(NewRequest());
    request.set_model_id(model);
    request.set_pin(pin);
    return Twice(&ModelUses::Use, request);
  }

  absl::StatusOr<v1::ReleaseModelResponse> Release(const std::string& pipeline,
                                                   v1::ModelRelease release) {
    v1::ReleaseModelRequest request;
    request.mutable_command()->set_request_id(NewRequest());
    request.set_pipeline_name(pipeline);
    request.set_release(release);
    return Twice(&ModelUses::Release, request);
  }

  absl::StatusOr<v1::RollBackModelResponse> RollBack(const std::string& pipeline,
                                                     bool pin = false) {
    v1::RollBackModelRequest request;
    request.mutable_command()->set_request_id(NewRequest());
    request.set_pipeline_name(pipeline);
    request.set_pin(pin);
    return Twice(&ModelUses::RollBack, request);
  }

  // The answer may be lost with the process: the caller then asks again with the same request.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Twice(absl::StatusOr<Response> (ModelUses::*method)(const Request&),
                                 const Request& request) {
    const absl::StatusOr<Response> first = (supervisor_->model_uses().*method)(request);
    const absl::StatusOr<Response> again = (supervisor_->model_uses().*method)(request);
    EXPECT_EQ(first.ok(), again.ok());
    if (first.ok() && again.ok()) {
      EXPECT_EQ(first->SerializeAsString(), again->SerializeAsString());
    }
    return first;
  }

  absl::StatusOr<v1::ModelChange> InUse(const std::string& pipeline) {
    v1::GetModelInUseRequest request;
    request.set_pipeline_name(pipeline);
    ASSIGN_OR_RETURN(const auto response, supervisor_->model_uses().Get(request));
    return response.in_use();
  }

  // 0 when there is none.
  int64_t ModelInUse(const std::string& pipeline) {
    const auto in_use = InUse(pipeline);
    return in_use.ok() ? in_use->model_id() : 0;
  }

  std::vector<v1::ModelChange> Changes(const std::string& pipeline) {
    v1::ListModelChangesRequest request;
    request.set_pipeline_name(pipeline);
    const auto listed = supervisor_->model_uses().List(request);
    EXPECT_THAT(listed, IsOk());
    return {listed->changes().begin(), listed->changes().end()};
  }

  std::string spec_;
  std::map<int64_t, int64_t> num_triggers_;  // By run.
  int64_t num_requests_ = 0;
};

TEST_F(ModelUsesTest, ATrainedModelAnswersAndATrialsDoesNot) {
  const int64_t run = NewRun("p");
  EXPECT_THAT(InUse("p").status(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("none of its runs has kept one")));
  const int64_t first = Store(run);
  EXPECT_EQ(ModelInUse("p"), first);
  const int64_t trial = NewRun("p", /*is_trial=*/true);
  const int64_t tried = Store(trial);
  EXPECT_EQ(ModelInUse("p"), first);
  PromoteTrial("p", trial);
  EXPECT_EQ(ModelInUse("p"), tried);
  // A run that continues is older than the one whose models answer.
  Store(run);
  EXPECT_EQ(ModelInUse("p"), tried);
  const auto in_use = InUse("p");
  ASSERT_THAT(in_use, IsOk());
  EXPECT_EQ(in_use->since_command(), "run --promote");
  EXPECT_EQ(Changes("p").front().kind(), v1::MODEL_CHANGE_KIND_KEPT);
  EXPECT_THAT(Changes("p").front().text(), HasSubstr("is newer"));
  EXPECT_THAT(InUse("q").status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("'q'")));
}

TEST_F(ModelUsesTest, APinnedModelStaysUntilItIsReleased) {
  const int64_t run = NewRun("p");
  const int64_t first = Store(run);
  ASSERT_THAT(Use(first, /*pin=*/true), IsOk());
  const int64_t second = Store(run);
  EXPECT_EQ(ModelInUse("p"), first);
  const v1::ModelChange kept = Changes("p").front();
  EXPECT_EQ(kept.other_model_id(), second);
  EXPECT_THAT(kept.text(), HasSubstr("is pinned"));
  // What is in use has not changed since.
  EXPECT_EQ(kept.since_kind(), v1::MODEL_CHANGE_KIND_TRAINED);
  ASSERT_THAT(Release("p", v1::MODEL_RELEASE_PIN), IsOk());
  EXPECT_THAT(Release("p", v1::MODEL_RELEASE_PIN).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no pinned model")));
  EXPECT_EQ(ModelInUse("p"), first);
  const int64_t third = Store(run);
  EXPECT_EQ(ModelInUse("p"), third);
}

TEST_F(ModelUsesTest, RollingBackGoesFurtherEachTimeAndSaysWhenItIsAtTheEnd) {
  const int64_t run = NewRun("p");
  const int64_t first = Store(run);
  const int64_t second = Store(run);
  const int64_t third = Store(run);
  EXPECT_EQ(RollBack("p")->change().model_id(), second);
  EXPECT_EQ(RollBack("p")->change().model_id(), first);
  EXPECT_THAT(RollBack("p").status(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                               HasSubstr("no model was in use before")));
  ASSERT_THAT(Use(third), IsOk());
  EXPECT_EQ(RollBack("p")->change().model_id(), first);
  EXPECT_EQ(InUse("p")->since_command(), "models rollback");
  ASSERT_THAT(Release("p", v1::MODEL_RELEASE_MODEL), IsOk());
  EXPECT_THAT(InUse("p").status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("took the place")));
  EXPECT_EQ(RollBack("p")->change().model_id(), first);
}

TEST_F(ModelUsesTest, RetentionKeepsTheModelInUseAndTheOneBefore) {
  const int64_t run = NewRun("p");
  std::vector<int64_t> models;
  for (int i = 0; i < 6; ++i) models.push_back(Store(run));
  ASSERT_THAT(Use(models[1]), IsOk());
  ASSERT_THAT(Use(models[3]), IsOk());
  Retire(run, 6);
  EXPECT_THAT(Use(models[0]).status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("removed")));
  EXPECT_EQ(ModelInUse("p"), models[3]);
  EXPECT_EQ(RollBack("p")->change().model_id(), models[1]);
  const auto back = RollBack("p");
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(back->change().model_id(), models[5]);
  const auto further = RollBack("p");
  ASSERT_THAT(further, IsOk());
  EXPECT_EQ(further->change().model_id(), models[3]);
  EXPECT_THAT(further->passed_over(), ElementsAre(models[4]));
  EXPECT_EQ(RollBack("p")->change().model_id(), models[1]);
  const auto end = RollBack("p");
  EXPECT_THAT(end.status(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                     HasSubstr("whose weights still exist")));
  const auto triggers = Get({run}).triggers();
  std::vector<bool> removed;
  for (const v1::Trigger& trigger : triggers) removed.push_back(trigger.removed());
  EXPECT_THAT(removed, ElementsAre(true, false, true, false, true, false));
}

TEST_F(ModelUsesTest, NothingIsDeletedThatIsInUse) {
  const int64_t run = NewRun("p");
  const int64_t first = Store(run);
  const int64_t other = NewRun("p");
  const int64_t second = Store(other);
  End(run);
  End(other);
  EXPECT_THAT(supervisor_->removals().DeleteRun({other}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("models use")));
  ASSERT_THAT(Use(first), IsOk());
  EXPECT_THAT(supervisor_->removals().DeleteRun({other}), IsOk());
  EXPECT_THAT(Use(second).status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("removed")));
  // What is gone is passed over.
  EXPECT_THAT(RollBack("p").status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("(1 are gone)")));
  EXPECT_EQ(ModelInUse("p"), first);
}

TEST_F(ModelUsesTest, AStateOfAnEarlierVersionKeepsTheModelThatAnsweredThen) {
  const int64_t first = NewRun("p");
  Store(first);
  const int64_t second = NewRun("p");
  std::vector<int64_t> models;
  for (int i = 0; i < 3; ++i) models.push_back(Store(second));
  Retire(second, 3);
  Store(NewRun("p", /*is_trial=*/true));
  NewRun("p");  // It has no model yet.
  NewRun("q");
  ASSERT_THAT(database_->Transact([](pqxx::work& work) {
    work.exec0("DELETE FROM supervisor.schema_migrations WHERE number > 8");
    work.exec0("DROP VIEW supervisor.kept_models");
    work.exec0("DROP TABLE supervisor.model_changes, supervisor.retirements");
    work.exec0("DROP INDEX supervisor.run_events_model_idx, supervisor.run_events_stored_idx");
    work.exec0("DROP VIEW supervisor.run_summaries");
    work.exec0(
        "ALTER TABLE supervisor.runs DROP COLUMN sweep, DROP COLUMN sweep_setting, "
        "DROP COLUMN sweep_rung");
    work.exec0("ALTER TABLE supervisor.members DROP COLUMN started_as");
    return absl::OkStatus();
  }),
              IsOk());
  ASSERT_THAT(db::Migrate(*database_, "supervisor", Migrations()), IsOk());
  const auto in_use = InUse("p");
  ASSERT_THAT(in_use, IsOk());
  EXPECT_EQ(in_use->model_id(), models.back());
  EXPECT_EQ(in_use->since_kind(), v1::MODEL_CHANGE_KIND_FOUND);
  EXPECT_EQ(ModelInUse("q"), 0);
  // What retention has taken stays away.
  EXPECT_THAT(Use(models.front()).status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("")));
  EXPECT_THAT(Use(1000 * first + 1), IsOk());
  EXPECT_EQ(RollBack("p")->change().model_id(), models.back());
}

// The rule, without a database.
struct Reference {
  std::vector<int64_t> before;
  int64_t in_use = 0;
  bool pinned = false;
  std::set<int64_t> kept;

  void Put(int64_t model, bool pin) {
    if (in_use != 0 && in_use != model) before.push_back(in_use);
    in_use = model;
    pinned = pin;
  }
  std::optional<int64_t> Before() const {
    const auto found = std::find_if(before.rbegin(), before.rend(), [&](int64_t model) {
      return model != in_use && kept.contains(model);
    });
    return found == before.rend() ? std::nullopt : std::optional(*found);
  }
  bool RollBack(bool pin) {
    if (!Before()) return false;
    while (before.back() == in_use || !kept.contains(before.back())) before.pop_back();
    in_use = before.back();
    before.pop_back();
    pinned = pin;
    return true;
  }
};

// Runs, trials, promotions, pins, rollbacks, deletions and ends of the process, in any order.
class Sequence {
 public:
  explicit Sequence(uint64_t seed) : random_(seed) {}

  int64_t Below(size_t end) {
    return static_cast<int64_t>(std::uniform_int_distribution<size_t>(0, end - 1)(random_));
  }
  bool Toss() { return Below(2) == 0; }
  template <typename Set>
  auto OneOf(const Set& set) {
    return *std::next(set.begin(), Below(set.size()));
  }

  std::map<int64_t, bool> runs;  // Whether each is a trial.
  std::map<int64_t, std::vector<int64_t>> models;
  Reference expected;

  bool HasKept(int64_t run) const {
    return std::ranges::any_of(models.at(run),
                               [&](int64_t model) { return expected.kept.contains(model); });
  }
  bool HasNewerRun(int64_t run) const {
    return std::ranges::any_of(runs, [&](const auto& other) {
      return other.first > run && !other.second && HasKept(other.first);
    });
  }
  void Stored(int64_t run, int64_t model) {
    models[run].push_back(model);
    expected.kept.insert(model);
    if (!runs[run] && !expected.pinned && !HasNewerRun(run)) expected.Put(model, false);
  }
  void Promoted(int64_t run) {
    runs[run] = false;
    if (!HasKept(run) || HasNewerRun(run) || expected.pinned) return;
    const auto newest = std::find_if(models[run].rbegin(), models[run].rend(),
                                     [&](int64_t model) { return expected.kept.contains(model); });
    if (*newest != expected.in_use) expected.Put(*newest, false);
  }
  void Retired(int64_t run, int64_t first) {
    for (const int64_t model : models[run]) {
      const bool stays = model % 1000 >= first || model == expected.in_use ||
                         model == expected.Before().value_or(0);
      if (!stays) expected.kept.erase(model);
    }
  }
  void Deleted(int64_t run) {
    for (const int64_t model : models[run]) expected.kept.erase(model);
    models.erase(run);
    runs.erase(run);
  }

 private:
  std::mt19937_64 random_;
};

class RandomSequences : public ModelUsesTest, public ::testing::WithParamInterface<int> {
 protected:
  void Step(const std::string& pipeline, Sequence& sequence) {
    const int64_t what = sequence.Below(16);
    if (sequence.runs.empty() || what == 0) {
      const bool is_trial = sequence.Below(3) == 0;
      const int64_t run = NewRun(pipeline, is_trial);
      sequence.runs[run] = is_trial;
      sequence.models[run];
    } else if (what < 6) {
      const int64_t run = sequence.OneOf(sequence.runs).first;
      sequence.Stored(run, Store(run));
    } else {
      Ask(what, pipeline, sequence);
    }
  }

  void Ask(int64_t what, const std::string& pipeline, Sequence& sequence) {
    Reference& expected = sequence.expected;
    const int64_t run = sequence.OneOf(sequence.runs).first;
    const bool pin = sequence.Toss();
    switch (what) {
      case 6:
      case 7: {
        if (sequence.models[run].empty()) return;
        const int64_t model = sequence.OneOf(sequence.models[run]);
        const bool is_kept = expected.kept.contains(model);
        EXPECT_EQ(Use(model, pin).ok(), is_kept);
        if (is_kept) expected.Put(model, pin);
        return;
      }
      case 8:
        EXPECT_EQ(Release(pipeline, v1::MODEL_RELEASE_PIN).ok(), expected.pinned);
        expected.pinned = false;
        return;
      case 9:
        EXPECT_EQ(Release(pipeline, v1::MODEL_RELEASE_MODEL).ok(), expected.in_use != 0);
        if (expected.in_use != 0) expected.Put(0, false);
        return;
      case 10:
      case 11:
        EXPECT_EQ(RollBack(pipeline, pin).ok(), expected.RollBack(pin));
        return;
      case 12:
        if (!sequence.runs[run]) return;
        PromoteTrial(pipeline, run);
        return sequence.Promoted(run);
      case 13: {
        const int64_t first = 1 + sequence.Below(sequence.models[run].size() + 1);
        if (first <= retired_[run]) return;
        retired_[run] = first;
        sequence.Retired(run, first);
        return Retire(run, first);
      }
      case 14:
        return Delete(run, sequence);
      default:
        // The process ends, and its sessions with it.
        test_database_.EndSessions();
        Restart();
    }
  }

  void Delete(int64_t run, Sequence& sequence) {
    End(run);
    const bool is_in_use = std::ranges::find(sequence.models[run], sequence.expected.in_use) !=
                           sequence.models[run].end();
    EXPECT_EQ(supervisor_->removals().DeleteRun({run}).ok(), !is_in_use);
    if (!is_in_use) return sequence.Deleted(run);
    v1::RunEvent resumed;
    resumed.mutable_run_resumed();
    Record(run, {resumed});
  }

  std::map<int64_t, int64_t> retired_;  // The first kept trigger, by run.
};

TEST_P(RandomSequences, AreAnsweredAsTheRuleSays) {
  for (int number = 0; number < 50; ++number) {
    const int seed = 50 * GetParam() + number;
    const std::string pipeline = "p" + std::to_string(seed);
    Sequence sequence(static_cast<uint64_t>(seed));
    NewRun(pipeline);  // So that the pipeline exists.
    for (int step = 0; step < 20; ++step) {
      Step(pipeline, sequence);
      ASSERT_EQ(ModelInUse(pipeline), sequence.expected.in_use)
          << "after step " << step << " of the sequence of seed " << seed;
    }
    const auto changes = Changes(pipeline);
    const bool is_pinned = !changes.empty() && changes.front().pinned();
    EXPECT_EQ(is_pinned, sequence.expected.pinned);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSequences, ::testing::Range(0, 10));

}  // namespace
}  // namespace tidemill::supervisor
