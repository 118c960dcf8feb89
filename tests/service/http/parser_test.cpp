#include "service/http/parser.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice::http {
namespace {

constexpr std::uint32_t kHeader = 1024;
constexpr std::uint32_t kBody = 256;

/// 0 for a complete request, -1 if more bytes are needed, else the status.
int outcome(const std::string& text) {
  Parser parser(kHeader, kBody);
  std::string rest = text;
  while (true) {
    const auto result = parser.put(rest);
    if (const auto* failure = std::get_if<Parser::Failure>(&result)) return failure->status;
    const auto& progress = std::get<Parser::Progress>(result);
    if (progress.done) return 0;
    rest.erase(0, progress.used);
    if (progress.used == 0 || rest.empty()) return -1;
  }
}

TEST(HttpParser, ReadsARequestGivenByteByByte) {
  const std::string text =
      "POST /v1/jobs?wait=3s HTTP/1.1\r\nHost: a:1\r\nContent-Type: x/y\r\nContent-Length: "
      "2\r\n\r\n{}";
  Parser parser(kHeader, kBody);
  std::string in;
  bool done = false;
  for (const char c : text) {
    in += c;
    const auto progress = std::get<Parser::Progress>(parser.put(in));
    in.erase(0, progress.used);
    done = progress.done;
  }
  ASSERT_TRUE(done);
  const Request request = parser.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/v1/jobs?wait=3s");
  EXPECT_EQ(request.host, "a:1");
  EXPECT_EQ(request.content_type, "x/y");
  EXPECT_EQ(request.body, "{}");
  EXPECT_TRUE(parser.keep_alive());
}

TEST(HttpParser, LeavesTheNextRequestAlone) {
  const std::string one = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  Parser parser(kHeader, kBody);
  const auto progress = std::get<Parser::Progress>(parser.put(one + one));
  EXPECT_TRUE(progress.done);
  EXPECT_EQ(progress.used, one.size());
  parser.next();
  EXPECT_TRUE(std::get<Parser::Progress>(parser.put(one)).done);
}

TEST(HttpParser, ReadsChunkedBodies) {
  EXPECT_EQ(outcome("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "2\r\n{}\r\n0\r\n\r\n"),
            0);
}

TEST(HttpParser, ReadsChunkedBodiesGivenByteByByte) {
  for (const std::string body : {"0\r\n\r\n", "2\r\n{}\r\n0\r\n\r\n", "0\r\nTrailer: a\r\n\r\n"}) {
    Parser parser(kHeader, kBody);
    std::string in;
    bool done = false;
    for (const char c : "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body) {
      in += c;
      const auto progress = std::get<Parser::Progress>(parser.put(in));
      in.erase(0, progress.used);
      done = progress.done;
    }
    EXPECT_TRUE(done) << body;
  }
}

struct BadHead {
  std::string text;
  int status;
};

class BadHttp : public ::testing::TestWithParam<BadHead> {};

TEST_P(BadHttp, HasItsStatus) { EXPECT_EQ(outcome(GetParam().text), GetParam().status); }

INSTANTIATE_TEST_SUITE_P(
    Table, BadHttp,
    ::testing::Values(
        BadHead{"garbage\r\n\r\n", 400}, BadHead{std::string("\0\1\2\3\r\n\r\n", 8), 400},
        BadHead{"GET / HTTP/1.1\r\n\r\n", 400}, BadHead{"GET / HTTP/1.0\r\n\r\n", 0},
        BadHead{"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        BadHead{"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        BadHead{"GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
        BadHead{"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        BadHead{"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
        BadHead{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400},
        BadHead{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400},
        BadHead{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                400},
        BadHead{
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            400},
        BadHead{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\nabc", 501},
        BadHead{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 257\r\n\r\n", 413},
        BadHead{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
        BadHead{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n", 413},
        BadHead{"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x') + "\r\n\r\n", 431},
        BadHead{"GET /" + std::string(2000, 'x'), 431},
        BadHead{"GET / HTTP/1.1\r\nHost: a\r\n", -1}));

/// Why it fails; empty if it does not.
std::string failure(const std::string& text) {
  Parser parser(kHeader, kBody);
  std::string rest = text;
  while (!rest.empty()) {
    const auto result = parser.put(rest);
    if (const auto* failure = std::get_if<Parser::Failure>(&result)) return failure->message;
    const auto& progress = std::get<Parser::Progress>(result);
    if (progress.done || progress.used == 0) return "";
    rest.erase(0, progress.used);
  }
  return "";
}

TEST(HttpParser, SaysWhatIsMalformed) {
  const std::string start = "POST / HTTP/1.1\r\nHost: a\r\n";
  const std::string length = "Content-Length: 1\r\n", chunked = "Transfer-Encoding: chunked\r\n";
  const std::string both = "there are both Content-Length and Transfer-Encoding";
  EXPECT_EQ(failure(start + length + "Content-Length: 2\r\n\r\n"),
            "there are two lengths in Content-Length");
  EXPECT_EQ(failure(start + length + chunked + "\r\n"), both);
  EXPECT_EQ(failure(start + chunked + length + "\r\n"), both);
  EXPECT_EQ(failure(start + chunked + chunked + "\r\n"), "there are two Transfer-Encoding headers");
  EXPECT_EQ(failure(start + "Content-Length: x\r\n\r\n"),
            "Content-Length is not a number of bytes");
  EXPECT_EQ(failure(start + chunked + "\r\nzz\r\n{}\r\n0\r\n\r\n"),
            "a chunk of the body is malformed");
  EXPECT_EQ(failure("GET / HTTP/1.1\nHost: a\r\n\r\n"),
            "the request line does not end with its version and CR LF");
  EXPECT_EQ(failure("GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
            "only HTTP/1.0 and HTTP/1.1 are supported");
  EXPECT_EQ(failure("garbage\r\n\r\n"), "this is not HTTP/1.1");
}

TEST(HttpParser, SurvivesAnyBytes) {
  std::mt19937_64 random(11);
  const std::string seed =
      "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nabcde";
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (int change = 0; change < 4; ++change) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    EXPECT_NO_THROW(outcome(text));
  }
}

}  // namespace
}  // namespace sluice::http
