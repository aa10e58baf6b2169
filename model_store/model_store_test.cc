#include "model_store/model_store.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include "model_store/client/model_store_client.h"
#include "model_store/model_store_service.h"
#include "rpc/grpc_status.h"
#include "rpc/server.h"

namespace tidemill::model_store {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

using Parts = std::vector<std::pair<std::string, std::string>>;

const Parts kParts = {{"weights.safetensors", "some weights"},
                      {"fitted.batch", ""},
                      {"spec.yaml", "model: {type: mlp}\n"}};

rpc::v1::Command CommandOf(int64_t run, int64_t epoch = 1) {
  rpc::v1::Command command;
  command.set_request_id("a request");
  command.set_run_id(run);
  command.set_run_epoch(epoch);
  return command;
}

v1::Model ModelOf(int64_t run, int64_t trigger, const Parts& parts = kParts) {
  v1::Model model;
  model.set_run_id(run);
  model.set_trigger(trigger);
  model.set_training_set_digest("0123");
  model.set_num_samples(2000);
  model.set_model("type: mlp\n");
  model.add_classes("DOWN");
  model.add_classes("UP, \"and\" away");
  for (const auto& [name, bytes] : parts) {
    v1::ModelPart& part = *model.add_parts();
    part.set_name(name);
    part.set_size_bytes(static_cast<int64_t>(bytes.size()));
    part.set_digest(Sha256(bytes));
  }
  return model;
}

// One life of the store; the next one finds what it left.
struct Life {
  explicit Life(const std::string& connection_string, const std::string& folder) {
    database = *db::Database::Connect(connection_string);
    store = *ModelStore::Open(*database, folder);
  }

  absl::StatusOr<ModelId> Put(const v1::Model& model, const Parts& parts = kParts,
                              int64_t epoch = 1) {
    ASSIGN_OR_RETURN(const auto upload, store->Begin(CommandOf(model.run_id(), epoch), model));
    std::string all;
    for (const auto& [name, bytes] : parts) all += bytes;
    // In pieces that do not end where parts do.
    for (size_t at = 0; at < all.size() && !upload->stored(); at += 5) {
      RETURN_IF_ERROR(upload->Append(std::string_view(all).substr(at, 5)));
    }
    return upload->Finish();
  }

  absl::StatusOr<std::string> Read(ModelId model, const std::string& part) {
    std::string bytes;
    RETURN_IF_ERROR(store->Read(model, part, [&](std::string_view piece) {
      bytes += piece;
      return absl::OkStatus();
    }));
    return bytes;
  }

  std::unique_ptr<db::Database> database;
  std::unique_ptr<ModelStore> store;
};

class ModelStoreTest : public ::testing::Test {
 protected:
  ModelStoreTest() {
    std::string pattern = ::testing::TempDir() + "model_store_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~ModelStoreTest() override { std::filesystem::remove_all(folder_); }

  Life NewLife() const { return Life(database_.connection_string(), folder_); }

  // The files that are there, by name, of all runs.
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    }
    return names;
  }

  db::testing::TestDatabase database_;
  std::string folder_;
};

TEST_F(ModelStoreTest, GivesBackWhatWasPutInALaterLife) {
  v1::Model model = ModelOf(1, 1);
  const auto id = NewLife().Put(model);
  ASSERT_THAT(id, IsOk());
  Life life = NewLife();
  for (const auto& [name, bytes] : kParts) EXPECT_THAT(life.Read(*id, name), IsOkAndHolds(bytes));
  auto stored = life.store->Get(*id);
  ASSERT_THAT(stored, IsOk());
  EXPECT_GT(stored->created_at().seconds(), 1'700'000'000);
  stored->clear_created_at();
  model.set_model_id(id->value);
  EXPECT_EQ(stored->DebugString(), model.DebugString());
}

TEST_F(ModelStoreTest, ListsAChainOfModelsWithTheirParents) {
  Life life = NewLife();
  const auto first = life.Put(ModelOf(1, 1));
  ASSERT_THAT(first, IsOk());
  v1::Model second = ModelOf(1, 2);
  second.set_parent_model_id(first->value);
  ASSERT_THAT(life.Put(second), IsOk());
  ASSERT_THAT(life.Put(ModelOf(2, 1)), IsOk());
  const auto models = life.store->List(RunId{1});
  ASSERT_THAT(models, IsOk());
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ(models->at(0).parent_model_id(), 0);
  EXPECT_EQ(models->at(1).parent_model_id(), first->value);
  EXPECT_EQ(life.store->List(std::nullopt)->size(), 3u);
}

TEST_F(ModelStoreTest, PuttingTheSameModelAgainGivesTheSameId) {
  Life life = NewLife();
  const auto first = life.Put(ModelOf(1, 1));
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(life.Put(ModelOf(1, 1)), IsOkAndHolds(*first));
  EXPECT_EQ(Files().size(), kParts.size());
}

TEST_F(ModelStoreTest, RefusesAnotherModelOfTheSameTrigger) {
  Life life = NewLife();
  ASSERT_THAT(life.Put(ModelOf(1, 1)), IsOk());
  Parts others = kParts;
  others[0].second = "other weights";
  EXPECT_THAT(life.Put(ModelOf(1, 1, others), others),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("other digests")));
}

