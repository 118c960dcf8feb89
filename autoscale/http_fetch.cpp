#include "autoscale/http_fetch.h"

#include <curl/curl.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "base/socket_places.h"
#include "base/text.h"

namespace sluice {
namespace {

using FetchResult = std::variant<ClientReply, std::string>;

const char* const kNoAnswerInTime = "no answer in time";

/// Maximum size of the heads of an answer, interim ones included.
constexpr std::size_t kMostHead = std::size_t{64} << 10;

struct Free {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

bool is_printable(unsigned char c) { return c > ' ' && c < 0x7f; }

bool is_one_word(const std::string& text) {
  return std::all_of(text.begin(), text.end(), is_printable);
}

/// One request, and the answer as it arrives.
class Transfer {
 public:
  Transfer(const Endpoint& place, const HttpCall& call) : place_(place), call_(call) {
    if (!handle_ || !url_) throw std::bad_alloc();
  }

  FetchResult run(TimePoint deadline) {
    if (auto problem = refusal(); !problem.empty()) return problem;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return std::string(kNoAnswerInTime);
    go_nowhere_else();
    address();
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(left));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(left));
    verify_peer();
    fill_request();
    receive();
    if (refused_ != CURLE_OK) return std::string("libcurl: ") + curl_easy_strerror(refused_);
    const CURLcode code = curl_easy_perform(handle_.get());
    return code == CURLE_OK ? answer() : explanation(code);
  }

 private:
  /// Remembers the first option that libcurl refuses: without it the request is not sent.
  template <typename Value>
  void set(CURLoption option, Value value) {
    static_assert(!std::is_same_v<Value, int>, "libcurl reads a long");
    const CURLcode code = curl_easy_setopt(handle_.get(), option, value);
    if (refused_ == CURLE_OK) refused_ = code;
  }

  /// What must not become part of a request.
  std::string refusal() const {
    if (!is_one_word(call_.token)) return "the token has characters that no header may contain";
    const std::string target = place_.prefix + call_.target;
    if (!target.starts_with('/') || !is_one_word(target) || !is_one_word(call_.method) ||
        !is_one_word(call_.content_type)) {
      return "the request has characters that no HTTP request may contain";
    }
    return "";
  }

