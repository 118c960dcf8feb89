#include "autoscale/http_reply.h"

#include <algorithm>
#include <charconv>

#include "base/suggest.h"

namespace sluice {
namespace {

using Reply = std::variant<ClientReply, std::string>;

const char* const kNoHttp = "the answer is no HTTP";
const char* const kTorn = "the answer was cut off";

std::optional<std::size_t> number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, base);
  if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

/// The value of a header, trimmed; nullopt if it is missing.
std::optional<std::string_view> header(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || lower_case(line.substr(0, colon)) != name) continue;
    line.remove_prefix(colon + 1);
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    return line;
  }
  return std::nullopt;
}

/// Joins the chunks of a body; nullopt if they are incomplete.
std::optional<std::variant<std::string, std::string_view>> joined(std::string_view chunks) {
  std::string body;
  while (true) {
    const std::size_t end = chunks.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const auto size = number(chunks.substr(0, std::min(end, chunks.find(';'))), 16);
    if (!size || *size > kMostReply) return std::string_view(kNoHttp);
    chunks.remove_prefix(end + 2);
    if (*size == 0) return body;
    if (chunks.size() < *size + 2) return std::nullopt;
    body.append(chunks.substr(0, *size));
    chunks.remove_prefix(*size + 2);
  }
}

/// The first answer; removes one of status 1xx, which precedes another, from the bytes.
std::optional<Reply> read_one(std::string_view& bytes, bool at_end) {
  const auto more = [at_end]() -> std::optional<Reply> {
    if (at_end) return Reply(std::string(kTorn));
    return std::nullopt;
  };
  const std::string_view start = std::string_view("HTTP/1.").substr(0, bytes.size());
  if (!bytes.starts_with(start)) return Reply(std::string(kNoHttp));
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    constexpr std::size_t most_head = 64 * 1024;
    return bytes.size() > most_head ? Reply(std::string(kNoHttp)) : more();
  }
  const std::string_view head = bytes.substr(0, end);
  const auto status = number(head.substr(std::min<std::size_t>(9, head.size()), 3), 10);
  if (!status || *status < 100 || *status > 599) return Reply(std::string(kNoHttp));
  const std::string_view rest = bytes.substr(end + 4);
  ClientReply reply{static_cast<int>(*status), {}};
  if (*status < 200) {
    bytes = rest;
    return Reply(std::move(reply));
  }
  const auto coding = header(head, "transfer-encoding");
  if (coding && lower_case(*coding) == "chunked") {
    // The last chunk ends like this; joining all chunks on every read would take quadratic time.
    if (!rest.ends_with("\r\n\r\n")) return more();
    const auto body = joined(rest);
    if (!body) return more();
    if (const auto* wrong = std::get_if<std::string_view>(&*body))
      return Reply(std::string(*wrong));
    reply.body = std::get<std::string>(*body);
    return Reply(std::move(reply));
  }
  if (const auto length = header(head, "content-length")) {
    const auto size = number(*length, 10);
    if (!size) return Reply(std::string(kNoHttp));
    if (rest.size() < *size) return more();
    reply.body = rest.substr(0, *size);
    return Reply(std::move(reply));
  }
  if (*status == 204 || *status == 304) return Reply(std::move(reply));
  if (!at_end) return std::nullopt;
  reply.body = rest;
  return Reply(std::move(reply));
}

}  // namespace

std::optional<Reply> read_reply(std::string_view bytes, bool at_end) {
  if (bytes.size() > kMostReply) return Reply(std::string("the answer is too large"));
  while (true) {
    auto reply = read_one(bytes, at_end);
    const auto* whole = reply ? std::get_if<ClientReply>(&*reply) : nullptr;
    if (!whole || whole->status >= 200) return reply;
  }
}

}  // namespace sluice