TEST_F(ModelStoreTest, OfTwoUploadsAtOnceTheLaterLearnsThatItDiffers) {
  Life life = NewLife();
  const Parts mine = {{"weights.safetensors", "mine"}};
  const Parts yours = {{"weights.safetensors", "yours"}};
  const auto slow = life.store->Begin(CommandOf(1), ModelOf(1, 1, mine));
  ASSERT_THAT(slow, IsOk());
  ASSERT_THAT(life.Put(ModelOf(1, 1, yours), yours), IsOk());
  ASSERT_THAT((*slow)->Append("mine"), IsOk());
  EXPECT_THAT((*slow)->Finish(), StatusIs(absl::StatusCode::kAlreadyExists, _));
}

TEST_F(ModelStoreTest, RefusesBytesThatDoNotMatchTheirDigest) {
  Life life = NewLife();
  Parts flipped = kParts;
  flipped[0].second[0] ^= 1;
  EXPECT_THAT(life.Put(ModelOf(1, 1), flipped),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("weights.safetensors")));
  Parts cut = kParts;
  cut.pop_back();
  EXPECT_THAT(life.Put(ModelOf(1, 1), cut),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("early")));
  Parts longer = kParts;
  longer.emplace_back("more", "more");
  EXPECT_THAT(life.Put(ModelOf(1, 1), longer),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("after the last part")));
  EXPECT_THAT(*life.store->List(std::nullopt), IsEmpty());
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ModelStoreTest, RefusesHeadersThatMakeNoSense) {
  Life life = NewLife();
  const auto refused = [&](const v1::Model& model) {
    return life.store->Begin(CommandOf(1), model).status();
  };
  EXPECT_THAT(refused(ModelOf(2, 1)), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(refused(ModelOf(1, 0)), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(refused(ModelOf(1, 1, {})), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(refused(ModelOf(1, 1, {{"../../x", ""}})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("../../x")));
  EXPECT_THAT(refused(ModelOf(1, 1, {{"a", ""}, {"a", ""}})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("twice")));
  v1::Model orphan = ModelOf(1, 1);
  orphan.set_parent_model_id(77);
  EXPECT_THAT(life.Put(orphan), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(ModelStoreTest, EveryFlippedBitIsFoundOnReading) {
  Life life = NewLife();
  const Parts parts = {{"weights.safetensors", std::string(40, 'w')}};
  const auto id = life.Put(ModelOf(1, 1, parts), parts);
  ASSERT_THAT(id, IsOk());
  const std::string path = folder_ + "/models/1/" + Sha256(parts[0].second);
  for (size_t bit = 0; bit < parts[0].second.size() * 8; bit += 37) {
    std::string bytes = parts[0].second;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(path, std::ios::binary) << bytes;
    std::string seen;
    EXPECT_THAT(life.store->Read(*id, "weights.safetensors",
                                 [&](std::string_view piece) {
                                   seen += piece;
                                   return absl::OkStatus();
                                 }),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("SHA-256")));
    EXPECT_EQ(seen, "") << "bytes were handed over before they were checked";
  }
  std::filesystem::resize_file(path, 39);
  EXPECT_THAT(life.Read(*id, "weights.safetensors"), StatusIs(absl::StatusCode::kDataLoss, _));
  std::filesystem::remove(path);
  EXPECT_THAT(life.Read(*id, "weights.safetensors"), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST_F(ModelStoreTest, UnknownModelsAndPartsAreNotFound) {
  Life life = NewLife();
  EXPECT_THAT(life.store->Get(ModelId{5}), StatusIs(absl::StatusCode::kNotFound, _));
  const auto id = life.Put(ModelOf(1, 1));
  ASSERT_THAT(id, IsOk());
  EXPECT_THAT(life.Read(*id, "optimizer"), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(ModelStoreTest, ForgettingARunLeavesTheOthers) {
  Life life = NewLife();
  ASSERT_THAT(life.Put(ModelOf(1, 1)), IsOk());
  ASSERT_THAT(life.Put(ModelOf(1, 2)), IsOk());
  const auto kept = life.Put(ModelOf(2, 1));
  ASSERT_THAT(kept, IsOk());
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1)), IsOkAndHolds(2));
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1)), IsOkAndHolds(0));
  EXPECT_THAT(*life.store->List(RunId{1}), IsEmpty());
  EXPECT_FALSE(files::Exists(folder_ + "/models/1"));
  EXPECT_THAT(life.Read(*kept, "spec.yaml"), IsOkAndHolds(kParts[2].second));
}

TEST_F(ModelStoreTest, RemovesOldModelsAndKeepsWhatIsKnownOfThem) {
  Life life = NewLife();
  std::vector<ModelId> ids;
  for (const int64_t trigger : {1, 2, 3}) {
    // The fitted graph is the same for all.
    const Parts parts = {{"weights.safetensors", "weights " + std::to_string(trigger)},
                         {"fitted.batch", "learnt at trigger 1"}};
    const auto id = life.Put(ModelOf(1, trigger, parts), parts);
    ASSERT_THAT(id, IsOk());
    ids.push_back(*id);
  }
  EXPECT_THAT(life.store->Retire(CommandOf(1), 3), IsOkAndHolds(2));
  EXPECT_THAT(life.store->Retire(CommandOf(1), 3), IsOkAndHolds(0));
  const auto ignore = [](std::string_view) { return absl::OkStatus(); };
  EXPECT_THAT(life.store->Read(ids[0], "weights.safetensors", ignore),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("removed by the run's retention")));
  EXPECT_TRUE(life.store->Get(ids[1])->has_removed_at());
  EXPECT_FALSE(life.store->Get(ids[2])->has_removed_at());
  EXPECT_THAT(life.store->List(RunId{1}), IsOkAndHolds(SizeIs(3)));
  EXPECT_THAT(life.store->Read(ids[2], "weights.safetensors", ignore), IsOk());
  EXPECT_THAT(life.store->Read(ids[2], "fitted.batch", ignore), IsOk());
}

TEST_F(ModelStoreTest, RefusesCommandsOfAnEarlierEpoch) {
  Life life = NewLife();
  ASSERT_THAT(life.Put(ModelOf(1, 1), kParts, /*epoch=*/2), IsOk());
  EXPECT_THAT(life.Put(ModelOf(1, 2), kParts, /*epoch=*/1),
              StatusIs(absl::StatusCode::kFailedPrecondition, _));
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

constexpr char kDigestOfTraining[] =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

v1::ReuseModelRequest ReuseBy(int64_t run, int64_t trigger, int64_t parent = 0) {
  v1::ReuseModelRequest request;
  *request.mutable_command() = CommandOf(run);
  request.set_trigger(trigger);
  request.set_training_digest(kDigestOfTraining);
  request.set_parent_model_id(parent);
  return request;
}

class ReusedModelTest : public ModelStoreTest {
 protected:
  // Puts a model that others may reuse, as trigger 3 of run 1.
  static ModelId PutFirst(Life& life, const Parts& parts = kParts) {
    v1::Model model = ModelOf(1, 3, parts);
    model.set_training_digest(kDigestOfTraining);
    model.set_fit_seconds(0.5);
    model.set_train_seconds(7.25);
    rpc::v1::TrainingResult result;
    result.set_num_bad(4);
    result.set_seconds(7);
    result.add_loss_curve()->set_loss(0.125);
    const auto upload = life.store->Begin(CommandOf(1), model, result);
    EXPECT_THAT(upload, IsOk());
    for (const auto& [name, bytes] : parts) EXPECT_THAT((*upload)->Append(bytes), IsOk());
    const auto id = (*upload)->Finish();
    EXPECT_THAT(id, IsOk());
    return id.ok() ? *id : ModelId{};
  }
};

TEST_F(ReusedModelTest, IsAModelOfItsOwnWithThePartsAndTheCostOfTheFirst) {
  Life life = NewLife();
  const ModelId first = PutFirst(life);
  const auto parent = life.Put(ModelOf(2, 1));
  ASSERT_THAT(parent, IsOk());
  const auto reused = life.store->Reuse(ReuseBy(2, 5, parent->value));
  ASSERT_THAT(reused, IsOk());
  ASSERT_TRUE(reused->has_value());
  const v1::Model& model = (*reused)->model;
  EXPECT_NE(model.model_id(), first.value);
  EXPECT_EQ(model.run_id(), 2);
  EXPECT_EQ(model.trigger(), 5);
  EXPECT_EQ(model.parent_model_id(), parent->value);
  EXPECT_EQ(model.training_set_digest(), "0123");
  EXPECT_EQ(model.num_samples(), 2000);
  EXPECT_EQ(model.fit_seconds(), 0.5);
  EXPECT_EQ(model.train_seconds(), 7.25);
  EXPECT_THAT(model.classes(), ElementsAre("DOWN", "UP, \"and\" away"));
  EXPECT_EQ(model.reused_from().run_id(), 1);
  EXPECT_EQ(model.reused_from().trigger(), 3);
  EXPECT_EQ(model.reused_from().model_id(), first.value);
  EXPECT_EQ((*reused)->result.num_bad(), 4);
  EXPECT_EQ((*reused)->result.loss_curve(0).loss(), 0.125);
  for (const auto& [name, bytes] : kParts) {
    EXPECT_THAT(life.Read(ModelId{model.model_id()}, name), IsOkAndHolds(bytes));
  }
}

TEST_F(ReusedModelTest, OutlivesTheRunThatTrainedItAndIsReusedAgain) {
  Life life = NewLife();
  const ModelId first = PutFirst(life);
  const auto second = life.store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(second.ok() && second->has_value());
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1)), IsOkAndHolds(1));
  const auto third = life.store->Reuse(ReuseBy(3, 1));
  ASSERT_TRUE(third.ok() && third->has_value());
  EXPECT_EQ((*third)->model.reused_from().model_id(), first.value);
  EXPECT_EQ((*third)->model.train_seconds(), 7.25);
  EXPECT_EQ((*third)->result.num_bad(), 4);
  EXPECT_THAT(life.store->Retire(CommandOf(2), 6), IsOkAndHolds(1));
  for (const auto& [name, bytes] : kParts) {
    EXPECT_THAT(life.Read(ModelId{(*third)->model.model_id()}, name), IsOkAndHolds(bytes));
  }
  EXPECT_THAT(life.store->DeleteRun(CommandOf(2)), IsOkAndHolds(1));
  EXPECT_THAT(life.store->DeleteRun(CommandOf(3)), IsOkAndHolds(1));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ReusedModelTest, IsGivenToATriggerOnce) {
  Life life = NewLife();
  PutFirst(life);
  v1::ReuseModelRequest only_given;
  *only_given.mutable_command() = CommandOf(2);
  only_given.set_trigger(5);
  only_given.set_only_given(true);
  EXPECT_THAT(life.store->Reuse(only_given), IsOkAndHolds(::testing::Eq(std::nullopt)));
  const auto once = life.store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(once.ok() && once->has_value());
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1)), IsOk());
  const auto again = NewLife().store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(again.ok() && again->has_value());
  EXPECT_EQ((*again)->model.DebugString(), (*once)->model.DebugString());
  const auto given = life.store->Reuse(only_given);
  ASSERT_TRUE(given.ok() && given->has_value());
  EXPECT_EQ((*given)->model.DebugString(), (*once)->model.DebugString());
  EXPECT_THAT(life.store->List(std::nullopt), IsOkAndHolds(SizeIs(1)));
}

