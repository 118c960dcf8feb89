#include <algorithm>
#include <random>

#include "reference/history.h"

namespace sluice::reference {
namespace {

using What = Event::What;

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  History write() {
    history_.options = options();
    for (int i = 0; i < 30; ++i) add_event();
    add(What::pass);
    return std::move(history_);
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  bool one_in(int n) { return pick(n) == 0; }

  template <typename Value>
  Value any(const std::vector<Value>& values) {
    return values[static_cast<std::size_t>(pick(static_cast<int>(values.size())))];
  }

  // Options.

  GovernorOptions options() {
    GovernorOptions options;
    options.window.law = one_in(2) ? Law::rfc : Law::adaptive;
    options.window.initial = Points{5 + pick(30)};
    options.window.minimum = Points{3};
    options.window.maximum = Points{60};
    options.window.threshold = Points{40};
    options.window.interval = std::chrono::seconds(1);
    options.starting = Presence::off;
    options.queueing.contention = contention();
    options.queueing.resources = managers();
    options.queueing.queues = queues(options.queueing.resources);
    if (one_in(3)) options.queueing.declared_memory = Bytes{8};
    if (one_in(3)) options.queueing.rules = rules();
    if (one_in(3)) options.queueing.keys["build"].resources["db"] = 2;
    return options;
  }

  ContentionOptions contention() {
    ContentionOptions contention;
    contention.mode =
        any<ContentionMode>({ContentionMode::off, ContentionMode::order, ContentionMode::order,
                             ContentionMode::hold, ContentionMode::hold});
    if (one_in(2)) contention.levels = {"instance", "node"};
    contention.base_tenths = any<int>({0, 10, 10, 25});
    contention.tick = std::chrono::seconds(any<int>({10, 30}));
    contention.aging_ticks = any<std::optional<int>>({0, 1, 2, 3, 5, 30, std::nullopt});
    contention.undeclared = one_in(6) ? Undeclared::all_exclusive : Undeclared::none;
    contention.batch = contention.mode == ContentionMode::order && one_in(4);
    contention.boosts_priority = one_in(3);
    if (one_in(2)) contention.table = table();
    return contention;
  }

  /// Any table in which a hit weighs at least as much as a miss.
  LockTable table() {
    LockTable table;
    for (auto& row : table.tenths) {
      for (auto& cell : row) cell = static_cast<std::int16_t>(any<int>({0, 3, 5, 15, 30, 40}));
      row[LockTable::shared_hit] =
          std::max(row[LockTable::shared_hit], row[LockTable::shared_miss]);
      row[LockTable::exclusive_hit] =
          std::max(row[LockTable::exclusive_hit], row[LockTable::exclusive_miss]);
    }
    return table;
  }

  std::map<std::string, ResourceOptions> managers() {
    std::map<std::string, ResourceOptions> managers;
    managers["db"].total = 3 + pick(3);
    managers["ports"].kind = ResourceOptions::Kind::discrete;
    managers["ports"].items = {"p1", "p2", "p3"};
    if (one_in(2)) managers["ports"].consumption = 1;
    managers["solo"].kind = ResourceOptions::Kind::highlander;
    for (auto& [name, manager] : managers) {
      if (one_in(3)) manager.shortage = one_in(2) ? Shortage::skip : Shortage::block;
    }
    return managers;
  }

  std::map<std::string, QueueOptions> queues(
      const std::map<std::string, ResourceOptions>& managers) {
    std::map<std::string, QueueOptions> queues;
    queue_names_ = {"default", "fast", "nightly"};
    queue_names_.resize(static_cast<std::size_t>(1 + pick(3)));
    for (const std::string& name : queue_names_) {
      QueueOptions& queue = queues[name];
      queue.backfill = any<std::optional<int>>({0, 0, 1, 3, 16, std::nullopt});
      for (const auto& [manager, unused] : managers) {
        if (one_in(4)) queue.resources.push_back(manager);
      }
    }
    return queues;
  }

  std::vector<RuleOptions> rules() {
    std::vector<RuleOptions> rules(static_cast<std::size_t>(1 + pick(3)));
    for (RuleOptions& rule : rules) {
      using Action = RuleOptions::Action;
      rule.action = any<Action>({Action::accept, Action::pause, Action::reject, Action::rate_limit,
                                 Action::rate_limit, Action::pass_on});
      rule.n = 1 + pick(2);
      if (one_in(3)) rule.id = any<std::string>({">6", "<4", "j1*", "j?", ">x"});
      if (one_in(2)) rule.key = any<std::string>({"build", "lint", "*"});
      if (one_in(4)) rule.queue = any(queue_names_);
      if (one_in(4)) rule.reason = "note*";
      // Otherwise nothing would ever be accepted.
      if (rule.action == Action::reject && !rule.key) rule.key = "lint";
    }
    return rules;
  }

  // Jobs.

  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const char* name : {"a", "b", "c", "d"}) {
      if (one_in(3)) names.emplace_back(name);
    }
    return names;
  }

  LevelLocks level_locks(const std::string& level) {
    LevelLocks locks;
    locks.level = level;
    const int mode = pick(9);
    if (mode <= 1 || mode == 8) locks.shared = names();
    if (mode == 2 || mode == 3 || mode == 8) locks.exclusive = names();
    locks.unknown_shared = mode == 4;
    locks.all_shared = mode == 5 && one_in(2);
    locks.unknown_exclusive = mode == 6;
    locks.all_exclusive = mode == 7 && one_in(3);
    return locks;
  }

