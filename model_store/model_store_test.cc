#include "model_store/model_store.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include "model_store/client/model_store_client.h"
#include "model_store/model_store_service.h"
#include "model_store/testing/model_store_fixture.h"
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

using ::tidemill::model_store::testing::CommandOf;
using ::tidemill::model_store::testing::kParts;
using ::tidemill::model_store::testing::Life;
using ::tidemill::model_store::testing::ModelOf;
using ::tidemill::model_store::testing::ModelStoreTest;
using ::tidemill::model_store::testing::Parts;

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
  const auto models = life.List(1);
  ASSERT_THAT(models, IsOk());
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ(models->at(0).parent_model_id(), 0);
  EXPECT_EQ(models->at(1).parent_model_id(), first->value);
  EXPECT_EQ(life.List(0)->size(), 3u);
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
  EXPECT_THAT(*life.List(0), IsEmpty());
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
  EXPECT_THAT(*life.List(1), IsEmpty());
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
  EXPECT_THAT(life.List(1), IsOkAndHolds(SizeIs(3)));
  EXPECT_THAT(life.store->Read(ids[2], "weights.safetensors", ignore), IsOk());
  EXPECT_THAT(life.store->Read(ids[2], "fitted.batch", ignore), IsOk());
}

TEST_F(ModelStoreTest, RetirementLeavesTheModelsThatItIsToldToKeep) {
  Life life = NewLife();
  std::vector<ModelId> ids;
  for (const int64_t trigger : {1, 2, 3, 4}) {
    const Parts parts = {{"weights.safetensors", "weights " + std::to_string(trigger)},
                         {"fitted.batch", "learnt at trigger 1"}};
    const auto id = life.Put(ModelOf(1, trigger, parts), parts);
    ASSERT_THAT(id, IsOk());
    ids.push_back(*id);
  }
  EXPECT_THAT(life.store->Retire(CommandOf(1), 4, {2}), IsOkAndHolds(2));
  EXPECT_FALSE(life.store->Get(ids[1])->has_removed_at());
  const auto ignore = [](std::string_view) { return absl::OkStatus(); };
  EXPECT_THAT(life.store->Read(ids[1], "weights.safetensors", ignore), IsOk());
  EXPECT_THAT(life.store->Read(ids[1], "fitted.batch", ignore), IsOk());
  // It is needed no more.
  EXPECT_THAT(life.store->Retire(CommandOf(1), 4, {}), IsOkAndHolds(1));
  EXPECT_TRUE(life.store->Get(ids[1])->has_removed_at());
}