TEST_F(ReusedModelTest, IsNeitherRemovedNorDamagedNorOfAnotherDigest) {
  Life life = NewLife();
  PutFirst(life);
  v1::ReuseModelRequest other = ReuseBy(2, 1);
  other.set_training_digest(std::string(64, 'b'));
  EXPECT_THAT(life.store->Reuse(other), IsOkAndHolds(::testing::Eq(std::nullopt)));
  other.set_training_digest("");
  EXPECT_THAT(life.store->Reuse(other), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(life.store->FindOfDigest(""), StatusIs(absl::StatusCode::kInvalidArgument, _));
  std::ofstream(folder_ + "/models/1/" + Sha256(kParts[0].second)) << "some weightz";
  EXPECT_THAT(life.store->Reuse(ReuseBy(2, 1)), IsOkAndHolds(::testing::Eq(std::nullopt)));
  EXPECT_TRUE(life.store->FindOfDigest(kDigestOfTraining)->has_value());
  EXPECT_THAT(life.store->Retire(CommandOf(1), 4), IsOkAndHolds(1));
  EXPECT_FALSE(life.store->FindOfDigest(kDigestOfTraining)->has_value());
  EXPECT_THAT(life.store->Reuse(ReuseBy(2, 1)), IsOkAndHolds(::testing::Eq(std::nullopt)));
}

TEST_F(ReusedModelTest, DoesNotReplaceWhatATriggerHasTrained) {
  Life life = NewLife();
  PutFirst(life);
  EXPECT_THAT(life.store->Reuse(ReuseBy(1, 3)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("itself")));
  v1::ReuseModelRequest late = ReuseBy(2, 1);
  late.mutable_command()->set_run_epoch(2);
  ASSERT_THAT(life.store->Reuse(late), IsOk());
  EXPECT_THAT(life.store->Reuse(ReuseBy(2, 2)), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(ReusedModelTest, IsSharedWithinItsRun) {
  Life life = NewLife();
  PutFirst(life);
  const auto again = life.store->Reuse(ReuseBy(1, 4));
  ASSERT_TRUE(again.ok() && again->has_value());
  EXPECT_EQ(Files().size(), kParts.size());
  EXPECT_THAT(life.store->Retire(CommandOf(1), 4), IsOkAndHolds(1));
  EXPECT_THAT(life.Read(ModelId{(*again)->model.model_id()}, "spec.yaml"),
              IsOkAndHolds(kParts[2].second));
}

TEST_F(ReusedModelTest, IsWholeAfterAKillInTheMiddle) {
  {
    Life life = NewLife();
    PutFirst(life);
  }
  ASSERT_EXIT(
      {
        failpoints::Arm("model_store.before_reuse=kill").IgnoreError();
        NewLife().store->Reuse(ReuseBy(2, 5)).IgnoreError();
      },
      ::testing::KilledBySignal(SIGKILL), "");
  Life life = NewLife();
  EXPECT_THAT(life.store->List(RunId{2}), IsOkAndHolds(IsEmpty()));
  const auto reused = life.store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(reused.ok() && reused->has_value());
  EXPECT_THAT(life.Read(ModelId{(*reused)->model.model_id()}, "weights.safetensors"),
              IsOkAndHolds(kParts[0].second));
  EXPECT_EQ(Files().size(), 2 * kParts.size()) << "something was left behind";
}

class KilledAt : public ModelStoreTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(KilledAt, PuttingAgainStoresTheModelOnce) {
  ASSERT_EXIT(
      {
        failpoints::Arm(std::string(GetParam()) + "=kill").IgnoreError();
        NewLife().Put(ModelOf(1, 1)).IgnoreError();
      },
      ::testing::KilledBySignal(SIGKILL), "");
  Life life = NewLife();
  const auto id = life.Put(ModelOf(1, 1));
  ASSERT_THAT(id, IsOk());
  EXPECT_EQ(life.store->List(RunId{1})->size(), 1u);
  for (const auto& [name, bytes] : kParts) EXPECT_THAT(life.Read(*id, name), IsOkAndHolds(bytes));
  EXPECT_EQ(Files().size(), kParts.size()) << "something was left behind";
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledAt,
                         ::testing::Values("model_store.before_rename", "model_store.before_commit",
                                           "model_store.after_commit"));

// The client against the store through a real server.
class ModelStoreClientTest : public ModelStoreTest {
 protected:
  ModelStoreClientTest() : life_(NewLife()), service_(*life_.store, kept_) {
    const std::string token_file = folder_ + "/tokens";
    rpc::Tokens::Create(token_file).IgnoreError();
    const rpc::Tokens tokens = *rpc::Tokens::Read(token_file);
    server_ = *rpc::Server::Start({.listen = "unix:" + folder_ + "/socket"}, tokens, {&service_});
    peer_ = {.endpoint = server_->endpoint(), .token = *tokens.TokenOf(rpc::v1::ROLE_SERVICE)};
    client_ = std::make_unique<ModelStoreClient>(peer_);
  }

  // Announces a file and sends it, or less.
  absl::Status PutFile(const std::string& announced, const std::string& sent) const {
    grpc::ClientContext context;
    rpc::Prepare(peer_, peer_.deadline, context);
    v1::PutFileResponse response;
    const auto writer =
        v1::ModelStoreService::NewStub(rpc::Connect(peer_))->PutFile(&context, &response);
    v1::PutFileRequest message;
    message.mutable_header()->set_digest(Sha256(announced));
    message.mutable_header()->set_size_bytes(static_cast<int64_t>(announced.size()));
    writer->Write(message);
    message.set_bytes(sent);
    writer->Write(message);  // In vain where the store has answered already.
    writer->WritesDone();
    return FromGrpc(writer->Finish());
  }

  Life life_;
  KeptFiles kept_ = *KeptFiles::Open(folder_ + "/files");
  ModelStoreService service_;
  std::unique_ptr<rpc::Server> server_;
  rpc::Peer peer_;
  std::unique_ptr<ModelStoreClient> client_;
};

TEST_F(ModelStoreClientTest, ReadsFilesOfPipelinesByTheirDigest) {
  // Larger than one message.
  std::string bytes(size_t{20} << 20, 'x');
  bytes += "end";
  const auto incoming = kept_.Begin(Sha256(bytes), static_cast<int64_t>(bytes.size()));
  ASSERT_THAT(incoming, IsOk());
  ASSERT_THAT((*incoming)->Append(bytes), IsOk());
  ASSERT_THAT((*incoming)->Finish(), IsOk());
  const auto read = client_->ReadFile(Sha256(bytes));
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(*read == bytes);
  EXPECT_THAT(client_->ReadFile(Sha256("none")), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(ModelStoreClientTest, TakesAFileAnewThatHasRottenOnTheDiskAndNoOther) {
  ASSERT_THAT(PutFile("abc", "abc"), IsOk());
  EXPECT_THAT(PutFile("abc", ""), IsOk()) << "a sound one needs no bytes";
  for (const char* const rotten : {"abd", "ab", ""}) {
    std::ofstream(folder_ + "/files/" + Sha256("abc")) << rotten;
    EXPECT_THAT(client_->ReadFile(Sha256("abc")), StatusIs(absl::StatusCode::kDataLoss, _));
    EXPECT_THAT(PutFile("abc", ""), StatusIs(absl::StatusCode::kDataLoss, _)) << rotten;
    EXPECT_THAT(PutFile("abc", "abc"), IsOk()) << rotten;
    EXPECT_THAT(client_->ReadFile(Sha256("abc")), IsOkAndHolds("abc")) << rotten;
  }
}

TEST_F(ModelStoreClientTest, CarriesArtefactsBothWays) {
  // Larger than one message, and no multiple of it.
  std::string weights;
  for (int i = 0; i < 700'000; ++i) weights += std::to_string(i);
  ASSERT_THAT(files::WriteAtomically(folder_ + "/weights.safetensors", weights), IsOk());
  ASSERT_THAT(files::WriteAtomically(folder_ + "/spec.yaml", "model: {}\n"), IsOk());
  v1::PutModelRequest::Header header;
  *header.mutable_command() = CommandOf(1);
  *header.mutable_model() = ModelOf(1, 1, {});
  header.mutable_model()->add_parts()->set_name("weights.safetensors");
  header.mutable_model()->add_parts()->set_name("spec.yaml");
  const auto id = client_->PutModel(header, folder_);
  ASSERT_THAT(id, IsOk());
  EXPECT_THAT(client_->PutModel(header, folder_), IsOkAndHolds(*id));
  EXPECT_THAT(client_->ReadPart(*id, "weights.safetensors"), IsOkAndHolds(weights));
  EXPECT_THAT(client_->ReadPart(*id, "spec.yaml"), IsOkAndHolds("model: {}\n"));
  const auto models = client_->ListModels(RunId{1});
  ASSERT_THAT(models, IsOk());
  ASSERT_EQ(models->size(), 1u);
  EXPECT_THAT(models->front().classes(), ElementsAre("DOWN", "UP, \"and\" away"));
  EXPECT_EQ(client_->GetModel(*id)->parts(0).digest(), Sha256(weights));
  EXPECT_THAT(client_->DeleteRun(CommandOf(1)), IsOkAndHolds(1));
  EXPECT_THAT(client_->GetModel(*id), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(ModelStoreClientTest, SaysWhatIsWrongWithAnArtefact) {
  v1::PutModelRequest::Header header;
  *header.mutable_command() = CommandOf(1);
  *header.mutable_model() = ModelOf(1, 1, {{"weights.safetensors", "as announced"}});
  EXPECT_THAT(client_->PutModel(header, folder_),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("weights.safetensors")));
  ASSERT_THAT(files::WriteAtomically(folder_ + "/weights.safetensors", "As announced"), IsOk());
  EXPECT_THAT(client_->PutModel(header, folder_), StatusIs(absl::StatusCode::kDataLoss, _));
}

}  // namespace
}  // namespace tidemill::model_store