  std::vector<LevelLocks> locks() {
    std::vector<LevelLocks> locks;
    for (const std::string& level : history_.options.queueing.contention.levels) {
      if (one_in(2)) locks.push_back(level_locks(level));
    }
    return locks;
  }

  JobRequest request() {
    JobRequest request;
    request.id = "j" + std::to_string(jobs_);
    request.key = any<std::string>({"", "build", "lint", "deploy", "deploy"});
    if (!one_in(3)) request.queue = any(queue_names_);
    if (one_in(3)) request.priority = pick(3) - 1;
    request.cost = Points{1 + pick(one_in(8) ? 65 : 10)};
    request.global_lock = one_in(40);
    request.on_failure =
        any<OnFailure>({OnFailure::cancel, OnFailure::run, OnFailure::hold, OnFailure::run});
    if (one_in(3)) request.memory = Bytes{static_cast<std::uint64_t>(pick(10))};
    if (!one_in(4)) request.locks = locks();
    for (const auto& [manager, resource] : history_.options.queueing.resources) {
      const int most = resource.kind == ResourceOptions::Kind::highlander ? 2 : 6;
      if (one_in(5)) request.resources.push_back({manager, pick(most)});
    }
    for (const char* reason :
         {"rate-limit:1:x", "rate-limit:2:x", "rate-limit:2:a b:c", "note it", "rate-limit:0:x"}) {
      if (one_in(8)) request.reasons.emplace_back(reason);
    }
    return request;
  }

  JobChange change(Event& event) {
    JobChange change;
    using Position = JobChange::Position;
    switch (pick(7)) {
      case 0:
        change.priority = pick(3) - 1;
        break;
      case 1:
        change.queue = any(queue_names_);
        break;
      case 2:
      case 3:
        change.frozen = one_in(2);
        break;
      case 4:
        change.position =
            Position{any<Position::Where>({Position::Where::front, Position::Where::back,
                                           Position::Where::before, Position::Where::after}),
                     {}};
        event.beside = some_job();
        break;
      case 5:
        change.locks = locks();
        break;
      default:
        change.global_lock = one_in(2);
    }
    return change;
  }

  // Events.

  int some_job() { return 1 + pick(std::max(jobs_, 1)); }

  Event& add(What what) {
    Event& event = history_.events.emplace_back();
    event.what = what;
    event.second = now_;
    return event;
  }

  void submit(int job, int wait_for_below) {
    Event& event = add(What::submit);
    event.job = job;
    event.request = request();
    event.request.id = "j" + std::to_string(job);
    const bool waits = one_in(8) && wait_for_below > 1;
    if (waits) event.after.push_back(std::max(1, wait_for_below - 1 - pick(5)));
    if (waits && one_in(3) && event.request.on_failure != OnFailure::hold)
      event.after.push_back(1 + pick(wait_for_below - 1));
  }

  void add_event() {
    if (one_in(3)) now_ += any<int>({0, 1, 4, 10, 10, 30, 35, 90});
    const int dice = pick(40);
    if (dice < 18) {
      ++jobs_;
      submit(jobs_, jobs_);
    } else if (dice < 26) {
      finish();
    } else {
      seldom(dice);
    }
    if (one_in(2)) add(What::pass);
  }

  void finish() {
    // Several at a time, so room is freed about as fast as it is taken.
    for (int i = 0; i < 3; ++i) {
      Event& event = add(What::finish);
      event.job = std::max(1, jobs_ - pick(8));
      event.outcome = any<Outcome>({Outcome::ok, Outcome::ok, Outcome::failed});
    }
  }

  void seldom(int dice) {
    if (dice < 31) {
      Event& event = add(What::set);
      event.job = some_job();
      event.change = change(event);
    } else if (dice == 31) {
      add(What::cancel).job = some_job();
    } else if (dice == 32) {
      expected_ = ++jobs_;
      add(What::expect).job = expected_;
    } else if (dice == 33 && expected_ > 0) {
      if (one_in(3)) {
        add(What::give_up).job = expected_;
      } else {
        submit(expected_, expected_);
      }
      expected_ = 0;
    } else if (dice == 34) {
      add(one_in(3) ? What::pause_queue : What::resume_queue).queue = any(queue_names_);
    } else if (dice == 35) {
      add(one_in(6) ? What::pause : What::resume);
    } else if (dice == 36) {
      add(one_in(6) ? What::red : What::green);
    } else if (dice == 37) {
      reload();
    } else {
      add(What::look);
    }
  }

  /// Different figures for the same levels, managers and queues.
  void reload() {
    Event& event = add(What::reload);
    event.options = history_.options.queueing;
    event.options.contention = contention();
    event.options.contention.levels = history_.options.queueing.contention.levels;
    event.options.contention.undeclared = history_.options.queueing.contention.undeclared;
    event.options.resources["db"].total = 1 + pick(5);
    event.options.resources["ports"].items = any<std::vector<std::string>>(
        {{"p1", "p2", "p3"}, {"p3", "p1"}, {"p2"}, {"p4", "p1", "p2", "p3"}});
    for (auto& [name, queue] : event.options.queues) queue.backfill = pick(3);
    if (one_in(2)) event.options.rules = rules();
    if (one_in(3)) event.options.declared_memory = Bytes{static_cast<std::uint64_t>(5 + pick(6))};
  }

  std::mt19937_64 random_;
  History history_;
  std::vector<std::string> queue_names_;
  int now_ = 0;
  int jobs_ = 0;
  int expected_ = 0;
};

}  // namespace

History random_history(std::uint64_t seed) { return Writer(seed).write(); }

}  // namespace sluice::reference
