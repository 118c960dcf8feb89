// An executor in thirty lines: starts jobs as the host can bear them, and says why one waits.
#include <sluice/embed.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

unsigned long work() {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < 50'000'000; ++i) sum += i * i;
  return sum;
}

}  // namespace

int main() {
  sluice::GovernorEvents events;
  events.on_accepting = [](bool accepting, const std::string& reason) {
    std::printf("%s: %s\n", accepting ? "taking work" : "taking no work", reason.c_str());
  };
  const auto governor = sluice::govern_this_host({}, events);

  std::vector<std::thread> jobs;
  for (int i = 0; i < 20; ++i) {
    auto submitted = governor->submit({.key = "square", .inventory = 1});
    if (const auto* refusal = std::get_if<sluice::Refusal>(&submitted)) {
      std::printf("refused: %s\n", sluice::to_sentence(*refusal).c_str());
      continue;
    }
    auto& waiting = std::get<sluice::Submitted>(submitted);
    const sluice::JobId id = waiting.id;
    if (const auto job = governor->job(id); job && job->refusal) {
      std::printf("job %lu waits: %s\n", static_cast<unsigned long>(id.value),
                  sluice::to_sentence(*job->refusal).c_str());
    }
    jobs.emplace_back([admission = std::move(waiting.admission)]() mutable {
      const auto permit = std::get<sluice::Permit>(admission.get());
      work();  // Leaving the scope returns the permit.
    });
  }
  for (std::thread& job : jobs) job.join();
  const sluice::Status status = governor->status();
  std::printf("%lu jobs ran, window of %ld points\n",
              static_cast<unsigned long>(status.counters.admitted),
              static_cast<long>(status.size.value));
}
