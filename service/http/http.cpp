#include "service/http/http.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice {
namespace {

using Phrase = std::pair<int, std::string_view>;

constexpr std::array<Phrase, 19> kPhrases{{{200, "OK"},
                                           {201, "Created"},
                                           {400, "Bad Request"},
                                           {401, "Unauthorized"},
                                           {403, "Forbidden"},
                                           {404, "Not Found"},
                                           {405, "Method Not Allowed"},
                                           {408, "Request Timeout"},
                                           {409, "Conflict"},
                                           {413, "Content Too Large"},
                                           {415, "Unsupported Media Type"},
                                           {421, "Misdirected Request"},
                                           {422, "Unprocessable Content"},
                                           {429, "Too Many Requests"},
                                           {431, "Request Header Fields Too Large"},
                                           {500, "Internal Server Error"},
                                           {501, "Not Implemented"},
                                           {503, "Service Unavailable"},
                                           {505, "HTTP Version Not Supported"}}};

}  // namespace

std::string_view reason_phrase(int status) {
  const auto known = std::ranges::find(kPhrases, status, &Phrase::first);
  return known == kPhrases.end() ? "Unknown" : known->second;
}

}  // namespace sluice
