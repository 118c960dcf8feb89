#include "autoscale/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

namespace sluice {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const { SSL_free(session); }
};

std::string last_error() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return text.data();
}

/// Encrypts between two buffers and moves the bytes through the stream below.
class TlsStream : public ByteStream {
 public:
  TlsStream(std::unique_ptr<ByteStream> below, std::unique_ptr<SSL_CTX, FreeContext> context)
      : below_(std::move(below)),
        context_(std::move(context)),
        session_(SSL_new(context_.get())),
        in_(BIO_new(BIO_s_mem())),
        out_(BIO_new(BIO_s_mem())) {
    SSL_set_bio(session_.get(), in_, out_);
  }

  std::optional<std::string> handshake(const std::string& host) {
    X509_VERIFY_PARAM* wanted = SSL_get0_param(session_.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1) {
      ERR_clear_error();
      X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
      SSL_set_tlsext_host_name(session_.get(), host.c_str());
    }
    const auto problem = carry_out([this] { return SSL_connect(session_.get()); });
    const long verdict = SSL_get_verify_result(session_.get());
    if (problem && verdict != X509_V_OK) {
      return std::string("its certificate is not to be trusted: ") +
             X509_verify_cert_error_string(verdict);
    }
    return problem;
  }

  std::optional<std::string> write(std::string_view bytes) override {
    if (bytes.empty()) return std::nullopt;
    return carry_out(
        [&] { return SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())); });
  }

  std::variant<std::size_t, std::string> read(char* into, std::size_t room) override {
    int got = 0;
    ended_ = false;
    const auto problem =
        carry_out([&] { return got = SSL_read(session_.get(), into, static_cast<int>(room)); });
    if (ended_) return std::size_t{0};
    if (problem) return *problem;
    return static_cast<std::size_t>(got);
  }

 private:
  template <typename Step>
  std::optional<std::string> carry_out(Step step) {
    while (true) {
      ERR_clear_error();
      const int result = step();
      const int why = SSL_get_error(session_.get(), result);
      const std::string trouble = why == SSL_ERROR_SSL ? last_error() : "";
      if (const auto problem = send_pending()) return problem;
      if (result > 0) return std::nullopt;
      if (why == SSL_ERROR_ZERO_RETURN) {
        ended_ = true;
        return "the connection was closed";
      }
      if (why != SSL_ERROR_WANT_READ) return "TLS: " + trouble;
      if (const auto problem = receive()) return problem;
    }
  }

  std::optional<std::string> send_pending() {
    std::array<char, 16384> chunk;
    for (int size = 0; (size = BIO_read(out_, chunk.data(), chunk.size())) > 0;) {
      if (auto problem = below_->write({chunk.data(), static_cast<std::size_t>(size)})) {
        return problem;
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> receive() {
    std::array<char, 16384> chunk;
    const auto got = below_->read(chunk.data(), chunk.size());
    if (const auto* problem = std::get_if<std::string>(&got)) return *problem;
    const std::size_t size = std::get<std::size_t>(got);
    if (size == 0) return "the connection was cut off";
    BIO_write(in_, chunk.data(), static_cast<int>(size));
    return std::nullopt;
  }

  std::unique_ptr<ByteStream> below_;
  std::unique_ptr<SSL_CTX, FreeContext> context_;
  std::unique_ptr<SSL, FreeSession> session_;
  BIO* in_;   ///< Owned by the session.
  BIO* out_;  ///< Owned by the session.
  bool ended_ = false;
};

}  // namespace

std::variant<std::unique_ptr<ByteStream>, std::string> secured(std::unique_ptr<ByteStream> below,
                                                               const std::string& host,
                                                               const std::string& authorities) {
  std::unique_ptr<SSL_CTX, FreeContext> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (SSL_CTX_load_verify_locations(context.get(), authorities.c_str(), nullptr) != 1) {
    return authorities + ": no certificates of authorities can be read there";
  }
  auto stream = std::make_unique<TlsStream>(std::move(below), std::move(context));
  if (const auto problem = stream->handshake(host)) return *problem;
  return stream;
}

}  // namespace sluice
