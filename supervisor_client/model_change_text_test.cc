#include "supervisor_client/model_change_text.h"

#include "gtest/gtest.h"

#include "supervisor_client/model_change_json.h"

namespace tidemill::supervisor {
namespace {

v1::ModelChange Pinned() {
  v1::ModelChange change;
  change.set_model_id(12);
  change.set_run_id(3);
  change.set_trigger(4);
  change.set_pinned(true);
  change.set_kind(v1::MODEL_CHANGE_KIND_KEPT);
  change.set_text("model 13 was trained at trigger 5 of run 3; model 12 is pinned");
  change.mutable_in_use_since()->set_seconds(86'400);
  change.set_since_kind(v1::MODEL_CHANGE_KIND_USED);
  change.set_since_text("chosen and pinned by a user");
  change.set_since_command("models use --pin");
  return change;
}

TEST(ModelChangeText, SaysSinceWhenAndWhyAModelIsInUse) {
  EXPECT_EQ(ModelText(Pinned()), "model 12 (run 3, trigger 4)");
  EXPECT_EQ(InUseText(Pinned()),
            "in use and pinned since 1970-01-02: chosen and pinned by a user (`models use --pin`)");
  EXPECT_EQ(ChangeText(Pinned()),
            "model 12 (run 3, trigger 4) stays in use: model 13 was trained at trigger 5 of run 3; "
            "model 12 is pinned");
  v1::ModelChange none;
  none.set_kind(v1::MODEL_CHANGE_KIND_NONE);
  none.set_text("a user took the place from the model");
  none.set_command("models use --none");
  EXPECT_EQ(ChangeText(none),
            "no model is in use any more: a user took the place from the model (`models use "
            "--none`)");
}

TEST(ModelChangeJson, HasTheSame) {
  EXPECT_EQ(ModelInUseToJson(Pinned()).dump(),
            R"({"model":12,"run":3,"trigger":4,"since":"1970-01-02T00:00:00Z","kind":"used",)"
            R"("why":"chosen and pinned by a user","command":"models use --pin","pinned":true})");
  v1::ModelChange change = Pinned();
  change.mutable_comparison()->set_measure("accuracy");
  change.mutable_comparison()->set_better_by(0.25);
  const auto json = ModelChangeToJson(change);
  EXPECT_EQ(json["kind"], "kept");
  EXPECT_EQ(json["comparison"]["better_by"], 0.25);
  EXPECT_FALSE(json.contains("caused_by"));
}

}  // namespace
}  // namespace tidemill::supervisor
