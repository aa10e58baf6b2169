// The model store's process.
#include "model_store/model_store_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "model_store",
                                    tidemill::model_store::StartModelStore);
}