TEST_F(ModelStoreTest, RefusesCommandsOfAnEarlierEpoch) {
  Life life = NewLife();
  ASSERT_THAT(life.Put(ModelOf(1, 1), kParts, /*epoch=*/2), IsOk());
  EXPECT_THAT(life.Put(ModelOf(1, 2), kParts, /*epoch=*/1),
              StatusIs(absl::StatusCode::kFailedPrecondition, _));
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

// (run, trigger) of the models that a request lists.
std::vector<std::pair<int64_t, int64_t>> Listed(Life& life, const v1::ListModelsRequest& request) {
  const auto listed = life.store->List(request);
  EXPECT_THAT(listed, IsOk());
  std::vector<std::pair<int64_t, int64_t>> places;
  for (const v1::Model& model : listed->models()) {
    places.emplace_back(model.run_id(), model.trigger());
  }
  return places;
}

TEST_F(ModelStoreTest, ListsWhatMatchesInTheRequestedOrder) {
  Life life = NewLife();
  for (const auto& [run, trigger, samples, seconds] :
       {std::tuple(1, 1, 30, 5.0), std::tuple(2, 1, 10, 9.0), std::tuple(1, 2, 20, 1.0)}) {
    v1::Model model = ModelOf(run, trigger);
    model.set_num_samples(samples);
    model.set_train_seconds(seconds);
    ASSERT_THAT(life.Put(model), IsOk());
  }
  ASSERT_THAT(life.store->Retire(CommandOf(1), 2), IsOkAndHolds(1));
  using Places = std::vector<std::pair<int64_t, int64_t>>;
  v1::ListModelsRequest request;
  EXPECT_EQ(Listed(life, request), (Places{{1, 1}, {1, 2}, {2, 1}}));
  const auto by = [&](v1::ModelOrder order, bool descending) {
    v1::ListModelsRequest ordered;
    ordered.set_order(order);
    ordered.set_descending(descending);
    return Listed(life, ordered);
  };
  EXPECT_EQ(by(v1::MODEL_ORDER_MODEL, true), (Places{{1, 2}, {2, 1}, {1, 1}}));
  EXPECT_EQ(by(v1::MODEL_ORDER_RUN, true), (Places{{2, 1}, {1, 2}, {1, 1}}));
  EXPECT_EQ(by(v1::MODEL_ORDER_TRIGGER, false), (Places{{2, 1}, {1, 1}, {1, 2}}));
  EXPECT_EQ(by(v1::MODEL_ORDER_SAMPLES, false), (Places{{2, 1}, {1, 2}, {1, 1}}));
  EXPECT_EQ(by(v1::MODEL_ORDER_DURATION, true), (Places{{2, 1}, {1, 1}, {1, 2}}));

  request.set_state(v1::MODEL_STATE_KEPT);
  EXPECT_EQ(Listed(life, request), (Places{{1, 2}, {2, 1}}));
  request.set_limit(1);
  EXPECT_EQ(Listed(life, request), (Places{{1, 2}}));
  EXPECT_EQ(life.store->List(request)->num_left_out(), 1);
  request.set_state(v1::MODEL_STATE_REMOVED);
  EXPECT_EQ(Listed(life, request), (Places{{1, 1}}));
  request.Clear();
  request.add_run_ids(2);
  request.add_run_ids(7);
  EXPECT_EQ(Listed(life, request), (Places{{2, 1}}));
  request.Clear();
  request.set_run_id(1);
  request.set_trigger(2);
  EXPECT_EQ(Listed(life, request), (Places{{1, 2}}));
  request.set_limit(-1);
  EXPECT_THAT(life.store->List(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1 is negative")));
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
  EXPECT_EQ(life.List(1)->size(), 1u);
  for (const auto& [name, bytes] : kParts) EXPECT_THAT(life.Read(*id, name), IsOkAndHolds(bytes));
  EXPECT_EQ(Files().size(), kParts.size()) << "something was left behind";
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledAt,
                         ::testing::Values("model_store.before_rename", "model_store.before_commit",
                                           "model_store.after_commit"));

// The client against the store through a real server.
class ModelStoreClientTest : public ModelStoreTest {
 protected:
  ModelStoreClientTest() : life_(NewLife()), service_(*life_.store, kept_, *life_.jobs) {
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

TEST_F(ModelStoreClientTest, SendsAFileToAStoreThatWasNotThereAMomentAgo) {
  rpc::Peer peer = peer_;
  peer.endpoint = "unix:" + folder_ + "/late";
  peer.deadline = std::chrono::seconds{3};
  ModelStoreClient client(peer);
  EXPECT_THAT(client.FindFile(Sha256("abc")), StatusIs(absl::StatusCode::kUnavailable, _));
  const auto late = rpc::Server::Start({.listen = peer.endpoint},
                                       *rpc::Tokens::Read(folder_ + "/tokens"), {&service_});
  ASSERT_THAT(late, IsOk());
  // Its connection failed a moment ago, and gRPC waits before it tries again.
  v1::PutFileRequest::Header header;
  header.set_digest(Sha256("abc"));
  header.set_size_bytes(3);
  std::optional<std::string> bytes = "abc";
  EXPECT_THAT(client.PutFile(header,
                             [&]() -> absl::StatusOr<std::optional<std::string>> {
                               return std::exchange(bytes, std::nullopt);
                             }),
              IsOk());
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
