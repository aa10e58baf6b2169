// A preprocessing worker's process.
#include <malloc.h>

#include "preprocess/worker/worker_server.h"

int main(int argc, char** argv) {
  // Batches are made on some threads and freed on others. Each arena of the heap keeps what was
  // freed in it (base/heap.h): with as many as there are threads that is more than the budget.
  mallopt(M_ARENA_MAX, 2);
  return tidemill::rpc::ServiceMain(argc, argv, "preprocess_worker",
                                    tidemill::preprocess::StartWorker);
}