  /// Neither the environment nor the server chooses where a request goes, or what it may contain.
  void go_nowhere_else() {
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PROXY, "");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_SOCKOPTFUNCTION, &Transfer::close_on_exec);
    // Does not wait for a name server that has not answered at the deadline.
    set(CURLOPT_QUICK_EXIT, 1L);
  }

  void address() {
    const bool local = place_.kind == Endpoint::Kind::unix_socket;
    const bool six = place_.host.find(':') != std::string::npos;
    const std::string host = six ? "[" + place_.host + "]" : place_.host;
    // By parts: a host such as "user@host" must not turn into a password.
    set_part(CURLUPART_SCHEME, place_.kind == Endpoint::Kind::tls ? "https" : "http");
    set_part(CURLUPART_HOST, local ? "sluice" : host);
    if (!local) set_part(CURLUPART_PORT, place_.port);
    if (local) set(CURLOPT_UNIX_SOCKET_PATH, place_.host.c_str());
    set(CURLOPT_CURLU, url_.get());
    target_ = place_.prefix + call_.target;
    set(CURLOPT_REQUEST_TARGET, target_.c_str());
  }

  void set_part(CURLUPart part, const std::string& text) {
    const CURLUcode code = curl_url_set(url_.get(), part, text.c_str(), 0);
    if (code != CURLUE_OK && refused_ == CURLE_OK) refused_ = CURLE_URL_MALFORMAT;
  }

  void verify_peer() {
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_CAINFO, call_.authorities.c_str());
    // Only the authorities given: Debian's libcurl would also trust /etc/ssl/certs.
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    // A chain ends at an authority that signed itself, as OpenSSL has it.
    set(CURLOPT_SSL_OPTIONS, static_cast<long>(CURLSSLOPT_NO_PARTIALCHAIN));
  }

  void fill_request() {
    add_header("Connection: close");
    if (!call_.token.empty()) add_header("Authorization: Bearer " + call_.token);
    if (call_.method != "GET" || !call_.body.empty()) {
      set(CURLOPT_POSTFIELDS, call_.body.c_str());
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call_.body.size()));
      set(CURLOPT_CUSTOMREQUEST, call_.method.c_str());
      add_header(call_.body.empty() ? "Content-Type:" : "Content-Type: " + call_.content_type);
      add_header("Expect:");
    }
    set(CURLOPT_HTTPHEADER, headers_.get());
  }

  void add_header(const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers_.get(), line.c_str());
    if (!longer) throw std::bad_alloc();
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  }

  void receive() {
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_head);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(kMostReply));
  }

  /// Takes a line of a head, or of the trailers after a chunked body.
  static std::size_t take_head(char* bytes, std::size_t, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view line(bytes, size);
    if (line == "\r\n" || line == "\n") transfer.head_ended_ = true;
    if (line.starts_with("HTTP/")) transfer.head_ended_ = false;  // The next, after an interim one.
    transfer.head_ += size;
    return transfer.head_ > kMostHead ? 0 : size;
  }

  static std::size_t take_body(char* bytes, std::size_t, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (size > kMostReply - transfer.head_ - transfer.reply_.body.size()) return 0;
    try {
      transfer.reply_.body.append(bytes, size);
    } catch (const std::bad_alloc&) {
      return 0;  // An exception must not cross libcurl.
    }
    return size;
  }

  /// Commands that the autoscaler runs must not inherit connections.
  static int close_on_exec(void*, curl_socket_t socket, curlsocktype) {
    return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
  }

  FetchResult answer() {
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || !head_ended_) return std::string("the answer was cut off");
    if (status > 599) return std::string("the answer is not HTTP");
    curl_header* location = nullptr;
    const bool redirects =
        status / 100 == 3 &&
        curl_easy_header(handle_.get(), "Location", 0, CURLH_HEADER, -1, &location) == CURLHE_OK;
    if (redirects) {
      return "answers " + std::to_string(status) + " and redirects to " +
             printable(location->value, 200) + "; redirects are not followed";
    }
    reply_.status = static_cast<int>(status);
    return std::move(reply_);
  }

  std::string explanation(CURLcode code) const {
    const std::string told =
        printable(*error_.data() ? error_.data() : curl_easy_strerror(code), 300);
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT:
        return is_resolved() ? kNoAnswerInTime
                             : place_.host + ": the name was not resolved in time";
      case CURLE_COULDNT_RESOLVE_HOST:
        return place_.host + ": the name cannot be resolved";
      case CURLE_COULDNT_CONNECT: {
        long error = 0;
        curl_easy_getinfo(handle_.get(), CURLINFO_OS_ERRNO, &error);
        return error ? std::strerror(static_cast<int>(error)) : told;
      }
      case CURLE_PEER_FAILED_VERIFICATION:
        return "its certificate is not trusted: " + told;
      case CURLE_SSL_CACERT_BADFILE:
        return call_.authorities + ": no CA certificates can be read there";
      case CURLE_PARTIAL_FILE:
      case CURLE_GOT_NOTHING:
        return "the answer was cut off";
      case CURLE_UNSUPPORTED_PROTOCOL:
      case CURLE_WEIRD_SERVER_REPLY:
        return "the answer is not HTTP";
      case CURLE_WRITE_ERROR:
      case CURLE_FILESIZE_EXCEEDED:
        return "the answer is too large";
      default:
        return told;
    }
  }

  bool is_resolved() const {
    if (place_.kind == Endpoint::Kind::unix_socket) return true;
    curl_off_t took = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_NAMELOOKUP_TIME_T, &took);
    return took > 0;
  }

  const Endpoint& place_;
  const HttpCall& call_;
  // libcurl reads these until the handle is freed.
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::string target_;
  std::unique_ptr<curl_slist, Free> headers_;
  std::unique_ptr<CURLU, Free> url_{curl_url()};
  std::unique_ptr<CURL, Free> handle_{curl_easy_init()};
  CURLcode refused_ = CURLE_OK;
  ClientReply reply_;
  std::size_t head_ = 0;
  bool head_ended_ = false;
};

}  // namespace

void start_http() {
  // libcurl would write the keys of each connection to this file.
  unsetenv("SSLKEYLOGFILE");
  const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
  }
}

FetchResult http_fetch(const Endpoint& place, const HttpCall& call, TimePoint deadline) {
  const bool local = place.kind == Endpoint::Kind::unix_socket;
  FetchResult reply = local && !unix_address(place.host)
                          ? FetchResult(std::string("the path of a socket has at most 107 bytes"))
                          : Transfer(place, call).run(deadline);
  if (const auto* problem = std::get_if<std::string>(&reply)) {
    return to_string(place) + ": " + *problem;
  }
  return reply;
}

}  // namespace sluice
