#include "service/api/watch_routes.h"

#include <unistd.h>

#include <algorithm>

#include "base/enum_names.h"
#include "base/json_writer.h"
#include "base/parse.h"
#include "base/suggest.h"
#include "service/api/jobs_overview.h"
#include "service/api/page_files.h"
#include "service/api/view_timeline.h"

namespace sluice {
namespace {

/// The page may contact this daemon only, run no code or style except its own files, and be framed
/// by no other page.
constexpr std::string_view kPageHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
    "'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Vary: Accept-Encoding\r\n";

/// Whether an Accept-Encoding accepts gzip, as all browsers do; not if gzip has weight 0.
bool takes_gzip(std::string_view accept) {
  const std::size_t at = accept.find("gzip");
  if (at == std::string_view::npos) return false;
  std::string_view weight = accept.substr(at + 4);
  weight = weight.substr(0, weight.find(','));
  return weight.find("q=0") == std::string_view::npos ||
         weight.find_first_of("123456789") != std::string_view::npos;
}

/// The record is for root and the daemon's user; other users read the names of their own jobs, and
/// a client over TCP without the token is nobody.
std::string names_for(const Asker& asker) {
  if (asker.standing == Role::trusted) return "";
  return asker.user ? std::to_string(*asker.user) : "nobody";
}

/// What clients that recognise the programs of a build are told. `learned`: see
/// `History::heavy_programs`.
std::string build_json(const BuildOptions& options, const std::vector<std::string>& learned) {
  static constexpr EnumNames<BuildOptions::Program::free> kNames{"heavy", "unknown", "free"};
  return json_text([&](JsonWriter& json) {
    json.begin_object().object("programs", options.programs, [&](const auto& each) {
      json.member(each.first, kNames.of(each.second));
    });
    json.member("learned", learned).member("timers", options.timers);
    json.member("timed_hold", options.timed_hold).end_object();
  });
}

/// Whether `text` is a time, in seconds since 1970, within the next two centuries.
bool is_time(const std::string& text) {
  const auto seconds = parse_number(text);
  return seconds && *seconds >= 0 && *seconds <= 8e9;
}

/// As `sluice why --occurrence` takes it.
bool is_occurrence(const std::string& text) {
  const auto number = parse_u64(text);
  return number && *number >= 1 && *number <= 1000;
}

}  // namespace

WatchRoutes::WatchRoutes(RouteContext& context)
    : at_(context),
      feed_({[this] { return status_text(); }, [this] { return overview_text(); },
             [this](http::ConnectionId connection, std::string_view text) {
               if (at_.callbacks.push) at_.callbacks.push(connection, text);
             },
             [] { return Clock::now(); }}) {}

std::vector<Route> WatchRoutes::routes() {
  using enum Action;
  using Self = WatchRoutes;
  const auto to = serving(this);
  return {
      {"GET", "/v1/status", "status", to(&Self::status), read, {200}},
      {"GET", "/v1/timeline", "timeline", to(&Self::timeline), read, {200}},
      {"GET", "/v1/record", "record", to(&Self::record), read, {200, 503}, {"at", "occurrence"}},
      {"GET", "/v1/fit", "fit", to(&Self::fit), read, {200}, {"key", "program"}},
      {"GET", "/v1/build", "build", to(&Self::build), read, {200}},
      {"GET", "/v1/history", "history", to(&Self::old_timeline), read, {200}},
      {"GET", "/", "page", to(&Self::page), read, {200, 404}},
      {"GET", "/page/*", "page", to(&Self::page), read},
      {"GET", "/v1/events", "events", to(&Self::events), read, {200, 503}},
  };
}

std::string WatchRoutes::status_text() const {
  const Status now = at_.governor.status();
  const Instant instant{now.now, std::chrono::system_clock::now()};
  return status_json(now, at_.callbacks.daemon_facts(), at_.jobs.leases(), instant, at_.names());
}

std::string WatchRoutes::overview_text() const {
  const auto suspended = [this](JobId job) { return at_.jobs.usages().suspension(job); };
  return jobs_overview_json(at_.governor.jobs(), at_.names(), suspended, Clock::now());
}

RouteAnswer WatchRoutes::status(const RouteCall&) { return json_response(status_text()); }

RouteAnswer WatchRoutes::timeline(const RouteCall& call) {
  return json_response(
      timeline_json(at_.callbacks.timeline ? *at_.callbacks.timeline : Timeline{}, call.instant));
}

RouteAnswer WatchRoutes::record(const RouteCall& call) {
  const RecordQuestion question{call.request.connection, call.query("at"), names_for(call.asker),
                                call.query("occurrence")};
  if (call.target.query.contains("at") && !is_time(question.at)) {
    return bad_field("at", "must be seconds since 1970, such as 1772373900.5");
  }
  if (call.target.query.contains("occurrence") && !is_occurrence(question.occurrence)) {
    return bad_field("occurrence", "must be a whole number from 1 to 1000");
  }
  if (!at_.callbacks.record) {
    return ApiError{404, "no_record",
                    "nothing is recorded: see `service.record.enabled` and `state_dir`"};
  }
  if (call.request.method == "HEAD") return http::Response{};
  auto error = at_.callbacks.record->ask(
      question,
      [this, connection = question.connection](std::variant<http::Response, ApiError> answer) {
        const auto* failure = std::get_if<ApiError>(&answer);
        http::Response response =
            failure ? to_response(*failure) : std::get<http::Response>(std::move(answer));
        at_.count("record", response.status);
        at_.callbacks.reply(connection, std::move(response));
      });
  if (error) return *std::move(error);
  return std::monostate{};
}

void WatchRoutes::connection_closed(http::ConnectionId connection) {
  feed_.remove(connection);
  if (at_.callbacks.record) at_.callbacks.record->connection_closed(connection);
}

RouteAnswer WatchRoutes::build(const RouteCall& call) {
  const std::string user = learned_as(call.request.peer.user, geteuid());
  return json_response(
      build_json(at_.callbacks.daemon_facts().build, at_.jobs.usages().heavy_programs(user)));
}

RouteAnswer WatchRoutes::fit(const RouteCall& call) {
  JobRequest job;
  job.key = call.query("key");
  job.program = call.query("program");
  job.measured = true;
  job.user = learned_as(call.request.peer.user, geteuid());
  return json_response(json_text([&](JsonWriter& json) {
    const auto [fit, need] = at_.jobs.usages().fit(job, at_.governor.status());
    json.begin_object().member("key", job.key).member("program", job.program);
    json.member("jobs", fit.jobs).member("bound", to_string(fit.bound));
    json.member("rung", to_string(need.rung)).member("cores", need.cores);
    json.member("memory", need.memory, [](auto& memory) { return memory.mean; }).end_object();
  }));
}

// Until 1.0: `history` also names the learned costs, as in `sluice history`. RFC 9745: deprecated
// since 2026-11-22.
RouteAnswer WatchRoutes::old_timeline(const RouteCall& call) {
  RouteAnswer answer = timeline(call);
  std::get<http::Response>(answer).headers =
      "Deprecation: @1795305600\r\nLink: </v1/timeline>; rel=\"successor-version\"\r\n";
  return answer;
}

RouteAnswer WatchRoutes::page(const RouteCall& call) {
  const std::string name = call.target.path.size() == 1 ? "page.html" : call.target.path[1];
  const auto& files = page_files();
  const auto file = std::ranges::find(files, name, &PageFile::name);
  if (file == files.end()) {
    return ApiError{404, "no_such_path", "the page has no file " + quote_text(name)};
  }
  http::Response response;
  response.content_type = file->content_type;
  response.headers = kPageHeaders;
  const bool packed = takes_gzip(call.request.accept_encoding);
  if (packed) response.headers += "Content-Encoding: gzip\r\n";
  response.body = packed ? file->gzipped : file->plain;
  return response;
}

RouteAnswer WatchRoutes::events(const RouteCall& call) {
  http::Response response;
  response.content_type = http::kEventStream;
  response.then = http::Response::Then::stream;
  if (call.request.method == "HEAD") return response;
  const http::Transport transport = call.request.peer.transport;
  response.body = feed_.add(call.request.connection, transport);
  if (!response.body.empty()) return response;
  const std::string_view where =
      transport == http::Transport::tcp ? "over TCP" : "on the Unix socket";
  return ApiError{503, "too_many_listeners",
                  std::to_string(EventFeed::kMostListeners) + " clients already listen to events " +
                      std::string(where)};
}

}  // namespace sluice
