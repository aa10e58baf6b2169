// A preprocessing worker's process.
#include "preprocess/worker/worker_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "preprocess_worker",
                                    tidemill::preprocess::StartWorker);
}
